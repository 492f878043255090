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

/** Where a listing stands as its main view; the bare address of Boilers can also be the grid of Bcms. */
function mainPath(tenant: string, list: List, area: PlaceArea): string {
  return list.name === 'Boilers' ? pathTo(tenant, area, 'Listing', presetViewId(list, 'main')) : pathTo(tenant, area)
}

/** The address of a listing narrowed to some rows: those that meet the filters, those that contain the text. */
export function listingAddress(tenant: string, listing: ListingName, { filters, search }: Within = {}): string {
  return mainPath(tenant, listings[listing], listing) + defaultStringifySearch({ filters, search })
}

/** A list by another first part of its address than its own name: 'Boilers' can also show the grid of Bcms. */
interface At {
  area?: PlaceArea
  search?: string | undefined
}

/** The address of a view: a place of its own, or for the grids a parameter. The main view stands at the list's own. */
export function viewAddress(tenant: string, list: List, viewId: string, at: At = {}): string {
  const { area = list.name as PlaceArea, search } = at
  const query = { search: search || undefined }
  if (viewId === presetViewId(list, 'main')) return mainPath(tenant, list, area) + defaultStringifySearch(query)
  if (list.views === 'definitions') return pathTo(tenant, area, 'Listing', viewId) + defaultStringifySearch(query)
  return pathTo(tenant, area) + defaultStringifySearch({ view: viewId, ...query })
}
