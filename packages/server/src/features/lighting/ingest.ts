import { sql } from 'kysely'
import type { z } from 'zod'
import type { Test } from '@caretaker/contract/mqtt/payloads.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { TestBits, TestPoint } from '@caretaker/rules/lighting/tests.ts'
import { mayReplace, testResults } from '@caretaker/rules/lighting/tests.ts'
import { verdictOf } from '@caretaker/rules/lighting/verdict.ts'
import { changed } from '../../changes/changed.ts'
import type { Incoming } from '../../incoming.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { tell } from '../../webhooks/outbox.ts'
import { testsWereTold } from '../conditions/store.ts'
import type { ToldTest } from './engine-told.ts'
import { toldOfRuns } from './engine-told.ts'

export type IncomingTest = Incoming<z.infer<typeof Test>>

const lights = productsOfFamily('emered')
/**
 * Every pair of results of which the second replaces the first, in one word; written into the statement, because a
 * distributed database takes no parameters after `on conflict`.
 */
const replacements = sql.join(
  testResults.flatMap((stored) =>
    testResults.filter((told) => mayReplace(stored, told)).map((told) => sql.lit(`${stored} ${told}`)),
  ),
)

/**
 * Stores tests by their event ids and lets final results begin and end conditions of their lights. Messages of devices that are no
 * emergency lights, or that speak of another light's test, are returned: the door counts them as bad messages.
 */
export async function ingestTests(tx: TenantTx, messages: IncomingTest[]): Promise<IncomingTest[]> {
  if (!messages.length) return []
  const lit = await lockLights(tx, [...new Set(messages.map((message) => message.deviceId))])
  const told = new Map<IncomingTest, ToldTest>()
  const curves = await curvesTold(tx, messages)
  for (const message of messages) {
    if (!lit.has(message.deviceId)) continue
    // A result may come after its curve, and is judged with it.
    const key = keyOf(message)
    const series = message.payload.series.length ? message.payload.series : (curves.get(key) ?? [])
    curves.set(key, series)
    told.set(message, asTest(message, { series, nominalVoltage: lit.get(message.deviceId) }))
  }
  const words = latestWords([...told.values()])
  const [tests, missed] = [words.filter((test) => test.missed === null), words.filter((test) => test.missed !== null)]
  await forgetBegun(tx, missed)
  const news = await storeTests(tx, tests)
  const owners = await ownersOf(tx, tests)
  await tellResults(
    tx,
    news.map(({ eventId }) => tests.find((test) => test.eventId === eventId)!),
  )
  await keepLastTests(tx, news)
  await testsWereTold(tx, [...new Set(news.map((test) => test.deviceId))])
  const ours = words.filter((test) => test.missed !== null || owners.get(test.eventId) === test.deviceId)
  await toldOfRuns(tx, ours)
  await changed(
    tx,
    'device tests',
    [...news, ...missed].map((test) => test.deviceId),
  )
  return messages.filter((message) => {
    const test = told.get(message)
    return !test || (test.missed === null && owners.get(test.eventId) !== message.deviceId)
  })
}

/** A test that has only begun is no result. */
async function tellResults(tx: TenantTx, tests: readonly ToldTest[]): Promise<void> {
  await tell(
    tx,
    tests
      .filter(({ result }) => result !== 'AwaitingAnalysis')
      .map(({ eventId, deviceId, testType, startedAt, result, reason, componentStates }) => ({
        ...{ event: 'test.finished', deviceId, at: startedAt },
        data: { test: { id: eventId, testType, startedAt: startedAt.toISOString(), result, reason, componentStates } },
      })),
  )
}

