import type { FieldDefinition, Fields } from '../lists/fields.ts'
import { complianceStates } from '../compliance/due.ts'
import type { Filter } from '../lists/filters.ts'
import { definitionsOf, usual } from '../lists/fields.ts'
import { fieldsOf, lists } from '../lists/list.ts'
import { connectionStatuses } from './connection.ts'
import { batteryTypes } from '../lighting/equipment.ts'
import { monitorings } from './monitoring.ts'
import type { Product } from './products.ts'
import { productCodes } from './products.ts'
import type { DeviceStatus } from './status.ts'
import { deviceStatuses, displayGroups } from './status.ts'

/** Shown, but in no index. */
const onlyShown = { ...usual, filterable: false, sortable: false } as const
/** Known to filters and the map, but no column. */
const hidden = { ...usual, sortable: false, viewable: false, exportable: false } as const

/** Everything that listings of devices can show, sort by or filter by. */
export const deviceFields = {
  serial: { label: 'Serial', dataType: 'string', ...usual, searchable: true },
  name: { label: 'Name', dataType: 'string', ...usual, searchable: true },
  product: { label: 'Product', dataType: 'string', ...usual, choices: productCodes },
  /** The code of the product, as serial numbers begin with it. */
  productId: { label: 'Product Id', dataType: 'string', ...onlyShown },
  /** Sorted by severity, highest first, not by its word. */
  status: { label: 'Status', dataType: 'string', ...usual, choices: deviceStatuses },
  connection: { label: 'Connection', dataType: 'string', ...usual, choices: connectionStatuses },
  building: { label: 'Building', dataType: 'string', ...usual, searchable: true },
  /** Sorted by its number, filtered by its name. */
  floor: { label: 'Floor', dataType: 'string', ...usual, searchable: true },
  room: { label: 'Room', dataType: 'string', ...usual, searchable: true },
  address: { label: 'Address', dataType: 'string', ...usual, searchable: true, personal: true },
  postcode: { label: 'Postcode', dataType: 'string', ...usual, searchable: true, personal: true },
  propertyReference: { label: 'Property REF', dataType: 'string', ...usual, searchable: true },
  location: { label: 'Location', dataType: 'string', ...usual, searchable: true },
  locationDetails: { label: 'Location Details', dataType: 'string', ...usual },
  monitoring: { label: 'Monitoring', dataType: 'string', ...usual, choices: monitorings },
  /** The code of the fault it reports; empty when it reports none. */
  fault: { label: 'Fault', dataType: 'string', ...usual },
  firmware: { label: 'Firmware Version', dataType: 'string', ...onlyShown },
  /** The serial number of the gateway that a light or an extender speaks through, directly or by an extender. */
  gateway: { label: 'Gateway', dataType: 'string', ...usual, sortable: false },
  /** The group with which an emergency light is tested; empty for one in none, for which no group plans tests. */
  testGroup: { label: 'Test group', dataType: 'string', ...usual, sortable: false },
  /** The standard luminaire that a light has, all six fields of it; the settings lead to its lights. */
  luminaire: { label: 'Standard luminaire', dataType: 'string', ...hidden },
  /** The equipment of an emergency light, as its page has it. */
  luminaireName: { label: 'Luminaire', dataType: 'string', ...usual, sortable: false },
  lampType: { label: 'Lamp', dataType: 'string', ...usual, sortable: false },
  inverterType: { label: 'Inverter', dataType: 'string', ...usual, sortable: false },
  batteryType: { label: 'Battery type', dataType: 'string', ...usual, sortable: false, choices: batteryTypes },
  batteryVoltage: { label: 'Battery voltage (V)', dataType: 'number', ...usual, sortable: false },
  batteryCapacity: { label: 'Battery capacity (Ah)', dataType: 'number', ...usual, sortable: false },
  /** By its equipment, or by a later repair of the battery. */
  batteryFitted: { label: 'Battery fitted on', dataType: 'date', ...usual, sortable: false },
  /** Completed years since that day. */
  batteryAge: { label: 'Battery age (years)', dataType: 'number', ...usual, sortable: false },
  lastTest: { label: 'Last test', dataType: 'date', ...usual },
  /** When it was tested last; for one that never was, since when it has its present status. */
  testedOrInstalled: { label: 'Tested or installed', dataType: 'date', ...usual },
  /** When its last 3-hour test began that has a result. */
  lastFullTest: { label: 'Last 3-hour test', dataType: 'date', ...usual },
  /** The same; for a light without one, since when it has its present status. */
  fullTestedOrInstalled: { label: '3-hour tested or installed', dataType: 'date', ...usual },
  /** Since when it has its present status. */
  statusSince: { label: 'Status since', dataType: 'date', ...usual },
  /** The same of one that has failed; empty for others. */
  failedSince: { label: 'Failed since', dataType: 'date', ...usual },
  /** Which part failed in which test, which fault it reports, or why else it has its status; empty where that says it all. */
  statusReason: { label: 'Reason', dataType: 'string', ...usual },
  /** Any reason that is open, also beside a worse one. */
  anyReason: { label: 'Any open reason', dataType: 'stringarray', ...hidden },
  connectionSince: { label: 'Connection since', dataType: 'date', ...usual },
  /** Changes with nearly every message, so no index keeps it in order. */
  lastHeard: { label: 'Last heard', dataType: 'date', ...onlyShown },
  /** By when the next check of a boiler is due, and how it stands; empty for what is not checked. */
  gasSafetyDue: { label: 'Gas safety due', dataType: 'date', ...usual },
  gasSafety: { label: 'Gas safety', dataType: 'string', ...usual, sortable: false, choices: complianceStates },
  waterTreatmentDue: { label: 'Water treatment due', dataType: 'date', ...usual },
  waterTreatment: {
    label: 'Water treatment',
    dataType: 'string',
    ...usual,
    sortable: false,
    choices: complianceStates,
  },
  tags: { label: 'Tags', dataType: 'stringarray', ...usual, sortable: false },
  accessRightsTag: { label: 'Access Right Tag', dataType: 'string', ...usual, sortable: false },
  inWholesale: { label: 'In wholesale', dataType: 'bool', ...usual, sortable: false },
  deviceId: { label: 'Device Id', dataType: 'string', ...onlyShown },
  latitude: { label: 'Latitude', dataType: 'number', ...hidden },
  longitude: { label: 'Longitude', dataType: 'number', ...hidden },
} as const satisfies Fields
export type FieldId = keyof typeof deviceFields
export const fieldIds = Object.keys(deviceFields) as FieldId[]
export type DeviceField = FieldDefinition<FieldId>

