import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Fields } from '@caretaker/rules/lists/fields.ts'
import type { Sort } from '@caretaker/rules/lists/filters.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { comesAfter, keysIn, keysOf, noCursor, readCursor, writeCursor } from './cursor.ts'
import { orderOf, orderParts } from './order.ts'
import type { Keyed, Wanted } from './read.ts'
import { idOf, isNarrowed, orderedMatches, rowsWanted } from './read.ts'
import type { ColumnsOf, ListSource, Table } from './source.ts'

/**
 * A list that grows for as long as the product runs: rows are counted, and brought into any order, up to `mostSorted`. With more, it is
 * read only in the order of `sorts` or in its reverse, which an index has.
 */
export interface BoundedSource<T extends Table = Table, N extends string = string> extends ListSource<T, N> {
  mostSorted: number
  /** The refusal of another order where more rows match. */
  tooMany: string
}

/** Declares where a list that grows without end comes from. A field without its column does not compile. */
export function boundedSource<T extends Table, const F extends Fields, N extends string>(
  source: Omit<BoundedSource<T, N>, 'fields' | 'columns'> & { fields: F; columns: ColumnsOf<F> },
): BoundedSource<T, N> {
  return source
}

export interface BoundedWanted<N extends string = string> extends Wanted<N> {
  /** The cursor of the page before. */
  after?: string | undefined
  limit: number
}

export interface BoundedPage {
  ids: string[]
  /** How many rows match, counted up to one more than are sorted. */
  total: number
  /** The cursor of this page; null of the last one. */
  next: string | null
}

/** The ids of one page of such a list. */
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
  const total = await countBounded(source, tx, actor, wanted)
  const isByIndex = isIndexed(source, wanted.sorts)
  if (total > source.mostSorted && !isByIndex)
    throw refuse('invalid', source.tooMany, [{ field: 'sort', message: source.tooMany }])
  // Few matches among many rows may all stand at the far end of the index.
  const isSorted = total <= source.mostSorted && (!isByIndex || isNarrowed(wanted) || isLimited(actor))
  const found = await (isSorted ? sorted() : walked()).catch(refuseMadeUp)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const next =
    last && writeCursor({ page: (cursor?.page ?? 0) + 1, pageSize: limit, keys: keysIn(last, parts) }, question)
  return { ids: page.map(({ id }) => id), total, next: next ?? null }

  function sorted(): Promise<Keyed[]> {
    return orderedMatches(source, tx, actor, wanted, null, {
      size: limit + 1,
      skip: 0,
      ...(cursor && { keys: cursor.keys }),
    })
  }

  async function walked(): Promise<Keyed[]> {
    const rows = (await rowsWanted(source, tx, actor, wanted)).select([idOf(source), ...keysOf(parts)])
    return (cursor ? rows.where(comesAfter(parts, cursor.keys)) : rows)
      .orderBy(orderOf(parts, false))
      .limit(limit + 1)
      .execute()
  }
}

/** Keys that are none of this order's: the text was made up. */
function refuseMadeUp(error: unknown): never {
  if ((error as { code?: string }).code?.startsWith('22')) throw noCursor()
  throw error
}

const isIndexed = (source: ListSource, sorts: readonly Sort[]) =>
  !sorts.length || (sorts.length === 1 && sorts[0]!.fieldId === source.sorts[0]!.fieldId)

async function countBounded<N extends string>(
  source: BoundedSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
): Promise<number> {
  const rows = (await rowsWanted(source, tx, actor, wanted)).select(sql`1`.as('one')).limit(source.mostSorted + 1)
  const { rows: found } = await sql<{ count: number }>`select count(*)::int as count from (${rows}) as counted`.execute(
    tx,
  )
  return found[0]!.count
}
