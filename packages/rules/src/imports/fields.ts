import type { Feature } from '../identity/features.ts'
import { holdsWebAddress, webAddressFault } from '../links/web-address.ts'
import { normalPostcode, postcodeFault } from '../postcodes/postcode.ts'
import { architypes, awaabsLawStatuses, testDayFault } from '../properties/details.ts'
import { compassPoints, voidFlags } from '../properties/dwelling.ts'
import type { SheetCell } from './cells.ts'
import type { DayOrder } from './days.ts'
import { importLimits } from './cells.ts'
import { dayIn, dayOrderWord, dayOrderIn } from './days.ts'

/**
 * The kinds of objects that an import creates and updates. A row is one object, or a building and one of its floors.
 */
export const kinds = ['property', 'building', 'floor', 'device'] as const
export type Kind = (typeof kinds)[number]

const kindNouns: Record<Kind, [one: string, many: string]> = {
  property: ['property', 'properties'],
  building: ['building', 'buildings'],
  floor: ['floor', 'floors'],
  device: ['device', 'devices'],
}

/** '3 properties and 1 building'; undefined if there are none. */
export function countedKinds(counts: Partial<Record<Kind, number>>): string | undefined {
  const parts = kinds.flatMap((kind) => {
    const count = counts[kind] ?? 0
    return count > 0 ? [`${count.toLocaleString('en-GB')} ${kindNouns[kind][count === 1 ? 0 : 1]}`] : []
  })
  return parts.length < 2 ? parts[0] : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

export type Value = string | number | readonly string[]

/** Why a cell is rejected. */
export const reasons = [
  'required',
  'too-long',
  'web-address',
  'postcode',
  'not-in-list',
  'number',
  'out-of-range',
  'date-invalid',
  'date-future',
  'tag',
  'serial',
  'product-unknown',
  'eui64',
  'duplicate',
  'not-found',
  'spreadsheet-number',
  'spreadsheet-date',
  'reference-alike',
  'address-stored',
  'spreadsheet-error',
  'formula-without-value',
  'refused',
] as const
export type Reason = (typeof reasons)[number]

export interface Fault {
  reason: Reason
  message: string
}

/** The value of a cell, a word without a mapping, or the validation error. */
export type Taken = { value: Value; note?: string } | { word: string } | Fault

export const isFault = (taken: Taken): taken is Fault => 'reason' in taken

export interface Reading {
  /** The heading of the column. */
  header: string
  /** The meanings of this column's words, in lower case; null if unknown. */
  words: Readonly<Record<string, string | null>>
  /** Whether to ask about unknown words: the column has its own vocabulary. */
  asks: boolean
  today: string
  /** The client's time zone. */
  zone: string
  /** The order of numeric dates; null if it has to be asked first. */
  dayOrder: DayOrder | null
}

export interface Field {
  /** The label in the product and its template. */
  label: string
  /** The kinds whose rows have the field; a building's name also occurs in rows of floors and devices. */
  kinds: readonly Kind[]
  /** Other common headings, in lower case without punctuation. */
  headings: readonly string[]
  hint: string
  /** The field is a date. */
  isDay?: true
  /** Without the feature, clients can have only this value. */
  needs?: { feature: Feature; otherwise: Value }
  /** The list values as the product writes them, and their synonyms in lower case. */
  list?: { values: readonly string[]; words: Readonly<Record<string, string>>; asks: boolean }
  read: (cell: SheetCell, reading: Reading) => Taken
}

const fault = (reason: Reason, message: string): Fault => ({ reason, message })

const cleaned = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const textUpTo =
  (most: number, label: string) =>
  ({ text }: SheetCell): Taken => {
    const value = cleaned(text)
    if (value.length > most) return fault('too-long', `${label} must be at most ${most} characters`)
    return holdsWebAddress(value) ? fault('web-address', `${label} ${webAddressFault}`) : { value }
  }

const whole =
  (label: string, { least, most, words }: { least: number; most: number; words: string }) =>
  ({ text }: SheetCell): Taken => {
    const trimmed = text.trim()
    if (!/^[+-]?\d+(\.\d+)?$/.test(trimmed)) return fault('number', 'Not a whole number')
    const value = Number(trimmed)
    if (!Number.isInteger(value)) return fault('number', `${label} must be a whole number`)
    return value < least || value > most ? fault('out-of-range', `${label} must be ${words}`) : { value }
  }

const decimal =
  (label: string, least: number, most: number, unit: string) =>
  ({ text }: SheetCell): Taken => {
    const value = Number(text.trim())
    if (!/^[+-]?\d+(\.\d+)?$/.test(text.trim())) return fault('number', 'Not a number')
    return value < least || value > most
      ? fault('out-of-range', `${label} must be ${least} to ${most}${unit}`)
      : { value }
  }

const postcode = ({ text }: SheetCell): Taken => {
  const message = postcodeFault(text)
  return message === undefined ? { value: normalPostcode(text) } : fault('postcode', message)
}

/** A date that is not in the future: day, month, year. */
const pastDay =
  (label: string, noun: string) =>
  (cell: SheetCell, { header, today, zone, dayOrder }: Reading): Taken => {
    if (dayOrder === null && dayOrderIn(cell)) return { word: dayOrderWord }
    const read = dayIn(cell, { today, zone, ...(dayOrder && { order: dayOrder }) })
    if ('message' in read) return fault('date-invalid', read.message)
    const name = header.trim().toLowerCase() === label.toLowerCase() ? label : noun
    if (read.day > today) return fault('date-future', `${name} cannot be in the future`)
    if (testDayFault(read.day, today))
      return fault('date-invalid', `${name} of ${read.day.slice(0, 4)} seems to be a typing error`)
    return { value: read.day, ...(read.note !== undefined && { note: read.note }) }
  }

function listed(label: string, expected: string, list: NonNullable<Field['list']>): Pick<Field, 'list' | 'read'> {
  return {
    list,
    read: ({ text }, { words, asks }) => {
      const word = cleaned(text)
      if (list.values.includes(word)) return { value: word }
      const answer = words[word.toLowerCase()]
      const meant = answer === undefined ? list.words[word.toLowerCase()] : answer
      if (meant) return { value: meant }
      if (answer === null || (list.asks && asks)) return { word }
      return fault('not-in-list', `${label} must be ${expected}`)
    },
  }
}

const energyRatingValues = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'No rating'] as const
const floorsFrom0 = { least: 0, most: 1000, words: 'a whole number from 0 to 1000' }
const from1to10 = { least: 1, most: 10, words: '1 to 10' }

