import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type {
  Condition,
  ConditionKind,
  Evidence,
  InterimMeasure,
  Occurrence,
  SettableKind,
} from '@caretaker/rules/conditions/conditions.ts'
import {
  conditionsAfter,
  conditionsAfterAll,
  conditionKinds,
  isConclusive,
  isOfFaults,
  isOfTests,
  isOpen,
  standingOf,
} from '@caretaker/rules/conditions/conditions.ts'
import { reasonOf } from '@caretaker/rules/conditions/words.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { testResults } from '@caretaker/rules/lighting/tests.ts'
import type { Standing } from '../../devices/statuses.ts'
import { recordConditions, setDeviceStatuses } from '../../devices/statuses.ts'
import { doDue, makeDue } from '../../postgres/due.ts'
import { eachOf } from '../../postgres/each.ts'
import { idInOrder } from '../../postgres/ids.ts'
import type { Db } from '../../postgres/pool.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { Fault, FaultBegan, FaultEnded } from '../../projections/events/conditions.ts'
import { record } from '../../projections/record.ts'

/** A condition as it is stored. */
export interface StoredCondition extends Condition {
  id: string
  deviceId: string
  evidence: Evidence
}

/** Occurrences of devices, in order for each. The caller locks the devices. */
export interface Happening {
  deviceId: string
  occurrence: Occurrence
}

const conditionsOf = (tx: TenantTx, deviceIds: readonly string[]) =>
  tx
    .selectFrom('condition')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)

const asCondition = (row: Selectable<Database['condition']>): StoredCondition => ({
  id: row.id,
  deviceId: row.device_id,
  kind: row.kind,
  key: row.key,
  began: +row.began_at,
  ...(row.last_seen_at && { lastSeen: +row.last_seen_at }),
  ...(row.states && { states: row.states }),
  evidence: row.evidence,
  ended: row.ended_at && +row.ended_at,
  ending: row.ending,
  endEvidence: row.end_evidence ?? undefined,
  ...(row.interim_measure && { interimMeasure: row.interim_measure }),
})

const byDevice = (rows: Selectable<Database['condition']>[]) =>
  Map.groupBy(rows.map(asCondition), (condition) => condition.deviceId)

/** The open conditions of these devices, the oldest first. */
export async function openConditions(
  tx: TenantTx,
  deviceIds: readonly string[],
): Promise<Map<string, StoredCondition[]>> {
  if (!deviceIds.length) return new Map()
  const { rows } = await sql<Selectable<Database['condition']>>`
    select open.* from ${eachOf(deviceIds)} cross join lateral (
      select * from condition where tenant_id = ${tx.tenant} and device_id = wanted.id and ended_at is null offset 0
    ) as open order by began_at, id`.execute(tx)
  return byDevice(rows)
}

/**
 * The reasons for the status of these devices, in a few words. Read with every page of a list, so no other data is
 * read.
 */
