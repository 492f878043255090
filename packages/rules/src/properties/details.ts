import type { Day } from '../calendar/days.ts'
import { faultOf, hasAtMost } from '../forms/validators.ts'
import type { HeatingType } from './dwelling.ts'

/** The settings on a property page (estate specification, sections 3, 5 and 9), by their names in the API. */
export const architypes = [
  'House Semi-Detached',
  'House Detached',
  'House End-Terrace',
  'House Mid-Terrace',
  'Apartment Corner',
  'Apartment Mid-Block',
] as const
export type Architype = (typeof architypes)[number]

export const awaabsLawStatuses = ['None', 'Investigation', 'Summary', 'Repairs', 'Audit', 'Feedback'] as const
export type AwaabsLawStatus = (typeof awaabsLawStatuses)[number]

/** Rooms and inhabitants are counted from 1; the last value means 'or more'. */
export const mostCounted = 10
export const countWords = (count: number): string => (count >= mostCounted ? `${mostCounted}+` : String(count))

/** Floors, and the level of a flat in its tower block. */
export const mostFloors = 1000

export const propertyReferenceLength = 30
const referenceText = 'Property reference must be under 30 characters'
/** The validation error of a reference; an empty one is allowed. */
export const propertyReferenceFault = (text: string): string | undefined =>
  faultOf(text.trim(), [hasAtMost(propertyReferenceLength, referenceText)])

/** Earlier dates are typing errors, such as two-digit years. */
const firstTestDay: Day = '1970-01-01'

/** The validation error of a check's day. */
export function testDayFault(day: Day, today: Day): string | undefined {
  if (day > today) return 'A date cannot be later than today'
  return day < firstTestDay ? 'Enter a date as DD/MM/YYYY' : undefined
}

/** Choices for the date of the chemical test. */
export const chemicalTestChoices = ['Same as Gas Safety Test', 'Different Date'] as const
export type ChemicalTestChoice = (typeof chemicalTestChoices)[number]

/** The heating types that devices monitor. */
type Monitored = Extract<HeatingType, 'None' | 'Boiler' | 'HeatPump'>

/** The heating of a property, from its devices: a heat pump if any of them monitors one. */
export function monitoringOfHome(monitorings: readonly (string | null)[]): Monitored {
  if (monitorings.includes('HeatPump')) return 'HeatPump'
  return monitorings.includes('Boiler') ? 'Boiler' : 'None'
}

/** Labels of property settings, by their names in calls, lists and the audit log. */
export const detailLabels: Readonly<Partial<Record<string, string>>> = {
  propertyReference: 'Property REF',
  address1: 'Address line 1',
  address2: 'Address line 2',
  address3: 'Address line 3',
  epcRating: 'EPC rating',
  propertyArchitype: 'Property Architype',
  propertyOrientation: 'Orientation of property',
  numberOfInhabitant: 'Number of Inhabitants',
  numberOfInhabitants: 'Number of Inhabitants',
  numberOfRoom: 'Number of rooms',
  numberOfRooms: 'Number of rooms',
  numberOfFloor: 'Number of floors in property',
  apartmentLevel: 'Apartment level in Tower Block',
  voidStatus: 'Void Property Flag',
  awaabsLawStatus: "Awaab's Law Status",
  awaabsLawCase: "Awaab's Law case",
  awaabsLawStep: "Awaab's Law step",
  awaabsLawDate: 'Date',
  awaabsLawAware: 'Aware since',
  awaabsLawHazard: 'Hazard',
  awaabsLawEmergency: 'Emergency',
  lastGasSafetyCheckDate: 'Gas Safety Test',
  lastChemicalTestDate: 'Chemical Test',
}

/** An address in one line. */
export const addressLine = (
  parts: Readonly<Record<'address1' | 'address2' | 'address3' | 'town' | 'county', string>>,
) => [parts.address1, parts.address2, parts.address3, parts.town, parts.county].filter(Boolean).join(', ')

/** The public search for energy certificates of a postcode. */
export const certificateSearch = (postcode: string): string =>
  `https://find-energy-certificate.service.gov.uk/find-a-certificate/search-by-postcode?postcode=${encodeURIComponent(postcode)}`

/** Links of the Surveys block; clients configure their URLs. */
export const surveyLabels = ['Property Survey', 'HHSRS', 'Survey 3'] as const
