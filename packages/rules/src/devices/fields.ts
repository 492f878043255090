import { connectionStatuses } from './connection.ts'
import { deviceStatuses } from './status.ts'
import { productCodes } from './products.ts'
import type { ListingName } from './listings.ts'
import { listingNames } from './listings.ts'

/** Kinds of values, which decide how a field is compared (devices gaps B29). */
export const dataTypes = ['string', 'number', 'date', 'bool', 'stringarray'] as const
export type DataType = (typeof dataTypes)[number]

/** What heating a BCM monitors: None is a surveyor cube (devices specification, section 3). */
export const monitorings = ['Boiler', 'HeatPump', 'None', 'Unknown'] as const
export type Monitoring = (typeof monitorings)[number]
export const monitoringWords: Record<Monitoring, string> = {
  Boiler: 'Boiler',
  HeatPump: 'Heat pump',
  None: 'Surveyor cube',
  Unknown: 'Unknown',
}

/** A field of a device as listings know it (core specification, section 3). */
export interface FieldDefinition {
  fieldId: FieldId
  label: string
  dataType: DataType
  sortable: boolean
  viewFilterable: boolean
  /** Whether it can be a column. */
  viewable: boolean
}

interface Definition {
  label: string
  dataType: DataType
  sortable?: true
  viewFilterable?: true
  /** It tells of a customer: absent under HideCustomerPersonalData. */
  personal?: true
  /** Known to filters and the map, but no column. */
  hidden?: true
  /** The values it can have, where they are a fixed list. */
  choices?: readonly string[]
}

/** Every field that a listing can show, sort by or filter by. */
export const fields = {
  serial: { label: 'Serial', dataType: 'string', sortable: true, viewFilterable: true },
  name: { label: 'Name', dataType: 'string', sortable: true, viewFilterable: true },
  product: {
    label: 'Product',
    dataType: 'string',
    sortable: true,
    viewFilterable: true,
    choices: productCodes,
  },
  /** Sorted by severity, highest first, not by its word. */
  status: { label: 'Status', dataType: 'string', sortable: true, viewFilterable: true, choices: deviceStatuses },
  connection: {
    label: 'Connection',
    dataType: 'string',
    sortable: true,
    viewFilterable: true,
    choices: connectionStatuses,
  },
  building: { label: 'Building', dataType: 'string', sortable: true, viewFilterable: true },
  /** Sorted and compared by its number; 'equals' and 'anyof' take its name. */
  floor: { label: 'Floor', dataType: 'string', sortable: true, viewFilterable: true },
  room: { label: 'Room', dataType: 'string', sortable: true, viewFilterable: true },
  address: { label: 'Address', dataType: 'string', sortable: true, viewFilterable: true, personal: true },
  postcode: { label: 'Postcode', dataType: 'string', sortable: true, viewFilterable: true, personal: true },
  propertyReference: { label: 'Property REF', dataType: 'string', sortable: true, viewFilterable: true },
  location: { label: 'Location', dataType: 'string', sortable: true, viewFilterable: true },
  locationDetails: { label: 'Location Details', dataType: 'string', sortable: true, viewFilterable: true },
  monitoring: {
    label: 'Monitoring',
    dataType: 'string',
    sortable: true,
    viewFilterable: true,
    choices: monitorings,
  },
  /** The code of the fault it reports; empty when it reports none. */
  fault: { label: 'Fault', dataType: 'string', sortable: true, viewFilterable: true },
  firmware: { label: 'Firmware Version', dataType: 'string' },
  lastTest: { label: 'Last test', dataType: 'date', sortable: true, viewFilterable: true },
  /** When it was tested last; for one that never was, since when it has its present status. */
  testedOrInstalled: { label: 'Tested or installed', dataType: 'date', viewFilterable: true, hidden: true },
  /** Since when it has its present status. */
  statusSince: { label: 'Status since', dataType: 'date', sortable: true, viewFilterable: true },
  /** Changes with nearly every message, so no index keeps it in order. */
  lastHeard: { label: 'Last heard', dataType: 'date' },
  tags: { label: 'Tags', dataType: 'stringarray', viewFilterable: true },
  accessRightsTag: { label: 'Access Right Tag', dataType: 'string', viewFilterable: true },
  inWholesale: { label: 'In wholesale', dataType: 'bool', viewFilterable: true },
  deviceId: { label: 'Device Id', dataType: 'string' },
  latitude: { label: 'Latitude', dataType: 'number', viewFilterable: true, hidden: true },
  longitude: { label: 'Longitude', dataType: 'number', viewFilterable: true, hidden: true },
} as const satisfies Record<string, Definition>
export type FieldId = keyof typeof fields
export const fieldIds = Object.keys(fields) as FieldId[]