const property = ['property'] as const

/** Longest address line and town, in characters. */
export const longestAddressPart = 100

/**
 * All fields that an import can fill, template headings first (estate specification, sections 3 and 5, for allowed
 * values). Headings and words come from real housing lists; ambiguous ones are left out.
 */
export const fields = {
  propertyReference: {
    label: 'Property REF',
    kinds: ['property', 'device'],
    headings: [
      'property ref',
      'prop ref',
      'property reference',
      'property no',
      'property number',
      'ref',
      'reference',
      'uprn ref',
      'asset ref',
      'unit ref',
      'place ref',
      'our ref',
      'our reference',
      'home ref',
      'house ref',
      'dwelling ref',
      'property code',
      'property id',
    ],
    hint: 'At most 30 characters. Identifies the property; letter case and spaces are ignored.',
    // The key has its own rules, in `keys.ts`.
    read: ({ text }) => ({ value: text.trim() }),
  },
  address1: {
    label: 'Address line 1',
    kinds: property,
    headings: [
      'address line 1',
      'address 1',
      'addr 1',
      'addr1',
      'address1',
      'line 1',
      'first line of address',
      '1st line of address',
      'house street',
      'house and street',
      'number and street',
      'address and postcode',
      'address and postcode',
      'address with postcode',
      'address with postcode',
      'address incl postcode',
      'address including postcode',
      'full address and postcode',
    ],
    hint: 'Required. In a list without a column for postcodes, the whole address with its postcode.',
    read: textUpTo(longestAddressPart, 'Address line 1'),
  },
  address2: {
    label: 'Address line 2',
    kinds: property,
    headings: ['address line 2', 'address 2', 'addr 2', 'addr2', 'address2', 'line 2'],
    hint: '',
    read: textUpTo(100, 'Address line 2'),
  },
  address3: {
    label: 'Address line 3',
    kinds: property,
    headings: ['address line 3', 'address 3', 'addr 3', 'addr3', 'address3', 'line 3'],
    hint: '',
    read: textUpTo(100, 'Address line 3'),
  },
  town: {
    label: 'Town',
    kinds: property,
    headings: ['town', 'city', 'post town', 'town city'],
    hint: '',
    read: textUpTo(100, 'Town'),
  },
  county: { label: 'County', kinds: property, headings: ['county'], hint: '', read: textUpTo(100, 'County') },
  postcode: {
    label: 'Postcode',
    kinds: property,
    headings: ['postcode', 'post code', 'post cd', 'pcode', 'postal code'],
    hint: 'Required. At least 5 letters, digits and spaces.',
    read: postcode,
  },
  epcRating: {
    label: 'EPC rating',
    kinds: property,
    headings: ['epc rating', 'epc', 'epc band', 'epc grade', 'current epc', 'energy rating', 'energy band'],
    hint: 'A to G or No rating',
    ...listed('EPC rating', 'A to G or No rating', {
      values: energyRatingValues,
      words: Object.fromEntries(energyRatingValues.map((one) => [one.toLowerCase(), one])),
      asks: false,
    }),
  },
  propertyArchitype: {
    label: 'Property Architype',
    kinds: property,
    headings: [
      'property architype',
      'architype',
      'archetype',
      'property archetype',
      'type',
      'property type',
      'dwelling type',
      'type of home',
      'type of property',
      'home type',
      'house type',
      'form',
    ],
    hint: 'One of six',
    ...listed('Property architype', 'one of the six of the product', {
      values: architypes,
      asks: true,
      words: {
        ...Object.fromEntries(architypes.map((one) => [one.toLowerCase(), one])),
        ...Object.fromEntries(architypes.map((one) => [one.toLowerCase().replace('-', ' '), one])),
        'semi det': 'House Semi-Detached',
        'semi-det': 'House Semi-Detached',
        semi: 'House Semi-Detached',
        'semi detached': 'House Semi-Detached',
        'semi-detached': 'House Semi-Detached',
        detached: 'House Detached',
        det: 'House Detached',
        'end terr': 'House End-Terrace',
        'end terrace': 'House End-Terrace',
        'end-terrace': 'House End-Terrace',
        'mid terr': 'House Mid-Terrace',
        'mid terrace': 'House Mid-Terrace',
        'mid-terrace': 'House Mid-Terrace',
        'thro terr': 'House Mid-Terrace',
        'through terrace': 'House Mid-Terrace',
        'flat cnr': 'Apartment Corner',
        'corner flat': 'Apartment Corner',
        'flat mid': 'Apartment Mid-Block',
        'mid block flat': 'Apartment Mid-Block',
      },
    }),
  },
  numberOfFloor: {
    label: 'Number of floors in property',
    kinds: property,
    headings: ['number of floors in property', 'number of floors', 'floors', 'no of floors', 'storeys'],
    hint: '0 to 1000',
    read: whole('Number of floors', floorsFrom0),
  },
  apartmentLevel: {
    label: 'Apartment level in Tower Block',
    kinds: property,
    headings: ['apartment level in tower block', 'apartment level', 'floor level', 'flat level'],
    hint: '0 to 1000',
    read: whole('Apartment level', floorsFrom0),
  },
  numberOfRooms: {
    label: 'Number of rooms',
    kinds: property,
    headings: ['number of rooms', 'no of rooms', 'rooms'],
    hint: '1 to 10, 10 means 10 or more',
    read: whole('Number of rooms', from1to10),
  },
  numberOfInhabitants: {
    label: 'Number of Inhabitants',
    kinds: property,
    headings: ['number of inhabitants', 'inhabitants', 'occupants', 'no of occupants'],
    hint: '1 to 10, 10 means 10 or more',
    read: whole('Number of inhabitants', from1to10),
  },
  propertyOrientation: {
    label: 'Orientation of property',
    kinds: property,
    headings: ['orientation of property', 'orientation', 'faces', 'facing', 'aspect'],
    hint: 'North, South, East, West',
    ...listed('Orientation', 'North, South, East or West', {
      values: compassPoints,
      asks: false,
      words: {
        n: 'North',
        s: 'South',
        e: 'East',
        w: 'West',
        north: 'North',
        south: 'South',
        east: 'East',
        west: 'West',
      },
    }),
  },
  voidStatus: {
    label: 'Void',
    kinds: property,
    headings: ['void', 'void status', 'status', 'tenancy status', 'occupancy', 'let status'],
    hint: 'Void or NotVoid',
    needs: { feature: 'VoidFlag', otherwise: 'NotVoid' },
    ...listed('Void', 'Void or NotVoid', {
      values: voidFlags,
      asks: true,
      words: {
        void: 'Void',
        'void - major works': 'Void',
        'void (standard)': 'Void',
        vacant: 'Void',
        empty: 'Void',
        let: 'NotVoid',
        occupied: 'NotVoid',
        tenanted: 'NotVoid',
        'not void': 'NotVoid',
      },
    }),
  },
  awaabsLawStatus: {
    label: "Awaab's Law Status",
    kinds: property,
    headings: ['awaabs law status', 'awaabs law', 'awaab s law', 'awaab s law status'],
    hint: 'One of six',
    needs: { feature: 'AwaabsLaw', otherwise: 'None' },
    ...listed("Awaab's Law status", 'None, Investigation, Summary, Repairs, Audit or Feedback', {
      values: awaabsLawStatuses,
      words: {},
      asks: false,
    }),
  },
  lastGasSafetyCheckDate: {
    label: 'Gas Safety Test',
    kinds: property,
    headings: [
      'gas safety test',
      'lgsr',
      'lgsr date',
      'gas safety',
      'gas safety date',
      'last gas safety check',
      'last gas safety check date',
      'gas safety check date',
      'cp12 date',
      'cp12',
      'last cp12',
      'last lgsr',
      'last gas check',
      'stated gas safety check',
      'gas check date',
    ],
    hint: 'Day, month, year. Not in the future.',
    isDay: true,
    read: pastDay('Gas Safety Test', 'A gas safety test'),
  },
  lastChemicalTestDate: {
    label: 'Chemical Test',
    kinds: property,
    headings: ['chemical test', 'water treatment', 'chemical test date', 'last chemical test'],
    hint: 'Day, month, year. Not in the future.',
    isDay: true,
    read: pastDay('Chemical Test', 'A chemical test'),
  },
  buildingName: {
    label: 'Building name',
    kinds: ['property', 'building', 'floor', 'device'],
    headings: ['building name', 'building', 'block', 'block name'],
    hint: 'Required and unique; in other sheets an existing building or one from the sheet Buildings',
    read: textUpTo(80, 'Building name'),
  },
  buildingPostcode: {
    label: 'Post code',
    kinds: ['building'],
    headings: ['post code', 'postcode', 'building post code'],
    hint: 'Required',
    read: postcode,
  },
  defaultFloor: {
    label: 'Default floor',
    kinds: ['building'],
    headings: ['default floor'],
    hint: 'A name from the sheet Floors; else 0, G or GROUND',
    read: textUpTo(40, 'Default floor'),
  },
  latitude: {
    label: 'Latitude',
    kinds: ['building'],
    headings: ['latitude', 'lat'],
    hint: 'Optional, instead of the location of the postcode',
    read: decimal('Latitude', -90, 90, ' degrees'),
  },
  longitude: {
    label: 'Longitude',
    kinds: ['building'],
    headings: ['longitude', 'lng', 'long', 'lon'],
    hint: '',
    read: decimal('Longitude', -180, 180, ' degrees'),
  },
  floorName: {
    label: 'Floor',
    kinds: ['property', 'floor', 'device'],
    headings: ['floor', 'floor name', 'level', 'storey'],
    hint: 'Name, unique in its building',
    read: textUpTo(40, 'Floor'),
  },
  width: {
    label: 'Width',
    kinds: ['floor'],
    headings: ['width', 'width m'],
    hint: 'Metres, 30 if empty',
    read: decimal('Width', 0.5, 1000, ' metres'),
  },
  height: {
    label: 'Height',
    kinds: ['floor'],
    headings: ['height', 'height m'],
    hint: 'Metres, 30 if empty',
    read: decimal('Height', 0.5, 1000, ' metres'),
  },
  rotation: {
    label: 'Rotation',
    kinds: ['floor'],
    headings: ['rotation'],
    hint: 'Degrees, 0 if empty',
    read: decimal('Rotation', 0, 360, ' degrees'),
  },
  serialNumber: {
    label: 'Serial number',
    kinds: ['device'],
    headings: ['serial number', 'serial no', 'serial', 's n', 'module s n', 'module serial', 'device serial', 'sn'],
    hint: 'Required, as on the label',
    read: ({ text }) => ({ value: text }),
  },
  eui64: {
    label: 'EUI64',
    kinds: ['device'],
    headings: ['eui64', 'eui', 'eui 64', 'radio address', 'mac'],
    hint: '16 digits 0-9 a-f',
    read: eui64,
  },
  deviceName: {
    label: 'Name',
    kinds: ['device'],
    headings: ['name', 'device name'],
    hint: '',
    read: textUpTo(100, 'Name'),
  },
  room: { label: 'Room', kinds: ['device'], headings: ['room'], hint: '', read: textUpTo(100, 'Room') },
  location: {
    label: 'Location',
    kinds: ['device'],
    headings: ['location', 'device location', 'position'],
    hint: '',
    read: textUpTo(200, 'Location'),
  },
  locationDetails: {
    label: 'Additional Location Details',
    kinds: ['device'],
    headings: ['additional location details', 'location details'],
    hint: '',
    read: textUpTo(200, 'Additional location details'),
  },
  tags: {
    label: 'Tags',
    kinds: ['device'],
    headings: ['tags', 'tag'],
    hint: 'Separated by commas, letters and digits only',
    read: tags,
  },
  accessRightsTag: {
    label: 'Access Rights Tag',
    kinds: ['property', 'device'],
    headings: ['access rights tag', 'access right tag'],
    hint: 'One that exists',
    read: textUpTo(50, 'Access Rights Tag'),
  },
  boilerManufacturer: {
    label: 'Boiler manufacturer',
    kinds: ['device'],
    headings: ['make', 'manufacturer', 'boiler make', 'boiler manufacturer'],
    hint: '',
    read: textUpTo(100, 'Boiler manufacturer'),
  },
  boilerModel: {
    label: 'Boiler model',
    kinds: ['device'],
    headings: ['model', 'boiler model'],
    hint: '',
    read: textUpTo(100, 'Boiler model'),
  },
  boilerGc: {
    label: 'GC number',
    kinds: ['device'],
    headings: ['gc no', 'gc number', 'gc', 'boiler gc'],
    hint: '',
    read: textUpTo(40, 'GC number'),
  },
} as const satisfies Readonly<Record<string, Field>>
export type FieldId = keyof typeof fields
export const fieldIds = Object.keys(fields) as FieldId[]
export const fieldOf = (id: FieldId): Field => fields[id]

