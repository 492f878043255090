import type { Product } from '../devices/products.ts'

/** The device listings and the products each of them shows. */
export const listings = {
  EmergencyLights: { label: 'Emergency Lights', category: 'emered', area: 'lighting', products: ['EM', 'EL'] },
  Boilers: {
    label: 'Boilers',
    category: 'boiler',
    area: 'boilers',
    products: ['BC', 'BX', 'ASHP', 'HIU', 'AF', 'AZ', 'ED', 'MD', 'PM'],
  },
  NetworkingDevices: {
    label: 'Networking Devices',
    category: 'networking',
    area: 'networking',
    products: ['MG', 'ZG', 'ZR'],
  },
} as const satisfies Record<
  string,
  { label: string; category: string; area: 'lighting' | 'boilers' | 'networking'; products: readonly Product[] }
>
export type ListingName = keyof typeof listings
export const listingNames = Object.keys(listings) as ListingName[]

/** Rows on a page of a listing (devices specification, section 9). */
export const listingPageSize = 100
/** Milliseconds between two refreshes of a listing. */
export const listingRefresh = 10_000
/** Milliseconds between two questions of a device page whether its device changed. */
export const devicePoll = 3_000

/** The listing that shows a product, if one does. */
export function listingOf(product: Product): ListingName | undefined {
  return listingNames.find((name) => (listings[name].products as readonly Product[]).includes(product))
}
