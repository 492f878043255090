import { sql } from 'kysely'
import { firingGrace, firingMinutes, fitFor, nextFiring } from '@caretaker/rules/properties/void.ts'
import { changed } from '../../changes/changed.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { queueCommands } from '../commands/store.ts'
import type { VoidDevice } from './home.ts'
import { holdVoidDevices } from './home.ts'

const isFired = (device: VoidDevice) => device.isVoid && fitFor('firing', device).applies

/** Plans the next firing of those of these held devices that are to be fired, and takes away what was planned for the others. */
export async function settleFirings(tx: TenantTx, devices: readonly VoidDevice[], now: Date): Promise<void> {
  const others = devices.filter((device) => !isFired(device)).map(({ deviceId }) => deviceId)
  const { rows: dropped } = await sql<{ property_id: string }>`
    delete from void_firing where tenant_id = ${tx.tenant} and state = 'due'
      and device_id = any(${others}::uuid[]) returning property_id`.execute(tx)
  const fired = devices.filter(isFired)
  const { rows } = await sql<{ device_id: string }>`
    select device_id from void_firing where tenant_id = ${tx.tenant} and state = 'due'
      and device_id = any(${fired.map(({ deviceId }) => deviceId)}::uuid[])`.execute(tx)
  const planned = new Set(rows.map((row) => row.device_id))
  const { monday, at } = nextFiring(+now, await zoneOf(tx))
  const firings = fired
    .filter(({ deviceId }) => !planned.has(deviceId))
    .map((device) => ({ deviceId: device.deviceId, propertyId: device.propertyId!, monday, at }))
  await plan(tx, firings)
  await shown(tx, [...dropped.map((row) => row.property_id), ...firings.map(({ propertyId }) => propertyId)])
}

/** The pages of these homes show firings that are others now. */
const shown = (tx: TenantTx, propertyIds: readonly string[]) => changed(tx, 'property', propertyIds)

interface Planned {
  deviceId: string
  propertyId: string
  monday: string
  /** ms since the epoch */
  at: number
}

/** One that stands for that Monday already, whatever became of it, is not planned again. */
async function plan(tx: TenantTx, firings: readonly Planned[]): Promise<void> {
  if (!firings.length) return
  await sql`
    insert into void_firing (tenant_id, device_id, monday, property_id, due_at)
    select ${tx.tenant}, firing.* from unnest(
      ${firings.map(({ deviceId }) => deviceId)}::uuid[], ${firings.map(({ monday }) => monday)}::date[],
      ${firings.map(({ propertyId }) => propertyId)}::uuid[],
      ${firings.map(({ at }) => new Date(at).toISOString())}::timestamptz[]
    ) as firing (device_id, monday, property_id, due_at)
    on conflict do nothing`.execute(tx)
}

/** Firings that one transaction begins. */
export const firedAtOnce = 200

/**
 * Begins the firings whose time has come, and plans the next of each. One whose time is long past, because the server was not
 * there, is missed and never fired late. Returns how many were due: there may be more when it is `firedAtOnce`.
 */
export async function fireDue(tx: TenantTx, now: Date): Promise<number> {
  const seen = await ripeFirings(tx, now)
  if (!seen.length) return 0
  // Devices before what stands of them, as everywhere: whoever fires them or turns void off meanwhile is waited for, and what
  // is still due is seen then.
  const held = await holdVoidDevices(tx, [...new Set(seen.map((row) => row.device_id))])
  const devices = new Map(held.map((one) => [one.deviceId, one]))
  const ripe = (await ripeFirings(tx, now)).filter(({ device_id }) => devices.has(device_id))
  const due = ripe.filter(({ device_id }) => isFired(devices.get(device_id)!))
  const inTime = due.filter(({ due_at }) => +now - +due_at <= firingGrace)
  const commands = await queueCommands(tx, {
    deviceIds: inTime.map(({ device_id }) => device_id),
    name: 'fireBoiler',
    args: { minutes: firingMinutes },
    createdBy: null,
  })
  await sql`
    update void_firing as firing set state = told.state, command_id = told.command_id
    from unnest(
      ${due.map((row) => row.device_id)}::uuid[], ${due.map((row) => row.monday)}::date[],
      ${due.map((row) => (inTime.includes(row) ? 'asked' : 'missed'))}::text[],
      ${due.map((row) => (inTime.includes(row) ? commands.get(row.device_id)! : null))}::uuid[]
    ) as told (device_id, monday, state, command_id)
    where firing.tenant_id = ${tx.tenant} and firing.device_id = told.device_id and firing.monday = told.monday
      and firing.state = 'due'`.execute(tx)
  await sql`
    delete from void_firing where tenant_id = ${tx.tenant} and state = 'due' and due_at <= ${now}
      and device_id = any(${ripe.filter((row) => !due.includes(row)).map((row) => row.device_id)}::uuid[])`.execute(tx)
  const zone = await zoneOf(tx)
  await plan(
    tx,
    due.map(({ device_id, property_id, due_at }) => ({
      deviceId: device_id,
      propertyId: property_id,
      ...nextFiring(+due_at, zone),
    })),
  )
  await changed(
    tx,
    'device commands',
    due.map(({ device_id }) => device_id),
  )
  await shown(
    tx,
    ripe.map(({ property_id }) => property_id),
  )
  return seen.length
}

async function ripeFirings(tx: TenantTx, now: Date) {
  const { rows } = await sql<{ device_id: string; property_id: string; monday: string; due_at: Date }>`
    select device_id, property_id, monday::text as monday, due_at from void_firing
    where tenant_id = ${tx.tenant} and state = 'due' and due_at <= ${now}
    order by due_at, device_id limit ${firedAtOnce}`.execute(tx)
  return rows
}
