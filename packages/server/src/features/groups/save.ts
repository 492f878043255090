import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { FieldError } from '@caretaker/contract/refusal.ts'
import { refuse, refuseOutdated } from '@caretaker/contract/refusal.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { Changed } from '@caretaker/rules/audit/audit.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { buildingFault, groupKey, groupNameFault, lightFault } from '@caretaker/rules/lighting/groups.ts'
import type { StartQuestion } from '@caretaker/rules/lighting/plan.ts'
import { questionOf, shownStart, startFault } from '@caretaker/rules/lighting/plan.ts'
import { darkText, darkTitle } from '@caretaker/rules/lighting/start-words.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { record } from '../../projections/record.ts'
import { deletePlannedRuns } from '../../test-runs/plan.ts'
import { holdDevices } from '../devices/held.ts'
import { localStart } from './conflicts.ts'
import { replanGroup } from './plan.ts'
import { buildingNamed, groupNamed, lightProducts, membersOf, testedGroups } from './store.ts'
import { stopTests, takeBackTests } from './under-way.ts'

interface Caller {
  actor: Actor
  person: Recorded & { id: string }
}
/** The fields of a group that a user sets. */
interface Wanted {
  t180StartDate: string | Date
  deviceIds: readonly string[]
  alsoTypes?: readonly TestType[] | undefined
  /** Sent if the start has to be confirmed. */
  confirmation?: { reason: string } | undefined
}

