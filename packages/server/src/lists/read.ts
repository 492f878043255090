import { sql } from 'kysely'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { searchWords } from '@caretaker/rules/texts/search-form.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { prepared } from '../postgres/prepared.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { columnOf, conditionsOf } from './conditions.ts'
import type { Cursor } from './cursor.ts'
import { comesAfter, keysIn, keysOf, noCursor, readCursor, writeCursor } from './cursor.ts'
import { orderOf, orderParts } from './order.ts'
import { naturally } from '../postgres/natural-order.ts'
import { searchConditions } from './search.ts'
import type { ListSource, RowSource, Rows, Table } from './source.ts'
import { hasWords, searchForm } from './words.ts'

/** What of a list is wanted, with everything that a call may leave out filled in. */
export interface Wanted<N extends string = string> {
  listing: N
  filters: readonly Filter[]
  sorts: readonly Sort[]
  search: string
}

export interface PageWanted<N extends string = string> extends Wanted<N> {
  page: number
  pageSize: number
  /** The cursor of an earlier page of the same question: what it ends with is where this page goes on. */
  after?: string | undefined
}

/** One page of a list. */
export interface Page<Row> {
  rows: Row[]
  /** Rows that meet filters and search, and rows of the list without any. */
  total: number
  outOf: number
  page: number
  pageSize: number
  /** The cursor of this page; null of one without rows. */
  next: string | null
}

/** The rows of a list that meet filters and search, as a query to go on with. */
export async function rowsWanted<T extends Table, N extends string>(
  source: ListSource<T, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
  meetNearlyAll = false,
): Promise<Rows<T>> {
  const conditions = await conditionsWanted(source, tx, actor, wanted, meetNearlyAll)
  return conditions.reduce((rows, one) => rows.where(one), source.visible(tx, actor, wanted.listing))
}

async function conditionsWanted(source: ListSource, tx: TenantTx, actor: Actor, wanted: Wanted, meetNearlyAll = false) {
  const byDay = wanted.filters.some(({ fieldId }) => source.fields[fieldId]?.dataType === 'date')
  const zone = byDay ? await zoneOf(tx) : 'UTC'
  return [
    ...conditionsOf(source, wanted.filters, { tenant: tx.tenant, zone, actor, meetNearlyAll }),
    ...(await searchConditions(source, tx, actor, wanted.search)),
  ]
}

/** The time zone in which the days of the tenant begin. */
export async function zoneOf(tx: TenantTx): Promise<string> {
  const { time_zone } = await tx
    .selectFrom('tenant')
    .select('time_zone')
    .where('id', '=', tx.tenant)
    .modifyEnd(prepared)
    .executeTakeFirstOrThrow()
  return time_zone
}

const idColumn = (source: ListSource) => sql.ref<string>(source.id ?? `${source.table}.id`)
export const idOf = (source: ListSource) => sql<string>`${idColumn(source)}`.as('id')

/** The ids of the rows that meet filters and search, in their order, as a query. */
export async function idsInOrder<T extends Table, N extends string>(
  source: ListSource<T, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
) {
  const rows = await rowsWanted(source, tx, actor, wanted)
  return rows.orderBy(orderOf(orderParts(source, wanted.sorts), false)).select(idOf(source))
}

export async function countRows<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
): Promise<number> {
  const whole = source.counted ?? source.visible
  const query = isNarrowed(wanted)
    ? await rowsWanted(source, tx, actor, wanted)
    : whole.call(source, tx, actor, wanted.listing)
  const { count } = await query.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()
  return count
}

const isNarrowed = ({ filters, search }: Wanted) => filters.length > 0 || searchWords(search).length > 0

/** One page of a list. By its number, a page past the end is the last one; after a cursor, it is empty. */
export async function pageOf<N extends string, Row>(
  source: RowSource<Row, Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
): Promise<Page<Row>> {
  const { pageSize } = wanted
  const matches = await countMatches(source, tx, actor, wanted)
  const { total, outOf } = matches
  const question = [wanted.listing, wanted.filters, wanted.sorts, wanted.search] as const
  const parts = orderParts(source, wanted.sorts)
  const cursor = wanted.after === undefined ? undefined : readCursor(wanted.after, question)
  if (cursor && (cursor.page >= wanted.page || cursor.pageSize !== pageSize || cursor.keys.length !== parts.length))
    throw noCursor()
  const found = cursor
    ? await keyedAfter(source, tx, actor, wanted, matches, cursor)
    : await keyedOfPage(source, tx, actor, wanted, matches)
  const page = cursor ? wanted.page : pageWithin(wanted, total)
  const last = found.at(-1)
  const next = last ? writeCursor({ page, pageSize, keys: keysIn(last, parts) }, question) : null
  const rows = await rowsOf(
    source,
    tx,
    actor,
    found.map(({ id }) => id),
  )
  return { rows, total, outOf, page, pageSize, next }
}

