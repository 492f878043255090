import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { isStale, listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import { call } from '../api/call.ts'
import type { ListData, ListSource, Question } from './list-source.ts'

/** The requested rows of a list. */
export interface Wanted {
  filters: readonly Filter[]
  sorts: readonly Sort[]
  search: string
  page: number
  pageSize: number
}

/** The prefix of all query keys of a list's rows. */
export const listKey = (tenant: string, listing: string) => [tenant, 'listing', listing] as const

/** The part of a list description that row queries need. */
type Asked<Row> = Pick<ListSource<Row>, 'list' | 'calls' | 'changedSince' | 'rowId' | 'shows'>

/**
 * One page of a list. On a refetch it first asks which rows have changed and keeps its data if none is on the page;
 * TanStack Query skips a refresh while an earlier one is pending.
 */
export function pageQuery<Row>(tenant: string, source: Asked<Row>, wanted: Wanted) {
  const { name } = source.list
  const key = [...listKey(tenant, name), wanted] as const
  return queryOptions({
    queryKey: key,
    queryFn: async ({ client, signal }): Promise<ListData<Row>> => {
      const known = client.getQueryData<ListData<Row>>(key)
      // A manual refresh, or a change on this page, is always fetched.
      const isWanted = client.getQueryState(key)?.isInvalidated
      if (known && !isWanted && !(await isOutdated(tenant, source, known, signal))) return known
      const { page, pageSize } = wanted
      const body = { tenant, ...questionOf(name, wanted), sorts: [...wanted.sorts], page, pageSize }
      const load = (more: { after?: string }) =>
        answerOf<ListData<Row>>(call(source.calls.page, { body: { ...body, ...more } }, { signal }))
      const after = endOfEarlierPage(client, tenant, name, wanted)
      const following = after === undefined ? undefined : await load({ after })
      // No rows follow the earlier page any more: by number, this is the last page.
      return following?.rows.length ? following : load({})
    },
    // The previous rows stay while another page or order loads, but never rows of another list.
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

/** The end of the nearest earlier loaded page of the same rows, from which this page continues. */
function endOfEarlierPage(client: QueryClient, tenant: string, listing: string, wanted: Wanted): string | undefined {
  for (let page = wanted.page - 1; page > 0; page--) {
    const known = client.getQueryData<ListData<unknown>>([...listKey(tenant, listing), { ...wanted, page }])
    if (known?.next) return known.next
  }
  return undefined
}

/** The answer of a list call; the type of such calls in the contract guarantees it. */
const answerOf = <Answer>(answer: Promise<unknown>) => answer as Promise<Answer>

const copied = (filters: readonly Filter[]) =>
  filters.map(({ fieldId, filterOp, value }) => ({
    fieldId,
    filterOp,
    value: Array.isArray(value) ? [...(value as string[])] : (value as string | number | boolean),
  }))

/** The query for a list's rows, in the form that all its calls expect. */
export function questionOf(listing: string, { filters, search }: Pick<Wanted, 'filters' | 'search'>): Question {
  return { listing, filters: copied(filters), search }
}

async function isOutdated<Row>(tenant: string, source: Asked<Row>, known: ListData<Row>, signal: AbortSignal) {
  const loaded = { updatedAt: known.updatedAt, ids: known.rows.map((row) => source.rowId(row)) }
  if (isStale(loaded, [], Date.now())) return true
  const changed = (await source.changedSince?.(tenant, known, signal)) ?? 'any'
  if (changed === 'any') return true
  // For a filtered list it is unknown which rows would now match, so any changed row may.
  return known.rows.length < known.outOf ? changed.length > 0 : isStale(loaded, changed, Date.now())
}

/** The values of a text field in a list, for filters. */
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
  /** Called while the file is received, with the bytes so far. */
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
