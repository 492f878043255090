import type { Actor } from '../identity/actor.ts'
import { pathTo } from './places.ts'
import type { ListingName } from '../devices/list.ts'
import { detailListings } from '../devices/list.ts'
import type { HandedOver } from './handover.ts'
import { installPath, isBcm, isWholesale, movePath } from './handover.ts'

/**
 * Where a click on a row of a device listing leads, or undefined when it leads nowhere (decisions, 1). What state a
 * device is in decides first; only in the new listing view a row of Boilers always opens its page.
 */
export function rowPath(
  actor: Pick<Actor, 'tenant' | 'features'>,
  listing: ListingName,
  device: HandedOver,
): string | undefined {
  const { tenant, features } = actor
  if (listing === 'Bcms') return pathTo(tenant, 'Boilers', device.deviceId)
  if (!isDetailListing(listing)) return homePath(tenant, listing, device.propertyId)
  const detailPage = pathTo(tenant, listing, device.deviceId)
  if (listing === 'Boilers' && features.includes('NewListingView')) return detailPage
  if (listing === 'Boilers' && !isBcm(device.product)) return connectedPath(tenant, device)
  if (device.status !== 'Inventory') return detailPage
  return isWholesale(device) ? movePath(tenant, device.serialNumber) : installPath(tenant, device)
}

const isDetailListing = (listing: ListingName) => (detailListings as readonly ListingName[]).includes(listing)

/** Devices of a home lead to the tab of the home that shows them; third-party rows, and devices of no home, nowhere. */
function homePath(tenant: string, listing: ListingName, propertyId: string | null | undefined): string | undefined {
  const tab = { HomeHubs: 'info', VStats: 'thermoScheduler', MultiDots: 'telemetry' }[listing as string]
  return tab && propertyId ? pathTo(tenant, 'Properties', propertyId, tab) : undefined
}

/** What is connected to a boiler control module has no page of its own: it leads to the page of its module. */
function connectedPath(tenant: string, { deviceId, status }: HandedOver): string | undefined {
  if (status === 'Inventory' || status === 'AwaitingRecycling') return undefined
  return pathTo(tenant, 'BoilerConnectedDevice', deviceId)
}
