import type { View } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'

/** What of a map the address holds. */
export interface MapSearch {
  /** The building that is opened, by its id. */
  building?: string
  /** The place of its floor in the list of floors, from 0. */
  floor?: number
  /** The device that is chosen. */
  deviceId?: string
  /** What the colours say, where it is not the device. */
  by?: 'connection'
  land?: 'satellite'
  /** 'latitude,longitude,zoom' of what the map looks at. */
  at?: string
}

/** The chosen building, floor and device as one text. */
export const keyOf = ({ building, floor, deviceId }: MapSearch) => [building, floor, deviceId].join()

const textIn = (value: unknown) => (typeof value === 'string' && value.length <= 100 ? value : undefined)

/** Anything may stand in an address: what is no place on a map is left out. */
export function validMapSearch(search: Record<string, unknown>): MapSearch {
  const building = textIn(search['building'])
  const floor = Number(search['floor'] ?? Number.NaN)
  const deviceId = textIn(search['deviceId'])
  const at = textIn(search['at'])
  return {
    ...(building && { building }),
    ...(building && Number.isInteger(floor) && floor >= 0 && { floor }),
    ...(deviceId && { deviceId }),
    ...(search['by'] === 'connection' && { by: 'connection' as const }),
    ...(search['land'] === 'satellite' && { land: 'satellite' as const }),
    ...(at && viewIn(at) && { at }),
  }
}

/** The view that an address names; undefined where it names none. */
export function viewIn(at: string | undefined): View | undefined {
  const [lat = Number.NaN, lng = Number.NaN, zoom = Number.NaN, ...more] = at?.split(',').map(Number) ?? []
  const isPlace = Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= mapZooms.most
  return isPlace && !more.length ? { lat, lng, zoom } : undefined
}

/** As it stands in an address: to ten centimetres, and a hundredth of a zoom. */
export const atText = ({ lat, lng, zoom }: View): string => `${lat.toFixed(6)},${lng.toFixed(6)},${zoom.toFixed(2)}`
