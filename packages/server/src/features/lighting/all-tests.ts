import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { TestSort } from '@caretaker/contract/lighting.ts'
import { mostCounted } from '@caretaker/contract/lighting.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { testTypes, worstResults } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'

export interface TestFilter {
  text?: string | undefined
  buildingId?: string | undefined
  testType?: TestType | undefined
  result?: TestResult | undefined
  eventId?: string | undefined
}

export interface TestsWanted {
  filter: TestFilter
  sort: TestSort
  descending: boolean
  after?: TestPlace | undefined
  limit: number
}

/** Where a page ends: the value of the order, the instant as the database writes it, and the test. */
export type TestPlace = [value: string, at: string, eventId: string]

/**
 * Lights of which each is asked for its newest tests; of more all tests are gone through by their time. Of so many among 100,000 either
 * way reads about as much.
 */
const fewLights = 1500

/** The lights whose tests are wanted: the ids of a few, or how the others are found; neither for all lights of the tenant. */
export interface Lights {
  few: string[] | undefined
  all: RawBuilder<unknown> | undefined
}

const lights = productsOfFamily('emered')

/** Asked for as the listing of lights is, whose indexes hold all that is compared here: what lies beside it is not read. */
function devices(tx: TenantTx, actor: Actor, { text, buildingId }: TestFilter) {
  let query = visible(tx.selectFrom('device'), actor)
    .where('device.listing', '=', 'EmergencyLights')
    .where('device.product', 'in', lights)
  if (buildingId) query = query.where('device.building_id', '=', buildingId)
  for (const word of text?.toLowerCase().split(/\s+/).filter(Boolean) ?? []) {
    const part = `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`
    query = query.where(
      sql<boolean>`(device.serial_folded like ${part} or device.name_folded like ${part}
        or device.building_name_folded like ${part})`,
    )
  }
  return query
}

export async function lightsWanted(tx: TenantTx, actor: Actor, filter: TestFilter): Promise<Lights> {
  if (!filter.text && !filter.buildingId && !isLimited(actor)) return { few: undefined, all: undefined }
  const found = devices(tx, actor, filter).select('device.id')
  const few = (await found.limit(fewLights + 1).execute()).map((row) => row.id)
  return few.length <= fewLights ? { few, all: undefined } : { few: undefined, all: sql`${found}` }
}

/** The ids of the tests of a page in their order, and where the page ends; one more than asked for tells that there are others. */
export async function testsInOrder(tx: TenantTx, actor: Actor, of: Lights, wanted: TestsWanted): Promise<TestPlace[]> {
  if (wanted.sort === 'deviceName') return byDeviceName(tx, actor, wanted)
  if (wanted.sort === 'testDate') return byDate(tx, of, wanted.filter, wanted)
  return byValue(tx, of, wanted)
}

interface Span {
  descending: boolean
  after?: TestPlace | undefined
  limit: number
}

const found = ({ testType, result, eventId }: TestFilter) => sql`
  ${testType ? sql`and test.test_type = ${testType}` : sql``} ${result ? sql`and test.result = ${result}` : sql``}
  ${eventId ? sql`and test.event_id = ${eventId}` : sql``}`

