import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { LightMonths, TestSort, TestsOfMonth } from '@caretaker/contract/lighting.ts'
import { mostCounted } from '@caretaker/contract/lighting.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { lastDayOf } from '@caretaker/rules/calendar/months.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { testResults, testTypes, worstResults } from '@caretaker/rules/lighting/tests.ts'
import { searchWords } from '@caretaker/rules/texts/search-form.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { zoneOf } from '../../lists/read.ts'
import { hasWord } from '../../lists/words.ts'
import { visible } from '../devices/visible.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** Which lights. */
export interface LightFilter {
  text?: string | undefined
  buildingId?: string | undefined
  groupId?: string | undefined
  /** Lights of which there is such a test. */
  tested?: TestFilter | undefined
}

export interface TestFilter extends LightFilter {
  /** An instant that the tests began at or after, and one that they began before. */
  since?: Date | undefined
  before?: Date | undefined
  testType?: TestType | undefined
  result?: TestResult | undefined
  eventId?: string | undefined
  decision?: 'disputed' | 'corrected' | undefined
}

/** A filter with its days as the instants that they begin and end at by the clocks of the tenant. */
export async function withInstants<Asked extends { from?: Day | undefined; to?: Day | undefined }>(
  tx: TenantTx,
  { from, to, ...filter }: Asked,
) {
  const zone = from || to ? await zoneOf(tx) : ''
  return {
    ...filter,
    ...(from && { since: new Date(startOfDay(from, zone)) }),
    ...(to && { before: new Date(startOfDay(dayAfter(to, 1), zone)) }),
  }
}

export interface TestsWanted {
  filter: TestFilter
  sort: TestSort
  descending: boolean
  after?: TestPlace | undefined
  limit: number
}

/** A page of tests. */
export interface TestsPage {
  places: TestPlace[]
  /** How many there are, counted up to one more than are shown one by one; null behind the first page. */
  total: number | null
}

/** Where a page ends: the value of the order, the instant as the database writes it, and the test. */
export type TestPlace = [value: string, at: string, eventId: string]

/**
 * Lights of which each is asked for its newest tests; of more all tests are gone through by their time. Of so many among 100,000 either
 * way reads about as much.
 */
const fewLights = 500

/** Lights whose ids are found before their tests; more are asked for anew by whoever looks at a test. */
const mostNamed = 5000

/** The lights whose tests are wanted: their ids, or how they are found where they are many; neither for all lights of the tenant. */
export interface Lights {
  ids?: SomeIds
  areFew?: boolean
  all?: LightIds
}
/**
 * Ids as the database sends an array of them and is sent it again, in its own form: thousands of texts, read and written for each
 * statement, are what memory is swept for in the middle of an answer.
 */
interface SomeIds {
  sent: Buffer
  count: number
}
type LightIds = ReturnType<typeof idsOf>
const idsOf = (query: ReturnType<typeof devices>) => query.select('device.id')

const lights = productsOfFamily('emered')

/**
 * Asked for as the listing of lights is, whose indexes hold all that is compared here: what lies beside it is not read.
 * @param ids the lights that meet the filter, where they have been found
 */
const devices = (tx: TenantTx, actor: Actor, filter: LightFilter, ids?: SomeIds) =>
  (ids
    ? visible(tx.selectFrom('device'), actor)
        .where(sql<boolean>`device.id = any(${listed(ids)})`)
        .where('device.product', 'in', lights)
    : thoseThat(tx, actor, filter)
  ).where('device.listing', '=', 'EmergencyLights')

/** The same in no order: all lights are looked through for words in the index of the search, which knows of no listing. */
function thoseThat(tx: TenantTx, actor: Actor, { text, buildingId, groupId, tested }: LightFilter) {
  let query = visible(tx.selectFrom('device'), actor)
  if (buildingId) query = query.where('device.building_id', '=', buildingId)
  // Limited people know nothing of groups.
  if (groupId)
    query = query.where(
      sql<boolean>`device.id in (select member.device_id from light_group_member as member
        where member.tenant_id = ${tx.tenant} and member.group_id = ${groupId} and ${can(actor, 'see test schedules')})`,
    )
  if (tested)
    query = query.where(
      sql<boolean>`exists (select from emergency_test as test
        where test.tenant_id = ${tx.tenant} and test.device_id = device.id ${found(tested)})`,
    )
  const words = rarestFirst(searchWords(text ?? '')).map((word) => hasWord([sql`device.search_form`], word))
  const isLight = sql<boolean>`device.product in (${sql.join(lights)})`
  // Asked in one piece the database looks for the words first: to ask all devices what they are takes a fifth of the time.
  return query.where(words.length ? sql<boolean>`(${sql.join([...words, isLight], sql` and `)}) is true` : isLight)
}

const nameInOrder = naturally(sql`device.name_folded`)
const buildingInOrder = naturally(sql`device.building_name_folded`)