export async function reasonsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<Map<string, string>> {
  if (!deviceIds.length) return new Map()
  const rows = await tx
    .selectFrom('condition')
    .select(['device_id', 'kind', 'key', 'states', 'began_at'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .where('ended_at', 'is', null)
    .modifyEnd(prepared)
    .execute()
  const reasons = new Map<string, string>()
  for (const [deviceId, open] of Map.groupBy(rows, (row) => row.device_id)) {
    const reason = reasonOf(open.map(({ began_at, ...one }) => ({ ...one, began: +began_at })))
    if (reason) reasons.set(deviceId, reason)
  }
  return reasons
}

/** The ended conditions of a device, last ended first. */
export async function endedConditions(tx: TenantTx, deviceId: string, limit: number): Promise<StoredCondition[]> {
  const ended = conditionsOf(tx, [deviceId]).where('ended_at', 'is not', null)
  return (await ended.orderBy('ended_at', 'desc').orderBy('id').limit(limit).execute()).map(asCondition)
}

/** A condition of a device, open or ended. */
export async function findCondition(tx: TenantTx, deviceId: string, id: string): Promise<StoredCondition | undefined> {
  const row = await conditionsOf(tx, [deviceId]).where('id', '=', id).executeTakeFirst()
  return row && asCondition(row)
}

/** Sets or removes an interim measure. */
export async function setInterimMeasure(
  tx: TenantTx,
  { id, deviceId }: StoredCondition,
  measure: InterimMeasure | null,
): Promise<void> {
  await tx
    .updateTable('condition')
    .set({ interim_measure: json(measure) })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  recordConditions(tx, [deviceId])
}

/**
 * Stores what happened to devices, and sets each status that follows from the open conditions. The caller may pass
 * other columns of the same devices to write together: a device is in so many indexes that each update is expensive.
 */
export async function happened(
  tx: TenantTx,
  happenings: readonly Happening[],
  put: Writing['put'] = (standings) => setDeviceStatuses(tx, standings),
): Promise<void> {
  const of = Map.groupBy(happenings, ({ deviceId }) => deviceId)
  const known = await openConditions(tx, [...of.keys()])
  const deviceChanges = [...of].map(([deviceId, things]) => {
    const before = known.get(deviceId) ?? []
    return {
      deviceId,
      before,
      now: things.reduce<Condition[]>((all, { occurrence }) => conditionsAfter(all, occurrence), before),
    }
  })
  await write(tx, deviceChanges, { put, isAll: true })
}

/** Results that begin or end conditions. */
const decisive = testResults.filter((result) => isConclusive(result) || result === 'Indeterminate')
const ofFaults = conditionKinds.filter(isOfFaults)

/**
 * Recomputes the conditions of these lights from all their tests and repairs, after a test arrived or its result was
 * changed. A test that arrives late or out of order counts for the time at which it took place. Ended conditions stay
 * as recorded.
 * @param change who changed a result, and why: recorded with the conditions that this ends
 */
export async function recomputeTestConditions(
  tx: TenantTx,
  deviceIds: readonly string[],
  change?: Evidence,
): Promise<void> {
  if (!deviceIds.length) return
  const known = byDevice(await conditionsOf(tx, deviceIds).where('kind', 'in', kindsByTests).execute())
  const tests = await tx
    .selectFrom('emergency_test')
    .select(['event_id', 'device_id', 'test_type', 'started_at', 'result', 'component_states', 'reported_start_at'])
    .select('disputed')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    // A disputed test counts as before until it is decided.
    .where((eb) => eb.or([eb('result', 'in', decisive), eb('disputed', 'is not', null)]))
    .execute()
  const testsOf = Map.groupBy(tests, (test) => test.device_id)
  const now = Date.now()
  await write(
    tx,
    deviceIds.map((deviceId) => {
      const before = known.get(deviceId) ?? []
      const occurrences = [
        ...(testsOf.get(deviceId) ?? []).map((test): Occurrence => ({
          what: 'test',
          at: +test.started_at,
          testType: test.test_type,
          result: test.disputed?.result ?? test.result,
          states: test.disputed?.componentStates ?? test.component_states,
          isClockWrong: test.reported_start_at !== null,
          evidence: { eventId: test.event_id },
        })),
        ...before.flatMap(occurrencesOf),
      ]
      return { deviceId, before, now: recorded(before, conditionsAfterAll(occurrences), { now, change }) }
    }),
    { put: (standings) => setDeviceStatuses(tx, standings), isAll: false },
  )
}

/** Kinds of conditions that tests begin or end. */
const kindsByTests: ConditionKind[] = [
  ...conditionKinds.filter(isOfTests),
  ...(['neverTested', 'testNotProven', 'testMissed', 'testOverdue', 'unstable'] as const),
  'equipmentRepaired',
  'deviceRepaired',
]

/**
 * The occurrences of a light other than its stored tests, derived from its conditions: installation, repairs, overdue
 * tests, and conditions that a user ended.
 */
function occurrencesOf(condition: StoredCondition): Occurrence[] {
  const { kind, key, began, ended, ending, states, evidence, endEvidence } = condition
  const endedByPerson = (of: 'equipmentRepaired' | 'deviceRepaired' | 'unstable'): Occurrence[] =>
    ending === 'ended by a person'
      ? [{ what: 'ended', at: ended!, kind: of, cause: ending, evidence: endEvidence }]
      : []
  switch (kind) {
    case 'neverTested':
      // A light counts as installed before its first test.
      return [{ what: 'installed', at: 0, tests: true, heard: true, evidence }]
    case 'testMissed':
    case 'testOverdue':
      return [
        {
          what: kind === 'testMissed' ? 'test missed' : 'test overdue',
          at: began,
          testType: key as TestType,
          evidence,
        },
      ]
    case 'unstable':
      return endedByPerson(kind)
    case 'equipmentRepaired':
    case 'deviceRepaired': {
      const part = kind === 'deviceRepaired' ? 'device' : 'equipment'
      return [{ what: 'repair', at: began, part, evidence }, ...endedByPerson(kind)]
    }
    case 'testFailed':
    case 'deviceTestFailed':
      // Recorded before tests were stored, so there may be no test for it.
      return evidence.carriedOver
        ? [{ what: 'test', at: began, testType: key as TestType, result: 'Failed', states: states ?? {}, evidence }]
        : []
    default:
      return []
  }
}

/** A condition that began this long before it is recorded, in ms, shows when it was entered. */
const enteredLate = 24 * 3_600_000

/**
 * The conditions of a light, from the stored ones and those computed from its tests now. An ended one is never changed;
 * an open one that no longer has a reason, because a result was changed, ends now; a new one that began long ago shows
 * when it was entered.
 */
function recorded(
  before: readonly StoredCondition[],
  computed: readonly Condition[],
  { now, change }: { now: number; change: Evidence | undefined },
): (Condition & { id?: string })[] {
  const unmatched = new Set(before)
  const entries = computed.map((one): Condition & { id?: string } => {
    const same = before.find((stored) => unmatched.has(stored) && isSame(stored, one))
    const isLate = !isOpen(one) || now - (one.lastSeen ?? one.began) > enteredLate
    const late = isLate ? { evidence: { ...one.evidence, enteredAt: now } } : {}
    if (!same) return { ...one, ...late }
    unmatched.delete(same)
    if (!isOpen(same)) return same
    const isMoved = one.began < same.began && one.kind !== 'neverTested'
    return { ...same, ...one, evidence: { ...one.evidence, ...(isMoved ? { enteredAt: now } : pick(same.evidence)) } }
  })
  const rest = [...unmatched].map((stored): StoredCondition =>
    isOpen(stored) ? { ...stored, ended: now, ending: 'result changed', endEvidence: change } : stored,
  )
  return [...entries, ...rest]
}

const pick = ({ enteredAt }: Evidence): Evidence => (enteredAt === undefined ? {} : { enteredAt })

/** Whether a stored condition is the computed one: an ended condition is not reopened. */
function isSame(stored: StoredCondition, one: Condition): boolean {
  if (stored.kind !== one.kind || stored.key !== one.key) return false
  // A light may have been tested before it was installed.
  if (stored.kind === 'neverTested') return isOpen(stored) || !isOpen(one)
  if (isOpen(stored)) return one.ended === null || one.ended > stored.began
  return !isOpen(one) && (one.began === stored.began || (one.began < stored.ended! && one.ended! > stored.began))
}

interface DeviceChange {
  deviceId: string
  before: readonly StoredCondition[]
  now: readonly (Condition & { id?: string })[]
}

interface Writing {
  put(standings: readonly Standing[]): Promise<void>
  /** All open conditions of the devices are among the written ones, so nothing else has to be read. */
  isAll: boolean
}

async function write(tx: TenantTx, deviceChanges: readonly DeviceChange[], { put, isAll }: Writing): Promise<void> {
  const added: (Condition & { deviceId: string })[] = []
  const changes: (Condition & { id: string })[] = []
  const concerned = new Set<string>()
  const open = new Map<string, Condition[]>()
  for (const { deviceId, before, now } of deviceChanges) {
    const kept = new Map(now.flatMap((one) => (one.id ? [[one.id, one]] : [])))
    const left: Condition[] = []
    for (const old of before) {
      const next = kept.get(old.id)
      // How long a light was never tested is known from its installation, not from its tests.
      const same = next && old.kind === 'neverTested' ? since(old.began, next) : next
      if (same) left.push(same)
      if (!same || !differ(old, same)) continue
      changes.push({ ...same, id: old.id })
      concerned.add(deviceId)
    }
    const begun = now.filter(({ id }) => !id)
    added.push(...begun.map((one) => ({ ...one, deviceId })))
    open.set(deviceId, [...left, ...begun].filter(isOpen))
  }
  for (const { deviceId } of added) concerned.add(deviceId)
  if (!concerned.size) return
  await change(tx, changes)
  await add(tx, added)
  const over = faultsEnded(deviceChanges, added)
  await forgetFaults(
    tx,
    over.map(({ deviceId }) => deviceId),
  )
  const ids = [...concerned]
  record(tx, [...faultsBegun(added), ...over])
  await updateStatuses(tx, ids, isAll ? open : await openConditions(tx, ids), put)
}

/** A fault as webhooks describe it, with the source and code from its key. */
function ofFault({ kind, key, evidence }: Condition): Fault {
  const [source, ...code] = key.split(' ')
  return { kind, source, code: code.join(' '), description: evidence?.description ?? null }
}

const faultsBegun = (added: readonly (Condition & { deviceId: string })[]): FaultBegan[] =>
  added
    .filter(({ kind }) => isOfFaults(kind))
    .map((one) => ({ type: 'FaultBegan', deviceId: one.deviceId, at: new Date(one.began), fault: ofFault(one) }))

/** Faults that were open or unknown before, and have now ended. */
function faultsEnded(
  deviceChanges: readonly DeviceChange[],
  added: readonly (Condition & { deviceId: string })[],
): FaultEnded[] {
  const over = deviceChanges.flatMap(({ deviceId, before, now }) => {
    const wasOpen = new Set(before.filter(isOpen).map(({ id }) => id))
    return now.flatMap((one) => (one.id && wasOpen.has(one.id) && !isOpen(one) ? [{ ...one, deviceId }] : []))
  })
  return [...over, ...added.filter((one) => !isOpen(one))]
    .filter(({ kind }) => isOfFaults(kind))
    .map((one) => ({
      ...{ type: 'FaultEnded', deviceId: one.deviceId, at: new Date(one.ended!) },
      ...{ began: new Date(one.began), fault: ofFault(one) },
    }))
}

const since = (began: number, one: Condition) => ({
  ...one,
  began,
  ended: one.ended === null ? null : Math.max(began, one.ended),
})

const differ = (a: Condition, b: Condition) =>
  a.began !== b.began ||
  a.ended !== b.ended ||
  a.ending !== b.ending ||
  a.lastSeen !== b.lastSeen ||
  !isDeepStrictEqual([a.states, a.evidence], [b.states, b.evidence])

const instant = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at).toISOString())
const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))