/** Why a client with these features cannot set this value; undefined if it can. */
export function switchedOff(id: FieldId, value: Value, features: ReadonlySet<Feature>): string | undefined {
  const { label, needs } = fieldOf(id)
  if (!needs || features.has(needs.feature) || value === needs.otherwise) return undefined
  return `${label} is not switched on for this client`
}

/** Sixteen hexadecimal digits in any grouping, as text only: a number has lost its zeros. */
function eui64({ kind, text }: SheetCell): Taken {
  if (kind === 'number')
    return fault(
      'spreadsheet-number',
      'The spreadsheet turned this EUI64 into a number; leading zeros or last digits are lost',
    )
  const value = text.replaceAll(/[\s:-]/g, '').toLowerCase()
  const others = [...new Set(value.replaceAll(/[0-9a-f]/g, ''))].map((sign) => `'${sign}'`)
  const digits = 'An EUI64 has 16 digits 0 to 9 and a to f'
  if (others.length === 1) return fault('eui64', `${digits}; ${others[0]} is none`)
  if (others.length > 1)
    return fault('eui64', `${digits}; ${others.slice(0, -1).join(', ')} and ${others.at(-1)} are none`)
  return value.length === 16 ? { value } : fault('eui64', `${digits}; this has ${value.length}`)
}

function tags({ text }: SheetCell): Taken {
  const names = text
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.some((name) => !/^[A-Za-z0-9]+$/.test(name)))
    return fault('tag', 'Tag name can only have letters and numbers')
  if (names.some((name) => name.length > 20)) return fault('tag', 'Tag name can only 20 characters')
  return { value: [...new Set(names)].sort((a, b) => (a < b ? -1 : 1)) }
}

/** Reads a cell for its field; values that no field accepts are rejected for all alike. */
export function readCell(id: FieldId, cell: SheetCell, reading: Reading): Taken {
  return brokenCell(cell) ?? fieldOf(id).read(cell, reading)
}

export function brokenCell({ kind, text, length = 0 }: SheetCell): Fault | undefined {
  if (kind === 'long')
    return fault(
      'too-long',
      `The cell has ${length.toLocaleString('en-GB')} characters; at most ${importLimits.characters.toLocaleString('en-GB')} can be imported`,
    )
  if (kind === 'error') return fault('spreadsheet-error', `The cell contains the error ${text}`)
  if (kind === 'unsaved')
    return fault(
      'formula-without-value',
      'The formula has no stored result: open the file in a spreadsheet program and save it',
    )
  return undefined
}