/** The words of a text in the order in which all lights are best asked for them: few have a certain number, or one long word. */
const rarestFirst = (words: readonly string[]) =>
  words.toSorted((a, b) => Number(/\d/.test(b)) - Number(/\d/.test(a)) || b.length - a.length)

export async function lightsWanted(tx: TenantTx, actor: Actor, filter: LightFilter): Promise<Lights> {
  if (!filter.text && !filter.buildingId && !filter.groupId && !isLimited(actor)) return {}
  return someLights(tx, (filter.text ? thoseThat : devices)(tx, actor, filter))
}

async function someLights(tx: TenantTx, query: ReturnType<typeof devices>): Promise<Lights> {
  const all = idsOf(query)
  const { rows } = await sql<SentIds>`
    select ${sentIds} from (${all.limit(mostNamed + 1)}) as light`.execute(tx)
  const ids = idsFrom(rows[0]!)
  return ids.count <= mostNamed ? lightsOf(ids) : { all }
}

interface SentIds {
  ids: string
  count: number
}
/** In base64, which is two thirds of what the database writes bytes in. */
const sentIds = sql`encode(array_send(coalesce(array_agg(light.id), '{}')), 'base64') as ids, count(*)::int as count`
const idsFrom = ({ ids, count }: SentIds): SomeIds => ({ sent: Buffer.from(ids, 'base64'), count })

/** The first of them: an array is sent with a heading, in which stands how many follow, and each of them with its length before it. */
function firstOf({ sent }: SomeIds, count: number): SomeIds {
  const [heading, each, countAt] = [20, 20, 12]
  const first = Buffer.from(sent.subarray(0, heading + count * each))
  first.writeInt32BE(count, countAt)
  return { sent: first, count }
}

const listed = ({ sent }: SomeIds) => sql`${sent}::uuid[]`

const lightsOf = (ids: SomeIds): Lights => ({ ids, areFew: ids.count <= fewLights })

/** The ids of the tests of a page in their order, and where the page ends; one more than asked for tells that there are others. */
export async function testsInOrder(
  tx: TenantTx,
  actor: Actor,
  of: Lights,
  wanted: TestsWanted,
  limits: Limits = usualLimits,
): Promise<TestsPage> {
  const { sort, filter, after } = wanted
  // All lights of a building have its name, and of one name the newest tests stand first in either direction.
  if (sort === 'buildingName' && filter.buildingId)
    return testsInOrder(tx, actor, of, { ...wanted, sort: 'testDate', descending: true }, limits)
  const value = valueOf(sort, filter)
  if (value !== undefined && !after && of.ids && !of.areFew) {
    const { total, dates } = await countedByDate(tx, of, {
      ...wanted,
      descending: sort !== 'testDate' || wanted.descending,
    })
    const places = dates?.map(([, at, id]): TestPlace => [value, at, id])
    return { places: places ?? (await goneThrough(tx, actor, of, wanted)), total }
  }
  const isNarrowed = Boolean(
    filter.since ?? filter.before ?? filter.testType ?? filter.result ?? filter.eventId ?? filter.decision,
  )
  // All tests of many lights are hardly ever few, but by reason those of all other lights would be gone through for them.
  if (isOfLights(sort) && (isNarrowed || of.areFew || (sort === 'reason' && (of.ids ?? of.all)))) {
    const { places, total } = await sortedIfFew(tx, of, { ...wanted, sort }, limits)
    return { places: places ?? (await goneThrough(tx, actor, of, wanted)), total }
  }
  const total = after ? null : isNarrowed ? await countTests(tx, of, filter) : await countAllTests(tx, of)
  return { places: await goneThrough(tx, actor, of, wanted), total }
}

/**
 * What stands in the places of an order that is one by time alone, because the tests are of one type and one result: an index has all of
 * these and which light each is of, so that they are counted and sorted together. Undefined of any other order.
 */
function valueOf(sort: TestSort, { testType, result, decision }: TestFilter): string | undefined {
  if (!testType || !result || decision || isOfLights(sort)) return undefined
  return { testDate: '', testType, result }[sort]
}

/** Goes through tests, lights or reasons in the order that an index has them in, as far as the page reaches. */
function goneThrough(tx: TenantTx, actor: Actor, of: Lights, wanted: TestsWanted): Promise<TestPlace[]> {
  const { sort, filter } = wanted
  switch (sort) {
    case 'testDate':
      return byDate(tx, of, filter, wanted)
    case 'testType':
    case 'result':
      return byValue(tx, of, { ...wanted, sort })
    case 'deviceName':
      return byDeviceName(tx, actor, of, wanted)
    case 'buildingName':
      return byBuildingName(tx, actor, of, wanted)
    case 'reason':
      return byReason(tx, of, wanted)
  }
}

/** Orders in which few tests are sorted: by what belongs to their light, and by reasons, which an index has of each result and type alone. */
const ofLightsSorts = ['deviceName', 'buildingName', 'reason'] as const
type LightSort = (typeof ofLightsSorts)[number]
const isOfLights = (sort: TestSort): sort is LightSort => (ofLightsSorts as readonly TestSort[]).includes(sort)

