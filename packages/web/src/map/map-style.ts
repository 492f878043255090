import type { StyleSpecification } from 'maplibre-gl'
import land from 'virtual:map-land'
import type { ClientSettings } from '@caretaker/contract/session.ts'
import { tileSize } from '@caretaker/rules/maps/mercator.ts'

export type MapSettings = ClientSettings['map']
export type MapKind = 'roadmap' | 'satellite'
export type Scheme = 'light' | 'dark'

interface Land {
  sea: string
  land: string
  building: string
  edge: string
  street: string
  green: string
  town: string
  road: string
  name: string
}

/** Land colours are darker than pins in the dark scheme, and weaker than pins in the light one. */
const lands: Record<MapKind, Record<Scheme, Land>> = {
  roadmap: {
    light: {
      sea: '#d3e1ee',
      land: '#eef0f0',
      building: '#dfe3e8',
      edge: '#cdd3da',
      street: '#ffffff',
      green: '#dfe9dc',
      town: '#e2e5e8',
      road: '#f5dcb8',
      name: '#4d5763',
    },
    dark: {
      sea: '#131c27',
      land: '#1b2027',
      building: '#242b34',
      edge: '#303843',
      street: '#2b323c',
      green: '#1c2823',
      town: '#20262e',
      road: '#3b372c',
      name: '#97a2b0',
    },
  },
  satellite: {
    light: {
      sea: '#9db9cc',
      land: '#c5cfb6',
      building: '#b0aea3',
      edge: '#9d9b90',
      street: '#d6d3c8',
      green: '#aebf9f',
      town: '#bbbcae',
      road: '#dccdb0',
      name: '#333a30',
    },
    dark: {
      sea: '#10202c',
      land: '#20291f',
      building: '#2b2c29',
      edge: '#373833',
      street: '#31332f',
      green: '#1f2d1e',
      town: '#292c27',
      road: '#3f3b2d',
      name: '#a3ab9a',
    },
  },
}

/** The background colour, also without a map. */
export const plainLand = (kind: MapKind, scheme: Scheme) => lands[kind][scheme].land

/** Whether it is the built-in map, with coasts and, in a demo, sketched streets. */
export const isBuiltIn = (map: MapSettings, kind: MapKind) =>
  kind === 'satellite' ? !map.satelliteTiles.length : !map.styleUrl && !map.roadmapTiles.length && !map.pmtiles

/** The background: an operator's style, tiles or file, otherwise the built-in land. */
export async function styleOf(map: MapSettings, kind: MapKind, scheme: Scheme): Promise<StyleSpecification | string> {
  if (kind === 'satellite')
    return map.satelliteTiles.length ? raster(map.satelliteTiles, map, kind, scheme) : builtIn(kind, scheme)
  if (map.styleUrl) return map.styleUrl
  if (map.roadmapTiles.length) return raster(map.roadmapTiles, map, kind, scheme)
  if (map.pmtiles) return (await import('./map-pmtiles.ts')).pmtilesStyle(map.pmtiles, map.attribution, scheme)
  return builtIn(kind, scheme)
}

function raster(tiles: string[], { attribution }: MapSettings, kind: MapKind, scheme: Scheme): StyleSpecification {
  return {
    version: 8,
    sources: { tiles: { type: 'raster', tiles, tileSize, ...(attribution && { attribution }) } },
    layers: [
      { id: 'plain', type: 'background', paint: { 'background-color': plainLand(kind, scheme) } },
      {
        id: 'tiles',
        type: 'raster',
        source: 'tiles',
        paint: scheme === 'dark' ? { 'raster-brightness-max': 0.45, 'raster-saturation': -0.3 } : {},
      },
    ],
  }
}

const of = (property: string, value: string) => ['==', ['get', property], value] as never

function builtIn(kind: MapKind, scheme: Scheme): StyleSpecification {
  const colours = lands[kind][scheme]
  const part = (id: string, colour: string) =>
    ({ id, type: 'fill', source: 'land', filter: of('part', id), paint: { 'fill-color': colour } }) as const
  const fill = (id: string, kind: string, colour: string) =>
    ({ id, type: 'fill', source: 'sketch', filter: of('kind', kind), paint: { 'fill-color': colour } }) as const
  return {
    version: 8,
    sources: {
      land: { type: 'geojson', data: land, tolerance: 0.2, maxzoom: 12, attribution: 'Natural Earth' },
      sketch: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
    },
    layers: [
      { id: 'plain', type: 'background', paint: { 'background-color': colours.sea } },
      part('world', colours.land),
      part('sea', colours.sea),
      part('near', colours.land),
      fill('greens', 'green', colours.green),
      fill('towns', 'town', colours.town),
      {
        id: 'streets',
        type: 'line',
        source: 'sketch',
        filter: of('kind', 'street'),
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: {
          'line-color': colours.street,
          // Seven metres at British latitudes, and never too thin to see.
          'line-width': ['interpolate', ['exponential', 2], ['zoom'], 10, 1, 14, 2, 20, 75],
        },
      },
      {
        id: 'roads',
        type: 'line',
        source: 'sketch',
        filter: of('kind', 'road'),
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': colours.road, 'line-width': ['interpolate', ['linear'], ['zoom'], 6, 1, 12, 4] },
      },
      {
        id: 'names',
        type: 'symbol',
        source: 'sketch',
        filter: of('kind', 'name'),
        minzoom: 7,
        layout: { 'text-field': ['get', 'name'], 'text-font': ['Inter Variable'], 'text-size': 12.5 },
        paint: { 'text-color': colours.name, 'text-halo-color': colours.land, 'text-halo-width': 1.2 },
      },
      {
        id: 'houses',
        type: 'fill',
        source: 'sketch',
        minzoom: 13,
        filter: of('kind', 'house'),
        paint: { 'fill-color': colours.building, 'fill-outline-color': colours.edge },
      },
    ],
  }
}
