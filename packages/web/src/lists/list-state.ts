import { useEffect, useMemo } from 'react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { isChanged } from '@caretaker/rules/views/view.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { sameFilters } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../api/actor.ts'
import { showError } from '../ui/toasts.tsx'
import type { ListPlace, ListSearch } from './list-place.ts'
import { placeIn, searchOf } from './list-place.ts'
import type { ListField, ListSource, Scope } from './list-source.ts'
import { listFields } from './list-source.ts'
import { keepPageSize, keptPageSize } from './page-size.ts'
import type { Wanted } from './queries.ts'

/** The state of a list: it is in the address, so every change is a new address. */
export interface ListState extends ListPlace {
  source: ListSource
  /** The first path segment: 'Boilers' can also be the grid of Bcms. */
  area: PlaceArea
  view: View
  views: readonly View[]
  /** The fields that the list can show, sort and filter by. */
  fields: readonly ListField[]
  /** The filter from the list's own address parameter, and that parameter. */
  scope: Scope | undefined
  parameter: unknown
  /** All filters, including the scope's; a view saves these. */
  conditions: readonly Filter[]
  /** Whether columns or filters differ from the view, for Save. */
  changed: boolean
  /** Changes several values in one history step; a change of rows returns to the first page. */
  set(change: Partial<ListPlace>, options?: { replace?: boolean }): void
  /** Changes the scope, optionally with other values in the same step. */
  setScope(parameter: unknown, change?: Partial<ListPlace>): void
  /** Clears all filters except the subject of the page. */
  clearFilters(): void
}

interface Shown {
  source: ListSource
  area: PlaceArea
  view: View
  views: readonly View[]
}

/** The state of a list, read from the address; unknown parts are left out with a message. */
export function useListState({ source, area, view, views }: Shown): ListState {
  const { list } = source
  const actor = useActor()
  const fields = useMemo(() => listFields(list, actor), [list, actor])
  const search: ListSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const { pageSizes } = list
  const context = { view, fields, pageSizes, pageSize: keptPageSize(list) }
  const { place, dropped } = useMemo(
    () => placeIn(search, context),
    // oxlint-disable-next-line react/exhaustive-deps -- the context is made of these
    [search, view, fields, pageSizes, context.pageSize],
  )
  const parameter = search.filter
  const scope = useMemo(() => source.scopeIn?.(parameter), [source, parameter])
  const conditions = useMemo(() => {
    const added = scope ? [...scope.about, ...scope.extraFilters] : []
    return [...added.filter((one) => !place.filters.some((own) => sameFilters([own], [one]))), ...place.filters]
  }, [scope, place.filters])

  const show = (next: ListPlace, rest: Pick<ListSearch, 'view' | 'filter'>, replace: boolean) =>
    void navigate({ to: '.', search: searchOf(next, context, rest) as never, replace, resetScroll: false })

  const fault = dropped.join('. ')
  useEffect(() => {
    if (!fault) return
    showError(`Ignored in the web address: ${fault}.`)
    show(place, search, true)
    // oxlint-disable-next-line react/exhaustive-deps -- shown once for each address
  }, [fault])

  const setScope: ListState['setScope'] = (filter, change) =>
    show({ ...place, page: 1, ...change }, { ...search, filter }, false)
  return {
    ...place,
    source,
    area,
    view,
    views,
    fields,
    scope,
    parameter,
    conditions,
    changed: isChanged(view, { columns: place.columns, filters: conditions }),
    set: (change, { replace = false } = {}) => {
      const sameRows = Object.keys(change).every((name) => name === 'columns' || name === 'page')
      if (change.pageSize !== undefined) keepPageSize(list, change.pageSize)
      show({ ...place, ...(sameRows ? {} : { page: 1 }), ...change }, search, replace)
    },
    setScope,
    clearFilters: () => {
      if (scope?.extraFilters.length) setScope(scope.bare, { filters: [] })
      else show({ ...place, page: 1, filters: [] }, search, false)
    },
  }
}

/** The query of a page; with other filters, of the first page. */
export function pageOf(state: ListState, filters?: readonly Filter[]): Wanted {
  const { sorts, search, pageSize, scope } = state
  if (filters === undefined) return { filters: state.conditions, sorts, search, page: state.page, pageSize }
  return { filters: [...(scope?.about ?? []), ...filters], sorts, search, page: 1, pageSize }
}
