import { distance } from '../buildings/geometry.ts'
import { normalPostcode } from './postcode.ts'

interface Place {
  lat: number
  lng: number
}

/** Metres: the widest district of a post code, in the Highlands, ends nearer to its middle. */
const far = 75_000

export interface FarPlace {
  /** From the middle of the district, in whole kilometres. */
  km: number
  /** Whether it is near once its latitude and longitude are exchanged. */
  isExchanged: boolean
}

/** That a place lies far from where its post code is, as with degrees exchanged, without their sign or left at zero; undefined otherwise. */
export function farPlace(place: Place, centre: Place): FarPlace | undefined {
  const metres = distance(centre, place)
  if (metres <= far) return undefined
  const isExchanged = distance(centre, { lat: place.lng, lng: place.lat }) <= far
  return { km: Math.round(metres / 1000), isExchanged }
}

/** The question about a place that a person states. */
export const farPlaceText = ({ km, isExchanged }: FarPlace, postcode: string): string =>
  `This position is ${km.toLocaleString('en-GB')} km from ${normalPostcode(postcode)}. ${
    isExchanged ? 'Latitude and longitude are exchanged.' : 'Is this correct?'
  }`

/** The question about places of a list that are far from their post code, and its answers; without one they are left out. */
export const farPlaceWord = 'places far from their post code'
export const farPlaceAnswers = ['Exchange latitude and longitude', 'Keep the place in the list'] as const
