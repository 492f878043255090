import type { Place, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'

type OptionalPlace = { lat: number | null; lng: number | null }
type Extent = Parameters<typeof viewOf>[0]

/** The inputs that decide the view of a map. */
export interface TargetOf {
  /** The size of the map in pixels; undefined before it is drawn. */
  size: Size | undefined
  /** Whether the address names a device. */
  hasDevice: boolean
  device: Place | undefined
  hasBuilding: boolean
  building: OptionalPlace | undefined
  floor: OptionalPlace | undefined
  /** The extent of all shown items; undefined while unknown. */
  extent: Extent | null | undefined
  /** Whether the extent still belongs to another floor. */
  isExtentOfAnother: boolean
  /** Whether the map has shown a view already. */
  hasLooked: boolean
}

/** The view that a map moves to; undefined if it stays, or if the place is not known yet. */
export function targetOf(of: TargetOf): View | undefined {
  const { size, device, building, floor } = of
  if (!size) return undefined
  if (of.hasDevice) return device && { lat: device.lat, lng: device.lng, zoom: mapZooms.marker }
  const opened = (floor && placeIn(floor)) ?? (building && placeIn(building))
  // If neither the floor nor its building has a position, the floor is located by its devices.
  const isNowhere = floor !== undefined && !opened && !of.isExtentOfAnother
  if (of.hasBuilding && !isNowhere) return opened && { ...opened, zoom: mapZooms.building }
  // Back from a building, the map stays where it is.
  return (isNowhere || !of.hasLooked) && of.extent ? viewOf(of.extent, size, { most: mapZooms.building }) : undefined
}

const placeIn = ({ lat, lng }: OptionalPlace): Place | undefined =>
  lat === null || lng === null ? undefined : { lat, lng }