/**
 * So many tests are sorted: of so few among millions, what goes through lights or reasons in their order would ask for more. And how
 * many lights are looked up for them.
 */
export interface Limits {
  /** Where the lights are not few. */
  sorted: number
  /** Where they are few, by what belongs to a light: that is looked up for each test. */
  ofFewLights: number
  /** Where they are few, by reason: the index of a light has it, and going through reasons passes the tests of all others. */
  reasonsOfFewLights: number
  /** Tests whose lights are looked up where these are not few; of more tests the indexes of names lead to the lights that stand first. */
  lookedUp: number
}
const usualLimits: Limits = { sorted: mostCounted, ofFewLights: 5000, reasonsOfFewLights: 75_000, lookedUp: 1000 }

interface Span {
  descending: boolean
  after?: TestPlace | undefined
  limit: number
}

const found = ({ testType, result, eventId, since, before, decision }: TestFilter) => sql`
  ${since ? sql`and test.started_at >= ${since}` : sql``} ${before ? sql`and test.started_at < ${before}` : sql``}
  ${testType ? sql`and test.test_type = ${testType}` : sql``} ${result ? sql`and test.result = ${result}` : sql``}
  ${eventId ? sql`and test.event_id = ${eventId}` : sql``} ${decision ? isDecided[decision] : sql``}`

const isDecided = {
  disputed: sql`and test.disputed is not null`,
  corrected: sql`and test.corrected_at is not null`,
}

const orderByDate = (descending: boolean) =>
  descending ? sql`test.started_at desc, test.event_id` : sql`test.started_at, test.event_id desc`

/** How many tests there are, and where they are not too many to be counted the first by their time: all of them are read once. */
async function countedByDate(
  tx: TenantTx,
  of: Lights,
  { filter, descending, limit }: Pick<TestsWanted, 'filter' | 'descending' | 'limit'>,
): Promise<{ total: number; dates: TestPlace[] | undefined }> {
  const order = orderByDate(descending)
  const { rows } = await sql<Partial<PlaceRow> & { total: number }>`
    with found as materialized (
      select test.event_id, test.started_at from emergency_test as test
      where test.tenant_id = ${tx.tenant} ${found(filter)} ${testsOf(of)} limit ${mostCounted + 1}
    )
    select counted.total, test.event_id as id, test.started_at::text as at
    from (select count(*)::int as total from found) as counted left join lateral (
      select test.event_id, test.started_at from found as test
      where counted.total <= ${mostCounted} order by ${order} limit ${limit}) as test on true
    order by ${order}`.execute(tx)
  const { total } = rows[0]!
  if (total > mostCounted) return { total, dates: undefined }
  return { total, dates: rows.flatMap(({ id, at }): TestPlace[] => (id && at ? [['', at, id]] : [])) }
}

/** Tests by their time, each value of the order being an empty text. */
async function byDate(tx: TenantTx, of: Lights, filter: TestFilter, span: Span): Promise<TestPlace[]> {
  const { descending, after, limit } = span
  const order = orderByDate(descending)
  const beyond = !after
    ? sql``
    : descending
      ? sql`and test.started_at <= ${after[1]}::timestamptz
          and (test.started_at < ${after[1]}::timestamptz or test.event_id > ${after[2]}::uuid)`
      : sql`and test.started_at >= ${after[1]}::timestamptz
          and (test.started_at > ${after[1]}::timestamptz or test.event_id < ${after[2]}::uuid)`
  const tests = sql`
    select test.event_id, test.started_at, test.device_id from emergency_test as test
    where test.tenant_id = ${tx.tenant} ${found(filter)} ${beyond}`
  const page = async (from: RawBuilder<unknown>) => {
    const { rows } = await sql<PlaceRow>`
      select test.event_id as id, test.started_at::text as at from ${from} order by ${order} limit ${limit}`.execute(tx)
    return rows.map(({ id, at }): TestPlace => ['', at, id])
  }
  if (!of.ids && !of.all) return page(sql`(${tests} order by ${order} limit ${limit}) as test`)
  if (!of.areFew) {
    const most = limit * testsForOne
    const passed = await page(sql`(${tests} order by ${order} limit ${most}) as test ${amongLights(of)}`)
    if (passed.length === limit) return passed
    const { rows: others } = await sql`${tests} order by ${order} offset ${most} limit 1`.execute(tx)
    if (!others.length) return passed
  }
  const lights = of.ids ? sql`unnest(${listed(of.ids)})` : sql`${of.all!}`
  const ofEach = (rows: number, within = sql``) => sql`${lights} as light (id) cross join lateral (
    ${tests} ${within} and test.device_id = light.id order by ${order} limit ${rows}) as test`
  // As many lights as a page has rows have one within: no test beyond the last of these is on the page, and few of each are read.
  let within = sql``
  if (!of.ids || of.ids.count > limit) {
    const { rows } = await sql<{ at: string | null; count: number }>`
      select (array_agg(test.started_at order by test.started_at ${descending ? sql`desc` : sql``}))[${limit}::int]::text as at,
        count(*)::int as count
      from ${ofEach(1)}`.execute(tx)
    const { at, count } = rows[0]!
    if (!count) return []
    if (at) within = sql`and test.started_at ${descending ? sql`>=` : sql`<=`} ${at}::timestamptz`
  }
  return page(ofEach(limit, within))
}

