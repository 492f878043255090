import { defaultStringifySearch } from '@tanstack/react-router'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'

interface Within {
  filters?: readonly Filter[]
  search?: string
}

/** The address of a listing's main view; the plain address of Boilers can also show the grid of Bcms. */
function mainPath(tenant: string, list: List, area: PlaceArea): string {
  return list.name === 'Boilers' ? pathTo(tenant, area, 'Listing', presetViewId(list, 'main')) : pathTo(tenant, area)
}

/** The address of a listing limited to rows that match filters or a text. */
export function listingAddress(tenant: string, listing: ListingName, { filters, search }: Within = {}): string {
  return mainPath(tenant, listings[listing], listing) + defaultStringifySearch({ filters, search })
}

/** The first path segment, if it differs from the name of the list: 'Boilers' can also show the grid of Bcms. */
interface At {
  area?: PlaceArea
  search?: string | undefined
}

/** The address of a view: a path segment or, for the grids, a parameter. The main view has the address of the list. */
export function viewAddress(tenant: string, list: List, viewId: string, at: At = {}): string {
  const { area = list.name as PlaceArea, search } = at
  const query = { search: search || undefined }
  if (viewId === presetViewId(list, 'main')) return mainPath(tenant, list, area) + defaultStringifySearch(query)
  if (list.views === 'definitions') return pathTo(tenant, area, 'Listing', viewId) + defaultStringifySearch(query)
  return pathTo(tenant, area) + defaultStringifySearch({ view: viewId, ...query })
}
