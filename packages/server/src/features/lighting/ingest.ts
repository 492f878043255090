import { sql } from 'kysely'
import type { z } from 'zod'
import type { Test } from '@caretaker/contract/mqtt/payloads.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { ComponentStates, TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { mayReplace, reasonOf, resultOf, testResults } from '@caretaker/rules/lighting/tests.ts'
import { changed } from '../../changes/changed.ts'
import type { Incoming } from '../../incoming.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { testsWereTold } from '../conditions/store.ts'

export type IncomingTest = Incoming<z.infer<typeof Test>>

interface ToldTest {
  eventId: string
  deviceId: string
  testType: TestType
  startedAt: Date
  result: TestResult
  reason: string
  componentStates: ComponentStates
  series: { seconds: number; batteryVoltage: number }[]
}

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
  for (const message of messages) if (lit.has(message.deviceId)) told.set(message, asTest(message))
  const tests = latestWords([...told.values()])
  const news = await storeTests(tx, tests)
  const owners = await ownersOf(tx, tests)
  await keepLastTests(tx, news)
  await testsWereTold(tx, [...new Set(news.map((test) => test.deviceId))])
  await changed(
    tx,
    'device tests',
    news.map((test) => test.deviceId),
  )
  return messages.filter((message) => owners.get(told.get(message)?.eventId ?? '') !== message.deviceId)
}

/** The emergency lights among the devices, held until the transaction ends. */
async function lockLights(tx: TenantTx, deviceIds: string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${deviceIds}::uuid[])`)
    .where('product', 'in', lights)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return new Set(rows.map((row) => row.id))
}

function asTest({ deviceId, payload }: IncomingTest): ToldTest {
  const { componentStates, result = 'AwaitingAnalysis', testType, series } = payload
  return {
    eventId: payload.eventId.toLowerCase(),
    deviceId,
    testType,
    startedAt: new Date(payload.start),
    result,
    // A generated reason only where it says the same as the result (an empty reason is '-': decisions of the specification).
    reason: resultOf(componentStates) === result ? reasonOf(componentStates) : '-',
    componentStates,
    series,
  }
}

/** Of several messages about one test the one that counts. */
function latestWords(tests: ToldTest[]): ToldTest[] {
  const words = new Map<string, ToldTest>()
  for (const test of tests) {
    const earlier = words.get(test.eventId)
    if (!earlier) words.set(test.eventId, test)
    else if (earlier.deviceId === test.deviceId && mayReplace(earlier.result, test.result))
      words.set(test.eventId, { ...test, series: test.series.length ? test.series : earlier.series })
  }
  return [...words.values()]
}

/** Returns what is new: first words on a test, and words that replaced an earlier one. */
async function storeTests(tx: TenantTx, tests: ToldTest[]): Promise<{ eventId: string; deviceId: string }[]> {
  if (!tests.length) return []
  const column = <T>(of: (test: ToldTest) => T) => tests.map(of)
  const { rows } = await sql<{ eventId: string; deviceId: string }>`
    insert into emergency_test as known
      (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
    select ${tx.tenant}, test.* from unnest(
      ${column(({ eventId }) => eventId)}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ testType }) => testType)}::text[], ${column(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
      ${column(({ result }) => result)}::text[], ${column(({ reason }) => reason)}::text[],
      ${column(({ componentStates }) => JSON.stringify(componentStates))}::jsonb[],
      ${column(({ series }) => JSON.stringify(series))}::jsonb[]
    ) as test (event_id, device_id, test_type, started_at, result, reason, component_states, series)
    order by test.event_id
    on conflict (tenant_id, event_id) do update set
      result = excluded.result,
      reason = excluded.reason,
      component_states = excluded.component_states,
      series = case when excluded.series = '[]' then known.series else excluded.series end
    where known.device_id = excluded.device_id
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