async function change(tx: TenantTx, changes: (Condition & { id: string })[]): Promise<void> {
  if (!changes.length) return
  const column = <T>(of: (one: Condition & { id: string }) => T) => changes.map(of)
  await sql`
    update condition set began_at = input.began_at, ended_at = input.ended_at, ending = input.ending, end_evidence = input.end_evidence,
      last_seen_at = input.last_seen_at, states = input.states, evidence = input.evidence
    from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ began }) => instant(began))}::timestamptz[],
      ${column(({ ended }) => instant(ended))}::timestamptz[],
      ${column(({ ending }) => ending)}::text[], ${column(({ endEvidence }) => json(endEvidence))}::jsonb[],
      ${column(({ lastSeen }) => instant(lastSeen))}::timestamptz[], ${column(({ states }) => json(states))}::jsonb[],
      ${column(({ evidence }) => json(evidence ?? {}))}::jsonb[]
    ) as input (id, began_at, ended_at, ending, end_evidence, last_seen_at, states, evidence)
    where condition.tenant_id = ${tx.tenant} and condition.id = input.id`.execute(tx)
}

async function add(tx: TenantTx, added: (Condition & { deviceId: string })[]): Promise<void> {
  if (!added.length) return
  const untilOf = ({ evidence }: Condition) => evidence?.until?.at
  const column = <T>(of: (one: Condition & { deviceId: string }) => T) => added.map(of)
  await sql`
    insert into condition (tenant_id, id, device_id, kind, key, began_at, last_seen_at, states, evidence, until_at, ended_at,
      ending, end_evidence, interim_measure)
    select ${tx.tenant}, input.* from unnest(
      ${column(() => idInOrder())}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ kind }) => kind)}::text[], ${column(({ key }) => key)}::text[],
      ${column(({ began }) => instant(began))}::timestamptz[], ${column(({ lastSeen }) => instant(lastSeen))}::timestamptz[],
      ${column(({ states }) => json(states))}::jsonb[], ${column(({ evidence }) => json(evidence ?? {}))}::jsonb[],
      ${column((one) => instant(untilOf(one)))}::timestamptz[], ${column(({ ended }) => instant(ended))}::timestamptz[],
      ${column(({ ending }) => ending)}::text[], ${column(({ endEvidence }) => json(endEvidence))}::jsonb[],
      ${column(({ interimMeasure }) => json(interimMeasure))}::jsonb[]
    ) as input (id, device_id, kind, key, began_at, last_seen_at, states, evidence, until_at, ended_at, ending, end_evidence,
      interim_measure)
    on conflict (tenant_id, device_id, kind, key) where ended_at is null do nothing`.execute(tx)
  const first = Math.min(...added.flatMap((one) => (isOpen(one) ? [untilOf(one) ?? Infinity] : [])))
  if (first < Infinity) await makeDue(tx, 'end conditions', new Date(first))
}