/**
 * Tests that are passed for each that is wanted of many lights, before each light is asked instead: several times as many as where all
 * lights are tested alike. Those of a new building stand at the end of an order by time, or nowhere.
 */
const testsForOne = 400

/** Keeps the tests of these lights, one by one as they are passed: the database takes many lights for far fewer than they are. */
const amongLights = ({ ids, all }: Lights) =>
  ids
    ? sql`where (test.device_id = any(${listed(ids)})) is true`
    : sql`cross join lateral ${all!.where(sql<boolean>`device.id = test.device_id`).offset(0)} as light`

interface PlaceRow {
  id: string
  at: string
}

/** Tests by type or result, in the order in which people name these; those of one value with the newest first. */
async function byValue(
  tx: TenantTx,
  of: Lights,
  { filter, sort: field, descending, after, limit }: TestsWanted & { sort: 'testType' | 'result' },
) {
  const ascending: readonly string[] = field === 'testType' ? testTypes : worstResults.toReversed()
  const values = descending ? ascending.toReversed() : ascending
  const only = filter[field]
  let known: ReadonlySet<string> | undefined
  const places: TestPlace[] = []
  for (const value of after ? values.slice(values.indexOf(after[0])) : values) {
    if (only ? value !== only : known && !known.has(value)) continue
    const begin = after?.[0] === value ? after : undefined
    const span = { descending: true, after: begin, limit: limit - places.length }
    const some = await byDate(tx, of, { ...filter, [field]: value }, span)
    places.push(...some.map(([, at, id]): TestPlace => [value, at, id]))
    if (places.length >= limit) break
    // A type that none of few lights has is looked for among all their tests: one may be, then it is asked which others there are.
    if (of.areFew && !only) known ??= await valuesOf(tx, of, filter, field)
  }
  return places
}

async function valuesOf(tx: TenantTx, of: Lights, filter: TestFilter, field: 'testType' | 'result') {
  const { rows } = await sql<{ value: string }>`
    select distinct ${field === 'testType' ? sql`test_type` : sql`result`} as value from emergency_test as test
    where test.tenant_id = ${tx.tenant} ${found(filter)} ${testsOf(of)}`.execute(tx)
  return new Set(rows.map(({ value }) => value))
}

/** Lights that are looked at together, in the order of their names or buildings: so many at first, and more where they have few tests. */
const [lightsAtFirst, lightsAtOnce] = [50, 800]

/** Tests by the name of their light, those of one light with the newest first; the value of the order is name and serial of the light. */
async function byDeviceName(tx: TenantTx, actor: Actor, of: Lights, { filter, descending, after, limit }: TestsWanted) {
  const places: TestPlace[] = []
  let from = after?.[0]
  for (let [first, many] = [true, lightsAtFirst]; places.length < limit; first = false) {
    const named = { from, descending, isFrom: first && after !== undefined, many, ids: of.ids }
    const some = await lightsByName(tx, actor, filter, named)
    const keys = some.map(({ folded, serial }) => JSON.stringify([folded, serial]))
    const beyond =
      after && keys[0] === after[0]
        ? sql`and (light.n > 1 or test.started_at < ${after[1]}::timestamptz
            or (test.started_at = ${after[1]}::timestamptz and test.event_id > ${after[2]}::uuid))`
        : sql``
    const { rows } = await sql<PlaceRow & { n: string }>`
      select light.n, test.event_id as id, test.started_at::text as at
      from unnest(${some.map(({ id }) => id)}::uuid[]) with ordinality as light (id, n) cross join lateral (
        select test.event_id, test.started_at from emergency_test as test
        where test.tenant_id = ${tx.tenant} and test.device_id = light.id ${found(filter)} ${beyond}
        order by test.started_at desc, test.event_id limit ${limit - places.length}) as test
      order by light.n, test.started_at desc, test.event_id limit ${limit - places.length}`.execute(tx)
    places.push(...rows.map(({ n, at, id }): TestPlace => [keys[Number(n) - 1]!, at, id]))
    if (some.length < many) break
    from = keys.at(-1)
    many = Math.min(many * 4, lightsAtOnce)
  }
  return places
}

/** Lights that stand first in an order. */
interface FirstOnes {
  /** The place that they begin at, a light as the text of its name and serial or the name of a building; it is one of them or they follow it. */
  from: string | undefined
  isFrom: boolean
  descending: boolean
  many: number
}

interface ByName extends FirstOnes {
  ids?: SomeIds | undefined
}

