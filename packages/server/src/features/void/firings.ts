import { sql } from 'kysely'
import { firingGrace, firingMinutes, firingOn, fitFor, nextFiring } from '@caretaker/rules/properties/void.ts'
import { changed } from '../../changes/changed.ts'
import { zoneOf } from '../../lists/read.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { holdCommand, queueCommands, takeBack } from '../commands/store.ts'
import type { VoidDevice } from './home.ts'
import { devicesOfHomes, holdVoidDevices } from './home.ts'

const isFired = (device: VoidDevice) => device.isVoid && fitFor('firing', device).applies

/**
 * Cancels planned firings of these locked devices that are not to be fired, or no longer for that property, and plans
 * the next one for each of their properties that has none.
 */
export async function updateFirings(tx: TenantTx, devices: readonly VoidDevice[], now: Date): Promise<void> {
  const fired = devices.filter(isFired)
  // A boiler that moved to another property no longer belongs to the one for which it was planned.
  const { rows: dropped } = await sql<{ property_id: string }>`
    delete from void_firing as firing
    using unnest(${devices.map(({ deviceId }) => deviceId)}::uuid[],
      ${devices.map((device) => (isFired(device) ? device.propertyId : null))}::uuid[]) as input (device_id, property_id)
    where firing.tenant_id = ${tx.tenant} and firing.device_id = input.device_id and firing.state = 'due'
      and firing.property_id is distinct from input.property_id
    returning firing.property_id`.execute(tx)
  await withdrawUnsentCommands(
    tx,
    devices.filter((device) => !isFired(device)),
  )
  const next = nextFiring(+now, await zoneOf(tx))
  const left = dropped.map((row) => row.property_id)
  // In the property that it left it may be another boiler's turn.
  const homes = new Set(left.concat(fired.map((device) => device.propertyId!)))
  const planned = await plan(
    tx,
    [...homes].map((propertyId) => ({ propertyId, ...next })),
  )
  await shown(tx, [...new Set(left.concat(planned))])
}

/**
 * Withdraws the unsent firing commands of one of these devices, so that it does not fire needlessly when it reconnects.
 */
async function withdrawUnsentCommands(tx: TenantTx, devices: readonly VoidDevice[]): Promise<void> {
  if (!devices.length) return
  const { rows } = await sql<{ device_id: string; property_id: string; command_id: string }>`
    select firing.device_id, firing.property_id, firing.command_id from void_firing as firing
    join command on command.tenant_id = ${tx.tenant} and command.id = firing.command_id
    where firing.tenant_id = ${tx.tenant} and firing.state = 'asked' and command.status = 'queued'
      and firing.device_id = any(${devices.map(({ deviceId }) => deviceId)}::uuid[])
    order by firing.command_id`.execute(tx)
  for (const { device_id: deviceId, command_id: commandId } of rows) {
    // It may have been sent a moment ago: then the device has it.
    const held = await holdCommand(tx, deviceId, commandId)
    if (held?.status === 'queued') await takeBack(tx, { commandId, deviceId, status: held.status }, null)
  }
  await shown(tx, [...new Set(rows.map((row) => row.property_id))])
}

/** Announces changed firings to the pages of these properties. */
const shown = (tx: TenantTx, propertyIds: readonly string[]) => changed(tx, 'property', propertyIds)

interface Planned {
  propertyId: string
  monday: string
  /** ms since the epoch */
  at: number
}

/**
 * Plans firings: each property fires one boiler on a Monday; of several, the one that has waited longest, so that the
 * pump and valves of each are moved. A property that already has a firing planned, or has one for that Monday in any
 * state, is left unchanged. Returns the properties that got one.
 */
async function plan(tx: TenantTx, firings: readonly Planned[]): Promise<string[]> {
  if (!firings.length) return []
  const turns = await turnsOf(
    tx,
    firings.map(({ propertyId }) => propertyId),
  )
  const chosen = firings.flatMap((firing) => {
    const deviceId = turns.get(firing.propertyId)
    return deviceId ? [{ ...firing, deviceId }] : []
  })
  const { rows } = await sql<{ property_id: string }>`
    insert into void_firing (tenant_id, device_id, monday, property_id, due_at)
    select ${tx.tenant}, input.* from unnest(
      ${chosen.map(({ deviceId }) => deviceId)}::uuid[], ${chosen.map(({ monday }) => monday)}::date[],
      ${chosen.map(({ propertyId }) => propertyId)}::uuid[],
      ${chosen.map(({ at }) => new Date(at).toISOString())}::timestamptz[]
    ) as input (device_id, monday, property_id, due_at)
    where not exists (select from void_firing as firing
      where firing.tenant_id = ${tx.tenant} and firing.property_id = input.property_id and firing.monday = input.monday)
    on conflict do nothing
    returning property_id`.execute(tx)
  return rows.map((row) => row.property_id)
}

