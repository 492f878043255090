import { sql } from 'kysely'
import type { Command } from '@caretaker/contract/lighting.ts'
import type { PropertyVoid } from '@caretaker/contract/void-mode.ts'
import { voidHeatingMax } from '@caretaker/rules/boilers/details.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { effectStanding, firingStanding, formerMax, lockedOutIn, voidPlan } from '@caretaker/rules/properties/void.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { isLive } from '../alerts/store.ts'
import { commandsById } from '../commands/store.ts'
import { devicesOfHome } from './home.ts'

/** Maximum number of a boiler's firings that are listed. */
const mostNamed = 6
/** A user who sees a property may not see each of its devices. */
const unseen = 'a device outside your access rights'

/** The commands for the void flag of a property that the actor sees, and their results. */
export async function voidOfHome(tx: TenantTx, actor: Actor, propertyId: string, now: number): Promise<PropertyVoid> {
  const { void_flag: flag } = await tx
    .selectFrom('property')
    .select('void_flag')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', propertyId)
    .executeTakeFirstOrThrow()
  const isVoid = flag === 'Void'
  const devices = await devicesOfHome(tx, propertyId)
  const seen = new Map(
    devices.filter((device) => can(actor, 'see device', device)).map((device) => [device.deviceId, device]),
  )
  const lockedOut = new Map(lockedOutIn(devices).map((device) => [device.deviceId, device.lockedOutSince]))
  const nameOf = (id: string) => ({
    deviceId: seen.has(id) ? id : null,
    serialNumber: seen.get(id)?.serialNumber ?? null,
  })
  const rows = await effectRows(tx, propertyId)
  const firings = await firingRows(tx, propertyId)
  const commands = new Map(
    (
      await commandsById(
        tx,
        [...rows, ...firings].flatMap((row) => row.command_id ?? []),
      )
    ).map((one) => [one.commandId, one]),
  )
  const former = new Map(
    devices.map((device) => {
      const row = rows.find((one) => one.device_id === device.deviceId && one.effect === 'heating')
      return [device.deviceId, isVoid ? (row?.former ?? null) : formerMax(device, row?.former ?? null)]
    }),
  )
  const named = devices.map((device) => ({
    ...device,
    serialNumber: seen.get(device.deviceId)?.serialNumber ?? unseen,
  }))
  return {
    isVoid,
    plan: voidPlan(!isVoid, named, former),
    effects: rows.map(({ device_id, effect, is_held, former: before, command_id, asked_at, reported }) => {
      const command: Command | undefined = command_id === null ? undefined : commands.get(command_id)
      return {
        ...nameOf(device_id),
        effect,
        isHeld: is_held,
        celsius: effect === 'heating' ? (is_held ? voidHeatingMax : before) : null,
        standing: command ? effectStanding(command, reported, now) : null,
        command: (seen.has(device_id) && command) || null,
        askedAt: asked_at.toISOString(),
      }
    }),
    firings: firings.map(({ device_id, due_at, state, command_id }) => ({
      ...nameOf(device_id),
      at: due_at.toISOString(),
      ...firingStanding(
        state,
        command_id === null ? undefined : commands.get(command_id),
        now,
        lockedOut.has(device_id),
      ),
    })),
    lockedOut: [...lockedOut].map(([deviceId, since]) => ({
      ...nameOf(deviceId),
      since: new Date(since).toISOString(),
    })),
    mutedAlerts: isVoid ? await countMuted(tx, propertyId) : 0,
    deviceCount: devices.length,
  }
}

async function effectRows(tx: TenantTx, propertyId: string) {
  return tx
    .selectFrom('void_effect')
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'void_effect.device_id'),
    )
    .where('void_effect.tenant_id', '=', tx.tenant)
    .where('void_effect.property_id', '=', propertyId)
    .select([
      'void_effect.device_id',
      'void_effect.effect',
      'void_effect.is_held',
      'void_effect.former',
      'void_effect.command_id',
      'void_effect.asked_at',
      'device.reported',
    ])
    .orderBy('void_effect.effect', 'desc')
    .orderBy('device.serial')
    .execute()
}

async function firingRows(tx: TenantTx, propertyId: string) {
  return tx
    .selectFrom('void_firing')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .select(['device_id', 'due_at', 'state', 'command_id'])
    .orderBy('due_at', 'desc')
    .orderBy('device_id')
    .limit(mostNamed)
    .execute()
}

async function countMuted(tx: TenantTx, propertyId: string): Promise<number> {
  const { rows } = await sql<{ muted: number }>`
    select count(*)::int as muted from alert
    left join device on device.tenant_id = ${tx.tenant} and device.id = alert.device_id
    where alert.tenant_id = ${tx.tenant} and (device.property_id = ${propertyId} or alert.property_id = ${propertyId})
      and ${isLive} and alert.held = 'muted'`.execute(tx)
  return rows[0]!.muted
}