/** The emergency lights among the devices, held until the transaction ends, with the voltage that is on the label of their battery. */
async function lockLights(tx: TenantTx, deviceIds: string[]): Promise<Map<string, number | null>> {
  const rows = await tx
    .selectFrom('device')
    .leftJoin('emergency_equipment as equipment', (join) =>
      join.on('equipment.tenant_id', '=', tx.tenant).onRef('equipment.device_id', '=', 'device.id'),
    )
    .select(['device.id', 'equipment.battery_voltage'])
    .where('device.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device.id = any(${deviceIds}::uuid[])`)
    .where('product', 'in', lights)
    .orderBy('device.id')
    .forNoKeyUpdate('device')
    .execute()
  return new Map(rows.map((row) => [row.id, row.battery_voltage]))
}

const keyOf = ({ deviceId, payload }: IncomingTest) => `${deviceId} ${payload.eventId.toLowerCase()}`

/** The curves that were stored of tests whose results come without one, by device and test. */
async function curvesTold(tx: TenantTx, messages: IncomingTest[]): Promise<Map<string, TestPoint[]>> {
  const without = messages.filter(({ payload }) => payload.result !== undefined && !payload.series.length)
  if (!without.length) return new Map()
  const rows = await tx
    .selectFrom('emergency_test')
    .select(['event_id', 'device_id', 'series'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`event_id = any(${without.map(({ payload }) => payload.eventId)}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [`${row.device_id} ${row.event_id}`, row.series]))
}

interface Known {
  series: TestPoint[]
  nominalVoltage: number | null | undefined
}

function asTest({ deviceId, payload }: IncomingTest, { series, nominalVoltage }: Known): ToldTest {
  const { componentStates, result: word, testType, statusBits: bits } = payload
  const verdict = verdictOf({
    ...{ testType, word, componentStates, series, nominalVoltage },
    ...{ failureStatus: bits?.failure, emergencyStatus: bits?.emergency, durationResult: bits?.durationResult },
  })
  return {
    eventId: payload.eventId.toLowerCase(),
    deviceId,
    testType,
    startedAt: new Date(payload.start),
    ...(verdict.kind === 'result'
      ? { result: verdict.result, reason: verdict.reason, componentStates: verdict.componentStates, missed: null }
      : { result: 'AwaitingAnalysis' as const, reason: '-', componentStates, missed: verdict.reason }),
    series,
    word: word ?? null,
    bits: (bits as TestBits | undefined) ?? null,
    runId: payload.runId ?? null,
  }
}

/** Takes away what was stored of tests that began in word only: a test that did not happen is no test without a result. */
async function forgetBegun(tx: TenantTx, missed: ToldTest[]): Promise<void> {
  if (!missed.length) return
  await sql`
    delete from emergency_test as begun
    using unnest(${missed.map((test) => test.eventId)}::uuid[], ${missed.map((test) => test.deviceId)}::uuid[])
      as told (event_id, device_id)
    where begun.tenant_id = ${tx.tenant} and begun.event_id = told.event_id and begun.device_id = told.device_id
      and begun.result = 'AwaitingAnalysis'`.execute(tx)
}

/** Of several messages about one test the one that counts. */
function latestWords(tests: ToldTest[]): ToldTest[] {
  const words = new Map<string, ToldTest>()
  for (const test of tests) {
    const earlier = words.get(test.eventId)
    if (!earlier) words.set(test.eventId, test)
    else if (earlier.deviceId === test.deviceId && (test.missed !== null || mayReplace(earlier.result, test.result)))
      words.set(test.eventId, { ...test, runId: test.runId ?? earlier.runId })
  }
  return [...words.values()]
}

/** Returns what is new: first words on a test, and words that replaced an earlier one. */
async function storeTests(tx: TenantTx, tests: ToldTest[]): Promise<{ eventId: string; deviceId: string }[]> {
  if (!tests.length) return []
  const column = <T>(of: (test: ToldTest) => T) => tests.map(of)
  const { rows } = await sql<{ eventId: string; deviceId: string }>`
    insert into emergency_test as known
      (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series, told_result, status_bits)
    select ${tx.tenant}, test.* from unnest(
      ${column(({ eventId }) => eventId)}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ testType }) => testType)}::text[], ${column(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
      ${column(({ result }) => result)}::text[], ${column(({ reason }) => reason)}::text[],
      ${column(({ componentStates }) => JSON.stringify(componentStates))}::jsonb[],
      ${column(({ series }) => JSON.stringify(series))}::jsonb[], ${column(({ word }) => word)}::text[],
      ${column(({ bits }) => (bits ? JSON.stringify(bits) : null))}::jsonb[]
    ) as test (event_id, device_id, test_type, started_at, result, reason, component_states, series, told_result, status_bits)
    order by test.event_id
    on conflict (tenant_id, event_id) do update set
      result = excluded.result,
      reason = excluded.reason,
      component_states = excluded.component_states,
      series = case when excluded.series = '[]' then known.series else excluded.series end,
      told_result = excluded.told_result,
      status_bits = coalesce(excluded.status_bits, known.status_bits)
    where known.device_id = excluded.device_id and known.corrected_at is null and known.disputed is null
      and known.result || ' ' || excluded.result in (${replacements})
    returning event_id as "eventId", device_id as "deviceId"`.execute(tx)
  return rows
}

async function ownersOf(tx: TenantTx, tests: ToldTest[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('emergency_test')
    .select(['event_id', 'device_id'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`event_id = any(${tests.map((test) => test.eventId)}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.event_id, row.device_id]))
}

/** When each light was last tested, for the listings. */
async function keepLastTests(tx: TenantTx, tests: { deviceId: string }[]): Promise<void> {
  if (!tests.length) return
  const { rows } = await sql<{ id: string }>`
    update device set last_test_at = newest.at
    from (
      select device_id, max(started_at) as at from emergency_test
      where tenant_id = ${tx.tenant} and device_id = any(${tests.map((test) => test.deviceId)}::uuid[])
      group by device_id
    ) as newest
    where device.tenant_id = ${tx.tenant} and device.id = newest.device_id
      and device.last_test_at is distinct from newest.at
    returning device.id`.execute(tx)
  await changed(
    tx,
    'device',
    rows.map((row) => row.id),
  )
}
