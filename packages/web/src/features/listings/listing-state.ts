import { useEffect, useMemo } from 'react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import type { DeviceField, ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { BcmFilter } from '@caretaker/rules/devices/monitoring.ts'
import { bcmFilterIn, conditionsOf } from '@caretaker/rules/devices/monitoring.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { isChanged } from '@caretaker/rules/views/view.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { sameFilters } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../../api/actor.ts'
import { showError } from '../../ui/toasts.tsx'
import type { ListingPlace, ListingSearch } from './listing-place.ts'
import { placeIn, searchOf } from './listing-place.ts'
import type { Wanted } from './queries.ts'
import { keepPageSize, keptPageSize } from './page-size.ts'

/** What a listing shows: its address is its state, so that every change is a new address. */
export interface ListingState extends ListingPlace {
  listing: ListingName
  /** First part of the address: 'Boilers' can also be the grid of Bcms. */
  area: PlaceArea
  view: View
  views: readonly View[]
  /** What the listing can show, sort and filter by. */
  fields: readonly DeviceField[]
  /** Heating type and statuses that the Bcms page is narrowed to by its own parameter. */
  bcm: BcmFilter | undefined
  /** Everything that the rows meet: the filters and what the Bcms page adds. This is what a view saves. */
  conditions: readonly Filter[]
  /** Whether columns or conditions differ from the view's: what Save looks at. */
  changed: boolean
  /** Changes several things at once, in one step of the history; other rows begin at the first page. */
  set(change: Partial<ListingPlace>, options?: { replace?: boolean }): void
  /** Narrows the Bcms page to another heating type; other things may change in the same step. */
  setBcm(filter: BcmFilter, change?: Partial<ListingPlace>): void
  /** Takes all filters away; the heating type stays, being what the page is about. */
  clearFilters(): void
}

interface Shown {
  listing: ListingName
  area: PlaceArea
  view: View
  views: readonly View[]
}

/** The state of a listing, read from the address; what it does not know there is left out, and it says so. */
export function useListingState({ listing, area, view, views }: Shown): ListingState {
  const actor = useActor()
  const hidesPersonalData = actor.features.includes('HideCustomerPersonalData')
  const fields = useMemo(() => fieldsOf(listings[listing], hidesPersonalData), [listing, hidesPersonalData])
  const search: ListingSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const { pageSizes } = listings[listing]
  const context = { view, fields, pageSizes, pageSize: keptPageSize(listing) }
  const { place, dropped } = useMemo(
    () => placeIn(search, context),
    // oxlint-disable-next-line react/exhaustive-deps -- the context is made of these
    [search, view, fields, pageSizes, context.pageSize],
  )
  const bcm = useMemo(() => (listing === 'Bcms' ? bcmFilterIn(search.filter) : undefined), [listing, search.filter])
  const conditions = useMemo(() => {
    const added = bcm ? conditionsOf(bcm) : []
    return [...added.filter((one) => !place.filters.some((own) => sameFilters([own], [one]))), ...place.filters]
  }, [bcm, place.filters])

  const show = (next: ListingPlace, rest: Pick<ListingSearch, 'view' | 'filter'>, replace: boolean) =>
    void navigate({ to: '.', search: searchOf(next, context, rest) as never, replace, resetScroll: false })

  const fault = dropped.join('. ')
  useEffect(() => {
    if (!fault) return
    showError(`Left out of the address: ${fault}.`)
    show(place, search, true)
    // oxlint-disable-next-line react/exhaustive-deps -- said once for each address
  }, [fault])

  const setBcm: ListingState['setBcm'] = (filter, change) =>
    show({ ...place, page: 1, ...change }, { ...search, filter }, false)
  return {
    ...place,
    listing,
    area,
    view,
    views,
    fields,
    bcm,
    conditions,
    changed: isChanged(view, { columns: place.columns, filters: conditions }),
    set: (change, { replace = false } = {}) => {
      const sameRows = Object.keys(change).every((name) => name === 'columns' || name === 'page')
      if (change.pageSize !== undefined) keepPageSize(listing, change.pageSize)
      show({ ...place, ...(sameRows ? {} : { page: 1 }), ...change }, search, replace)
    },
    setBcm,
    clearFilters: () => {
      if (bcm?.options) setBcm({ type: bcm.type }, { filters: [] })
      else show({ ...place, page: 1, filters: [] }, search, false)
    },
  }
}

/** The rows that a listing asks for; with other filters those of its first page. */
export function pageOf(state: ListingState, filters?: readonly Filter[]): Wanted {
  const { sorts, search, pageSize, bcm } = state
  if (filters === undefined) return { filters: state.conditions, sorts, search, page: state.page, pageSize }
  const heating = bcm ? conditionsOf({ type: bcm.type }) : []
  return { filters: [...heating, ...filters], sorts, search, page: 1, pageSize }
}