export function isField(id: string): id is FieldId {
  return Object.hasOwn(fields, id)
}

/** Fields of devices that stand in buildings; fields of devices that belong to a home. */
const communal: readonly FieldId[] = ['building', 'floor', 'room']
const domestic: readonly FieldId[] = ['propertyReference', 'location', 'locationDetails']
const everywhere: readonly FieldId[] = [
  'serial',
  'name',
  'product',
  'status',
  'statusSince',
  'connection',
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
]

const fieldsOfListing: Record<ListingName, readonly FieldId[]> = {
  EmergencyLights: [...everywhere, ...communal, 'lastTest', 'testedOrInstalled'],
  Boilers: [...everywhere, ...communal, ...domestic, 'monitoring', 'fault'],
  NetworkingDevices: [...everywhere, ...communal],
  ThirdParty: [...everywhere, ...communal, ...domestic],
  Bcms: [...everywhere, ...domestic, 'monitoring', 'fault'],
  HomeHubs: [...everywhere, ...domestic],
  VStats: [...everywhere, ...domestic],
  MultiDots: [...everywhere, ...domestic, ...communal],
}

/** The fields of a listing, without personal ones where those are hidden; in the order of `fields`. */
export function fieldsOf(listing: ListingName, hidesPersonalData: boolean): FieldDefinition[] {
  return fieldIds
    .filter((id) => fieldsOfListing[listing].includes(id) && !(hidesPersonalData && isPersonal(id)))
    .map(definitionOf)
}

export function isPersonal(id: FieldId): boolean {
  return (fields[id] as Definition).personal === true
}

/** The values a field can have, where they are a fixed list. */
export function choicesOf(id: FieldId): readonly string[] | undefined {
  return (fields[id] as Definition).choices
}

/** The fields that each list of the call for them holds (core specification, section 3): all, and those of one listing. */
export function availableFields(hidesPersonalData: boolean) {
  const shown = (listing: ListingName) => fieldsOf(listing, hidesPersonalData)
  const anywhere = new Set(listingNames.flatMap(shown).map((field) => field.fieldId))
  return {
    device: fieldIds.filter((id) => anywhere.has(id)).map(definitionOf),
    boiler: shown('Boilers'),
    emered: shown('EmergencyLights'),
    thirdParty: shown('ThirdParty'),
  }
}

/** What is wrong with a column of a view, or undefined when nothing is. */
export function columnFault(
  fieldId: string,
  known: readonly FieldDefinition[],
  columns: readonly string[],
): string | undefined {
  const field = known.find((one) => one.fieldId === fieldId)
  if (!field) return `There is no field '${fieldId}' here`
  if (!field.viewable) return `'${field.label}' cannot be a column`
  const times = columns.filter((column) => column === fieldId).length
  return times > 1 ? `'${field.label}' is a column twice` : undefined
}

function definitionOf(fieldId: FieldId): FieldDefinition {
  const { label, dataType, sortable, viewFilterable, hidden }: Definition = fields[fieldId]
  return {
    fieldId,
    label,
    dataType,
    sortable: sortable === true,
    viewFilterable: viewFilterable === true,
    viewable: !hidden,
  }
}

const grid: readonly FieldId[] = ['propertyReference', 'status', 'serial']

/** The columns of a listing's built-in views. Grids show few at first (estate specification, section 2.4). */
export const builtInColumns: Record<ListingName, readonly FieldId[]> = {
  EmergencyLights: ['serial', 'name', 'status', 'connection', 'building', 'floor', 'address', 'lastTest'],
  Boilers: ['serial', 'name', 'status', 'connection', 'propertyReference', 'address', 'fault', 'lastHeard'],
  NetworkingDevices: ['serial', 'name', 'status', 'connection', 'building', 'floor', 'address', 'lastHeard'],
  ThirdParty: ['serial', 'name', 'status', 'connection', 'propertyReference', 'address', 'lastHeard'],
  Bcms: [...grid, 'name', 'monitoring', 'fault', 'connection'],
  HomeHubs: [...grid, 'name', 'connection'],
  VStats: grid,
  MultiDots: [...grid, 'name', 'location', 'connection'],
}
