import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Fields } from '@caretaker/rules/lists/fields.ts'
import type { Sort } from '@caretaker/rules/lists/filters.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { comesAfter, keysIn, keysOf, noCursor, readCursor, writeCursor } from './cursor.ts'
import { orderOf, orderParts } from './order.ts'
import type { Keyed, Wanted } from './read.ts'
import { idOf, rowsWanted } from './read.ts'
import type { ColumnsOf, ListSource, Table } from './source.ts'

/**
 * A list that grows without limit: up to `mostSorted` rows are counted and sorted in any order. Larger lists are only
 * read in the order of `sorts` or its reverse, for which there is an index.
 */
export interface BoundedSource<T extends Table = Table, N extends string = string> extends ListSource<T, N> {
  mostSorted: number
  /** The refusal of another order if more rows match. */
  tooMany: string
}

/** Declares the source of an unbounded list. A field without its column does not compile. */
export function boundedSource<T extends Table, const F extends Fields, N extends string>(
  source: Omit<BoundedSource<T, N>, 'fields' | 'columns'> & { fields: F; columns: ColumnsOf<F> },
): BoundedSource<T, N> {
  return source
}

export interface BoundedWanted<N extends string = string> extends Wanted<N> {
  /** The cursor of the previous page. */
  after?: string | undefined
  limit: number
}

export interface BoundedPage {
  ids: string[]
  /**
   * The number of matching rows, counted up to one more than can be sorted; null where pages after the first are read
   * by index.
   */
  total: number | null
  /** The cursor of this page; null on the last one. */
  next: string | null
}

/** The ids of one page of an unbounded list. */
export async function boundedPage<N extends string>(
  source: BoundedSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: BoundedWanted<N>,
): Promise<BoundedPage> {
  const { limit, after } = wanted
  const question = [wanted.listing, wanted.filters, wanted.sorts, wanted.search] as const
  const parts = orderParts(source, wanted.sorts)
  const cursor = after === undefined ? undefined : readCursor(after, question)
  if (cursor && cursor.keys.length !== parts.length) throw noCursor()
  const isByIndex = isIndexed(source, wanted.sorts)
  const rows = await readPage(cursor?.keys).catch(refuseMadeUp)
  const { total } = rows[0]!
  if (total > source.mostSorted && !isByIndex)
    throw refuse('invalid', source.tooMany, [{ field: 'sort', message: source.tooMany }])
  const found = rows.filter(({ id }) => id !== null)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const next =
    last && writeCursor({ page: (cursor?.page ?? 0) + 1, pageSize: limit, keys: keysIn(last, parts) }, question)
  return { ids: page.map(({ id }) => id), total: cursor && isByIndex ? null : total, next: next ?? null }

  /** Counts and sorts rows in one query, because counting takes as long as reading. */
  async function readPage(keys?: readonly (string | null)[]): Promise<(Keyed & { total: number })[]> {
    const columns = parts.map(({ by }, at) => sql`${sql.raw(by)}`.as(`key_${at}`))
    const order = parts.map((part, at) => ({ ...part, by: `key_${at}` }))
    const matching = (await rowsWanted(source, tx, actor, wanted)).select([idOf(source), ...columns])
    const isLaterByIndex = isByIndex && keys !== undefined
    const matches = matching
      .$if(isByIndex, (some) => some.orderBy(orderOf(parts, false)))
      .$if(isLaterByIndex, (some) => some.where(comesAfter(parts, keys!)))
      .limit(isLaterByIndex ? limit + 1 : source.mostSorted + 1)
    const { rows: found } = await sql<Keyed & { total: number }>`
      with match as materialized (${matches})
      select total, page.* from (select count(*)::int as total from match) as counted left join lateral (
        select *, ${sql.join(keysOf(order))} from match
        where ${isByIndex ? sql`true` : sql`total <= ${source.mostSorted}`} ${keys ? sql`and ${comesAfter(order, keys)}` : sql``}
        order by ${orderOf(order, false)} limit ${limit + 1}) as page on true
      order by ${orderOf(order, false)}`.execute(tx)
    return found
  }
}

/** Keys that do not fit this order: the cursor was forged. */
function refuseMadeUp(error: unknown): never {
  if ((error as { code?: string }).code?.startsWith('22')) throw noCursor()
  throw error
}

const isIndexed = (source: ListSource, sorts: readonly Sort[]) =>
  !sorts.length || (sorts.length === 1 && sorts[0]!.fieldId === source.sorts[0]!.fieldId)