/** A row by its id, with what it is ordered by (`keysOf`). */
export type Keyed = { id: string } & Record<string, unknown>

/**
 * The rows of a page that follows an earlier one: those after its last row, as that stood when it was read. So no row comes twice or is left
 * out because others came or went meanwhile. Rows of pages in between are skipped.
 */
async function keyedAfter<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
  { total, outOf, few }: Matches,
  { page, keys }: Cursor,
): Promise<Keyed[]> {
  const { pageSize } = wanted
  const skip = (wanted.page - page - 1) * pageSize
  const parts = orderParts(source, wanted.sorts)
  try {
    if (few || (isNarrowed(wanted) && total <= mostFew))
      return await orderedMatches(source, tx, actor, wanted, few, { size: pageSize, skip, keys })
    const rows = (await rowsWanted(source, tx, actor, wanted, total > nearlyAll * outOf)).select([
      idOf(source),
      ...keysOf(parts),
    ])
    const [first, last] = parts
    if (parts.length > 2 || !first!.nullable)
      return await rows
        .where(comesAfter(parts, keys))
        .orderBy(orderOf(parts, false))
        .limit(pageSize)
        .offset(skip)
        .execute()
    // Rows with a value and those without, each by an index; only a page that ends among the first reads both.
    const by = sql.raw(first!.by)
    const apart = [{ ...first!, nullable: false }, last!]
    const absent = rows.where(sql<boolean>`${by} is null`).orderBy(orderOf(apart, false))
    const [, key] = keys as [string | null, string]
    if (keys[0] === null)
      return await absent
        .where(comesAfter([last!], [key]))
        .limit(pageSize)
        .offset(skip)
        .execute()
    const present = rows
      .where(sql<boolean>`${by} is not null`)
      .where(comesAfter(apart, keys))
      .orderBy(orderOf(apart, false))
    const { rows: found } = await sql<Keyed>`
      (${present.limit(skip + pageSize)}) union all (${absent.limit(skip + pageSize)}) limit ${pageSize} offset ${skip}`.execute(
      tx,
    )
    return found
  } catch (error) {
    // Keys that are none of this order's: the text was made up.
    if ((error as { code?: string }).code?.startsWith('22')) throw noCursor()
    throw error
  }
}

/** A part of few matches, brought into order. */
async function orderedMatches<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
  few: readonly string[] | null,
  { size, skip, keys }: { size: number; skip: number; keys?: readonly (string | null)[] },
): Promise<Keyed[]> {
  const parts = orderParts(source, wanted.sorts)
  const columns = parts.map(({ by }, at) => sql`${sql.raw(by)}`.as(`key_${at}`))
  const order = parts.map((part, at) => ({ ...part, by: `key_${at}` }))
  const matches = few
    ? source.visible(tx, actor, wanted.listing).where(sql<boolean>`${idColumn(source)} = any(${few}::uuid[])`)
    : await rowsWanted(source, tx, actor, wanted)
  // Materialized: inlined, the limit makes the planner walk the index of the order through the whole list to find the few.
  const { rows } = await sql<Keyed>`
    with match as materialized (${matches.select([idOf(source), ...columns])})
    select id, ${sql.join(keysOf(order))} from match ${keys ? sql`where ${comesAfter(order, keys)}` : sql``}
    order by ${orderOf(order, false)} limit ${size} offset ${skip}`.execute(tx)
  return rows
}

const pageWithin = ({ page, pageSize }: PageWanted, total: number) =>
  Math.min(page, Math.max(1, Math.ceil(total / pageSize)))

/** What calls tell of these rows, in the order of the ids. */
export async function rowsOf<Row>(
  source: RowSource<Row>,
  tx: TenantTx,
  actor: Actor,
  ids: readonly string[],
): Promise<Row[]> {
  if (!ids.length) return []
  const rows = await source.rows(tx, actor, ids)
  return ids.flatMap((id) => rows.get(id) ?? [])
}

/**
 * Matches that are sooner brought into order than found in the order of an index, where all of them stand at its far end: one is
 * ordered in the time in which 25 are walked past.
 */
const mostFew = 4000
/** The share of all rows that are nearly all of them. */
const nearlyAll = 0.8

interface Matches {
  total: number
  outOf: number
  /** The ids of the matches where they are few, and were met while all rows were counted. */
  few: readonly string[] | null
}

