import { newFloorShape, planSize, wholeTurn } from './building.ts'

/** Degrees (WGS 84). */
export interface Place {
  lat: number
  lng: number
}

/** Metres on the ground. */
export interface Offset {
  east: number
  north: number
}

/** A point of a plan in metres from its centre, along the plan's axes: right and down. */
export interface Spot {
  right: number
  down: number
}

/**
 * The position of a floor plan: centre, sides in metres, and rotation in degrees clockwise about the centre (decisions,
 * 7).
 */
export interface Plan extends Place {
  width: number
  height: number
  rotation: number
}

/** Earth radius of the map projection, in metres (EPSG:3857). */
export const earthRadius = 6_378_137
const metresPerDegree = (earthRadius * Math.PI) / 180

/** Largest latitude of the map, north and south, in degrees: its projection (EPSG:3857) has no poles. */
export const furthestLatitude = 85.051129

const radians = (degrees: number) => (degrees * Math.PI) / 180
const clamped = (value: number, { least, most }: { least: number; most: number }) =>
  Math.min(most, Math.max(least, value))

/** A longitude normalised to -180 ≤ x < 180. */
export const wholeLongitude = (lng: number): number => (lng >= -180 && lng < 180 ? lng : wholeTurn(lng + 180) - 180)

/** A rotation for display: -180 < x ≤ 180 degrees clockwise. */
export function signedTurn(degrees: number): number {
  const turn = wholeTurn(degrees)
  return turn > 180 ? turn - 360 : turn
}

/** A side of a plan in metres, limited to the allowed size: handles can be dragged past each other. */
export const boundedSide = (metres: number): number => clamped(metres, planSize)

/** The sides of a plan with the aspect ratio of its drawing; the longer side is as long as a new floor's. */
export function sidesOfDrawing(drawing: { width: number; height: number }): { width: number; height: number } {
  const metres = newFloorShape.width / Math.max(drawing.width, drawing.height)
  const side = (length: number) => Math.round(boundedSide(length * metres) * 100) / 100
  return { width: side(drawing.width), height: side(drawing.height) }
}

interface Sides {
  width: number
  height: number
}

/** The choice if a plan's aspect ratio differs from its floor's: the floor adapts, or the plan is stretched. */
export const planShapes = ['fit', 'keep'] as const
export type PlanShape = (typeof planShapes)[number]

/** Smaller differences in aspect ratio are invisible and are ignored. */
const sameShape = 0.02

export const isOtherShape = (floor: Sides, drawing: Sides): boolean =>
  Math.abs(Math.log((floor.width * drawing.height) / (floor.height * drawing.width))) > sameShape

/**
 * The sides in metres of a floor that adopts a drawing's aspect ratio and keeps its width, limited to the allowed size.
 */
export function fittedSides(floor: Sides, drawing: Sides): Sides {
  const side = (length: number) => Math.round(boundedSide(length) * 100) / 100
  const height = side((floor.width * drawing.height) / drawing.width)
  return { width: side((height * drawing.width) / drawing.height), height }
}

/** '2.00 : 1', width to height. */
const ratioText = ({ width, height }: Sides) => `${(width / height).toFixed(2)} : 1`

/** The question about a plan with a different aspect ratio. */
export const otherShapeText = (floor: Sides, drawing: Sides): string =>
  `The new plan has a different shape (${ratioText(drawing)}) than the floor (${ratioText(floor)}). Fit the floor to the plan, or keep the floor and stretch the plan.`

/**
 * The place at an offset. The ground is treated as flat: within the kilometre of the largest plan the error is a few
 * centimetres.
 */
export function moved<P extends Place>(place: P, { east, north }: Offset): P {
  const perDegree = metresPerDegree * Math.cos(radians(place.lat))
  return {
    ...place,
    lat: clamped(place.lat + north / metresPerDegree, { least: -furthestLatitude, most: furthestLatitude }),
    lng: wholeLongitude(place.lng + east / perDegree),
  }
}

/** The offset from one place to another, the shorter way around the earth: the inverse of `moved`. */
export function offsetTo(from: Place, to: Place): Offset {
  return {
    east: signedDegrees(to.lng - from.lng) * metresPerDegree * Math.cos(radians(from.lat)),
    north: (to.lat - from.lat) * metresPerDegree,
  }
}

const signedDegrees = (degrees: number) => {
  if (Math.abs(degrees) <= 180) return degrees
  return signedTurn(degrees)
}

/** Metres between two places. */
export function distance(from: Place, to: Place): number {
  const { east, north } = offsetTo(from, to)
  return Math.hypot(east, north)
}

function ground({ right, down }: Spot, rotation: number): Offset {
  const [sin, cos] = [Math.sin(radians(rotation)), Math.cos(radians(rotation))]
  return { east: right * cos - down * sin, north: -right * sin - down * cos }
}

function onAxes({ east, north }: Offset, rotation: number): Spot {
  const [sin, cos] = [Math.sin(radians(rotation)), Math.cos(radians(rotation))]
  return { right: east * cos - north * sin, down: -east * sin - north * cos }
}

/** The geographical position of a point of a plan. */
export function placeOf(plan: Plan, spot: Spot): Place {
  const { lat, lng } = plan
  return moved({ lat, lng }, ground(spot, plan.rotation))
}

/** The point of a plan at a geographical position; may lie outside the plan. */
export const spotOf = (plan: Plan, place: Place): Spot => onAxes(offsetTo(plan, place), plan.rotation)

