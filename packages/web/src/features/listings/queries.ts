import { queryOptions } from '@tanstack/react-query'
import { fetchViewData, getFieldChoices, shouldUpdateView } from '@caretaker/contract/devices.ts'
import type { ViewData } from '@caretaker/contract/devices.ts'
import type { FieldId, ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { isStale } from '@caretaker/rules/lists/staleness.ts'
import { call } from '../../api/call.ts'

/** Which rows of a listing are wanted. */
export interface Wanted {
  filters: readonly Filter[]
  sorts: readonly Sort[]
  search: string
  page: number
  pageSize: number
}

/** Everything that is read of a listing's devices has this at the beginning of its key. */
export const listingKey = (tenant: string, listing: ListingName) => [tenant, 'listing', listing] as const

/**
 * One page of a listing. Fetched again, it first asks which devices have changed, and keeps what it has when none of them is
 * on the page; TanStack Query leaves out a refresh while an earlier one is still on its way.
 */
export const listingQuery = (tenant: string, listing: ListingName, wanted: Wanted) => {
  const key = [...listingKey(tenant, listing), wanted] as const
  return queryOptions({
    queryKey: key,
    queryFn: async ({ client, signal }): Promise<ViewData> => {
      const known = client.getQueryData<ViewData>(key)
      // What somebody asks for anew, or changed on this page, is fetched whatever the server says of devices.
      const isWanted = client.getQueryState(key)?.isInvalidated
      if (known && !isWanted && !(await isOutdated(tenant, listing, known, signal))) return known
      const { page, pageSize } = wanted
      return call(fetchViewData, { body: { ...listingBody(tenant, listing, wanted), page, pageSize } }, { signal })
    },
    // While another page or order loads, what was there stays; but never the rows of another listing.
    placeholderData: (previous, query) =>
      query?.queryKey[0] === tenant && query.queryKey[2] === listing ? previous : undefined,
    refetchInterval: listingRefresh,
    meta: {
      shows: {
        subjects: ['device'],
        products: listings[listing].products,
        devicesIn: (data: unknown) => (data as ViewData | undefined)?.rows.map((row) => row.deviceId) ?? [],
      },
    },
  })
}

const copied = (filters: readonly Filter[]) =>
  filters.map(({ fieldId, filterOp, value }) => ({
    fieldId,
    filterOp,
    value: Array.isArray(value) ? [...(value as string[])] : (value as string | number | boolean),
  }))

/** A listing's query as the calls on all of its rows take it. */
export function listingBody(tenant: string, listing: ListingName, wanted: Omit<Wanted, 'page' | 'pageSize'>) {
  return { tenant, listing, filters: copied(wanted.filters), sorts: [...wanted.sorts], search: wanted.search }
}

async function isOutdated(tenant: string, listing: ListingName, known: ViewData, signal: AbortSignal) {
  const loaded = { updatedAt: known.updatedAt, deviceIds: known.rows.map((row) => row.deviceId) }
  if (isStale(loaded, [], Date.now())) return true
  const deviceTypes = [...listings[listing].products]
  const sent = { body: { tenant, deviceTypes, date: known.updatedAt, position: known.position } }
  const { shouldUpdate, deviceIds } = await call(shouldUpdateView, sent, { signal })
  // None can be named: others are in sight now, or no longer.
  if (shouldUpdate && deviceIds.length === 0) return true
  // Of a part of the listing nobody knows which devices would now stand in it: each that changed may.
  return known.rows.length < known.outOf ? deviceIds.length > 0 : isStale(loaded, deviceIds, Date.now())
}

/** Values that a text field of a listing has, for choosing a filter. */
export const choicesQuery = (tenant: string, listing: ListingName, fieldId: FieldId, search: string) =>
  queryOptions({
    queryKey: [tenant, 'choices', listing, fieldId, search],
    queryFn: ({ signal }) => call(getFieldChoices, { body: { tenant, listing, fieldId, search } }, { signal }),
    placeholderData: (previous, query) =>
      query?.queryKey[0] === tenant && query.queryKey[3] === fieldId ? previous : undefined,
  })
