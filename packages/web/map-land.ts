import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'
import { feature } from 'topojson-client'

type Ring = [number, number][]
type Polygon = Ring[]

const require = createRequire(import.meta.url)

/** North-west Europe, where the coast is drawn in detail: west, south, east, north, in degrees. */
const fine = { west: -25, south: 43, east: 20, north: 66 } as const

const name = 'virtual:map-land'

/**
 * The land of the built-in map, cut from Natural Earth (public domain) at build time: the world at low detail, and
 * north-west Europe in detail, drawn over a rectangle of sea. The virtual module exports the address of the file.
 */
export function mapLand(): Plugin {
  let serving = false
  return {
    name: 'map-land',
    configResolved(config) {
      serving = config.command === 'serve'
    },
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined
      if (serving) return `export default ${JSON.stringify(`data:application/json,${encodeURIComponent(land())}`)}`
      const file = this.emitFile({ type: 'asset', name: 'land.json', source: land() })
      return `export default import.meta.ROLLUP_FILE_URL_${file}`
    },
  }
}

/** A collection of three features with a `part` property each: 'world', 'sea' and 'near'. */
export function land(): string {
  const { west, south, east, north } = fine
  const sea: Polygon = [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ]
  const near = polygonsOf('land-10m').flatMap((polygon) => cut(polygon))
  const parts = { world: polygonsOf('land-110m'), sea: [sea], near }
  const features = Object.entries(parts).map(([part, coordinates]) => ({
    type: 'Feature',
    properties: { part },
    geometry: { type: 'MultiPolygon', coordinates: coordinates.map(rounded) },
  }))
  return JSON.stringify({ type: 'FeatureCollection', features })
}

function polygonsOf(file: string): Polygon[] {
  const atlas = JSON.parse(readFileSync(require.resolve(`world-atlas/${file}.json`), 'utf8'))
  const found = feature(atlas, atlas.objects.land)
  const all = found.type === 'FeatureCollection' ? found.features : [found]
  return all.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon'
      ? (geometry.coordinates as Polygon[])
      : geometry.type === 'Polygon'
        ? [geometry.coordinates as Polygon]
        : [],
  )
}

/** Three decimals of a degree are about 100 metres. */
const rounded = (polygon: Polygon): Polygon =>
  polygon.map((ring) => ring.map(([lng, lat]) => [Number(lng.toFixed(3)), Number(lat.toFixed(3))]))

/** The part of a polygon inside the detailed area; empty if there is no overlap. */
function cut(polygon: Polygon): Polygon[] {
  const [outer, ...holes] = polygon.map(cutRing)
  return outer && outer.length >= 4 ? [[outer, ...holes.filter((hole) => hole.length >= 4)]] : []
}

/** Sutherland–Hodgman clipping, one side after the other. */
function cutRing(ring: Ring): Ring {
  const sides: [axis: 0 | 1, at: number, keepsGreater: boolean][] = [
    [0, fine.west, true],
    [0, fine.east, false],
    [1, fine.south, true],
    [1, fine.north, false],
  ]
  const kept = sides.reduce<Ring>(
    (points, [axis, at, keepsGreater]) => {
      const isInside = (point: [number, number]) => (keepsGreater ? point[axis] >= at : point[axis] <= at)
      return points.flatMap((point, index) => {
        const before = points[(index + points.length - 1) % points.length]!
        const crossing = isInside(point) === isInside(before) ? [] : [between(before, point, axis, at)]
        return isInside(point) ? [...crossing, point] : crossing
      })
    },
    ring.slice(0, -1),
  )
  return kept.length ? [...kept, kept[0]!] : []
}

function between(a: [number, number], b: [number, number], axis: 0 | 1, at: number): [number, number] {
  const share = (at - a[axis]) / (b[axis] - a[axis])
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}
