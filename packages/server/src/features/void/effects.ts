import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { countsAsInstalled } from '@caretaker/rules/devices/status.ts'
import type { HeldEffect } from '@caretaker/rules/properties/void.ts'
import { changed } from '../../changes/changed.ts'
import {
  hasEffectFailed,
  commandFor,
  effectStanding,
  fitFor,
  formerMax,
  heldEffects,
} from '@caretaker/rules/properties/void.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { askForState } from '../commands/ask.ts'
import { commandsById } from '../commands/store.ts'
import type { VoidDevice } from './home.ts'

interface EffectChange {
  /** The user who changed the void flag; null if the server found something left to do. */
  askedBy: string | null
  now: Date
}

/**
 * Brings the void effects on these locked devices in line with their properties: sends commands that are missing or
 * expired while the device was away, and reverses effects that are no longer wanted. Returns how many commands were
 * sent.
 */
export async function updateEffects(
  tx: TenantTx,
  devices: readonly VoidDevice[],
  { askedBy, now }: EffectChange,
): Promise<number> {
  const known = await effectsOf(
    tx,
    devices.map(({ deviceId }) => deviceId),
  )
  let asked = 0
  const homes = new Set<string>()
  for (const device of devices)
    for (const effect of heldEffects) {
      const row = known.find((one) => one.device_id === device.deviceId && one.effect === effect)
      const isWanted = device.isVoid && fitFor(effect, device).applies
      if (!row && !isWanted) continue
      // A device that is not installed gets no commands.
      if (row && !countsAsInstalled(device.status)) {
        await forget(tx, device.deviceId, effect)
        homes.add(row.property_id)
      } else if (!row || row.is_held !== isWanted || row.is_lost) {
        const former = isWanted && effect === 'heating' ? formerMax(device, row?.former ?? null) : (row?.former ?? null)
        const propertyId = device.propertyId ?? row!.property_id
        await ask(tx, device, { effect, isWanted, former, propertyId }, { askedBy, now })
        homes.add(propertyId)
        if (row) homes.add(row.property_id)
        asked++
      } else if (isWanted && row.property_id !== device.propertyId) {
        // Moved from one void property to another: it keeps its effect, which the page of its new property shows.
        await moveTo(tx, device.deviceId, effect, device.propertyId!)
        homes.add(row.property_id)
        homes.add(device.propertyId!)
      }
    }
  await changed(tx, 'property', homes)
  return asked
}

interface Row {
  device_id: string
  effect: HeldEffect
  property_id: string
  is_held: boolean
  former: number | null
  is_lost: boolean
  command_id: string | null
}

/** The void effects on these devices; `is_lost` marks a command that expired before the device reconnected. */
async function effectsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select effect.device_id, effect.effect, effect.property_id, effect.is_held, effect.former, effect.command_id,
      coalesce(command.status = 'expired' and command.late_answer is null and command.taken_back_at is null
        and device.connection_at > command.expires_at, false) as is_lost
    from void_effect as effect
    join device on device.tenant_id = ${tx.tenant} and device.id = effect.device_id
    left join command on command.tenant_id = ${tx.tenant} and command.id = effect.command_id
    where effect.tenant_id = ${tx.tenant} and effect.device_id = any(${deviceIds}::uuid[])`.execute(tx)
  return rows
}

async function ask(
  tx: TenantTx,
  device: VoidDevice,
  {
    effect,
    isWanted,
    former,
    propertyId,
  }: { effect: HeldEffect; isWanted: boolean; former: number | null; propertyId: string },
  { askedBy, now }: EffectChange,
): Promise<void> {
  const { deviceId } = device
  const command = commandFor(effect, isWanted, former)
  const asked = command && (await askForState(tx, { ...command, deviceId, desired: device.desired, askedBy }))
  const recorded = {
    property_id: propertyId,
    is_held: isWanted,
    former,
    command_id: asked?.commandId ?? null,
    asked_at: now,
  }
  await tx
    .insertInto('void_effect')
    .values({ tenant_id: tx.tenant, device_id: deviceId, effect, ...recorded })
    .onConflict((row) => row.columns(['tenant_id', 'device_id', 'effect']).doUpdateSet(recorded))
    .execute()
}

/**
 * Repeats a command to a locked device that refused it or never received it. Of two simultaneous requests the second
 * finds that it was sent.
 */
export async function askAgain(
  tx: TenantTx,
  device: VoidDevice,
  effect: HeldEffect,
  change: EffectChange & { askedBy: string },
): Promise<void> {
  const row = (await effectsOf(tx, [device.deviceId])).find((one) => one.effect === effect)
  if (!row) throw refuse('not found')
  const [command] = row.command_id === null ? [] : await commandsById(tx, [row.command_id])
  const standing = command ? effectStanding(command, device.reported, +change.now) : null
  if (!hasEffectFailed(standing)) throw refuse('conflict', 'This has already been repeated or done.')
  const { is_held: isWanted, former, property_id: propertyId } = row
  await ask(tx, device, { effect, isWanted, former, propertyId }, change)
}

async function moveTo(tx: TenantTx, deviceId: string, effect: HeldEffect, propertyId: string): Promise<void> {
  await tx
    .updateTable('void_effect')
    .set({ property_id: propertyId })
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('effect', '=', effect)
    .execute()
}

async function forget(tx: TenantTx, deviceId: string, effect: HeldEffect): Promise<void> {
  await tx
    .deleteFrom('void_effect')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('effect', '=', effect)
    .execute()
}

/** Forgets what void mode has changed on uninstalled devices. */
export async function deleteEffectsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('void_effect')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
