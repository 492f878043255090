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

/** The requested part of a list, with all defaults filled in. */
export interface Wanted<N extends string = string> {
  listing: N
  filters: readonly Filter[]
  sorts: readonly Sort[]
  search: string
}

export interface PageWanted<N extends string = string> extends Wanted<N> {
  page: number
  pageSize: number
  /** The cursor of an earlier page of the same question: this page starts where that one ends. */
  after?: string | undefined
}

/** One page of a list. */
export interface Page<Row> {
  rows: Row[]
  /** The number of rows that match filters and search, and the number of all rows of the list. */
  total: number
  outOf: number
  page: number
  pageSize: number
  /** The cursor of this page; null if it has no rows. */
  next: string | null
}

/** A query for the rows of a list that match filters and search. */
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

/** The tenant's time zone, which decides when its days begin. */
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

/** A query for the ids of the matching rows, in order. */
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

/** One page of a list. A page number past the end returns the last page; a cursor at the end returns an empty one. */
export async function pageOf<N extends string, Row>(
  source: RowSource<Row, Table, N>,
  tx: TenantTx,
  actor: Actor,
  asked: Omit<PageWanted<N>, 'page'> & { page?: number | undefined },
): Promise<Page<Row>> {
  const { pageSize } = asked
  const matches = await countMatches(source, tx, actor, asked)
  const { total, outOf } = matches
  const question = [asked.listing, asked.filters, asked.sorts, asked.search] as const
  const parts = orderParts(source, asked.sorts)
  const cursor = asked.after === undefined ? undefined : readCursor(asked.after, question)
  const wanted = { ...asked, page: asked.page ?? (cursor ? cursor.page + 1 : 1) }
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

/** A row's id with its sort keys (`keysOf`). */
export type Keyed = { id: string } & Record<string, unknown>

/**
 * The rows of a page that follows an earlier one: those after its last row, by the sort keys at that time. So no row
 * is repeated or missed because others were added or removed. Pages in between are skipped.
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
    // Rows with a value and rows without are read by separate indexes; only a page at the boundary reads both.
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
    // Keys that do not fit this order: the cursor was forged.
    if ((error as { code?: string }).code?.startsWith('22')) throw noCursor()
    throw error
  }
}

/** Part of a small number of matches, sorted. */
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
  // Materialized: otherwise the limit makes the planner walk the order's index through the whole list to find the
  // few.
  const { rows } = await sql<Keyed>`
    with match as materialized (${matches.select([idOf(source), ...columns])})
    select id, ${sql.join(keysOf(order))} from match ${keys ? sql`where ${comesAfter(order, keys)}` : sql``}
    order by ${orderOf(order, false)} limit ${size} offset ${skip}`.execute(tx)
  return rows
}

const pageWithin = ({ page, pageSize }: PageWanted, total: number) =>
  Math.min(page, Math.max(1, Math.ceil(total / pageSize)))

/** The response rows, in the order of the ids. */
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
 * Up to this many matches, sorting is faster than finding them in an index order that has all of them at its end:
 * sorting one takes the time of walking past 25.
 */
const mostFew = 4000
/** The share of all rows that counts as nearly all. */
const nearlyAll = 0.8

interface Matches {
  total: number
  outOf: number
  /** The ids of the matches, if they are few and were found while all rows were counted. */
  few: readonly string[] | null
}

/**
 * The number of matching rows, and of all rows. Where no index can narrow the filters and the search, one scan counts
 * both.
 */
async function countMatches<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
): Promise<Matches> {
  if (!isNarrowed(wanted) || wanted.filters.some((filter) => isSelective(source, filter))) {
    const outOf = await countRows(source, tx, actor, { ...wanted, filters: [], search: '' })
    return { outOf, total: isNarrowed(wanted) ? await countRows(source, tx, actor, wanted) : outOf, few: null }
  }
  const matches = sql.join(await conditionsWanted(source, tx, actor, wanted), sql` and `)
  const rows = source
    .visible(tx, actor, wanted.listing)
    .select([idOf(source), sql<boolean>`${matches}`.as('matches')])
    // Evaluated once per row, however often it is used.
    .offset(0)
  // A searched text may be rare; negations and 'has a value' match nearly all rows.
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

/** Whether an index supports a filter, so that not all rows are scanned. */
function isSelective(source: ListSource, { fieldId, filterOp }: Filter): boolean {
  const isWord = source.fields[fieldId]?.choices
  return filterOp !== 'noneof' && filterOp !== 'present' && (filterOp !== 'contains' || Boolean(isWord))
}

/** The rows of a page, read in index order from the nearer end, or by sorting the matches if they are few. */
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

  /** An ascending index order has rows without a value last; a descending order reads them separately. */
  async function readApart(): Promise<Keyed[]> {
    const by = sql.raw(first!.by)
    const present = rows
      .where(sql<boolean>`${by} is not null`)
      .orderBy(orderOf([{ ...first!, nullable: false }, last!], backwards))
    // Included in the order although it is constant, so that the index is used.
    const absent = rows
      .where(sql<boolean>`${by} is null`)
      .orderBy(orderOf([{ ...first!, nullable: false }, last!], backwards))
    const [one, other] = backwards ? [absent, present] : [present, absent]
    const { rows: found } = await sql<Keyed>`
      ${one} union all ${other} limit ${size} offset ${skip}`.execute(tx)
    return found
  }
}

/** The values of a text field in the list, sorted; for a field of another table, all names of the tenant. */
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
