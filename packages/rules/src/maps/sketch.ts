import type { Offset, Place } from '../buildings/geometry.ts'
import { moved, offsetTo } from '../buildings/geometry.ts'

export const sketchKinds = ['street', 'house', 'green', 'town', 'road', 'name'] as const
type Kind = (typeof sketchKinds)[number]
type Position = [lng: number, lat: number]
interface Feature {
  type: 'Feature'
  properties: { kind: Kind; name?: string }
  geometry:
    | { type: 'Point'; coordinates: Position }
    | { type: 'LineString'; coordinates: Position[] }
    | { type: 'Polygon'; coordinates: Position[][] }
}

/** Streets, houses and greens, or towns and roads, as GeoJSON. */
export interface Sketch {
  type: 'FeatureCollection'
  features: Feature[]
}

type Point = readonly [east: number, north: number]
type Line = readonly [Point, Point]

/** Metres: the radius of a sketch around its building, and the part left free for the building and its plan. */
const reach = 260
const free = 38
/** Metres between two houses, and from the centre of a street to that of a house. */
const pace = 17
const setBack = 17

/**
 * An invented neighbourhood around each place, deterministic: streets, houses and a green. For demos, whose towns are
 * invented as well.
 */
export function sketchAround(places: readonly Place[]): Sketch {
  const drawn: Place[] = []
  const features = places.flatMap((place) => {
    // Close buildings share a neighbourhood.
    if (drawn.some((other) => Math.hypot(...metres(other, place)) < reach)) return []
    drawn.push(place)
    const others = places.map((other) => metres(place, other)).filter((other) => Math.hypot(...other) < 2 * reach)
    return neighbourhood(place, others)
  })
  return { type: 'FeatureCollection', features }
}

/** Metres: the greatest distance of buildings in one town, and the longest road between two towns. */
const townReach = 6_000
const longestRoad = 150_000

/** A neighbourhood's buildings, and the name of its town. */
export interface NamedPlace extends Place {
  town?: string | undefined
}

/** An invented country around the towns of places, for maps zoomed out too far for streets. */
export function countryAround(places: readonly NamedPlace[]): Sketch {
  const towns: NamedPlace[][] = []
  for (const place of places) {
    const near = towns.find(([first]) => Math.hypot(...metres(first!, place)) < townReach)
    if (near) near.push(place)
    else towns.push([place])
  }
  const middles = towns.map((all) => ({
    lat: all.reduce((sum, { lat }) => sum + lat, 0) / all.length,
    lng: all.reduce((sum, { lng }) => sum + lng, 0) / all.length,
    town: all.find(({ town }) => town)?.town,
  }))
  const features = [
    ...middles.flatMap(woodsNear),
    ...middles.map(builtUp),
    ...middles.flatMap(streetsOut),
    ...roadsBetween(middles),
    ...middles.flatMap(named),
  ]
  return { type: 'FeatureCollection', features }
}

/** The position at an offset in metres from a place, as GeoJSON. */
const positionFrom = (place: Place, [east, north]: Point): Position => {
  const { lat, lng } = moved(place, { east, north })
  return [Number(lng.toFixed(5)), Number(lat.toFixed(5))]
}

/** An irregular closed line around a point. */
function blob(chance: () => number, [east, north]: Point, wide: number): Point[] {
  const [wave, other] = [chance() * 6, chance() * 6]
  return Array.from({ length: 24 }, (_, corner): Point => {
    const angle = (corner / 24) * 2 * Math.PI
    const far = wide * (1 + 0.22 * Math.sin(2 * angle + wave) + 0.14 * Math.sin(5 * angle + other))
    return [east + far * Math.cos(angle), north + far * Math.sin(angle)]
  })
}

const area = (kind: Kind, place: Place, line: readonly Point[]) =>
  polygon(
    kind,
    line.map((point) => positionFrom(place, point)),
  )

const way = (kind: Kind, coordinates: Position[]): Feature => ({
  type: 'Feature',
  properties: { kind },
  geometry: { type: 'LineString', coordinates },
})

const builtUp = (town: Place): Feature => area('town', town, blob(chanceOf(town), [0, 0], 3_400))

function woodsNear(town: Place): Feature[] {
  const chance = chanceOf({ lat: -town.lat, lng: town.lng })
  return Array.from({ length: 3 }, () => {
    const [angle, far] = [chance() * 2 * Math.PI, 7_000 + chance() * 7_000]
    return area('green', town, blob(chance, [far * Math.cos(angle), far * Math.sin(angle)], 1_400 + chance() * 2_200))
  })
}

function streetsOut(town: Place): Feature[] {
  const chance = chanceOf(town)
  const turn = chance() * Math.PI
  return Array.from({ length: 7 }, (_, index) => {
    const angle = turn + ((index + chance() * 0.5) / 7) * 2 * Math.PI
    const bend = (chance() - 0.5) * 0.5
    const at = (far: number, by: number) => positionFrom(town, [far * Math.cos(angle + by), far * Math.sin(angle + by)])
    return way('street', [at(0, 0), at(1_800, bend), at(4_200, bend / 2)])
  })
}

