import { defaultStringifySearch } from '@tanstack/react-router'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ManagedServiceType } from '@caretaker/rules/properties/licences.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import type { ListingName, Preset } from '@caretaker/rules/devices/list.ts'
import { isDefinitionListing, listings, presetStatuses, uninstalledStatuses } from '@caretaker/rules/devices/list.ts'
import type { BcmFilter, BcmType } from '@caretaker/rules/devices/monitoring.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { listingAddress, viewAddress } from '../../api/listing-address.ts'

/** The links behind a widget's figures; the title links to all devices. */
export interface SummaryLinks {
  title?: string
  installed?: string
  inventory?: string
  /** Neither installed nor in stock. */
  uninstalled?: string
  fail?: string
  warn?: string
}

const figures = { installed: 'installed', inventory: 'inventory', fail: 'failed', warn: 'warning' } as const
type Narrow = Exclude<Preset, 'main'>

function linksBy(title: string, of: (preset: Narrow) => string): SummaryLinks {
  return {
    title,
    ...Object.fromEntries(Object.entries(figures).map(([figure, preset]) => [figure, of(preset)])),
  }
}

const ofStatus = (statuses: readonly string[]): Filter => ({ fieldId: 'status', filterOp: 'anyof', value: statuses })

/** Links to the preset views of a listing, whose ids are fixed. */
export function presetLinks(tenant: string, listing: ListingName): SummaryLinks {
  const main = isDefinitionListing(listing)
    ? pathTo(tenant, listing, 'Listing', presetViewId(listings[listing], 'main'))
    : pathTo(tenant, listing)
  const uninstalled = listingAddress(tenant, listing, { filters: [ofStatus(uninstalledStatuses)] })
  return {
    ...linksBy(main, (preset) => viewAddress(tenant, listings[listing], presetViewId(listings[listing], preset))),
    uninstalled,
  }
}

/** Links to the Bcms page of one heating type, with exactly the counted statuses, because its categories differ. */
export function bcmLinks(tenant: string, type: BcmType): SummaryLinks {
  const to = (filter: BcmFilter) => `${pathTo(tenant, 'Bcms')}?filter=${encodeURIComponent(JSON.stringify(filter))}`
  const having = (statuses: readonly string[]) => to({ type, options: { statuses } })
  return {
    ...linksBy(to({ type }), (preset) => having(presetStatuses[preset])),
    uninstalled: having(uninstalledStatuses),
  }
}

/** Links to the rows of some products of a listing. */
export function productLinks(tenant: string, listing: ListingName, products: readonly Product[]): SummaryLinks {
  const only: Filter = { fieldId: 'product', filterOp: 'anyof', value: products }
  const to = (...more: Filter[]) => listingAddress(tenant, listing, { filters: [only, ...more] })
  return {
    ...linksBy(to(), (preset) => to(ofStatus(presetStatuses[preset]))),
    uninstalled: to(ofStatus(uninstalledStatuses)),
  }
}

export function managedServiceLink(tenant: string, type: ManagedServiceType): string {
  return `${pathTo(tenant, 'ManagedService')}?type=${type}`
}

/** The link to the emergency lights with one connection status. */
export function lightsLink(tenant: string, connection: ConnectionStatus): string {
  return listingAddress(tenant, 'EmergencyLights', {
    filters: [{ fieldId: 'connection', filterOp: 'equals', value: connection }],
  })
}

interface Rows {
  listing: ListingName | 'Properties'
  viewId: string | null
  filters: readonly Filter[]
  sorts: readonly { fieldId: string; descending: boolean }[]
  columns: readonly string[] | null
}

/** The link to the rows of a worklist case in their order, worst first. */
export function worklistLink(tenant: string, { listing, viewId, filters, sorts, columns }: Rows): string {
  const address =
    listing === 'Properties'
      ? pathTo(tenant, 'Properties') + defaultStringifySearch({ filters })
      : viewId
        ? viewAddress(tenant, listings[listing], viewId)
        : listingAddress(tenant, listing, { filters })
  const sort = sorts.map(({ fieldId, descending }) => `${descending ? '-' : ''}${fieldId}`).join()
  const how = [sort && `sort=${sort}`, columns && `columns=${columns.join()}`].filter(Boolean).join('&')
  return how ? `${address}${address.includes('?') ? '&' : '?'}${how}` : address
}