/** The corners of a plan in image order: top left, top right, bottom right, bottom left. */
export function cornersOf(plan: Plan): [Place, Place, Place, Place] {
  const corner = (right: number, down: number) =>
    placeOf(plan, { right: (right * plan.width) / 2, down: (down * plan.height) / 2 })
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]
}

/** Whether a place is on a plan, edges included. */
export function contains(plan: Plan, place: Place): boolean {
  const { right, down } = spotOf(plan, place)
  // Rounding tolerance for places computed from the edge itself.
  const slack = 1e-6
  return Math.abs(right) <= plan.width / 2 + slack && Math.abs(down) <= plan.height / 2 + slack
}

/** A plan aligned with another floor's outline, since storeys are stacked. */
export const matched = <P extends Plan>(plan: P, { lat, lng, width, height, rotation }: Plan): P => ({
  ...plan,
  ...{ lat, lng, width, height, rotation },
})

/** The new place of an object that keeps its position on the drawing when the plan is moved, turned or resized. */
export function placeAfterMove(before: Plan, after: Plan, place: Place): Place {
  const { right, down } = spotOf(before, place)
  return placeOf(after, { right: (right * after.width) / before.width, down: (down * after.height) / before.height })
}

/** A corner or midpoint of a side: its direction from the centre. */
export interface Handle {
  right: -1 | 0 | 1
  down: -1 | 0 | 1
}

/** A plan after a handle was dragged to a place; the opposite side stays in place. */
export function resized<P extends Plan>(plan: P, handle: Handle, to: Place): P {
  const spot = spotOf(plan, to)
  const side = (axis: 'right' | 'down', length: number) =>
    handle[axis] === 0 ? length : boundedSide(handle[axis] * spot[axis] + length / 2)
  const [width, height] = [side('right', plan.width), side('down', plan.height)]
  const centre = placeOf(plan, {
    right: (handle.right * (width - plan.width)) / 2,
    down: (handle.down * (height - plan.height)) / 2,
  })
  return { ...plan, ...centre, width, height }
}

/** A plan turned so that its upper side faces a place; 0 ≤ rotation < 360 degrees. */
export function turnedTo<P extends Plan>(plan: P, to: Place): P {
  const { east, north } = offsetTo(plan, to)
  if (east === 0 && north === 0) return plan
  return { ...plan, rotation: wholeTurn((Math.atan2(east, north) * 180) / Math.PI) }
}

/**
 * Places for `count` objects in a grid from the plan's upper left, each in the centre of a cell. A single row is
 * centred vertically.
 */
export function gridOn(plan: Plan, count: number): Place[] {
  const columns = Math.max(1, Math.min(count, Math.ceil(Math.sqrt((count * plan.width) / plan.height))))
  const rows = Math.ceil(count / columns)
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    // An incomplete last row is only as wide as needed.
    const inRow = row === rows - 1 ? count - row * columns : columns
    return placeOf(plan, {
      right: (((index % columns) + 0.5) / inRow - 0.5) * plan.width,
      down: ((row + 0.5) / rows - 0.5) * plan.height,
    })
  })
}

/**
 * Places for `count` objects side by side in rows, `apart` metres apart: the first at the given place, and all inside
 * the plan if that place is. If they do not fit, they fill the plan.
 */
export function besideOn(plan: Plan, from: Place, count: number, apart: number): Place[] {
  const isWithin = contains(plan, from)
  const room = { right: (plan.width - apart) / 2, down: (plan.height - apart) / 2 }
  /** How many fit into a length in metres, with a rounding tolerance. */
  const fit = (metres: number) => Math.floor(metres / apart + 1e-6) + 1
  const most = { columns: fit(2 * room.right), rows: fit(2 * room.down) }
  if (isWithin && most.columns * most.rows < count) return gridOn(plan, count)
  const { right, down } = spotOf(plan, from)
  const columns = isWithin
    ? Math.min(count, Math.max(fit(room.right - right), Math.ceil(count / most.rows)))
    : Math.ceil(Math.sqrt(count))
  const rows = Math.ceil(count / columns)
  const start = (at: number, places: number, edge: number) =>
    isWithin ? Math.max(-edge, Math.min(at, edge - (places - 1) * apart)) : at
  const first = { right: start(right, columns, room.right), down: start(down, rows, room.down) }
  return Array.from({ length: count }, (_, index) =>
    placeOf(plan, {
      right: first.right + (index % columns) * apart,
      down: first.down + Math.floor(index / columns) * apart,
    }),
  )
}

/** How a plan was moved, turned and resized, in words; empty if unchanged. */
export function movedWords(before: Plan, after: Plan): string {
  const { east, north } = offsetTo(before, after)
  const way = [...wayWords(north, ['north', 'south']), ...wayWords(east, ['east', 'west'])]
  const turn = tenths(signedTurn(after.rotation - before.rotation))
  const [was, sides] = [before, after].map(({ width, height }) => `${tenths(width)} × ${tenths(height)} m`)
  const parts = [
    way.length > 0 && `moved ${way.join(', ')}`,
    turn !== '0' && `turned ${turn}°`,
    was !== sides && `made ${sides}`,
  ].filter((part) => part !== false)
  const text = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : (parts[0] ?? '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Rounded to one decimal place. */
const tenths = (value: number) => String(Math.round(value * 10) / 10 || 0).replace('-', '−')

const wayWords = (metres: number, [there, back]: readonly [string, string]) =>
  tenths(metres) === '0' ? [] : [`${tenths(Math.abs(metres))} m ${metres > 0 ? there : back}`]
