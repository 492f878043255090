import type { Actor } from '../identity/actor.ts'
import { pathTo } from './places.ts'
import type { ListingName } from '../devices/list.ts'
import { detailListings } from '../devices/list.ts'
import type { HandedOver } from './handover.ts'
import { installPath, isBcm, isWholesale, movePath } from './handover.ts'

/**
 * The target of a click on a device row, or undefined if there is none (decisions, 1). The state of the device takes
 * precedence; only in the new listing view does a row of Boilers always open its page.
 */
export function rowPath(
  actor: Pick<Actor, 'tenant' | 'features'>,
  listing: ListingName,
  device: HandedOver,
): string | undefined {
  const { tenant, features } = actor
  if (listing === 'Bcms') return pathTo(tenant, 'Boilers', device.deviceId)
  // Devices of other makers have a page, but their rows have no link (devices specification, section 2).
  if (listing === 'ThirdParty') return undefined
  if (!isDetailListing(listing)) return homePath(tenant, listing, device.propertyId)
  const detailPage = pathTo(tenant, listing, device.deviceId)
  if (listing === 'Boilers' && features.includes('NewListingView')) return detailPage
  if (listing === 'Boilers' && !isBcm(device.product)) return connectedPath(tenant, device)
  if (device.status !== 'Inventory') return detailPage
  return isWholesale(device) ? movePath(tenant, device.serialNumber) : installPath(tenant, device)
}

const isDetailListing = (listing: ListingName) => (detailListings as readonly ListingName[]).includes(listing)

/**
 * Rows of a property's devices open the property's tab for them; rows of devices without a property have no target.
 */
function homePath(tenant: string, listing: ListingName, propertyId: string | null | undefined): string | undefined {
  const tab = { HomeHubs: 'info', VStats: 'thermoScheduler', MultiDots: 'telemetry' }[listing as string]
  return tab && propertyId ? pathTo(tenant, 'Properties', propertyId, tab) : undefined
}

/** A device connected to a boiler control module has no page of its own; its row opens the module's page. */
function connectedPath(tenant: string, { deviceId, status }: HandedOver): string | undefined {
  if (status === 'Inventory' || status === 'AwaitingRecycling') return undefined
  return pathTo(tenant, 'BoilerConnectedDevice', deviceId)
}