/** The boiler whose turn it is in each of these properties. */
async function turnsOf(tx: TenantTx, propertyIds: readonly string[]): Promise<Map<string, string>> {
  const boilers = (await devicesOfHomes(tx, propertyIds)).filter(isFired)
  const { rows } = await sql<{ device_id: string; last: string }>`
    select device_id, max(monday)::text as last from void_firing
    where tenant_id = ${tx.tenant} and device_id = any(${boilers.map(({ deviceId }) => deviceId)}::uuid[])
    group by device_id`.execute(tx)
  const last = new Map(rows.map((row) => [row.device_id, row.last]))
  // A boiler in lockout cannot fire: its turn comes after all others.
  const since = ({ deviceId, lockedOutSince }: VoidDevice) =>
    `${lockedOutSince === null ? 'a' : 'b'} ${last.get(deviceId) ?? ''}`
  return new Map(
    [...Map.groupBy(boilers, (boiler) => boiler.propertyId!)].map(([propertyId, of]) => {
      // If several have waited equally long, the one with the lower serial number.
      const next = of.reduce((first, one) => (since(one) < since(first) ? one : first))
      return [propertyId, next.deviceId]
    }),
  )
}

/**
 * Moves planned firings after a change of the time zone: each stays on its Monday, at nine local time. If that time
 * has passed there, the job marks it as missed.
 */
export async function fireByNewClocks(tx: TenantTx): Promise<void> {
  const zone = await zoneOf(tx)
  const { rows: mondays } = await sql<{ monday: string }>`
    select distinct monday::text as monday from void_firing where tenant_id = ${tx.tenant} and state = 'due'`.execute(
    tx,
  )
  const { rows } = await sql<{ property_id: string }>`
    update void_firing as firing set due_at = input.due_at
    from unnest(${mondays.map(({ monday }) => monday)}::date[],
      ${mondays.map(({ monday }) => new Date(firingOn(monday, zone)).toISOString())}::timestamptz[]) as input (monday, due_at)
    where firing.tenant_id = ${tx.tenant} and firing.monday = input.monday and firing.state = 'due'
    returning firing.property_id`.execute(tx)
  await shown(tx, [...new Set(rows.map((row) => row.property_id))])
  if (rows.length) await makeDue(tx, 'void mode')
}

/** Firings that one transaction begins. */
export const firedAtOnce = 200

/**
 * Begins the due firings, and plans the next ones. A long overdue firing, because no worker ran, is missed and never
 * fired late. Returns how many were due: there may be more if it is `firedAtOnce`.
 */
export async function fireDue(tx: TenantTx, now: Date): Promise<number> {
  const seen = await findDueFirings(tx, now)
  if (!seen.length) return 0
  // Lock order: devices before their firings. A concurrent firing or release is waited for, and what is still due is
  // read after that.
  const held = await holdVoidDevices(tx, [...new Set(seen.map((row) => row.device_id))])
  const devices = new Map(held.map((one) => [one.deviceId, one]))
  const dueFirings = (await findDueFirings(tx, now)).filter(({ device_id }) => devices.has(device_id))
  const fired = dueFirings.filter(({ device_id }) => isFired(devices.get(device_id)!))
  const inTime = fired.filter(({ due_at }) => +now - +due_at <= firingGrace)
  const commands = await queueCommands(tx, {
    deviceIds: inTime.map(({ device_id }) => device_id),
    name: 'fireBoiler',
    args: { minutes: firingMinutes },
    createdBy: null,
  })
  await sql`
    update void_firing as firing set state = input.state, command_id = input.command_id
    from unnest(
      ${fired.map((row) => row.device_id)}::uuid[], ${fired.map((row) => row.monday)}::date[],
      ${fired.map((row) => (inTime.includes(row) ? 'asked' : 'missed'))}::text[],
      ${fired.map((row) => (inTime.includes(row) ? commands.get(row.device_id)! : null))}::uuid[]
    ) as input (device_id, monday, state, command_id)
    where firing.tenant_id = ${tx.tenant} and firing.device_id = input.device_id and firing.monday = input.monday
      and firing.state = 'due'`.execute(tx)
  await sql`
    delete from void_firing where tenant_id = ${tx.tenant} and state = 'due' and due_at <= ${now}
      and device_id = any(${dueFirings.filter((row) => !fired.includes(row)).map((row) => row.device_id)}::uuid[])`.execute(
    tx,
  )
  const zone = await zoneOf(tx)
  await plan(
    tx,
    fired.map(({ property_id, due_at }) => ({ propertyId: property_id, ...nextFiring(+due_at, zone) })),
  )
  await changed(
    tx,
    'device commands',
    fired.map(({ device_id }) => device_id),
  )
  await shown(
    tx,
    dueFirings.map(({ property_id }) => property_id),
  )
  return seen.length
}

async function findDueFirings(tx: TenantTx, now: Date) {
  const { rows } = await sql<{ device_id: string; property_id: string; monday: string; due_at: Date }>`
    select device_id, property_id, monday::text as monday, due_at from void_firing
    where tenant_id = ${tx.tenant} and state = 'due' and due_at <= ${now}
    order by due_at, device_id limit ${firedAtOnce}`.execute(tx)
  return rows
}

/** Deletes the weekly firings of uninstalled boilers. */
export async function deleteFiringsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('void_firing')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
