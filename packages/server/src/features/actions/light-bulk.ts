import { sql } from 'kysely'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import type { LightAction, LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import { settingsFault } from '@caretaker/rules/actions/light-settings.ts'
import { operationOf, rightTo } from '@caretaker/rules/actions/operations.ts'
import { dayAt, dayText, endOfDay } from '@caretaker/rules/calendar/days.ts'
import { settableWords } from '@caretaker/rules/conditions/words.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { BulkOrder, ChangedItem, Initiator, Outcome, StoredRun } from '../../bulk/subject.ts'
import { doneWith as done, failedWith as failed } from '../../bulk/subject.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { openConditions } from '../conditions/store.ts'
import { batteryRepairedOn } from '../devices/battery.ts'
import type { HeldDevice } from '../devices/held.ts'
import { holdDevices } from '../devices/held.ts'
import { placeDevice } from '../../devices/place.ts'
import { regroup } from '../groups/save.ts'
import type { NewEquipment } from '../lighting/equipment.ts'
import { changeEquipment, factsOf } from '../lighting/equipment.ts'
import { change } from './conditions.ts'

/**
 * The settings in words for the audit; refuses settings that the action does not take or the tenant does not have.
 */
export async function namesGiven(tx: TenantTx, action: BulkAction, settings: LightSettings): Promise<string[]> {
  const fault = settingsFault(action, settings, dayAt(Date.now(), await zoneOf(tx)))
  const wrong = (field: keyof LightSettings, message: string) =>
    refuse('invalid', message, [{ field: `settings.${field}`, message }])
  if (fault) throw wrong(fault.field, fault.message)
  const { buildingId, floorId, luminaireId, batteryDay, condition, reason, until, groupId } = settings
  if (buildingId) {
    const building = await nameIn(tx, 'building', buildingId)
    if (!building) throw wrong('buildingId', 'This building does not exist.')
    if (!floorId) return [building.name]
    const floor = await nameIn(tx, 'floor', floorId, buildingId)
    if (!floor) throw wrong('floorId', 'The building has no such floor.')
    return [`${building.name}, ${floor.name}`]
  }
  if (luminaireId) {
    const luminaire = await nameIn(tx, 'standard_luminaire', luminaireId)
    if (!luminaire) throw wrong('luminaireId', 'This standard luminaire does not exist.')
    return [luminaire.name]
  }
  if (groupId) {
    const group = await nameIn(tx, 'light_group', groupId)
    if (!group) throw wrong('groupId', 'This group does not exist.')
    return [group.name]
  }
  if (batteryDay) return [dayText(batteryDay)]
  if (condition)
    return [[settableWords[condition], until && `until ${dayText(until)}`, reason].filter(Boolean).join(', ')]
  return []
}

async function nameIn(tx: TenantTx, table: string, id: string, buildingId?: string) {
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(table)} where tenant_id = ${tx.tenant} and id = ${id}::uuid
      ${buildingId ? sql`and building_id = ${buildingId}::uuid` : sql``}`.execute(tx)
  return rows[0]
}

/** Applies the action to locked lights one by one; keeps their former state for undo. */
export async function actOnLights(
  tx: TenantTx,
  initiator: Initiator,
  { action, settings }: BulkOrder & { action: LightAction },
  devices: readonly HeldDevice[],
): Promise<Outcome[]> {
  if (action === 'add to group') {
    const ids = devices.map(({ deviceId }) => deviceId)
    const regrouped = await regroup(tx, initiator, { groupId: settings.groupId!, deviceIds: ids }, new Date())
    return ids.map((id) => {
      const outcome = regrouped.get(id)
      if (!outcome) return done(id, { changed: false, message: 'Already in the group.' })
      return 'fault' in outcome
        ? failed(id, `${outcome.fault}.`.replace(/\.\.$/, '.'))
        : done(id, { before: { ...outcome } })
    })
  }
  const luminaire = action === 'set luminaire' ? await standardLuminaire(tx, settings.luminaireId!) : undefined
  const outcomes: Outcome[] = []
  for (const device of devices) {
    const id = device.deviceId
    if (action === 'set luminaire' && !luminaire) outcomes.push(failed(id, 'The standard luminaire was deleted.'))
    else outcomes.push(await given(tx, initiator, device, { action, settings, luminaire }))
  }
  return outcomes
}

interface Given {
  action: Exclude<LightAction, 'add to group'>
  settings: LightSettings
  luminaire: NewEquipment | undefined
}

async function given(
  tx: TenantTx,
  { person }: Initiator,
  device: HeldDevice,
  { action, settings, luminaire }: Given,
): Promise<Outcome> {
  const id = device.deviceId
  const unchanged = done(id, { changed: false, message: 'Unchanged.' })
  switch (action) {
    case 'move lights': {
      const was = await placeOf(tx, id)
      const is = { buildingId: settings.buildingId!, floorId: settings.floorId ?? null }
      if (was.buildingId === is.buildingId && was.floorId === is.floorId) return unchanged
      const fault = await refusalOf(() => placeDevice(tx, person, device, is))
      return fault ? failed(id, fault) : done(id, { before: { was, is } })
    }
    case 'set luminaire': {
      const changed = await changeEquipment(tx, person, device, luminaire!)
      return changed ? done(id, { before: { ...changed } }) : unchanged
    }
    case 'set battery day': {
      const batteryInstalledDate = settings.batteryDay!
      const repaired = await batteryRepairedOn(tx, id)
      if (repaired && batteryInstalledDate < repaired)
        return failed(id, `A repair of the battery was recorded for ${dayText(repaired)}.`)
      const changed = await changeEquipment(tx, person, device, { batteryInstalledDate })
      return changed ? done(id, { before: { ...changed } }) : unchanged
    }
    case 'set status': {
      const { condition, reason, until } = settings
      const open = (await openConditions(tx, [id])).get(id) ?? []
      if (open.some(({ kind }) => kind === condition)) return done(id, { changed: false, message: 'Already set.' })
      const zone = await zoneOf(tx)
      const set = { what: 'set', at: Date.now(), kind: condition! } as const
      await change(tx, person, device, 'device condition set', set, {
        ...{ note: reason! },
        ...(until && { until: { day: until, at: endOfDay(until, zone) } }),
      })
      return done(id, { before: { condition } })
    }
  }
}

/** The refusal of one light's change, if any; the others continue. */
async function refusalOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

async function standardLuminaire(tx: TenantTx, id: string): Promise<NewEquipment | undefined> {
  const row = await tx
    .selectFrom('standard_luminaire')
    .select(['name', 'lamp_type', 'inverter_type', 'battery_type', 'battery_voltage', 'battery_capacity'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    row && {
      ...{ name: row.name, lampType: row.lamp_type, inverterType: row.inverter_type, batteryType: row.battery_type },
      ...{ batteryVoltage: row.battery_voltage, batteryCapacity: row.battery_capacity },
    }
  )
}

interface Place {
  buildingId: string | null
  floorId: string | null
}

async function placeOf(tx: TenantTx, id: string): Promise<Place> {
  const { building_id: buildingId, floor_id: floorId } = await tx
    .selectFrom('device')
    .select(['building_id', 'floor_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { buildingId, floorId }
}

/**
 * Restores the former state of lights that still have the result of the action, if the actor still may; returns how
 * many.
 */
export async function undoLights(
  tx: TenantTx,
  initiator: Initiator,
  run: StoredRun & { action: LightAction },
  items: readonly ChangedItem[],
): Promise<number> {
  const { actor } = initiator
  const devices = await holdDevices(
    tx,
    items.map(({ itemId }) => itemId),
  )
  const left = items.flatMap(({ itemId, before }) => {
    const device = devices.get(itemId)
    return device && before && can(actor, rightTo[operationOf[run.action]], device) ? [{ device, before }] : []
  })
  if (run.action === 'add to group') return undoGroups(tx, initiator, run, left)
  let restored = 0
  for (const { device, before } of left)
    if (await restore(tx, initiator, run as StoredRun & { action: Given['action'] }, device, before)) restored++
  return restored
}

async function restore(
  tx: TenantTx,
  { person }: Initiator,
  run: StoredRun & { action: Given['action'] },
  device: HeldDevice,
  before: Record<string, unknown>,
): Promise<boolean> {
  const id = device.deviceId
  switch (run.action) {
    case 'move lights': {
      const { was, is } = before as { was: Place; is: Place }
      const now = await placeOf(tx, id)
      if (now.buildingId !== is.buildingId || now.floorId !== is.floorId) return false
      return !(await refusalOf(() => placeDevice(tx, person, device, was)))
    }
    case 'set luminaire':
    case 'set battery day': {
      const { was, is } = before as { was: NewEquipment; is: NewEquipment }
      const now = await factsOf(tx, id)
      if (Object.entries(is).some(([fact, value]) => now[fact as keyof NewEquipment] !== value)) return false
      return (await changeEquipment(tx, person, device, was)) !== undefined
    }
    case 'set status': {
      const kind = run.settings.condition!
      const open = (await openConditions(tx, [id])).get(id) ?? []
      const set = open.find((one) => one.kind === kind && one.began >= +run.startedAt)
      if (!set || set.evidence.by?.id !== run.startedBy) return false
      const ended = { what: 'ended', at: Date.now(), kind, cause: 'ended by a person' } as const
      await change(tx, person, device, 'device condition ended', ended, { note: 'Bulk action undone' })
      return true
    }
  }
}

async function undoGroups(
  tx: TenantTx,
  initiator: Initiator,
  run: StoredRun,
  left: readonly { device: HeldDevice; before: Record<string, unknown> }[],
): Promise<number> {
  let restored = 0
  for (const [former, some] of Map.groupBy(left, ({ before }) => (before['former'] as string | null) ?? null)) {
    const deviceIds = some.map(({ device }) => device.deviceId)
    const back = await regroup(tx, initiator, { groupId: former, from: run.settings.groupId!, deviceIds }, new Date())
    restored += [...back.values()].filter((one) => !('fault' in one)).length
  }
  return restored
}
