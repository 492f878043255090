import { sql } from 'kysely'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { columnOf, escaped, filtered, folded, searched } from './conditions.ts'
import { orderOf, orderParts } from './order.ts'
import type { ListSource, RowSource, Rows, Table } from './source.ts'

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
}

/** One page of a list. */
export interface Page<Row> {
  rows: Row[]
  /** Rows that meet filters and search, and rows of the list without any. */
  total: number
  outOf: number
  page: number
  pageSize: number
}

/** The rows of a list that meet filters and search, as a query to go on with. */
export async function rowsWanted<T extends Table, N extends string>(
  source: ListSource<T, N>,
  tx: TenantTx,
  actor: Actor,
  { listing, filters, search }: Wanted<N>,
): Promise<Rows<T>> {
  const byDay = filters.some(({ fieldId }) => source.fields[fieldId]?.dataType === 'date')
  const place = { tenant: tx.tenant, zone: byDay ? await zoneOf(tx) : 'UTC', actor }
  const rows = filtered(source.visible(tx, actor, listing), source, filters, place)
  return searched(rows, source, search, hidesPersonalData(actor))
}

/** The time zone in which the days of the tenant begin. */
export async function zoneOf(tx: TenantTx): Promise<string> {
  const { time_zone } = await tx
    .selectFrom('tenant')
    .select('time_zone')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return time_zone
}

const idOf = (source: ListSource) => sql<string>`${sql.ref(`${source.table}.id`)}`.as('id')

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

const isNarrowed = ({ filters, search }: Wanted) => filters.length > 0 || search.trim() !== ''

/** One page of a list; a page past the end is the last one. */
export async function pageOf<N extends string, Row>(
  source: RowSource<Row, Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
): Promise<Page<Row>> {
  const outOf = await countRows(source, tx, actor, { ...wanted, filters: [], search: '' })
  const { pageSize } = wanted
  const { ids, total } = isNarrowed(wanted)
    ? await matchesOf(source, tx, actor, wanted)
    : { ids: await idsFrom(source, tx, actor, wanted, outOf), total: outOf }
  const page = pageWithin(wanted, total)
  return { rows: await rowsOf(source, tx, actor, ids), total, outOf, page, pageSize }
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
 * How many rows filters and search leave, and the ids of the page among them. Whoever counts them reads the whole list; it
 * is read once. In the list's own order an index gives them, and the page is cut out of all the ids; in any other, only the
 * rows up to the end of the page are brought into order.
 */
async function matchesOf<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
): Promise<{ ids: string[]; total: number }> {
  const { page, pageSize } = wanted
  const before = sql`(least(${page}::int - 1, greatest(0, total - 1) / ${pageSize}::int) * ${pageSize}::int)::int`
  const found = wanted.sorts.length ? await ordered() : await inItsOwnOrder()
  const { rows } = await found.execute(tx)
  return rows[0]!

  async function inItsOwnOrder() {
    const matches = await idsInOrder(source, tx, actor, wanted)
    return sql<{ total: number; ids: string[] }>`
      select total, coalesce(ids[${before} + 1 : ${before} + ${pageSize}::int], '{}') as ids
      from (select count(*) as total, array_agg(id) as ids from (${matches}) as match) as counted`
  }

  async function ordered() {
    const parts = orderParts(source, wanted.sorts)
    const keys = parts.map(({ by }, at) => sql`${sql.raw(by)}`.as(`key_${at}`))
    const order = parts.map((part, at) => ({ ...part, by: `key_${at}` }))
    const matches = (await rowsWanted(source, tx, actor, wanted)).select([idOf(source), ...keys])
    return sql<{ total: number; ids: string[] }>`
      with match as materialized (${matches}), counted as materialized (select count(*) as total from match)
      select total, array(select id from match order by ${orderOf(order, false)}
        limit ${pageSize} offset (select ${before} from counted)) as ids
      from counted`
  }
}

/** The ids of a page of a whole list, read in the order of an index, from the nearer end. */
async function idsFrom<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: PageWanted<N>,
  total: number,
): Promise<string[]> {
  const from = (pageWithin(wanted, total) - 1) * wanted.pageSize
  const size = Math.min(wanted.pageSize, total - from)
  if (size <= 0) return []
  const backwards = from > total / 2
  const skip = backwards ? total - from - size : from
  const rows = source.visible(tx, actor, wanted.listing).select(idOf(source))
  const parts = orderParts(source, wanted.sorts)
  const [first, last] = parts
  const found =
    parts.length === 2 && first!.nullable && first!.falls
      ? await readApart()
      : await rows.orderBy(orderOf(parts, backwards)).limit(size).offset(skip).execute()
  const ids = found.map((row) => row.id)
  return backwards ? ids.reverse() : ids

  /** An index has rows without a value where its rising order wants them; a falling one takes them from there. */
  async function readApart(): Promise<{ id: string }[]> {
    const by = sql.raw(first!.by)
    const present = rows
      .where(sql<boolean>`${by} is not null`)
      .orderBy(orderOf([{ ...first!, nullable: false }, last!], backwards))
    const absent = rows.where(sql<boolean>`${by} is null`).orderBy(orderOf([last!], backwards))
    const [one, other] = backwards ? [absent, present] : [present, absent]
    const { rows: found } = await sql<{ id: string }>`
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
  const pattern = `%${escaped(folded(search.trim()))}%`
  const column = columnOf(source, fieldId)
  if ('names' in column) return column.names(tx, pattern, actor)
  const rows = await source
    .visible(tx, actor, listing)
    .select(sql<string>`${sql.raw(column.shown ?? column.value)}`.as('value'))
    .distinct()
    .where(sql<boolean>`${sql.raw(column.value)} like ${pattern}`)
    .orderBy(sql`1`)
    .limit(100)
    .execute()
  return rows.map((row) => row.value)
}
