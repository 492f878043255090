import { distance } from '../buildings/geometry.ts'
import { normalPostcode } from './postcode.ts'

interface Place {
  lat: number
  lng: number
}

/** Metres: more than the radius of the largest postcode district, in the Highlands. */
const far = 75_000

export interface FarPlace {
  /** Whole kilometres from the centre of the district. */
  km: number
  /** Whether it is near if latitude and longitude are exchanged. */
  isExchanged: boolean
}

/** Detects a place far from its postcode, for example with exchanged, unsigned or zero degrees; undefined if near. */
export function farPlace(place: Place, centre: Place): FarPlace | undefined {
  const metres = distance(centre, place)
  if (metres <= far) return undefined
  const isExchanged = distance(centre, { lat: place.lng, lng: place.lat }) <= far
  return { km: Math.round(metres / 1000), isExchanged }
}

/** The question about a place that a user enters. */
export const farPlaceText = ({ km, isExchanged }: FarPlace, postcode: string): string =>
  `This position is ${km.toLocaleString('en-GB')} km from ${normalPostcode(postcode)}. ${
    isExchanged ? 'Latitude and longitude are exchanged.' : 'Is this correct?'
  }`

/**
 * The question about places in a list that are far from their postcode, and its answers; unanswered places are left
 * out.
 */
export const farPlaceWord = 'places far from their postcode'
export const farPlaceAnswers = ['Exchange latitude and longitude', 'Keep the place in the list'] as const