/** The shortest roads that connect all towns. */
function roadsBetween(towns: readonly Place[]): Feature[] {
  const left = new Set(towns.slice(1))
  const joined = towns.slice(0, 1)
  const roads: Feature[] = []
  while (left.size) {
    let best: { from: Place; to: Place; far: number } | undefined
    for (const from of joined)
      for (const to of left) {
        const far = Math.hypot(...metres(from, to))
        if (!best || far < best.far) best = { from, to, far }
      }
    const { from, to, far } = best!
    left.delete(to)
    joined.push(to)
    if (far > longestRoad) continue
    const chance = chanceOf(to)
    const [east, north] = metres(from, to)
    const along = (share: number, aside: number) =>
      positionFrom(from, [east * share - north * aside, north * share + east * aside])
    const bend = (chance() - 0.5) * 0.24
    roads.push(
      way(
        'road',
        Array.from({ length: 9 }, (_, at) => along(at / 8, bend * Math.sin((at / 8) * Math.PI))),
      ),
    )
  }
  return roads
}

const named = (town: NamedPlace): Feature[] =>
  town.town
    ? [
        {
          type: 'Feature',
          properties: { kind: 'name', name: town.town },
          geometry: { type: 'Point', coordinates: positionFrom(town, [0, -4_400]) },
        },
      ]
    : []

const metres = (from: Place, to: Place): Point => {
  const { east, north } = offsetTo(from, to)
  return [east, north]
}

function neighbourhood(place: Place, buildings: readonly Point[]): Feature[] {
  const chance = chanceOf(place)
  const turn = chance() * Math.PI
  const turned = ([east, north]: Point): Point => [
    east * Math.cos(turn) - north * Math.sin(turn),
    east * Math.sin(turn) + north * Math.cos(turn),
  ]
  const at = ([east, north]: Point): Position => {
    const offset: Offset = { east, north }
    const { lat, lng } = moved(place, offset)
    return [Number(lng.toFixed(6)), Number(lat.toFixed(6))]
  }
  const bend = () => (chance() - 0.5) * 30
  const along = [-46 - chance() * 10, 64 + chance() * 30, -150 - chance() * 30, 170 + chance() * 30]
  const acrossAt = [-70 - chance() * 20, 80 + chance() * 30, 200 + chance() * 30]
  const streets: Line[] = [
    ...along.map((north): Line => [turned([-reach, north + bend()]), turned([reach, north + bend()])]),
    ...acrossAt.map((east): Line => [turned([east + bend(), -reach]), turned([east + bend(), reach])]),
  ]
  const green = turned([acrossAt[0]! - 60, along[3]! - 55])
  const houses = streets.flatMap((street) => housesOf(street, chance))
  const standing: Point[] = []
  const kept = houses.filter(({ middle }) => {
    const isClear =
      buildings.every((building) => apart(building, middle) > free) &&
      streets.every((street) => fromLine(street, middle) > setBack - 3) &&
      standing.every((other) => apart(other, middle) > pace - 2) &&
      apart(green, middle) > 45
    if (isClear) standing.push(middle)
    return isClear
  })
  const round = Array.from({ length: 9 }, (_, corner): Point => {
    const [angle, wide] = [(corner / 9) * 2 * Math.PI, 26 + chance() * 12]
    return [green[0] + wide * Math.cos(angle), green[1] + wide * Math.sin(angle)]
  })
  return [
    polygon('green', round.map(at)),
    ...streets.map((street): Feature => ({
      type: 'Feature',
      properties: { kind: 'street' },
      geometry: { type: 'LineString', coordinates: street.map(at) },
    })),
    ...kept.map(({ corners }) => polygon('house', corners.map(at))),
  ]
}

const polygon = (kind: Kind, corners: Position[]): Feature => ({
  type: 'Feature',
  properties: { kind },
  geometry: { type: 'Polygon', coordinates: [[...corners, corners[0]!]] },
})

/** Houses on both sides of a street, aligned with it. */
function housesOf([from, to]: Line, chance: () => number): { middle: Point; corners: Point[] }[] {
  const length = apart(from, to)
  const [right, up] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length]
  return Array.from({ length: Math.floor(length / pace) }, (_, index) => index * pace + pace / 2).flatMap((far) =>
    [-1, 1].flatMap((side) => {
      if (chance() < 0.12) return []
      const [wide, deep] = [5 + chance() * 2.5, 4 + chance() * 2]
      const middle: Point = [from[0] + right * far - up * setBack * side, from[1] + up * far + right * setBack * side]
      const corner = (x: number, y: number): Point => [
        middle[0] + right * wide * x - up * deep * y,
        middle[1] + up * wide * x + right * deep * y,
      ]
      return [{ middle, corners: [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)] }]
    }),
  )
}

const apart = (a: Point, b: Point) => Math.hypot(a[0] - b[0], a[1] - b[1])

function fromLine([from, to]: Line, point: Point): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const share = ((point[0] - from[0]) * dx + (point[1] - from[1]) * dy) / (dx * dx + dy * dy)
  const along = Math.min(1, Math.max(0, share))
  return apart([from[0] + along * dx, from[1] + along * dy], point)
}

/** Pseudo-random numbers from 0 to 1, deterministic per place (mulberry32 of its coordinates). */
function chanceOf({ lat, lng }: Place): () => number {
  let state = (Math.round(lat * 1e5) * 73_856_093) ^ (Math.round(lng * 1e5) * 19_349_663)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
