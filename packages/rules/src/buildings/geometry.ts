import { newFloorShape, planSize, wholeTurn } from './building.ts'

/** Degrees of WGS 84. */
export interface Place {
  lat: number
  lng: number
}

/** Metres on the ground. */
export interface Offset {
  east: number
  north: number
}

/** A point of a plan in metres from its centre, along its own axes: to its right, and down. */
export interface Spot {
  right: number
  down: number
}

/** How a floor plan lies: its centre, its sides in metres, and degrees clockwise about the centre (decisions, 7). */
export interface Plan extends Place {
  width: number
  height: number
  rotation: number
}

/** Metres: the radius of the globe whose projection maps are drawn in (EPSG:3857). */
export const earthRadius = 6_378_137
const metresPerDegree = (earthRadius * Math.PI) / 180

/** Degrees: the map goes no further, for the projection of its tiles (EPSG:3857) has no poles. */
export const furthestLatitude = 85.051129

const radians = (degrees: number) => (degrees * Math.PI) / 180
const clamped = (value: number, { least, most }: { least: number; most: number }) =>
  Math.min(most, Math.max(least, value))

/** A longitude from -180 up to 180. */
export const wholeLongitude = (lng: number): number => (lng >= -180 && lng < 180 ? lng : wholeTurn(lng + 180) - 180)

/** A rotation as people read it: more than -180 up to 180 degrees clockwise. */
export function signedTurn(degrees: number): number {
  const turn = wholeTurn(degrees)
  return turn > 180 ? turn - 360 : turn
}

/** A side of a plan in metres, kept within what a plan may be: handles can be dragged through one another. */
export const boundedSide = (metres: number): number => clamped(metres, planSize)

/** The sides of a plan that has the shape of its drawing: the longer one is as long as that of a new floor. */
export function sidesOfDrawing(drawing: { width: number; height: number }): { width: number; height: number } {
  const metres = newFloorShape.width / Math.max(drawing.width, drawing.height)
  const side = (length: number) => Math.round(boundedSide(length * metres) * 100) / 100
  return { width: side(drawing.width), height: side(drawing.height) }
}

interface Sides {
  width: number
  height: number
}

/** What is done with a plan whose shape is not that of its floor: the floor takes its shape, or the plan is stretched. */
export const planShapes = ['fit', 'keep'] as const
export type PlanShape = (typeof planShapes)[number]

/** Shapes that differ by less are one: nobody sees that a plan is stretched by so little. */
const sameShape = 0.02

export const isOtherShape = (floor: Sides, drawing: Sides): boolean =>
  Math.abs(Math.log((floor.width * drawing.height) / (floor.height * drawing.width))) > sameShape

/** The sides of a floor that takes the shape of a drawing and keeps its width, m; one that would be too long or too short is bounded. */
export function fittedSides(floor: Sides, drawing: Sides): Sides {
  const side = (length: number) => Math.round(boundedSide(length) * 100) / 100
  const height = side((floor.width * drawing.height) / drawing.width)
  return { width: side((height * drawing.width) / drawing.height), height }
}

/** '2.00 : 1', wide by high. */
const ratioText = ({ width, height }: Sides) => `${(width / height).toFixed(2)} : 1`

/** Why a plan of another shape is asked about. */
export const otherShapeText = (floor: Sides, drawing: Sides): string =>
  `The new plan has another shape (${ratioText(drawing)}) than the floor (${ratioText(floor)}). Fit the floor to the plan, or keep the floor and stretch the plan.`

/**
 * A place that far away. The ground counts as flat around it: over the kilometre that a plan measures at most that is
 * right to some centimetres.
 */
export function moved<P extends Place>(place: P, { east, north }: Offset): P {
  const perDegree = metresPerDegree * Math.cos(radians(place.lat))
  return {
    ...place,
    lat: clamped(place.lat + north / metresPerDegree, { least: -furthestLatitude, most: furthestLatitude }),
    lng: wholeLongitude(place.lng + east / perDegree),
  }
}

/** How far it is from one place to another, by the shorter way around the earth: `moved` the other way about. */
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

/** Metres from one place to another. */
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

/** Where on the earth a point of a plan is. */
export function placeOf(plan: Plan, spot: Spot): Place {
  const { lat, lng } = plan
  return moved({ lat, lng }, ground(spot, plan.rotation))
}

/** Which point of a plan a place is; it may lie outside the walls. */
export const spotOf = (plan: Plan, place: Place): Spot => onAxes(offsetTo(plan, place), plan.rotation)