/** Tests by their time, each value of the order being an empty text. */
async function byDate(tx: TenantTx, { few, all }: Lights, filter: TestFilter, span: Span): Promise<TestPlace[]> {
  const { descending, after, limit } = span
  const order = descending ? sql`test.started_at desc, test.event_id` : sql`test.started_at, test.event_id desc`
  const beyond = !after
    ? sql``
    : descending
      ? sql`and test.started_at <= ${after[1]}::timestamptz
          and (test.started_at < ${after[1]}::timestamptz or test.event_id > ${after[2]}::uuid)`
      : sql`and test.started_at >= ${after[1]}::timestamptz
          and (test.started_at > ${after[1]}::timestamptz or test.event_id < ${after[2]}::uuid)`
  const tests = sql`
    select test.event_id, test.started_at from emergency_test as test
    where test.tenant_id = ${tx.tenant} ${found(filter)} ${beyond}`
  const ofEach = (rows: number, within = sql``) => sql`unnest(${few}::uuid[]) as light (id) cross join lateral (
    ${tests} ${within} and test.device_id = light.id order by ${order} limit ${rows}) as test`
  // As many lights as a page has rows have one within: no test beyond the last of these is on the page, and few of each are read.
  let within = sql``
  if (few && few.length > limit) {
    const { rows } = await sql<{ at: string }>`
      select test.started_at::text as at from ${ofEach(1)} order by ${order} offset ${limit - 1} limit 1`.execute(tx)
    const at = rows[0]?.at
    if (at) within = sql`and test.started_at ${descending ? sql`>=` : sql`<=`} ${at}::timestamptz`
  }
  const rows = few
    ? sql<PlaceRow>`
        select test.event_id as id, test.started_at::text as at from ${ofEach(limit, within)}
        order by ${order} limit ${limit}`
    : sql<PlaceRow>`
        select test.event_id as id, test.started_at::text as at
        from (${tests} ${all ? sql`and test.device_id in (${all})` : sql``} order by ${order} limit ${limit}) as test
        order by ${order}`
  return (await rows.execute(tx)).rows.map(({ id, at }) => ['', at, id])
}

interface PlaceRow {
  id: string
  at: string
}

/** Tests by type or result, in the order in which people name these; those of one value with the newest first. */
async function byValue(tx: TenantTx, of: Lights, { filter, sort, descending, after, limit }: TestsWanted) {
  const field = sort === 'testType' ? 'testType' : 'result'
  const ascending: readonly string[] = field === 'testType' ? testTypes : worstResults.toReversed()
  const values = descending ? ascending.toReversed() : ascending
  const only = filter[field]
  const places: TestPlace[] = []
  for (const value of after ? values.slice(values.indexOf(after[0])) : values) {
    if (only && value !== only) continue
    const begin = after?.[0] === value ? after : undefined
    const span = { descending: true, after: begin, limit: limit - places.length }
    const some = await byDate(tx, of, { ...filter, [field]: value }, span)
    places.push(...some.map(([, at, id]): TestPlace => [value, at, id]))
    if (places.length >= limit) break
  }
  return places
}

/** Lights of which the tests are fetched at once, in the order of their names. */
const lightsAtOnce = 50

/** Tests by the name of their light, those of one light with the newest first; the value of the order is name and serial of the light. */
async function byDeviceName(tx: TenantTx, actor: Actor, { filter, descending, after, limit }: TestsWanted) {
  const places: TestPlace[] = []
  let from = after?.[0]
  for (let first = true; places.length < limit; first = false) {
    let query = devices(tx, actor, filter)
    if (from !== undefined) {
      const [name, serial] = JSON.parse(from) as [string, string]
      const compare = descending ? (first ? sql`<=` : sql`<`) : first ? sql`>=` : sql`>`
      query = query.where(sql<boolean>`(device.name_folded, device.serial) ${compare} (${name}, ${serial})`)
    }
    const direction = descending ? 'desc' : 'asc'
    const some = await query
      .select(['device.id', 'device.name_folded as name', 'device.serial'])
      .orderBy('device.name_folded', direction)
      .orderBy('device.serial', direction)
      .limit(lightsAtOnce)
      .execute()
    for (const { id, name, serial } of some) {
      const value = JSON.stringify([name, serial])
      const span = { descending: true, after: after?.[0] === value ? after : undefined, limit: limit - places.length }
      for (const [, at, eventId] of await byDate(tx, { few: [id], all: undefined }, filter, span))
        places.push([value, at, eventId])
      from = value
      if (places.length >= limit) break
    }
    if (some.length < lightsAtOnce) break
  }
  return places
}

/** How many tests meet a filter, counted up to one more than are shown one by one. */
export async function countTests(tx: TenantTx, { few, all }: Lights, filter: TestFilter): Promise<number> {
  const of = few ? sql`and test.device_id = any(${few}::uuid[])` : all ? sql`and test.device_id in (${all})` : sql``
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from emergency_test as test where test.tenant_id = ${tx.tenant} ${found(filter)} ${of} limit ${mostCounted + 1}
    ) as found`.execute(tx)
  return rows[0]!.count
}