/**
 * Ended faults kept per device, so that a device that reports a different one with every message cannot fill the disk.
 */
const faultsKept = 500

async function forgetFaults(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  if (!deviceIds.length) return
  await sql`
    delete from condition where tenant_id = ${tx.tenant} and id in (
      select id from (
        select fault.id, row_number() over (partition by device_id order by ended_at desc, fault.id) as place
        from ${eachOf(deviceIds)} cross join lateral (
          select id, device_id, ended_at from condition
          where tenant_id = ${tx.tenant} and device_id = wanted.id and kind = any(${ofFaults}::text[]) and ended_at is not null
          offset 0
        ) as fault
      ) as over where place > ${faultsKept})`.execute(tx)
}

/** Rewrites statuses that differ from those derived from the open conditions, after the order of statuses changed. */
export async function rewriteStatuses(tx: TenantTx, deviceIds: readonly string[]): Promise<number> {
  const open = await openConditions(tx, deviceIds)
  return updateStatuses(tx, [...deviceIds], open, (standings) => setDeviceStatuses(tx, standings))
}

/**
 * The only place where a status and its reason change: both follow from the open conditions of a device. Returns how
 * many statuses changed.
 */
async function updateStatuses(
  tx: TenantTx,
  deviceIds: string[],
  open: ReadonlyMap<string, readonly Condition[]>,
  put: Writing['put'],
): Promise<number> {
  const { rows } = await sql<{ id: string; status: string; reason: string | null; since: Date; lastEnd: Date | null }>`
    select id, status, status_reason as reason, status_at as since, (
      select max(ended_at) from condition where condition.tenant_id = ${tx.tenant} and device_id = device.id
    ) as "lastEnd"
    from device where tenant_id = ${tx.tenant} and id = any(${deviceIds}::uuid[]) order by id`.execute(tx)
  const others = rows.flatMap(({ id, status, reason, since, lastEnd }) => {
    const conditions = open.get(id) ?? []
    const standing = standingOf(conditions)
    const at = standing.since ?? (lastEnd ? +lastEnd : +since)
    const now = { id, status: standing.status, reason: reasonOf(conditions), at, former: status }
    return now.status === status && now.reason === reason && at === +since ? [] : [now]
  })
  if (others.length) await put(others)
  recordConditions(tx, deviceIds)
  return others.filter(({ status, former }) => status !== former).length
}