function lightsByName(
  tx: TenantTx,
  actor: Actor,
  filter: LightFilter,
  { from, isFrom, descending, many, ids }: ByName,
) {
  let query = devices(tx, actor, filter, ids)
  if (from !== undefined) {
    const [name, serial] = JSON.parse(from) as [string, string]
    const compare = sql.raw(`${descending ? '<' : '>'}${isFrom ? '=' : ''}`)
    query = query.where(sql<boolean>`(${nameInOrder}, device.serial) ${compare} (${name}, ${serial})`)
  }
  const direction = descending ? 'desc' : 'asc'
  return query
    .select(['device.id', 'device.name', 'device.building_name', 'device.name_folded as folded', 'device.serial'])
    .orderBy(nameInOrder, direction)
    .orderBy('device.serial', direction)
    .limit(many)
    .execute()
}

/** Tests by the name of their building, those of no building as of one without a name; those of one with the newest first. */
async function byBuildingName(tx: TenantTx, actor: Actor, of: Lights, wanted: TestsWanted) {
  const { filter, after, limit } = wanted
  const places: TestPlace[] = []
  const buildings = of.ids ? buildingsOf(tx, { ...of, ids: of.ids }, wanted) : buildingsByName(tx, actor, wanted)
  for await (const [name, lightsInIt] of buildings) {
    const span = { descending: true, after: after?.[0] === name ? after : undefined, limit: limit - places.length }
    for (const [, at, id] of await byDate(tx, lightsInIt, filter, span)) places.push([name, at, id])
    if (places.length >= limit) break
  }
  return places
}

/** The buildings of lights by their names in lower case, with the lights in each; lights of no building are in one whose name is empty. */
type Buildings = AsyncGenerator<[name: string, Lights]>

async function* buildingsOf(
  tx: TenantTx,
  { ids, areFew }: { ids: SomeIds; areFew?: boolean },
  { descending, after, limit }: TestsWanted,
): Buildings {
  let [from, isFrom] = [after?.[0], after !== undefined]
  for (let many = limit; ; many = Math.min(many * 4, lightsAtOnce)) {
    const some = areFew
      ? sql`
        select id, coalesce(${buildingInOrder}, '') as name from device
        where tenant_id = ${tx.tenant} and id in (select id from wanted)`
      : inFirstBuildings(tx, sql`id in (select id from wanted)`, { from, isFrom, descending, many })
    const { rows } = await sql<SentIds & { name: string }>`
      with wanted as materialized (select unnest(${listed(ids)}) as id)
      select name, ${sentIds} from (${some}) as light
      ${areFew && from !== undefined ? sql`where name ${descending ? sql`<=` : sql`>=`} ${from}` : sql``}
      group by 1 order by 1 ${descending ? sql`desc` : sql``}`.execute(tx)
    for (const { name, ...inIt } of rows) yield [name, lightsOf(idsFrom(inIt))]
    if (areFew || rows.reduce((sum, { count }) => sum + count, 0) < many) return
    ;[from, isFrom] = [rows.at(-1)!.name, false]
  }
}

/**
 * Lights with the names of their buildings, '' where there is none: all lights of the first buildings that have so many of them together.
 * That which they begin at comes besides.
 * @param which the condition that a light meets
 */
function inFirstBuildings(tx: TenantTx, which: RawBuilder<unknown>, { from, isFrom, descending, many }: FirstOnes) {
  const [direction, behind, last] = descending
    ? [sql`desc`, sql`<`, sql`min(name)`]
    : [sql`asc`, sql`>`, sql`max(name)`]
  const upTo = descending ? sql`>=` : sql`<=`
  // 'Is true' keeps the database from looking each of the lights up: they are met in the index of the names, which tells their order.
  // All lights are in one listing, which the index begins with.
  const ofBuilding = (named: RawBuilder<unknown>) => sql`
    from device where tenant_id = ${tx.tenant} and listing = 'EmergencyLights' and (${which}) is true and ${buildingInOrder} ${named}`
  // Asked for apart: the index has them behind all names.
  const none = sql`select id, '' as name ${ofBuilding(sql`is null`)}`
  const first = sql`
    (${none} ${from === undefined ? sql`` : sql`and '' ${behind} ${from}`} limit ${many}) union all (
      select id, ${buildingInOrder} as name ${ofBuilding(from === undefined ? sql`is not null` : sql`${behind} ${from}`)}
      order by ${buildingInOrder} ${direction} limit ${many})`
  return sql`
    select id, name from (${none} union all select id, ${buildingInOrder} as name ${ofBuilding(sql`is not null`)}) as light
    where ${from === undefined ? sql`true` : sql`name ${behind}${isFrom ? sql`=` : sql``} ${from}`} and name ${upTo} (
      select ${isFrom ? sql`coalesce(${last}, ${from})` : last}
      from (select name from (${first}) as first order by name ${direction} limit ${many}) as first)`
}

