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

/** What a list shows: its address is its state, so that every change is a new address. */
export interface ListState extends ListPlace {
  source: ListSource
  /** First part of the address: 'Boilers' can also be the grid of Bcms. */
  area: PlaceArea
  view: View
  views: readonly View[]
  /** What the list can show, sort and filter by. */
  fields: readonly ListField[]
  /** What the list is narrowed to by a parameter of its own, and that parameter. */
  scope: Scope | undefined
  parameter: unknown
  /** Everything that the rows meet: the filters and what the scope adds. This is what a view saves. */
  conditions: readonly Filter[]
  /** Whether columns or conditions differ from the view's: what Save looks at. */
  changed: boolean
  /** Changes several things at once, in one step of the history; other rows begin at the first page. */
  set(change: Partial<ListPlace>, options?: { replace?: boolean }): void
  /** Narrows the list to another scope; other things may change in the same step. */
  setScope(parameter: unknown, change?: Partial<ListPlace>): void
  /** Takes all filters away; what the page is about stays. */
  clearFilters(): void
}

interface Shown {
  source: ListSource
  area: PlaceArea
  view: View
  views: readonly View[]
}

/** The state of a list, read from the address; what it does not know there is left out, and it says so. */
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
    const added = scope ? [...scope.about, ...scope.besides] : []
    return [...added.filter((one) => !place.filters.some((own) => sameFilters([own], [one]))), ...place.filters]
  }, [scope, place.filters])

  const show = (next: ListPlace, rest: Pick<ListSearch, 'view' | 'filter'>, replace: boolean) =>
    void navigate({ to: '.', search: searchOf(next, context, rest) as never, replace, resetScroll: false })

  const fault = dropped.join('. ')
  useEffect(() => {
    if (!fault) return
    showError(`Ignored in the web address: ${fault}.`)
    show(place, search, true)
    // oxlint-disable-next-line react/exhaustive-deps -- said once for each address
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
      if (scope?.besides.length) setScope(scope.bare, { filters: [] })
      else show({ ...place, page: 1, filters: [] }, search, false)
    },
  }
}

/** The rows that a list asks for; with other filters those of its first page. */
export function pageOf(state: ListState, filters?: readonly Filter[]): Wanted {
  const { sorts, search, pageSize, scope } = state
  if (filters === undefined) return { filters: state.conditions, sorts, search, page: state.page, pageSize }
  return { filters: [...(scope?.about ?? []), ...filters], sorts, search, page: 1, pageSize }
}
