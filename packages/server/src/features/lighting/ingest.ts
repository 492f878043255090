import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Test } from '@caretaker/contract/mqtt/payloads.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { BatteryType } from '@caretaker/rules/lighting/luminaire.ts'
import type { TestBits, TestPoint, TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { isPending, mayReplace, minutesOf, testResults } from '@caretaker/rules/lighting/tests.ts'
import type { TestEvidence } from '@caretaker/rules/lighting/verdict.ts'
import { isClockWrong, litOf, verdictOf } from '@caretaker/rules/lighting/verdict.ts'
import { supplyOf } from '@caretaker/rules/lighting/supply.ts'
import { changed } from '../../changes/changed.ts'
import { setLastTests } from '../../devices/checks.ts'
import type { Incoming } from '../../incoming.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { enqueueMessages } from '../../projections/outbox.ts'
import { recomputeTestConditions } from '../conditions/store.ts'
import { countedResult } from './counted.ts'
import type { JudgedTest } from './run-results.ts'
import { applyToRuns } from './run-results.ts'

export type IncomingTest = Incoming<z.infer<typeof Test>>

const lights = productsOfFamily('emered')
/**
 * Every pair of results in which the second replaces the first, joined into one text. Inlined, because a distributed
 * database accepts no parameters after `on conflict`.
 */
const replacements = sql.join(
  testResults.flatMap((stored) =>
    testResults.filter((next) => mayReplace(stored, next)).map((next) => sql.lit(`${stored} ${next}`)),
  ),
)

/** The messages about tests that were not stored, and why. */
export interface TestsNotStored {
  /** From devices that are not emergency lights, or about the test of another light. */
  notAllowed: IncomingTest[]
  /** About a stored test with other content: the first message counts. */
  contradicting: IncomingTest[]
}

/**
 * Stores tests by event id with the verdict of their evidence; final results begin and end conditions of their
 * lights.
 */
export async function ingestTests(tx: TenantTx, messages: IncomingTest[]): Promise<TestsNotStored> {
  if (!messages.length) return { notAllowed: [], contradicting: [] }
  const lights = await lockLights(tx, [...new Set(messages.map((message) => message.deviceId))])
  const known = await readKnown(tx, messages)
  const judged = new Map<IncomingTest, JudgedTest>()
  const contradicting: IncomingTest[] = []
  for (const message of messages) {
    const light = lights.get(message.deviceId)
    if (!light) continue
    const key = keyOf(message)
    const before = known.get(key)
    if (before && contradicts(message, before)) {
      contradicting.push(message)
      continue
    }
    // A result may arrive after its curve, and is judged with it.
    const { payload } = message
    const series = payload.series.length ? payload.series : (before?.series ?? [])
    known.set(key, {
      testType: before?.testType ?? payload.testType,
      series,
      result: payload.result ?? before?.result ?? null,
      bits: (payload.statusBits as TestBits | undefined) ?? before?.bits ?? null,
    })
    judged.set(message, judge(message, series, light))
  }
  const latest = latestOf([...judged.values()])
  const [tests, missed] = [latest.filter((test) => test.missed === null), latest.filter((test) => test.missed !== null)]
  await forgetBegun(tx, missed)
  const newTests = await storeTests(tx, tests)
  const owners = await ownersOf(tx, tests)
  await notifyOfResults(
    tx,
    newTests.map(({ eventId }) => tests.find((test) => test.eventId === eventId)!),
  )
  await keepLastTests(tx, newTests)
  await recomputeTestConditions(tx, [...new Set(newTests.map((test) => test.deviceId))])
  const ours = latest.filter((test) => test.missed !== null || owners.get(test.eventId) === test.deviceId)
  await applyToRuns(tx, ours)
  await changed(
    tx,
    'device tests',
    [...newTests, ...missed].map((test) => test.deviceId),
  )
  const refused = new Set(contradicting)
  const notAllowed = messages.filter((message) => {
    if (refused.has(message)) return false
    const test = judged.get(message)
    return !test || (test.missed === null && owners.get(test.eventId) !== message.deviceId)
  })
  return { notAllowed, contradicting }
}

/** A test that has only begun is not a result. */
async function notifyOfResults(tx: TenantTx, tests: readonly JudgedTest[]): Promise<void> {
  await enqueueMessages(
    tx,
    tests
      .filter(({ result }) => result !== 'AwaitingAnalysis')
      .map(({ eventId, deviceId, testType, startedAt, result, reason, componentStates }) => ({
        ...{ event: 'test.finished', deviceId, at: startedAt },
        data: { test: { id: eventId, testType, startedAt: startedAt.toISOString(), result, reason, componentStates } },
      })),
  )
}

/** The facts about a light that the verdict on its tests needs. */
interface Light {
  nominalVoltage: number | null
  batteryType: BatteryType | null
  existsSince: number
  /** When mains was last lost or restored, as reported, in ms. */
  mainsSince: number | undefined
}

/** The emergency lights among the devices, locked until the transaction ends. */
async function lockLights(tx: TenantTx, deviceIds: string[]): Promise<Map<string, Light>> {
  const rows = await tx
    .selectFrom('device')
    .leftJoin('emergency_equipment as equipment', (join) =>
      join.on('equipment.tenant_id', '=', tx.tenant).onRef('equipment.device_id', '=', 'device.id'),
    )
    .select([
      'device.id',
      'device.created_at',
      'device.reported',
      'equipment.battery_voltage',
      'equipment.battery_type',
    ])
    .where('device.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device.id = any(${deviceIds}::uuid[])`)
    .where('product', 'in', lights)
    .orderBy('device.id')
    .forNoKeyUpdate('device')
    .execute()
  return new Map(
    rows.map((row): [string, Light] => [
      row.id,
      {
        nominalVoltage: row.battery_voltage,
        batteryType: row.battery_type,
        existsSince: +row.created_at - testedBeforeAdded,
        mainsSince: supplyOf(row.reported).mainsSince,
      },
    ]),
  )
}

const keyOf = ({ deviceId, payload }: IncomingTest) => `${deviceId} ${payload.eventId.toLowerCase()}`

/** A test as earlier messages reported it. */
interface KnownTest {
  testType: TestType
  series: TestPoint[]
  /** The result that the light reported; null while the test runs. */
  result: TestResult | null
  bits: TestBits | null
}

/** The stored tests that these messages refer to, by device and test. */
async function readKnown(tx: TenantTx, messages: IncomingTest[]): Promise<Map<string, KnownTest>> {
  const rows = await tx
    .selectFrom('emergency_test')
    .select(['event_id', 'device_id', 'test_type', 'series', 'told_result', 'status_bits'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`event_id = any(${messages.map(({ payload }) => payload.eventId)}::uuid[])`)
    .execute()
  return new Map(
    rows.map((row): [string, KnownTest] => [
      `${row.device_id} ${row.event_id}`,
      {
        testType: row.test_type,
        series: row.series,
        result: row.told_result,
        bits: row.status_bits,
      },
    ]),
  )
}

/**
 * Whether a message contradicts a stored test. A repeated delivery does not, and a final result may follow a pending
 * one.
 */
function contradicts({ payload }: IncomingTest, known: KnownTest): boolean {
  if (payload.testType !== known.testType) return true
  const isFinal = known.result !== null && !isPending(known.result)
  if (!isFinal || payload.result === undefined || isPending(payload.result)) return false
  return (
    // A result may correct the start, if the light's clock was set meanwhile.
    payload.result !== known.result ||
    (payload.series.length > 0 && known.series.length > 0 && !isDeepStrictEqual(payload.series, known.series)) ||
    (payload.statusBits !== undefined && known.bits !== null && !isDeepStrictEqual(payload.statusBits, known.bits))
  )
}

/** A light may have been tested at its commissioning, up to this many ms before it was added. */
const testedBeforeAdded = 24 * 3_600_000
const clockWrong = 'The device’s clock is wrong: the time of the test is the time of receipt.'
/** Mains restored more than this many ms after a test did not end it. */
const afterItsTime = 10 * 60_000

function judge({ deviceId, payload, receivedAt }: IncomingTest, series: TestPoint[], light: Light): JudgedTest {
  const { componentStates, result: word, testType, start, statusBits: bits } = payload
  const { mainsSince } = light
  const evidence: TestEvidence = {
    ...{ testType, word, componentStates, series, endedBy: payload.endedBy },
    ...{ nominalVoltage: light.nominalVoltage, batteryType: light.batteryType },
    ...{ failureStatus: bits?.failure, emergencyStatus: bits?.emergency, durationResult: bits?.durationResult },
    hasMainsReturned:
      mainsSince !== undefined &&
      mainsSince > start &&
      mainsSince < start + minutesOf[testType] * 60_000 + afterItsTime,
  }
  const verdict = verdictOf(evidence)
  const { seconds, end } = litOf(evidence)
  const isWrong = isClockWrong(
    { start, seconds: word && seconds },
    { receivedAt: +receivedAt, existsSince: light.existsSince },
  )
  return {
    eventId: payload.eventId.toLowerCase(),
    deviceId,
    testType,
    startedAt: isWrong ? receivedAt : new Date(start),
    reportedStart: isWrong ? new Date(start) : null,
    ...(verdict.kind === 'result'
      ? {
          result: verdict.result,
          reason: isWrong ? `${verdict.reason === '-' ? '' : `${verdict.reason} `}${clockWrong}` : verdict.reason,
          componentStates: verdict.componentStates,
          missed: null,
        }
      : { result: 'AwaitingAnalysis' as const, reason: '-', componentStates, missed: verdict.reason }),
    series,
    lit: seconds === undefined || minutesOf[testType] === 0 ? null : { seconds, end },
    word: word ?? null,
    bits: (bits as TestBits | undefined) ?? null,
    runId: payload.runId ?? null,
  }
}

/** Deletes tests that only began: a test that did not take place is not a test without a result. */
async function forgetBegun(tx: TenantTx, missed: JudgedTest[]): Promise<void> {
  if (!missed.length) return
  await sql`
    delete from emergency_test as begun
    using unnest(${missed.map((test) => test.eventId)}::uuid[], ${missed.map((test) => test.deviceId)}::uuid[])
      as next (event_id, device_id)
    where begun.tenant_id = ${tx.tenant} and begun.event_id = next.event_id and begun.device_id = next.device_id
      and begun.result = 'AwaitingAnalysis'`.execute(tx)
}

/** The deciding message per test. */
function latestOf(tests: JudgedTest[]): JudgedTest[] {
  const words = new Map<string, JudgedTest>()
  for (const test of tests) {
    const earlier = words.get(test.eventId)
    if (!earlier) words.set(test.eventId, test)
    else if (earlier.deviceId === test.deviceId && (test.missed !== null || mayReplace(earlier.result, test.result)))
      words.set(test.eventId, { ...test, runId: test.runId ?? earlier.runId })
  }
  return [...words.values()]
}

/** Returns what is new: first reports of a test, and reports that replaced an earlier one. */
async function storeTests(tx: TenantTx, tests: JudgedTest[]): Promise<{ eventId: string; deviceId: string }[]> {
  if (!tests.length) return []
  const column = <T>(of: (test: JudgedTest) => T) => tests.map(of)
  const { rows } = await sql<{ eventId: string; deviceId: string }>`
    insert into emergency_test as known
      (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series, told_result, status_bits,
        lit, reported_start_at)
    select ${tx.tenant}, test.* from unnest(
      ${column(({ eventId }) => eventId)}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ testType }) => testType)}::text[], ${column(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
      ${column(({ result }) => result)}::text[], ${column(({ reason }) => reason)}::text[],
      ${column(({ componentStates }) => JSON.stringify(componentStates))}::jsonb[],
      ${column(({ series }) => JSON.stringify(series))}::jsonb[], ${column(({ word }) => word)}::text[],
      ${column(({ bits }) => (bits ? JSON.stringify(bits) : null))}::jsonb[],
      ${column(({ lit }) => (lit ? JSON.stringify(lit) : null))}::jsonb[],
      ${column(({ reportedStart }) => reportedStart?.toISOString() ?? null)}::timestamptz[]
    ) as test (event_id, device_id, test_type, started_at, result, reason, component_states, series, told_result, status_bits,
      lit, reported_start_at)
    order by test.event_id
    on conflict (tenant_id, event_id) do update set
      result = excluded.result,
      reason = excluded.reason,
      component_states = excluded.component_states,
      series = case when excluded.series = '[]' then known.series else excluded.series end,
      told_result = excluded.told_result,
      status_bits = coalesce(excluded.status_bits, known.status_bits),
      lit = coalesce(excluded.lit, known.lit)
    where known.device_id = excluded.device_id and known.corrected_at is null and known.disputed is null
      and known.result || ' ' || excluded.result in (${replacements})
    returning event_id as "eventId", device_id as "deviceId"`.execute(tx)
  return rows
}

async function ownersOf(tx: TenantTx, tests: JudgedTest[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('emergency_test')
    .select(['event_id', 'device_id'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`event_id = any(${tests.map((test) => test.eventId)}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.event_id, row.device_id]))
}

/** Stores when each light was last tested, for the listings. */
export async function keepLastTests(tx: TenantTx, tests: readonly { deviceId: string }[]): Promise<void> {
  if (!tests.length) return
  await setLastTests(
    tx,
    sql`
      select device_id, max(started_at) as at,
        max(started_at) filter (where test_type = 'T180' and ${countedResult} in ('Passed', 'Degraded', 'Failed')
          and (result <> 'Passed' or reported_start_at is null)) as full_at
      from emergency_test as test
      where tenant_id = ${tx.tenant} and device_id = any(${tests.map((test) => test.deviceId)}::uuid[])
      group by device_id`,
  )
}
