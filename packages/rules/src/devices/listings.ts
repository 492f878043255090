import type { devicesRights } from './rights.ts'
import type { Product } from './products.ts'

/** What a listing keeps its views as: view definitions, or documents of type ListingViewConfig (devices gaps A12). */
export type ViewKind = 'definitions' | 'documents'

/** Category of a listing's views in the calls (core specification, section 3). */
export const viewCategories = ['device', 'emered', 'boiler', 'networking'] as const
export type ViewCategory = (typeof viewCategories)[number]

interface Listing {
  /** What its built-in view, and with it the page, is called. */
  label: string
  /** What views of this listing say they belong to. */
  root: string
  category: ViewCategory
  /** The right that whoever sees it has. */
  may: keyof typeof devicesRights
  products: readonly Product[]
  views: ViewKind
  /** Rows a page may have; the first is what it has unless chosen (devices specification, section 9). */
  pageSizes: readonly number[]
}

const gridPageSizes = [25, 50, 100] as const

/** Every table of devices, by the first part of its address: the products it shows and who may see it. */
export const listings = {
  EmergencyLights: {
    label: 'Emergency Lights',
    root: 'emered',
    category: 'emered',
    may: 'see lighting',
    products: ['EM', 'EL'],
    views: 'definitions',
    pageSizes: [100],
  },
  Boilers: {
    label: 'Boilers',
    root: 'boiler',
    category: 'boiler',
    may: 'see boilers',
    products: ['BC', 'BX', 'ASHP', 'HIU', 'AF', 'AZ', 'ED', 'MD', 'PM'],
    views: 'definitions',
    pageSizes: [100],
  },
  NetworkingDevices: {
    label: 'Networking Devices',
    root: 'networking',
    category: 'networking',
    may: 'see networking',
    products: ['MG', 'ZG', 'ZR'],
    views: 'definitions',
    pageSizes: [100],
  },
  ThirdParty: {
    label: 'API Integration',
    root: 'thirdParty',
    category: 'device',
    may: 'see third party',
    products: ['ADEY'],
    views: 'definitions',
    pageSizes: [100],
  },
  /** Whatever monitors the heating of a home: the newer view of boilers. */
  Bcms: {
    label: 'BCMs',
    root: 'bcm',
    category: 'boiler',
    may: 'see boilers',
    products: ['BC', 'BX', 'ASHP'],
    views: 'documents',
    pageSizes: gridPageSizes,
  },
  HomeHubs: {
    label: 'Home Hubs',
    root: 'homeHub',
    category: 'device',
    may: 'see home hubs',
    products: ['ZH'],
    views: 'documents',
    pageSizes: gridPageSizes,
  },
  VStats: {
    label: 'V-Stats',
    root: 'vStat',
    category: 'device',
    may: 'see sensors',
    products: ['TH'],
    views: 'documents',
    pageSizes: gridPageSizes,
  },
  MultiDots: {
    label: 'Multi-dots',
    root: 'multiDot',
    category: 'device',
    may: 'see sensors',
    products: ['MD'],
    views: 'documents',
    pageSizes: gridPageSizes,
  },
} as const satisfies Record<string, Listing>

export type ListingName = keyof typeof listings
export const listingNames = Object.keys(listings) as ListingName[]

/** Listings whose devices have a page of their own below the listing's address. */
export const detailListings = ['EmergencyLights', 'Boilers', 'NetworkingDevices'] as const satisfies ListingName[]
export type DetailListing = (typeof detailListings)[number]

/** Listings whose views are view definitions, at '{listing}/Listing/{viewId}'. */
export const definitionListings = [
  'EmergencyLights',
  'Boilers',
  'NetworkingDevices',
  'ThirdParty',
] as const satisfies ListingName[]
export type DefinitionListing = (typeof definitionListings)[number]

export function isDefinitionListing(name: ListingName): name is DefinitionListing {
  return listings[name].views === 'definitions'
}

/** Milliseconds between two refreshes of a listing. */
export const listingRefresh = 10_000
/** Milliseconds between two questions of a device page whether its device changed. */
export const devicePoll = 3_000

/**
 * The listing a product is kept under: the first that shows it. Grids show some of the same devices once more (Bcms and
 * MultiDots those of Boilers), found by their products within it.
 */
export function listingOf(product: Product): ListingName | undefined {
  return listingNames.find((name) => (listings[name].products as readonly Product[]).includes(product))
}

/** The listing below whose address a product has its own page, if it has one. */
export function detailListingOf(product: Product): DetailListing | undefined {
  return detailListings.find((name) => (listings[name].products as readonly Product[]).includes(product))
}