/**
 * How many rows filters and search leave, and of how many. Where no index can narrow what they ask, all rows are looked at
 * once for both numbers.
 */
async function countMatches<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
): Promise<Matches> {
  if (!isNarrowed(wanted) || wanted.filters.some((filter) => isSelective(source, filter))) {
    const outOf = await countRows(source, tx, actor, { ...wanted, filters: [], search: '' })
    return { outOf, total: isNarrowed(wanted) ? await countRows(source, tx, actor, wanted) : outOf, few: null }
  }
  const matches = sql.join(await conditionsWanted(source, tx, actor, wanted), sql` and `)
  const rows = source
    .visible(tx, actor, wanted.listing)
    .select([idOf(source), sql<boolean>`${matches}`.as('matches')])
    // Asked of each row once, however often it is needed.
    .offset(0)
  // What is looked for in texts may be rare; nearly all rows are not something, or have a value.
  const isLookedFor =
    searchWords(wanted.search).length > 0 || wanted.filters.some(({ filterOp }) => filterOp === 'contains')
  const few = isLookedFor
    ? sql`case when count(*) filter (where matches) <= ${mostFew} then array_agg(id) filter (where matches) end`
    : sql`null`
  const { rows: found } = await sql<Matches>`
    select count(*) as "outOf", count(*) filter (where matches) as total, ${few} as few from (${rows}) as looked_at`.execute(
    tx,
  )
  return found[0]!
}

/** Whether an index leads to what a filter asks for, so that not all rows are looked at. */
function isSelective(source: ListSource, { fieldId, filterOp }: Filter): boolean {
  const isWord = source.fields[fieldId]?.choices
  return filterOp !== 'noneof' && filterOp !== 'present' && (filterOp !== 'contains' || Boolean(isWord))
}

/** The rows of a page, read in the order of an index from the nearer end, or by ordering the matches where they are few. */
async function keyedOfPage<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
  { total, outOf, few }: Matches,
): Promise<Keyed[]> {
  const from = (pageWithin(wanted, total) - 1) * wanted.pageSize
  const size = Math.min(wanted.pageSize, total - from)
  if (size <= 0) return []
  const parts = orderParts(source, wanted.sorts)
  if (few || (isNarrowed(wanted) && total <= mostFew))
    return orderedMatches(source, tx, actor, wanted, few, { size, skip: from })
  const backwards = from > total / 2
  const skip = backwards ? total - from - size : from
  const rows = (await rowsWanted(source, tx, actor, wanted, total > nearlyAll * outOf)).select([
    idOf(source),
    ...keysOf(parts),
  ])
  const [first, last] = parts
  const found: Keyed[] =
    parts.length === 2 && first!.nullable && first!.falls
      ? await readApart()
      : await rows.orderBy(orderOf(parts, backwards)).limit(size).offset(skip).execute()
  return backwards ? found.toReversed() : found

  /** An index has rows without a value where its rising order wants them; a falling one takes them from there. */
  async function readApart(): Promise<Keyed[]> {
    const by = sql.raw(first!.by)
    const present = rows
      .where(sql<boolean>`${by} is not null`)
      .orderBy(orderOf([{ ...first!, nullable: false }, last!], backwards))
    // Named in the order although it is the same of all: by that the index is found.
    const absent = rows
      .where(sql<boolean>`${by} is null`)
      .orderBy(orderOf([{ ...first!, nullable: false }, last!], backwards))
    const [one, other] = backwards ? [absent, present] : [present, absent]
    const { rows: found } = await sql<Keyed>`
      ${one} union all ${other} limit ${size} offset ${skip}`.execute(tx)
    return found
  }
}

/** Values that a text field has in the list, in their order; of a field of another table all names of the tenant. */
export async function choicesIn<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  listing: N,
  { fieldId, search }: { fieldId: string; search: string },
): Promise<string[]> {
  const column = columnOf(source, fieldId)
  if ('names' in column) return column.names(tx, search, actor)
  if ('whose' in column || 'has' in column) throw new Error(`${fieldId} has no values to choose from`)
  const values = source
    .visible(tx, actor, listing)
    .select(sql<string>`${sql.raw(column.shown ?? column.value)}`.as('value'))
    .distinct()
    .where(sql<boolean>`${sql.raw(column.value)} is not null`)
  const { rows } = await sql<{ value: string }>`
    select value from (${values}) as known where ${hasWords([searchForm(sql`value`)], search)}
    order by ${naturally(sql`value`)} limit 100`.execute(tx)
  return rows.map((row) => row.value)
}