export async function addGroup(
  tx: TenantTx,
  { actor, person }: Caller,
  wanted: Wanted & { groupName: string; building: string },
  now: Date,
): Promise<void> {
  const lights = await holdLights(tx, actor, wanted.deviceIds)
  const { groupName, building, alsoTypes = [] } = wanted
  const zone = await zoneOf(tx)
  const t180Start = shownStart(localStart(wanted.t180StartDate, zone), zone)
  const taken = (await groupNamed(tx, groupName)) ? [groupName] : []
  const known = await buildingNamed(tx, building)
  refuseFaults([
    { field: 'groupName', message: groupNameFault(groupName, taken) },
    { field: 'building', message: buildingFault(building, known ? [known.id] : []) },
    { field: 't180StartDate', message: startFault(t180Start, { now: +now, zone }) },
    { field: 'deviceIds', message: lightsFault(lights, building) },
  ])
  const clocks = { now: +now, zone }
  const asked = questionOf({ t180Start, alsoTypes }, undefined, clocks)
  const reason = confirmed(asked?.question, lights, wanted, clocks)
  const moved = await holdFormerGroups(tx, lights)
  const id = randomUUID()
  const made = await tx
    .insertInto('light_group')
    .values({
      ...{ tenant_id: tx.tenant, id, name: groupName, name_key: groupKey(groupName), building_id: building },
      ...{ t180_start: t180Start, also_types: [...alsoTypes], created_at: now },
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  // The name was taken between the check and the insert.
  if (!made) refuseFaults([{ field: 'groupName', message: groupNameFault(groupName, [groupName]) }])
  await putLights(tx, id, lights, now)
  await leaveTests(tx, moved, groupName, { person, now })
  const added = { lights: serials(lights), ...cameFrom(moved) }
  const after = { building: known?.name, t180StartDate: t180Start, alsoTypes, ...added, ...reason }
  record(tx, [{ type: 'GroupAdded', groupId: id, groupName, by: person, before: null, after }])
  await recordMoves(tx, person, moved, groupName)
  await replanGroup(tx, (await testedGroups(tx, { ids: [id] }))[0]!, now)
}

export async function updateGroup(
  tx: TenantTx,
  { actor, person }: Caller,
  wanted: Wanted & { groupName: string; version?: number | undefined; stopTest?: boolean | undefined },
  now: Date,
): Promise<void> {
  const lights = await holdLights(tx, actor, wanted.deviceIds)
  const found = await groupNamed(tx, wanted.groupName)
  if (!found) throw refuse('not found')
  const moved = await holdFormerGroups(tx, lights, found.id)
  // Its state now that it is locked.
  const group = await groupNamed(tx, wanted.groupName)
  if (!group) throw refuse('not found')
  if (wanted.version !== undefined && wanted.version !== group.version) throw refuseOutdated(changedMeanwhile)
  const zone = await zoneOf(tx)
  const asked = localStart(wanted.t180StartDate, zone)
  // The stored start, whatever a change of the time zone made of it.
  const t180Start = asked === group.start ? asked : shownStart(asked, zone)
  const alsoTypes = wanted.alsoTypes ?? group.also_types
  const before = new Set(await membersOf(tx, group.id))
  const fresh = lights.filter((light) => !before.has(light.deviceId))
  refuseFaults([
    {
      field: 't180StartDate',
      message: t180Start === group.start ? undefined : startFault(t180Start, { now: +now, zone }),
    },
    { field: 'deviceIds', message: lightsFault(fresh, group.building_id) },
  ])
  const kept = new Set(wanted.deviceIds)
  const gone = [...before].filter((id) => !kept.has(id))
  const rhythm = differences(
    { t180StartDate: group.start, alsoTypes: [...group.also_types].sort() },
    { t180StartDate: t180Start, alsoTypes: [...alsoTypes].sort() },
  )
  if (!rhythm && !fresh.length && !gone.length && !wanted.stopTest) return
  const clocks = { now: +now, zone }
  const isMoved = t180Start !== group.start
  const question = questionOf({ t180Start, alsoTypes }, group.start, clocks)
  const reason = confirmed(question?.question, question?.isOfJoining ? fresh : lights, wanted, clocks)

  await tx
    .updateTable('light_group')
    .set({ t180_start: t180Start, also_types: [...alsoTypes], version: group.version + 1 })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', group.id)
    .execute()
  const test = await endTests(tx, { group, isMoved, gone, stopTest: wanted.stopTest }, { person, now })
  const left = await takeLights(tx, group.id, gone)
  await putLights(tx, group.id, fresh, now)
  await leaveTests(tx, moved, group.name, { person, now })
  recordChange(tx, person, group, {
    before: { ...rhythm?.before, ...(left.length && { lights: serials(left) }) },
    after: {
      ...rhythm?.after,
      ...(fresh.length && { lights: serials(fresh), ...cameFrom(moved) }),
      ...reason,
      ...test,
    },
  })
  await recordMoves(tx, person, moved, group.name)
  if (rhythm) await replanGroup(tx, (await testedGroups(tx, { ids: [group.id] }))[0]!, now)
  if (rhythm?.after['alsoTypes']) record(tx, [{ type: 'GroupTestTypesChanged', deviceIds: [...before] }])
}

/** Deletes a group and its planned tests. Past tests stay, and the lights stay installed. */
export async function deleteGroup(
  tx: TenantTx,
  { person }: Caller,
  { groupName, stopTest }: { groupName: string; stopTest?: boolean | undefined },
  now: Date,
): Promise<{ groupName: string; withdrawn: number; stopped: number }> {
  const found = await groupNamed(tx, groupName)
  if (found) await holdGroups(tx, [found.id])
  const group = found && (await groupNamed(tx, groupName))
  if (!group) throw refuse('not found')
  const lights = await takeLights(tx, group.id, await membersOf(tx, group.id))
  await deletePlannedRuns(tx, [group.id])
  const ended = stopTest
    ? await stopTests(tx, { groupId: group.id }, { person, now })
    : await takeBackTests(
        tx,
        { groupId: group.id },
        { reason: 'The group was deleted before the test was sent.', personId: person.id, now },
      )
  const test = { withdrawn: ended.withdrawn, stopped: 'stopped' in ended ? ended.stopped : 0 }
  await tx.deleteFrom('light_group').where('tenant_id', '=', tx.tenant).where('id', '=', group.id).execute()
  record(tx, [
    {
      ...{ type: 'GroupDeleted', groupId: group.id, groupName: group.name, by: person },
      before: { building: group.building_name, t180StartDate: group.start, lights: serials(lights) },
      after: test.withdrawn + test.stopped > 0 ? testRecord(test) : null,
    },
  ])
  return { groupName: group.name, ...test }
}

/** How a change to a group affected its running test, for the audit. */
const testRecord = ({ withdrawn, stopped }: { withdrawn: number; stopped: number }) => ({
  ...(withdrawn > 0 && { testTakenBack: withdrawn }),
  ...(stopped > 0 && { testStopped: stopped }),
})

interface EndOfTests {
  group: { id: string; name: string }
  /** Whether its T180 moves to another time. */
  isMoved: boolean
  /** Lights that leave it. */
  gone: readonly string[]
  stopTest: boolean | undefined
}

/** Ends the running tests that a change to a group removes, and stops them if the user asks for it. */
async function endTests(
  tx: TenantTx,
  { group: { id: groupId }, isMoved, gone, stopTest }: EndOfTests,
  by: { person: Recorded & { id: string }; now: Date },
) {
  if (stopTest) return testRecord(await stopTests(tx, { groupId }, by))
  const back = { personId: by.person.id, now: by.now }
  const left = gone.length
    ? await takeBackTests(tx, { groupId, deviceIds: gone }, { ...back, reason: leftText })
    : { withdrawn: 0 }
  const moved = isMoved
    ? await takeBackTests(
        tx,
        { groupId, testType: 'T180' },
        { ...back, reason: 'The start was changed before the test was sent.' },
      )
    : { withdrawn: 0 }
  return testRecord({ withdrawn: left.withdrawn + moved.withdrawn, stopped: 0 })
}

const leftText = 'The light left the group before the test was sent.'

/** Withdraws the tests of former groups from moved lights, unless they were already sent. */
async function leaveTests(
  tx: TenantTx,
  moved: Map<string, Former>,
  to: string,
  { person, now }: { person: { id: string }; now: Date },
): Promise<void> {
  const reason = `The light moved to ${to} before the test was sent.`
  for (const [groupId, { lights }] of moved)
    await takeBackTests(
      tx,
      { groupId, deviceIds: lights.map(({ deviceId }) => deviceId) },
      { reason, personId: person.id, now },
    )
}

/**
 * Refuses a start that needs a confirmation until it is confirmed; returns the reason for the audit. A start by day,
 * or within the next hours, leaves people in the building without light if the power fails.
 */
function confirmed(
  question: StartQuestion | undefined,
  lights: readonly Light[],
  { confirmation }: Wanted,
  clocks: { now: number; zone: string },
): { reason?: string } {
  if (!question || !lights.length) return {}
  if (confirmation) return { reason: confirmation.reason }
  const floors = new Set(lights.map(({ floor }) => floor)).size
  const message = `${darkTitle(lights.length, floors)}. ${darkText(question, clocks)} Confirm this start with a reason.`
  throw refuse('invalid', message, [{ field: 'confirmation', message }])
}

/**
 * Moves lights into a group one by one as far as they can be tested with it: returns for each its former group, or
 * why it cannot join. `groupId` null removes them from `from`.
 */
export async function regroup(
  tx: TenantTx,
  { actor, person }: Caller,
  { groupId, from, deviceIds }: { groupId: string | null; from?: string; deviceIds: readonly string[] },
  now: Date,
): Promise<Map<string, { former: string | null } | { fault: string }>> {
  const lights = await holdLights(tx, actor, deviceIds)
  const moved = await holdFormerGroups(tx, lights, groupId ?? undefined)
  const target = groupId === null ? undefined : await groupById(tx, groupId)
  if (groupId !== null && !target)
    return new Map(deviceIds.map((id) => [id, { fault: 'The group was deleted.' }] as const))
  const former = new Map(
    [...moved].flatMap(([id, group]) => group.lights.map((light) => [light.deviceId, id] as const)),
  )
  const own = new Set(target ? await membersOf(tx, target.id) : [])
  const outcome = new Map<string, { former: string | null } | { fault: string }>()
  const fit = lights.filter((light) => {
    const fault = target && lightFault({ ...light, isInBuilding: light.building === target.building_id })
    const isElsewhere = from !== undefined && former.get(light.deviceId) !== from && !own.has(light.deviceId)
    if (fault ?? isElsewhere) outcome.set(light.deviceId, { fault: fault ?? 'It is now in another group.' })
    else if (!own.has(light.deviceId)) outcome.set(light.deviceId, { former: former.get(light.deviceId) ?? null })
    return !fault && !isElsewhere && !own.has(light.deviceId)
  })
  if (!fit.length) return outcome
  const left = new Map(
    [...moved].flatMap(([id, { name, lights: all }]) => {
      const some = all.filter((light) => fit.includes(light))
      return some.length ? [[id, { name, lights: some }] as const] : []
    }),
  )
  if (target) {
    await putLights(tx, target.id, fit, now)
    await renew(tx, [target.id])
    const after = { lights: serials(fit), ...cameFrom(left) }
    recordChange(tx, person, target, { before: {}, after })
  } else
    for (const [id, { lights: some }] of left)
      await takeLights(
        tx,
        id,
        some.map(({ deviceId }) => deviceId),
      )
  await recordMoves(tx, person, left, target?.name ?? 'no group')
  return outcome
}

const groupById = (tx: TenantTx, id: string) =>
  tx
    .selectFrom('light_group')
    .select(['id', 'name', 'building_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()

/** Removes uninstalled lights from their groups, which are locked first. */
export async function leaveGroups(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  const rows = await tx
    .deleteFrom('light_group_member')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .returning('group_id')
    .execute()
  const groups = [...new Set(rows.map((row) => row.group_id))].sort()
  await renew(tx, groups)
  record(
    tx,
    groups.map((groupId) => ({ type: 'GroupLightsUninstalled', groupId })),
  )
}

const changedMeanwhile = 'Someone else has changed this group. Close it and open it again to see the changes.'

interface Light {
  deviceId: string
  serial: string
  name: string
  isLight: boolean
  isInstalled: boolean
  building: string | null
  hasFloor: boolean
  floor: string | null
}

/** Locks devices that will be lights of a group; one that the actor may not see is not found. */
async function holdLights(tx: TenantTx, actor: Actor, deviceIds: readonly string[]): Promise<Light[]> {
  const ids = [...new Set(deviceIds)]
  const held = await holdDevices(tx, ids)
  const rows = await tx
    .selectFrom('device')
    .select(['id', 'name', 'building_id', 'floor_id'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id in (select unnest(${ids}::uuid[]))`)
    .orderBy('id')
    .execute()
  const places = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const device = held.get(id)
    const place = places.get(id)
    if (!device || !place || !can(actor, 'see device', device)) throw refuse('not found')
    return {
      deviceId: id,
      serial: device.serial,
      name: place.name,
      isLight: lightProducts.includes(device.product),
      isInstalled: displayGroup(device.status) !== 'NotInstalled' && !device.inWholesale,
      building: place.building_id,
      hasFloor: place.floor_id !== null,
      floor: place.floor_id,
    }
  })
}

function lightsFault(lights: readonly Light[], building: string): string | undefined {
  const faults = lights.flatMap((light) => lightFault({ ...light, isInBuilding: light.building === building }) ?? [])
  if (!faults.length) return undefined
  const more = faults.length - 3
  return `${faults.slice(0, 3).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}

/** Refuses with all faults, and the message of the first. */
function refuseFaults(faults: readonly { field: string; message: string | undefined }[]): void {
  const found = faults.filter((fault): fault is FieldError => fault.message !== undefined)
  if (found.length) throw refuse('invalid', found[0]!.message, found)
}

interface Former {
  name: string
  lights: Light[]
}

/** Locks the present groups of lights, and the changed group, always in the order of their ids. */
async function holdFormerGroups(tx: TenantTx, lights: readonly Light[], own?: string): Promise<Map<string, Former>> {
  const before = await groupsOf(tx, lights)
  await holdGroups(tx, [...new Set([...before.map((row) => row.group_id), ...(own ? [own] : [])])])
  // Another transaction may have removed a light meanwhile; none can add one to these locked groups.
  const now = (await groupsOf(tx, lights)).filter((row) => row.group_id !== own)
  const byId = new Map(lights.map((light) => [light.deviceId, light]))
  const groups = Map.groupBy(now, (row) => row.group_id)
  return new Map(
    [...groups].map(([id, rows]) => [id, { name: rows[0]!.name, lights: rows.map((row) => byId.get(row.device_id)!) }]),
  )
}

const groupsOf = (tx: TenantTx, lights: readonly Light[]) =>
  tx
    .selectFrom('light_group_member as member')
    .innerJoin('light_group', (join) =>
      join.on('light_group.tenant_id', '=', tx.tenant).onRef('light_group.id', '=', 'member.group_id'),
    )
    .where('member.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`member.device_id in (select unnest(${lights.map((light) => light.deviceId)}::uuid[]))`)
    .select(['member.device_id', 'member.group_id', 'light_group.name'])
    .execute()

async function holdGroups(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await tx
    .selectFrom('light_group')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Moves lights into a group from their former ones. */
async function putLights(tx: TenantTx, groupId: string, lights: readonly Light[], now: Date): Promise<void> {
  const ids = lights.map((light) => light.deviceId)
  await sql`
    insert into light_group_member (tenant_id, device_id, group_id, added_at)
    select ${tx.tenant}, id, ${groupId}::uuid, ${now}::timestamptz from unnest(${ids}::uuid[]) as light (id)
    on conflict (tenant_id, device_id) do update set group_id = excluded.group_id, added_at = excluded.added_at`.execute(
    tx,
  )
  recordLights(tx, ids)
}

async function takeLights(tx: TenantTx, groupId: string, ids: readonly string[]): Promise<{ serial: string }[]> {
  if (!ids.length) return []
  await tx
    .deleteFrom('light_group_member')
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', groupId)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .execute()
  recordLights(tx, ids)
  return tx
    .selectFrom('device')
    .select('serial')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('serial')
    .execute()
}

function recordLights(tx: TenantTx, deviceIds: readonly string[]): void {
  record(
    tx,
    deviceIds.map((deviceId) => ({ type: 'LightRegrouped', deviceId })),
  )
}

function recordChange(
  tx: TenantTx,
  by: Recorded,
  { id, name }: { id: string; name: string },
  { before, after }: { before: Changed; after: Changed },
): void {
  record(tx, [{ type: 'GroupChanged', groupId: id, groupName: name, by, before, after }])
}

/** Records the moves in the audit of the groups that lost lights. */
async function recordMoves(tx: TenantTx, person: Recorded, moved: Map<string, Former>, to: string): Promise<void> {
  await renew(tx, [...moved.keys()])
  for (const [id, { name, lights }] of moved)
    recordChange(tx, person, { id, name }, { before: { lights: serials(lights) }, after: { movedTo: to } })
}

/** Raises their versions, so that outdated forms are refused. */
async function renew(tx: TenantTx, ids: readonly string[]): Promise<void> {
  if (!ids.length) return
  await holdGroups(tx, ids)
  await tx
    .updateTable('light_group')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

const cameFrom = (moved: Map<string, Former>) =>
  moved.size ? { movedFrom: [...moved.values()].map(({ name }) => name) } : {}

/** Lights as the audit names them. */
const serials = (lights: readonly { serial: string }[]) => lights.map((light) => light.serial).sort()
