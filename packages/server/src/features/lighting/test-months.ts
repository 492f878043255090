import { sql } from 'kysely'
import { z } from 'zod'
import type { LightMonths, TestsOfMonth } from '@caretaker/contract/lighting.ts'
import { mostTestsCounted } from '@caretaker/rules/lighting/tests.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { lastDayOf } from '@caretaker/rules/calendar/months.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { testTypes, worstResults } from '@caretaker/rules/lighting/tests.ts'
import { naturally } from '../../postgres/natural-order.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { zoneOf } from '../../lists/read.ts'
import type { LightFilter } from './tested-lights.ts'
import { isOfLights, lightsThat } from './tested-lights.ts'

/** The filter and the time span: from one instant (inclusive) to another (exclusive). */
interface TestsOfSpan {
  since: Date
  before: Date
  testType?: TestType | undefined
  result?: TestResult | undefined
}

/** From the start of one day to the end of another, in the tenant's time zone. */
async function spanOf(tx: TenantTx, from: Day, to: Day) {
  const zone = await zoneOf(tx)
  return { since: new Date(startOfDay(from, zone)), before: new Date(startOfDay(dayAfter(to, 1), zone)) }
}

const within = ({ since, before, testType, result }: TestsOfSpan) => sql`
  and test.started_at >= ${since} and test.started_at < ${before}
  ${testType ? sql`and test.test_type = ${testType}` : sql``} ${result ? sql`and test.result = ${result}` : sql``}`

interface MonthsWanted {
  filter: LightFilter & { testType?: TestType | undefined; result?: TestResult | undefined }
  year: number
  after?: string | undefined
  limit: number
}

/** The lights with a matching test in the year; without a result filter, all lights. */
async function lightsOfYear(
  tx: TenantTx,
  actor: Actor,
  { testType, result, ...filter }: MonthsWanted['filter'],
  year: number,
) {
  const span = { ...(await spanOf(tx, `${year}-01-01`, `${year}-12-31`)), testType, result }
  const lights = lightsThat(tx, actor, filter)
  const isTested = sql<boolean>`exists (select from emergency_test as test
    where test.tenant_id = ${tx.tenant} and test.device_id = device.id ${within(span)})`
  return { span, lights: result ? lights.where(isTested) : lights }
}

const nameInOrder = naturally(sql`device.name_folded`)

/** A page of lights by name with the tests of a year, and the cursor of the page; null for the last one. */
export async function lightMonths(tx: TenantTx, actor: Actor, { filter, year, after, limit }: MonthsWanted) {
  const { span, lights } = await lightsOfYear(tx, actor, filter, year)
  const from = after === undefined ? undefined : readPlace(after)
  const some = await lights
    .$if(from !== undefined, (rest) =>
      rest.where(sql<boolean>`(${nameInOrder}, device.serial) > (${from![0]}, ${from![1]})`),
    )
    .select(['device.id', 'device.name', 'device.building_name', 'device.name_folded as folded', 'device.serial'])
    .orderBy(nameInOrder)
    .orderBy('device.serial')
    .limit(limit + 1)
    .execute()
  const page = some.slice(0, limit)
  const { rows } = await sql<TestRow>`
    select test.device_id, test.event_id, test.started_at, test.test_type, test.result from emergency_test as test
    where test.tenant_id = ${tx.tenant} and test.device_id = any(${page.map(({ id }) => id)}::uuid[]) ${within(span)}
    order by test.started_at desc, test.event_id`.execute(tx)
  const tests = Map.groupBy(rows, (row) => row.device_id)
  const last = some.length > limit ? page.at(-1) : undefined
  return {
    next: last ? writePlace([last.folded ?? '', last.serial]) : null,
    lights: page.map(({ id, name, building_name: buildingName }): LightMonths => ({
      deviceId: id,
      deviceName: name,
      buildingName,
      tests: (tests.get(id) ?? []).map((test) => ({
        eventId: test.event_id,
        testDate: test.started_at.toISOString(),
        testType: test.test_type,
        result: test.result,
      })),
    })),
  }
}

interface TestRow {
  device_id: string
  event_id: string
  started_at: Date
  test_type: TestType
  result: TestResult
}

/** The end of a page: the name and the serial number of its last light. */
type Place = z.infer<typeof Place>
/** No text in the database contains a NUL character. */
const Known = z.string().refine((value) => !value.includes('\u0000') && value.isWellFormed())
const Place = z.tuple([Known, Known])

const writePlace = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url')

function readPlace(cursor: string): Place {
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    const message = '`after` is not the `next` of an earlier page'
    throw refuse('invalid', message, [{ field: 'after', message }])
  }
}

/** The number of lights whose months are shown, counted up to the same limit as tests. */
export async function countLightsOfYear(
  tx: TenantTx,
  actor: Actor,
  { filter, year }: Pick<MonthsWanted, 'filter' | 'year'>,
): Promise<number> {
  const { lights } = await lightsOfYear(tx, actor, filter, year)
  const found = lights.select('device.id').limit(mostTestsCounted + 1)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from (${found}) as found`.execute(tx)
  return rows[0]!.count
}

/**
 * For each month and test type the number of tested lights by their worst result. Each month is read on its own, from
 * the index of tests by time.
 */
export async function testOverview(
  tx: TenantTx,
  actor: Actor,
  filter: LightFilter,
  months: readonly string[],
): Promise<TestsOfMonth[]> {
  const isSome = filter.text || filter.buildingId || filter.groupId || isLimited(actor)
  const these = isSome ? sql`and ${await isOfLights(tx, lightsThat(tx, actor, filter), 'test')}` : sql``
  const rank = sql`array_position(${[...worstResults]}::text[], test.result)`
  const cells: TestsOfMonth[] = []
  for (const month of months) {
    const span = await spanOf(tx, `${month}-01`, lastDayOf(month))
    const tests = sql`from emergency_test as test where test.tenant_id = ${tx.tenant} ${within(span)} ${these}`
    const { rows } = await sql<Omit<TestsOfMonth, 'month' | 'worst'> & { worst: number }>`
      with tested as (
        select test.test_type, test.device_id, min(${rank}) as worst ${tests} group by test.test_type, test.device_id
      ), worst as (select test_type, min(worst) as worst from tested group by test_type),
      changes as (
        select test.test_type, count(test.disputed)::int as disputed, count(test.corrected_at)::int as corrected
        ${tests} and (test.disputed is not null or test.corrected_at is not null) group by test.test_type
      )
      select tested.test_type as "testType", count(*)::int as lights, worst.worst,
        (count(*) filter (where tested.worst = worst.worst))::int as "worstLights",
        coalesce((select disputed from changes where changes.test_type = tested.test_type), 0) as disputed,
        coalesce((select corrected from changes where changes.test_type = tested.test_type), 0) as corrected
      from tested join worst on worst.test_type = tested.test_type group by tested.test_type, worst.worst`.execute(tx)
    cells.push(...rows.map(({ worst, ...cell }) => ({ month, ...cell, worst: worstResults[worst - 1]! })))
  }
  return cells.toSorted(
    (a, b) => a.month.localeCompare(b.month) || testTypes.indexOf(a.testType) - testTypes.indexOf(b.testType),
  )
}