async function* buildingsByName(tx: TenantTx, actor: Actor, { filter, descending, after }: TestsWanted): Buildings {
  const name = buildingInOrder
  const behind = async (from: string | undefined) => {
    let query = devices(tx, actor, filter).select(name.as('name')).limit(1)
    if (from !== undefined) query = query.where(sql<boolean>`${name} ${descending ? sql`<` : sql`>`} ${from}`)
    const row = await query
      .where(name, 'is not', null)
      .orderBy(name, descending ? 'desc' : 'asc')
      .executeTakeFirst()
    return row?.name ?? (descending && from !== '' ? '' : undefined)
  }
  let value = after ? after[0] : descending ? await behind(undefined) : ''
  for (; value !== undefined; value = await behind(value)) {
    const isIn = value === '' ? sql<boolean>`(${name} is null or ${name} = '')` : sql<boolean>`${name} = ${value}`
    const inIt = await someLights(tx, devices(tx, actor, filter).where(isIn))
    if (inIt.ids?.count !== 0) yield [value, inIt]
  }
}

/** Tests of a reason that are asked for their light one by one, before the database finds all of many lights, which takes longer. */
const passedOfReason = 1000
/** So many at least for each test of the page: a page of a file has too many to be filled so. */
const passedForOne = 10

/**
 * Tests by their reason, those of one reason with the newest first. The index has them by result and type, reason and time: of each
 * result and type it is gone from each reason to the next one, until a page is full.
 */
async function byReason(tx: TenantTx, of: Lights, wanted: TestsWanted): Promise<TestPlace[]> {
  if (of.all && wanted.limit * passedForOne <= passedOfReason) {
    const { places, isCut } = await throughReasons(tx, of, wanted, passedOfReason)
    if (!isCut) return places
  }
  return (await throughReasons(tx, of, wanted)).places
}

/**
 * The same, and whether a reason has kept the page from being filled of which there may be more tests than are `passed`.
 */
async function throughReasons(
  tx: TenantTx,
  of: Lights,
  { filter, descending, after, limit }: TestsWanted,
  passed?: number,
): Promise<{ places: TestPlace[]; isCut: boolean }> {
  const kinds = testResults
    .filter((result) => (filter.result ?? result) === result)
    .flatMap((result) =>
      testTypes.filter((type) => (filter.testType ?? type) === type).map((type) => [result, type] as const),
    )
  const direction = descending ? sql`desc` : sql`asc`
  const [behind, from] = descending ? [sql`<`, sql`<=`] : [sql`>`, sql`>=`]
  const ofKind = sql`
    from emergency_test as test
    where test.tenant_id = ${tx.tenant} and test.result = kind.result and test.test_type = kind.type`
  // A test of each that the index of reasons leads to: nothing by which the database could go through the lights instead.
  const these = of.ids ? sql`select id from light` : of.all
  const ofLights = these ? sql`and (test.device_id in (${these})) is true` : sql``
  const named = of.ids ? sql`with light as materialized (select unnest(${listed(of.ids)}) as id)` : sql``
  // Reasons that none of the lights has are passed in the index; of some days each is asked for the tests of these, which it has in order.
  const ofNext = of.ids && !filter.since && !filter.before ? ofLights : sql``
  const next = (within: RawBuilder<unknown>) => sql`(
    select test.reason ${ofKind} ${within} ${ofNext} order by test.reason ${direction} limit 1)`
  const beyond = after
    ? sql`and (known.reason <> ${after[0]} or test.started_at < ${after[1]}::timestamptz
        or (test.started_at = ${after[1]}::timestamptz and test.event_id > ${after[2]}::uuid))`
    : sql``
  const newest = sql`order by test.started_at desc, test.event_id`
  const ofReason = (which: RawBuilder<unknown>, most: number) => sql`
    select test.event_id, test.started_at, test.device_id ${ofKind}
      and test.reason = known.reason ${found({ since: filter.since, before: filter.before, eventId: filter.eventId, decision: filter.decision })}
      ${which} ${beyond} ${newest} limit ${most}`
  // Where the last of those that are passed stands, instead of all others: whatever has not been passed stands behind it.
  const tests =
    passed === undefined
      ? ofReason(ofLights, limit)
      : sql`
        (select test.event_id, test.started_at from (${ofReason(sql``, passed)}) as test ${amongLights(of)} ${newest} limit ${limit})
        union all
        select null, last.at from (
          select min(test.started_at) as at from (${ofReason(sql``, passed)}) as test having count(*) = ${passed}
        ) as last cross join generate_series(1, ${limit})`
  const { rows } = await sql<{ reason: string; at: string; id: string | null }>`${named}
    select found.reason, found.event_id as id, found.started_at::text as at
    from unnest(${kinds.map(([result]) => result)}::text[], ${kinds.map(([, type]) => type)}::text[]) as kind (result, type)
    cross join lateral (
      with recursive known (reason) as (
        select ${next(after ? sql`and test.reason ${from} ${after[0]}` : sql``)}
        union all
        select ${next(sql`and test.reason ${behind} known.reason`)} from known where known.reason is not null
      )
      select known.reason, test.event_id, test.started_at from known cross join lateral (${tests}) as test
      where known.reason is not null limit ${limit}) as found
    order by found.reason ${direction}, found.started_at desc, found.event_id nulls first limit ${limit}`.execute(tx)
  const places = rows.flatMap(({ reason, at, id }): TestPlace[] => (id === null ? [] : [[reason, at, id]]))
  return { places, isCut: places.length < rows.length }
}