/** Fields of devices that stand in buildings; fields of devices that belong to a home. */
const communal = ['building', 'floor', 'room'] as const
/** What an emergency light is made of. */
export const equipmentFields = [
  'luminaireName',
  'lampType',
  'inverterType',
  'batteryType',
  'batteryVoltage',
  'batteryCapacity',
  'batteryFitted',
  'batteryAge',
] as const
const compliance = ['gasSafetyDue', 'gasSafety', 'waterTreatmentDue', 'waterTreatment'] as const
const domestic = ['propertyReference', 'location', 'locationDetails'] as const
const everywhere = [
  'serial',
  'name',
  'product',
  'status',
  'statusSince',
  'failedSince',
  'statusReason',
  'connection',
  'connectionSince',
  'address',
  'postcode',
  'tags',
  'accessRightsTag',
  'inWholesale',
  'firmware',
  'lastHeard',
  'deviceId',
  'latitude',
  'longitude',
] as const

/** What each preset shows, exactly as the dashboard counts it (decisions, 6). */
export const presetStatuses = {
  inventory: ['Inventory'],
  installed: [
    ...displayGroups.Passed,
    ...displayGroups.Warning,
    ...displayGroups.Failed,
    ...displayGroups.FailedDevice,
  ],
  failed: [...displayGroups.Failed, ...displayGroups.FailedDevice],
  warning: displayGroups.Warning,
} as const satisfies Record<string, readonly DeviceStatus[]>
/** Neither at work nor in store: what is left of the total of a family. */
export const uninstalledStatuses = deviceStatuses.filter(
  (status) => ![...presetStatuses.installed, ...presetStatuses.inventory].includes(status as never),
)
/** The views that every listing of devices has: the whole of it, and one for each of these. */
export const presets = ['main', 'inventory', 'installed', 'failed', 'warning'] as const
export type Preset = (typeof presets)[number]

const preset = (id: keyof typeof presetStatuses, label: string) =>
  ({ id, label, filters: [{ fieldId: 'status', filterOp: 'anyof', value: presetStatuses[id] }] }) as const
/** Of what has failed one wants to know since when, rather than at which address. */
const withFailedSince = (columns: readonly string[]) =>
  columns.flatMap((column) => (column === 'status' ? [column, 'failedSince'] : column === 'address' ? [] : [column]))
const byStatus = [
  preset('inventory', 'Inventory'),
  preset('installed', 'Installed'),
  { ...preset('failed', 'Failed'), columns: withFailedSince },
  preset('warning', 'Warning'),
]

/** Listings of the newer kind: they show few columns at first (estate specification, section 2.4). */
const grid = { views: 'documents', pageSizes: [25, 50, 100], presets: byStatus } as const
const listing = { views: 'definitions', pageSizes: [100], presets: byStatus } as const