/** Ends conditions that users set until a day that has passed, in all tenants; returns how many. */
export async function endConditions(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'end conditions',
    now,
    run: (tenant) => inTenant(db, tenant, (tx) => endOver(tx, now)),
    next: async (tx) => {
      const row = await openUntil(tx)
        .select(({ fn }) => fn.min('until_at').as('at'))
        .executeTakeFirst()
      return row?.at ?? null
    },
  })
}

const openUntil = (tx: TenantTx) =>
  tx
    .selectFrom('condition')
    .where('tenant_id', '=', tx.tenant)
    .where('ended_at', 'is', null)
    .where('until_at', 'is not', null)

async function endOver(tx: TenantTx, now: Date): Promise<number> {
  const over = await openUntil(tx).where('until_at', '<=', now).select(['device_id', 'kind', 'until_at']).execute()
  await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${over.map((row) => row.device_id)}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await happened(
    tx,
    over.map(({ device_id, kind, until_at }) => ({
      deviceId: device_id,
      occurrence: { what: 'ended', at: +until_at!, kind: kind as SettableKind, cause: 'time over' },
    })),
  )
  return over.length
}

/** Deletes all conditions of these devices, which are in stock from now on. */
export async function forgetConditions(tx: TenantTx, deviceIds: readonly string[], now: Date): Promise<void> {
  await tx
    .deleteFrom('condition')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
  await happened(
    tx,
    deviceIds.map((deviceId) => ({ deviceId, occurrence: { what: 'moved', at: +now, to: 'inStock' } })),
  )
}