/**
 * Tests by what belongs to their light or by their reason, those of one value with the newest first, unless there are too many to be
 * sorted, and how many there are; null behind the first page. They are looked for once: to count them takes as long as to fetch them.
 */
async function sortedIfFew(
  tx: TenantTx,
  of: Lights,
  { filter, sort, descending, after, limit }: TestsWanted & { sort: LightSort },
  { sorted, ofFewLights, reasonsOfFewLights, lookedUp }: Limits,
): Promise<{ places: TestPlace[] | undefined; total: number | null }> {
  const most = of.areFew ? (sort === 'reason' ? reasonsOfFewLights : ofFewLights) : sorted
  const keys = {
    deviceName: [sql`light.name_folded`, sql`light.serial`],
    buildingName: [sql`light.name`],
    reason: [sql`test.reason`],
  }[sort]
  const values = after && (sort === 'deviceName' ? (JSON.parse(after[0]) as string[]) : [after[0]])
  const place = values && sql`(${sql.join(values.map((value) => sql`${value}::text`))})`
  const key = sql`(${sql.join(keys)})`
  const [direction, behind] = descending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const beyond =
    after && place
      ? sql`and (${key} ${behind} ${place} or (${key} = ${place}
          and (test.started_at < ${after[1]}::timestamptz
            or (test.started_at = ${after[1]}::timestamptz and test.event_id > ${after[2]}::uuid))))`
      : sql``
  // Ordered once more outside, for what a join gives has no order; by then they are few.
  const named = keys.map((_, at) => sql.ref(`key_${at}`))
  const orderBy = (some: readonly RawBuilder<unknown>[]) =>
    sql`order by ${sql.join(some.map((one) => sql`${one} ${direction}`))}, started_at desc, event_id`
  function withLights() {
    const isByName = sort === 'deviceName'
    const one = (id: RawBuilder<unknown>) => sql`
      select ${isByName ? sql`${nameInOrder} as name_folded, serial` : sql`coalesce(${buildingInOrder}, '') as name`}
      from device where tenant_id = ${tx.tenant} and id = ${id} offset 0`
    // For each test: the database cannot tell how few lights these are, and would compare all tests with all of them.
    if (of.areFew) return sql`cross join lateral (${one(sql`test.device_id`)}) as light`
    const isOne = sql`id in (select device_id from found)`
    // The first one may have no test behind the place that the page begins at.
    const first = isByName
      ? sql`
        select id, ${nameInOrder} as name_folded, serial from device
        where tenant_id = ${tx.tenant} and listing = 'EmergencyLights' and (${isOne}) is true
          ${place ? sql`and (${nameInOrder}, serial) ${behind}= ${place}` : sql``}
        order by ${nameInOrder} ${direction}, serial ${direction} limit ${limit + 1}`
      : inFirstBuildings(tx, isOne, { from: after?.[0], isFrom: after !== undefined, descending, many: limit })
    return sql`
      join lateral (
        select of.id, device.* from (select distinct device_id as id from found) as of cross join lateral (${one(sql`of.id`)}) as device
        where counted.total <= ${lookedUp}
        union all select * from (${first}) as first where counted.total > ${lookedUp}
      ) as light on light.id = test.device_id`
  }
  const { rows } = await sql<Partial<PlaceRow & { value: string }> & { total: number }>`
    with found as materialized (
      select test.event_id, test.started_at, ${sort === 'reason' ? sql`test.reason` : sql`test.device_id`}
      from emergency_test as test
      where test.tenant_id = ${tx.tenant} ${found(filter)} ${testsOf(of)} limit ${Math.max(most, after ? 0 : mostCounted) + 1}
    )
    select counted.total, page.value, page.event_id as id, page.started_at::text as at
    from (select count(*)::int as total from found) as counted left join lateral (
      select ${sort === 'deviceName' ? sql`json_build_array(${sql.join(keys)})::text` : keys[0]} as value, test.event_id,
        test.started_at, ${sql.join(keys.map((one, at) => sql`${one} as ${named[at]!}`))}
      from found as test ${sort === 'reason' ? sql`` : withLights()}
      where counted.total <= ${most} ${beyond}
      ${orderBy(keys)} limit ${limit}) as page on true
    ${orderBy(named)}`.execute(tx)
  const { total: count } = rows[0]!
  const total = after ? null : Math.min(count, mostCounted + 1)
  if (count > most) return { places: undefined, total }
  const places = rows.flatMap(({ value, at, id }): TestPlace[] =>
    id === null || id === undefined
      ? []
      : [[sort === 'deviceName' ? JSON.stringify(JSON.parse(value!)) : value!, at!, id]],
  )
  return { places, total }
}

const testsOf = ({ ids, all }: Lights) =>
  ids ? sql`and test.device_id = any(${listed(ids)})` : all ? sql`and test.device_id in (${all})` : sql``

