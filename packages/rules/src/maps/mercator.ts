import type { Place } from '../buildings/geometry.ts'
import { furthestLatitude, wholeLongitude as wrapped } from '../buildings/geometry.ts'
import { mapZooms } from './zooms.ts'

export type { Place }
export { furthestLatitude, wrapped }

/** What a map looks at: the place in its middle, and how near. North is up. */
export interface View extends Place {
  /** The world is 256 px wide at zoom 0 and twice as wide with each next one. */
  zoom: number
}
/** The degrees that are in sight. West is greater than east where the date line is. */
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

/** Pixels of a map tile (estate specification, section 9). */
export const tileSize = 256

/** Before a position is known (estate specification, section 9). */
export const startView: View = { lat: 0, lng: 0, zoom: mapZooms.start }

/** How near, in pixels, the pointer comes before a point of a map reacts to it (estate specification, section 9). */
export const hoverDistance = 15

/** Metres round the equator. */
const circumference = 40_075_016.686

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** Where a place is in the square of the world: 0 to 1 from west to east, and from north to south. */
export function inWorld({ lat, lng }: Place): Pixels {
  const sine = Math.sin((clamp(lat, -furthestLatitude, furthestLatitude) * Math.PI) / 180)
  return { x: lng / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) }
}

/** The place at a point of the square of the world. */
export function ofWorld({ x, y }: Pixels): Place {
  return { lng: wrapped((x - 0.5) * 360), lat: (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI }
}

const worldWidth = (zoom: number) => tileSize * 2 ** zoom

/** Where a place is drawn on a map of a size, from its top left; by the shorter way round the world. */
export function pixelOf(view: View, size: Size, place: Place): Pixels {
  const [middle, point] = [inWorld(view), inWorld(place)]
  const aside = point.x - middle.x
  const width = worldWidth(view.zoom)
  return {
    x: size.width / 2 + (aside - Math.round(aside)) * width,
    y: size.height / 2 + (point.y - middle.y) * width,
  }
}

/** The place that is drawn at a pixel. */
export function placeAt(view: View, size: Size, { x, y }: Pixels): Place {
  const middle = inWorld(view)
  const width = worldWidth(view.zoom)
  return ofWorld({ x: middle.x + (x - size.width / 2) / width, y: middle.y + (y - size.height / 2) / width })
}

/** Pixels that a metre takes there. */
export const pixelsOfMetre = ({ lat, zoom }: { lat: number; zoom: number }) =>
  worldWidth(zoom) / (circumference * Math.cos((lat * Math.PI) / 180))

/** What a map of a size shows, no more than once round the world. */
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

/** The nearest view of a map of a size that shows all the frame with a margin in pixels; `most` bounds its zoom. */
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

/** The smallest frame around places; undefined without any. By the gap that is widest: the date line is nothing special. */
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
