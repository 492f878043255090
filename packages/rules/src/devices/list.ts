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

/** Displayed, but not indexed. */
const onlyShown = { ...usual, filterable: false, sortable: false } as const
/** Available to filters and the map, but not as a column. */
const hidden = { ...usual, sortable: false, viewable: false, exportable: false } as const

/** All fields that listings of devices can show, sort by or filter by. */
export const deviceFields = {
  serial: { label: 'Serial', dataType: 'string', ...usual, searchable: true },
  name: { label: 'Name', dataType: 'string', ...usual, searchable: true },
  product: { label: 'Product', dataType: 'string', ...usual, choices: productCodes },
  /** The product code at the start of the serial number. */
  productId: { label: 'Product Id', dataType: 'string', ...onlyShown },
  /** Sorted by severity, highest first. */
  status: { label: 'Status', dataType: 'string', ...usual, choices: deviceStatuses },
  connection: { label: 'Connection', dataType: 'string', ...usual, choices: connectionStatuses },
  building: { label: 'Building', dataType: 'string', ...usual, searchable: true },
  /** Sorted by floor number, filtered by name. */
  floor: { label: 'Floor', dataType: 'string', ...usual, searchable: true },
  room: { label: 'Room', dataType: 'string', ...usual, searchable: true },
  address: { label: 'Address', dataType: 'string', ...usual, searchable: true, personal: true },
  postcode: { label: 'Postcode', dataType: 'string', ...usual, searchable: true, personal: true },
  propertyReference: { label: 'Property REF', dataType: 'string', ...usual, searchable: true },
  location: { label: 'Location', dataType: 'string', ...usual, searchable: true },
  locationDetails: { label: 'Location Details', dataType: 'string', ...usual },
  monitoring: { label: 'Monitoring', dataType: 'string', ...usual, choices: monitorings },
  /** The code of the reported fault; empty for none. */
  fault: { label: 'Fault', dataType: 'string', ...usual },
  firmware: { label: 'Firmware Version', dataType: 'string', ...onlyShown },
  /** The serial number of a light's or extender's parent gateway, directly or through an extender. */
  gateway: { label: 'Gateway', dataType: 'string', ...usual, sortable: false },
  /** The test group of an emergency light; empty for lights without a group, which have no scheduled tests. */
  testGroup: { label: 'Test group', dataType: 'string', ...usual, sortable: false },
  /** The standard luminaire of a light, matched on all six fields; linked from the settings. */
  luminaire: { label: 'Standard luminaire', dataType: 'string', ...hidden },
  /** The equipment of an emergency light, as on its page. */
  luminaireName: { label: 'Luminaire', dataType: 'string', ...usual, sortable: false },
  lampType: { label: 'Lamp', dataType: 'string', ...usual, sortable: false },
  inverterType: { label: 'Inverter', dataType: 'string', ...usual, sortable: false },
  batteryType: { label: 'Battery type', dataType: 'string', ...usual, sortable: false, choices: batteryTypes },
  batteryVoltage: { label: 'Battery voltage (V)', dataType: 'number', ...usual, sortable: false },
  batteryCapacity: { label: 'Battery capacity (Ah)', dataType: 'number', ...usual, sortable: false },
  /** From its equipment, or a later repair of the battery. */
  batteryFitted: { label: 'Battery fitted on', dataType: 'date', ...usual, sortable: false },
  /** Completed years since that day. */
  batteryAge: { label: 'Battery age (years)', dataType: 'number', ...usual, sortable: false },
  lastTest: { label: 'Last test', dataType: 'date', ...usual },
  /** The date of the last test; if never tested, the start of the current status. */
  testedOrInstalled: { label: 'Tested or installed', dataType: 'date', ...usual },
  /** When its last 3-hour test with a result began. */
  lastFullTest: { label: 'Last 3-hour test', dataType: 'date', ...usual },
  /** The same; if there is none, the start of the current status. */
  fullTestedOrInstalled: { label: 'Last 3-hour test or installation', dataType: 'date', ...usual },
  /** Start of the current status. */
  statusSince: { label: 'Status since', dataType: 'date', ...usual },
  /** The same for failed devices; empty for others. */
  failedSince: { label: 'Failed since', dataType: 'date', ...usual },
  /**
   * The failed part and test, the reported fault or another cause of the status; empty if the status is
   * self-explanatory.
   */
  statusReason: { label: 'Reason', dataType: 'string', ...usual },
  /** Any open reason, including those that a worse one hides. */
  anyReason: { label: 'Any open reason', dataType: 'stringarray', ...hidden },
  connectionSince: { label: 'Connection since', dataType: 'date', ...usual },
  /** Changes with nearly every message, so it is not indexed. */
  lastHeard: { label: 'Last contact', dataType: 'date', ...onlyShown },
  /** The due date and state of a boiler's next check; empty for devices without checks. */
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

/** Fields of devices in communal buildings, and of devices in properties. */
const communal = ['building', 'floor', 'room'] as const
/** The equipment of an emergency light. */
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

/** The statuses of each preset, the same as the dashboard counts (decisions, 6). */
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
/** Neither in service nor in stock: the rest of a family's total. */
export const uninstalledStatuses = deviceStatuses.filter(
  (status) => ![...presetStatuses.installed, ...presetStatuses.inventory].includes(status as never),
)
/** The preset views of every device listing: all devices, and one per status group. */
export const presets = ['main', 'inventory', 'installed', 'failed', 'warning'] as const
export type Preset = (typeof presets)[number]

const preset = (id: keyof typeof presetStatuses, label: string) =>
  ({ id, label, filters: [{ fieldId: 'status', filterOp: 'anyof', value: presetStatuses[id] }] }) as const
/** For failed devices the start of the failure is more useful than the address. */
const withFailedSince = (columns: readonly string[]) =>
  columns.flatMap((column) => (column === 'status' ? [column, 'failedSince'] : column === 'address' ? [] : [column]))
const byStatus = [
  preset('inventory', 'Inventory'),
  preset('installed', 'Installed'),
  { ...preset('failed', 'Failed'), columns: withFailedSince },
  preset('warning', 'Warning'),
]

/** Newer listings, which show few columns at first (estate specification, section 2.4). */
const grid = { views: 'documents', pageSizes: [25, 50, 100], presets: byStatus } as const
const listing = { views: 'definitions', pageSizes: [100], presets: byStatus } as const

/** All tables of devices, by the first part of their URL: the products shown and who may see them. */
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
  /** All devices that monitor the heating of a property: the newer view of boilers. */
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
    // Its own labels and column order (estate specification, section 2.4).
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

/** The installed emergency lights that no schedule tests. */
export const lightsInNoGroup = [
  { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.installed },
  { fieldId: 'testGroup', filterOp: 'present', value: false },
] as const satisfies readonly Filter[]

export const listingNames = Object.keys(listings) as ListingName[]

/** Listings whose devices have pages below the listing's URL. */
export const detailListings = [
  'EmergencyLights',
  'Boilers',
  'NetworkingDevices',
  'ThirdParty',
] as const satisfies ListingName[]
export type DetailListing = (typeof detailListings)[number]

/** Whether the views of a listing are stored view definitions, at '{listing}/Listing/{viewId}'. */
export function isDefinitionListing(name: ListingName): boolean {
  return listings[name].views === 'definitions'
}

/** Polling interval of a device page in ms. */
export const devicePoll = 3_000

/**
 * The main listing of a product: the first that shows it. Some grids show the same devices again (Bcms and MultiDots
 * show the devices of Boilers), filtered by product.
 */
export function listingOf(product: Product): ListingName | undefined {
  return listingNames.find((name) => (listings[name].products as readonly Product[]).includes(product))
}

/** The listing under whose URL devices of a product have pages, if any. */
export function detailListingOf(product: Product): DetailListing | undefined {
  return detailListings.find((name) => (listings[name].products as readonly Product[]).includes(product))
}

/** The fields returned by the call (core specification, section 3): all fields, and the fields of each listing. */
export function availableFields(hidesPersonalData: boolean) {
  const all: DeviceField[] = definitionsOf(deviceFields, hidesPersonalData)
  return {
    device: all,
    boiler: fieldsOf(listings.Boilers, hidesPersonalData),
    emered: fieldsOf(listings.EmergencyLights, hidesPersonalData),
    thirdParty: fieldsOf(listings.ThirdParty, hidesPersonalData),
  }
}
