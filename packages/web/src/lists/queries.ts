import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { isStale, listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import { call } from '../api/call.ts'
import type { ListData, ListSource, Question } from './list-source.ts'

/** Which rows of a list are wanted. */
export interface Wanted {
  filters: readonly Filter[]
  sorts: readonly Sort[]
  search: string
  page: number
  pageSize: number
}

/** Everything that is read of a list's rows has this at the beginning of its key. */
export const listKey = (tenant: string, listing: string) => [tenant, 'listing', listing] as const

/** What of a list its rows are asked for by. */
type Asked<Row> = Pick<ListSource<Row>, 'list' | 'calls' | 'changedSince' | 'rowId' | 'shows'>

/**
 * One page of a list. Fetched again, it first asks which rows have changed, and keeps what it has when none of them is on
 * the page; TanStack Query leaves out a refresh while an earlier one is still on its way.
 */
export function pageQuery<Row>(tenant: string, source: Asked<Row>, wanted: Wanted) {
  const { name } = source.list
  const key = [...listKey(tenant, name), wanted] as const
  return queryOptions({
    queryKey: key,
    queryFn: async ({ client, signal }): Promise<ListData<Row>> => {
      const known = client.getQueryData<ListData<Row>>(key)
      // What somebody asks for anew, or changed on this page, is fetched whatever the server says of rows.
      const isWanted = client.getQueryState(key)?.isInvalidated
      if (known && !isWanted && !(await isOutdated(tenant, source, known, signal))) return known
      const { page, pageSize } = wanted
      const body = { tenant, ...questionOf(name, wanted), sorts: [...wanted.sorts], page, pageSize }
      const load = (more: { after?: string }) =>
        answerOf<ListData<Row>>(call(source.calls.page, { body: { ...body, ...more } }, { signal }))
      const after = endOfEarlierPage(client, tenant, name, wanted)
      const following = after === undefined ? undefined : await load({ after })
      // No rows follow the earlier page any more: by its number, the page is the last that there is.
      return following?.rows.length ? following : load({})
    },
    // While another page or order loads, what was there stays; but never the rows of another list.
    placeholderData: (previous, query) =>
      query?.queryKey[0] === tenant && query.queryKey[2] === name ? previous : undefined,
    refetchInterval: listingRefresh,
    meta: {
      ...(source.shows && {
        shows: {
          ...source.shows,
          rowsIn: (data: unknown) => (data as ListData<Row> | undefined)?.rows.map((row) => source.rowId(row)) ?? [],
        },
      }),
    },
  })
}

/** Where the nearest earlier page of the same rows ends that was loaded: this one goes on there. */
function endOfEarlierPage(client: QueryClient, tenant: string, listing: string, wanted: Wanted): string | undefined {
  for (let page = wanted.page - 1; page > 0; page--) {
    const known = client.getQueryData<ListData<unknown>>([...listKey(tenant, listing), { ...wanted, page }])
    if (known?.next) return known.next
  }
  return undefined
}

/** What a call of a list answers; that it does is said by the contract's type of such calls. */
const answerOf = <Answer>(answer: Promise<unknown>) => answer as Promise<Answer>

const copied = (filters: readonly Filter[]) =>
  filters.map(({ fieldId, filterOp, value }) => ({
    fieldId,
    filterOp,
    value: Array.isArray(value) ? [...(value as string[])] : (value as string | number | boolean),
  }))

/** Which rows of a list, as all calls on them take it. */
export function questionOf(listing: string, { filters, search }: Pick<Wanted, 'filters' | 'search'>): Question {
  return { listing, filters: copied(filters), search }
}

async function isOutdated<Row>(tenant: string, source: Asked<Row>, known: ListData<Row>, signal: AbortSignal) {
  const loaded = { updatedAt: known.updatedAt, ids: known.rows.map((row) => source.rowId(row)) }
  if (isStale(loaded, [], Date.now())) return true
  const changed = (await source.changedSince?.(tenant, known, signal)) ?? 'any'
  if (changed === 'any') return true
  // Of a part of the list nobody knows which rows would now stand in it: each that changed may.
  return known.rows.length < known.outOf ? changed.length > 0 : isStale(loaded, changed, Date.now())
}

/** Values that a text field of a list has, for choosing a filter. */
export const choicesQuery = (tenant: string, { calls, list }: ListSource, fieldId: string, search: string) =>
  queryOptions({
    queryKey: [tenant, 'choices', list.name, fieldId, search],
    queryFn: ({ signal }) =>
      answerOf<string[]>(call(calls.choices, { body: { tenant, listing: list.name, fieldId, search } }, { signal })),
    placeholderData: (previous, query) =>
      query?.queryKey[0] === tenant && query.queryKey[3] === fieldId ? previous : undefined,
  })

export interface FileOrder extends Omit<Wanted, 'page' | 'pageSize'> {
  columns: readonly string[]
  format: 'csv' | 'xlsx'
  /** Called while it comes, with the bytes that have. */
  onBytes: (bytes: number) => void
}

/** All rows of a list as a file. */
export function fileOf(
  tenant: string,
  { calls, list }: Pick<ListSource, 'calls' | 'list'>,
  order: FileOrder,
): Promise<File> {
  const { columns, format, onBytes } = order
  const body = { tenant, ...questionOf(list.name, order), sorts: [...order.sorts], columns, format }
  return answerOf<File>(call(calls.file, { body }, { onBytes }))
}
