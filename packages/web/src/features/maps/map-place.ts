import type { View } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'

/** The parameters of a map in the address. */
export interface MapSearch {
  /** The id of the opened building. */
  building?: string
  /** The index of the floor, from 0. */
  floor?: number
  /** The selected device. */
  deviceId?: string
  /** The meaning of the colours, if not the device status. */
  by?: 'connection'
  land?: 'satellite'
  /** 'latitude,longitude,zoom' of the view. */
  at?: string
}

/** The selected building, floor and device as one text. */
export const keyOf = ({ building, floor, deviceId }: MapSearch) => [building, floor, deviceId].join()

const textIn = (value: unknown) => (typeof value === 'string' && value.length <= 100 ? value : undefined)

/** The known parameters of an address; invalid ones are dropped. */
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

/** The view in an address; undefined if there is none. */
export function viewIn(at: string | undefined): View | undefined {
  const [lat = Number.NaN, lng = Number.NaN, zoom = Number.NaN, ...more] = at?.split(',').map(Number) ?? []
  const isPlace = Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && zoom >= 0 && zoom <= mapZooms.most
  return isPlace && !more.length ? { lat, lng, zoom } : undefined
}

/** A view as address text: to ten centimetres and a hundredth of a zoom level. */
export const atText = ({ lat, lng, zoom }: View): string => `${lat.toFixed(6)},${lng.toFixed(6)},${zoom.toFixed(2)}`