/** The corners of a plan as its image has them: top left, top right, bottom right, bottom left. */
export function cornersOf(plan: Plan): [Place, Place, Place, Place] {
  const corner = (right: number, down: number) =>
    placeOf(plan, { right: (right * plan.width) / 2, down: (down * plan.height) / 2 })
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]
}

/** Whether a place is on a plan, its walls included. */
export function contains(plan: Plan, place: Place): boolean {
  const { right, down } = spotOf(plan, place)
  // A hair's breadth of a place that was reckoned from the wall itself.
  const slack = 1e-6
  return Math.abs(right) <= plan.width / 2 + slack && Math.abs(down) <= plan.height / 2 + slack
}

/** A plan lies as the outline of another floor: storeys stand upon one another. */
export const matched = <P extends Plan>(plan: P, { lat, lng, width, height, rotation }: Plan): P => ({
  ...plan,
  ...{ lat, lng, width, height, rotation },
})

/** Where a place goes that keeps its spot on the drawing of a plan which is moved, turned or stretched. */
export function takenAlong(before: Plan, after: Plan, place: Place): Place {
  const { right, down } = spotOf(before, place)
  return placeOf(after, { right: (right * after.width) / before.width, down: (down * after.height) / before.height })
}

/** A corner or the middle of a side: which way from the centre it lies. */
export interface Handle {
  right: -1 | 0 | 1
  down: -1 | 0 | 1
}

/** A plan whose handle was dragged to a place; the side across stays where it is. */
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

/** A plan whose upper side was turned to look at a place: 0 up to 360 degrees. */
export function turnedTo<P extends Plan>(plan: P, to: Place): P {
  const { east, north } = offsetTo(plan, to)
  if (east === 0 && north === 0) return plan
  return { ...plan, rotation: wholeTurn((Math.atan2(east, north) * 180) / Math.PI) }
}

/**
 * Places for so many things on a plan, in rows from its upper left, each in the middle of a cell of its own. A single row
 * lies in the middle of the plan.
 */
export function gridOn(plan: Plan, count: number): Place[] {
  const columns = Math.max(1, Math.min(count, Math.ceil(Math.sqrt((count * plan.width) / plan.height))))
  const rows = Math.ceil(count / columns)
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    // A last row that is not full is as wide as it needs to be.
    const inRow = row === rows - 1 ? count - row * columns : columns
    return placeOf(plan, {
      right: (((index % columns) + 0.5) / inRow - 0.5) * plan.width,
      down: ((row + 0.5) / rows - 0.5) * plan.height,
    })
  })
}

/**
 * Places for so many things side by side, so many metres apart, in rows of the plan: the first where it is said, and all of
 * them within the walls where that place is. What has no room so far apart fills the plan.
 */
export function besideOn(plan: Plan, from: Place, count: number, apart: number): Place[] {
  const isWithin = contains(plan, from)
  const room = { right: (plan.width - apart) / 2, down: (plan.height - apart) / 2 }
  /** How many go into so many metres, a hair's breadth of what was reckoned aside. */
  const fit = (metres: number) => Math.floor(metres / apart + 1e-6) + 1
  const most = { columns: fit(2 * room.right), rows: fit(2 * room.down) }
  if (isWithin && most.columns * most.rows < count) return gridOn(plan, count)
  const { right, down } = spotOf(plan, from)
  const columns = isWithin
    ? Math.min(count, Math.max(fit(room.right - right), Math.ceil(count / most.rows)))
    : Math.ceil(Math.sqrt(count))
  const rows = Math.ceil(count / columns)
  const start = (at: number, places: number, wall: number) =>
    isWithin ? Math.max(-wall, Math.min(at, wall - (places - 1) * apart)) : at
  const first = { right: start(right, columns, room.right), down: start(down, rows, room.down) }
  return Array.from({ length: count }, (_, index) =>
    placeOf(plan, {
      right: first.right + (index % columns) * apart,
      down: first.down + Math.floor(index / columns) * apart,
    }),
  )
}

/** How far a plan was moved, turned and stretched, in words; empty where it lies as it did. */
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

/** Rounded to a tenth. */
const tenths = (value: number) => String(Math.round(value * 10) / 10 || 0).replace('-', '−')

const wayWords = (metres: number, [there, back]: readonly [string, string]) =>
  tenths(metres) === '0' ? [] : [`${tenths(Math.abs(metres))} m ${metres > 0 ? there : back}`]