/** Every table of devices, by the first part of its address: the products it shows and who may see it. */
export const listings = lists(deviceFields, {
  EmergencyLights: {
    label: 'Emergency Lights',
    root: 'emered',
    category: 'emered',
    may: 'see lighting',
    products: ['EM', 'EL'],
    fields: [
      ...everywhere,
      ...communal,
      'gateway',
      'testGroup',
      'luminaire',
      ...equipmentFields,
      'lastTest',
      'testedOrInstalled',
      'lastFullTest',
      'fullTestedOrInstalled',
      'anyReason',
    ],
    columns: ['serial', 'name', 'status', 'connection', 'building', 'floor', 'address', 'lastTest'],
    ...listing,
  },
  Boilers: {
    label: 'Boilers',
    root: 'boiler',
    category: 'boiler',
    may: 'see boilers',
    products: ['BC', 'BX', 'ASHP', 'HIU', 'AF', 'AZ', 'ED', 'MD', 'PM'],
    fields: [...everywhere, ...communal, ...domestic, ...compliance, 'monitoring', 'fault'],
    columns: ['serial', 'name', 'status', 'connection', 'propertyReference', 'address', 'fault', 'lastHeard'],
    ...listing,
  },
  NetworkingDevices: {
    label: 'Networking Devices',
    root: 'networking',
    category: 'networking',
    may: 'see networking',
    products: ['MG', 'ZG', 'ZR'],
    fields: [...everywhere, ...communal, 'gateway'],
    columns: ['serial', 'name', 'status', 'connection', 'building', 'floor', 'address', 'lastHeard'],
    ...listing,
  },
  ThirdParty: {
    label: 'API Integration',
    root: 'thirdParty',
    category: 'device',
    may: 'see third party',
    products: ['ADEY'],
    fields: [...everywhere, ...communal, ...domestic],
    columns: ['serial', 'name', 'status', 'connection', 'propertyReference', 'address', 'lastHeard'],
    ...listing,
  },
  /** Whatever monitors the heating of a home: the newer view of boilers. */
  Bcms: {
    label: 'Boilers',
    root: 'bcm',
    category: 'boiler',
    may: 'see boilers',
    products: ['BC', 'BX', 'ASHP'],
    fields: [...everywhere, ...domestic, ...compliance, 'monitoring', 'fault'],
    columns: ['propertyReference', 'status', 'serial', 'name', 'monitoring', 'fault', 'connection'],
    ...grid,
  },
  HomeHubs: {
    label: 'Home hubs',
    root: 'homeHub',
    category: 'device',
    may: 'see home hubs',
    products: ['ZH'],
    fields: [...everywhere, ...domestic],
    columns: ['propertyReference', 'status', 'serial', 'name', 'connection'],
    ...grid,
  },
  VStats: {
    label: 'V-Stats',
    root: 'vStat',
    category: 'device',
    may: 'see sensors',
    products: ['TH'],
    // Its own words and order (estate specification, section 2.4).
    fields: {
      propertyReference: 'Property REF',
      status: 'Device Status',
      serial: 'Serial Number',
      product: 'Product',
      postcode: 'Postcode',
      address: 'Address',
      deviceId: 'Device Id',
      location: 'Location',
      locationDetails: 'Location Details',
      productId: 'Product Id',
      tags: 'Tags',
      firmware: 'Firmware Version',
      accessRightsTag: 'Access Right Tag',
      connection: 'Connection Status',
    },
    columns: ['propertyReference', 'status', 'serial', 'productId'],
    ...grid,
    presets: byStatus.map(({ id, label, filters }) => ({ id, label, filters })),
  },
  MultiDots: {
    label: 'Multi-dots',
    root: 'multiDot',
    category: 'device',
    may: 'see sensors',
    products: ['MD'],
    fields: [...everywhere, ...domestic, ...communal],
    columns: ['propertyReference', 'status', 'serial', 'name', 'location', 'connection'],
    ...grid,
  },
})

export type ListingName = keyof typeof listings

/** The emergency lights that hang somewhere and that no schedule tests. */
export const lightsInNoGroup = [
  { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.installed },
  { fieldId: 'testGroup', filterOp: 'present', value: false },
] as const satisfies readonly Filter[]

export const listingNames = Object.keys(listings) as ListingName[]

/** Listings whose devices have a page of their own below the listing's address. */
export const detailListings = ['EmergencyLights', 'Boilers', 'NetworkingDevices'] as const satisfies ListingName[]
export type DetailListing = (typeof detailListings)[number]

/** Whether the views of a listing are view definitions, at '{listing}/Listing/{viewId}'. */
export function isDefinitionListing(name: ListingName): boolean {
  return listings[name].views === 'definitions'
}

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

/** The fields that each list of the call for them holds (core specification, section 3): all, and those of one listing. */
export function availableFields(hidesPersonalData: boolean) {
  const all: DeviceField[] = definitionsOf(deviceFields, hidesPersonalData)
  return {
    device: all,
    boiler: fieldsOf(listings.Boilers, hidesPersonalData),
    emered: fieldsOf(listings.EmergencyLights, hidesPersonalData),
    thirdParty: fieldsOf(listings.ThirdParty, hidesPersonalData),
  }
}