/** How many tests meet a filter, counted up to one more than are shown one by one. */
async function countTests(tx: TenantTx, of: Lights, filter: TestFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from emergency_test as test where test.tenant_id = ${tx.tenant} ${found(filter)} ${testsOf(of)} limit ${mostCounted + 1}
    ) as found`.execute(tx)
  return rows[0]!.count
}

/** The same of all tests of lights. Where these are many, mostly the first of them have as many as are counted; all are asked where not. */
async function countAllTests(tx: TenantTx, of: Lights): Promise<number> {
  if (of.ids && of.ids.count > fewLights) {
    const count = await countTests(tx, lightsOf(firstOf(of.ids, fewLights)), {})
    if (count > mostCounted) return count
  }
  return countTests(tx, of, {})
}

/** The tests of a year that are asked for. */
async function ofYear(tx: TenantTx, { testType, result }: MonthsWanted['filter'], year: number) {
  const { since, before } = await withInstants(tx, { from: `${year}-01-01`, to: `${year}-12-31` })
  return { since, before, testType, result }
}

interface MonthsWanted {
  filter: LightFilter & { testType?: TestType | undefined; result?: TestResult | undefined }
  year: number
  after?: string | undefined
  limit: number
}

/** A page of lights by their names with the tests of a year, and the place of the last; null where no other follows. */
export async function lightMonths(tx: TenantTx, actor: Actor, { filter, year, after, limit }: MonthsWanted) {
  const named = { from: after, isFrom: false, descending: false, many: limit + 1 }
  const wanted = await ofYear(tx, filter, year)
  const some = await lightsByName(tx, actor, { ...filter, tested: wanted.result && wanted }, named)
  const page = some.slice(0, limit)
  const { rows } = await sql<TestRow>`
    select test.device_id, test.event_id, test.started_at, test.test_type, test.result from emergency_test as test
    where test.tenant_id = ${tx.tenant} and test.device_id = any(${page.map(({ id }) => id)}::uuid[])
      ${found(wanted)}
    order by test.started_at desc, test.event_id`.execute(tx)
  const tests = Map.groupBy(rows, (row) => row.device_id)
  const last = some.length > limit ? page.at(-1) : undefined
  return {
    next: last ? JSON.stringify([last.folded, last.serial]) : null,
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

/**
 * For each month and type of test the lights that were tested, by the worst result that each had. Each month is read by itself, from the
 * index of tests by their time.
 */
export async function testOverview(
  tx: TenantTx,
  actor: Actor,
  filter: LightFilter,
  months: readonly string[],
): Promise<TestsOfMonth[]> {
  const of = await lightsWanted(tx, actor, filter)
  const rank = sql`array_position(${[...worstResults]}::text[], test.result)`
  const cells: TestsOfMonth[] = []
  for (const month of months) {
    const { since, before } = await withInstants(tx, { from: `${month}-01`, to: lastDayOf(month) })
    const { rows } = await sql<Omit<TestsOfMonth, 'month' | 'worst'> & { worst: number }>`
      with tested as (
        select test.test_type, test.device_id, min(${rank}) as worst,
          count(*) filter (where test.disputed is not null)::int as disputed
        from emergency_test as test
        where test.tenant_id = ${tx.tenant} ${found({ since, before })} ${testsOf(of)}
        group by test.test_type, test.device_id
      ), worst as (select test_type, min(worst) as worst from tested group by test_type),
      corrected as (
        select test.test_type, count(*)::int as count from emergency_test as test
        where test.tenant_id = ${tx.tenant} ${found({ since, before, decision: 'corrected' })} ${testsOf(of)} group by test.test_type
      )
      select tested.test_type as "testType", count(*)::int as lights, worst.worst,
        (count(*) filter (where tested.worst = worst.worst))::int as "worstLights",
        sum(tested.disputed)::int as disputed,
        coalesce((select count from corrected where corrected.test_type = tested.test_type), 0) as corrected
      from tested join worst on worst.test_type = tested.test_type group by tested.test_type, worst.worst`.execute(tx)
    cells.push(...rows.map(({ worst, ...cell }) => ({ month, ...cell, worst: worstResults[worst - 1]! })))
  }
  return cells.toSorted(
    (a, b) => a.month.localeCompare(b.month) || testTypes.indexOf(a.testType) - testTypes.indexOf(b.testType),
  )
}

/** How many lights there are of which months are shown. */
export async function countLightsOfYear(
  tx: TenantTx,
  actor: Actor,
  { filter, year }: Pick<MonthsWanted, 'filter' | 'year'>,
) {
  const wanted = await ofYear(tx, filter, year)
  return countLights(tx, actor, { ...filter, tested: wanted.result && wanted })
}

/** How many lights there are, counted as far as tests are. */
async function countLights(tx: TenantTx, actor: Actor, filter: LightFilter): Promise<number> {
  const found = (filter.text ? thoseThat : devices)(tx, actor, filter)
    .select('device.id')
    .limit(mostCounted + 1)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from (${found}) as found`.execute(tx)
  return rows[0]!.count
}
