import type { Place } from '../buildings/geometry.ts'
import { furthestLatitude, wholeLongitude as wrapped } from '../buildings/geometry.ts'
import { mapZooms } from './zooms.ts'

export type { Place }
export { furthestLatitude, wrapped }

/** The view of a map: its centre and zoom. North is up. */
export interface View extends Place {
  /** The world is 256 px wide at zoom 0 and doubles with each level. */
  zoom: number
}
/** The visible degrees. West is greater than east across the date line. */
export interface Frame {
  west: number
  south: number
  east: number
  north: number
}
export interface Pixels {
  x: number
  y: number
}
export interface Size {
  width: number
  height: number
}

/** Size of a map tile in pixels (estate specification, section 9). */
export const tileSize = 256

/** View before a position is known (estate specification, section 9). */
export const startView: View = { lat: 0, lng: 0, zoom: mapZooms.start }

/** Hover distance of map points in pixels (estate specification, section 9). */
export const hoverDistance = 15

/** Length of the equator in metres. */
const circumference = 40_075_016.686

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** A place in the unit square of the world: 0 to 1 from west to east and from north to south. */
export function inWorld({ lat, lng }: Place): Pixels {
  const sine = Math.sin((clamp(lat, -furthestLatitude, furthestLatitude) * Math.PI) / 180)
  return { x: lng / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) }
}

/** The place at a point of the unit square. */
export function ofWorld({ x, y }: Pixels): Place {
  return { lng: wrapped((x - 0.5) * 360), lat: (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI }
}

const worldWidth = (zoom: number) => tileSize * 2 ** zoom

/** The pixel position of a place, from the top left of the map; the shorter way around the world. */
export function pixelOf(view: View, size: Size, place: Place): Pixels {
  const [middle, point] = [inWorld(view), inWorld(place)]
  const aside = point.x - middle.x
  const width = worldWidth(view.zoom)
  return {
    x: size.width / 2 + (aside - Math.round(aside)) * width,
    y: size.height / 2 + (point.y - middle.y) * width,
  }
}

/** The place at a pixel. */
export function placeAt(view: View, size: Size, { x, y }: Pixels): Place {
  const middle = inWorld(view)
  const width = worldWidth(view.zoom)
  return ofWorld({ x: middle.x + (x - size.width / 2) / width, y: middle.y + (y - size.height / 2) / width })
}

/** Pixels per metre. */
export const pixelsOfMetre = ({ lat, zoom }: { lat: number; zoom: number }) =>
  worldWidth(zoom) / (circumference * Math.cos((lat * Math.PI) / 180))

/** The frame that a map shows, at most once around the world. */
export function frameOf(view: View, size: Size): Frame {
  const northWest = placeAt(view, size, { x: 0, y: 0 })
  const southEast = placeAt(view, size, { x: size.width, y: size.height })
  const whole = size.width >= worldWidth(view.zoom)
  return {
    north: clamp(northWest.lat, -furthestLatitude, furthestLatitude),
    south: clamp(southEast.lat, -furthestLatitude, furthestLatitude),
    west: whole ? -180 : northWest.lng,
    east: whole ? 180 : southEast.lng,
  }
}

/** Whether a place is in the frame. */
export function isIn({ west, south, east, north }: Frame, { lat, lng }: Place): boolean {
  const across = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east
  return across && lat >= south && lat <= north
}

/** The closest view that shows the whole frame with a margin in pixels; `most` limits the zoom. */
export function viewOf(frame: Frame, size: Size, { margin = 60, most = mapZooms.marker as number } = {}): View {
  const northWest = inWorld({ lat: frame.north, lng: frame.west })
  const southEast = inWorld({ lat: frame.south, lng: frame.east })
  const width = southEast.x - northWest.x + (frame.west > frame.east ? 1 : 0)
  const height = southEast.y - northWest.y
  const zoomFor = (pixels: number, share: number) =>
    share <= 0 ? Infinity : Math.log2(Math.max(pixels - 2 * margin, tileSize / 4) / (tileSize * share))
  const zoom = Math.min(zoomFor(size.width, width), zoomFor(size.height, height), most)
  const middle = ofWorld({ x: northWest.x + width / 2, y: (northWest.y + southEast.y) / 2 })
  return { ...middle, zoom: Math.max(zoom, 0) }
}

/**
 * The smallest frame around places; undefined without any. It leaves out the widest gap, so that the date line needs no
 * special case.
 */
export function frameAround(places: readonly Place[]): Frame | undefined {
  if (!places.length) return undefined
  const lats = places.map(({ lat }) => lat)
  const lngs = places.map(({ lng }) => wrapped(lng)).toSorted((a, b) => a - b)
  const [south, north] = [lats.reduce((a, b) => Math.min(a, b)), lats.reduce((a, b) => Math.max(a, b))]
  let widest = { gap: lngs[0]! + 360 - lngs.at(-1)!, west: lngs[0]!, east: lngs.at(-1)! }
  for (let at = 1; at < lngs.length; at++) {
    const gap = lngs[at]! - lngs[at - 1]!
    if (gap > widest.gap) widest = { gap, west: lngs[at]!, east: lngs[at - 1]! }
  }
  return { south, north, west: widest.west, east: widest.east }
}
