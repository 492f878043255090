import { addProtocol, type LayerSpecification, type StyleSpecification } from 'maplibre-gl'
import { DARK, layers, LIGHT } from '@protomaps/basemaps'
import { Protocol } from 'pmtiles'

let isKnown = false

/**
 * A style for vector tiles of a PMTiles file in the layout of Protomaps; names use the font of the page, icons are left
 * out.
 */
export function pmtilesStyle(file: string, attribution: string, scheme: 'light' | 'dark'): StyleSpecification {
  if (!isKnown) addProtocol('pmtiles', new Protocol().tile)
  isKnown = true
  const url = `pmtiles://${new URL(file, location.origin).href}`
  const flavour = scheme === 'dark' ? DARK : LIGHT
  return {
    version: 8,
    sources: { tiles: { type: 'vector', url, attribution: attribution || 'OpenStreetMap' } },
    layers: layers('tiles', flavour, { lang: 'en' }).flatMap((layer): LayerSpecification[] => {
      if (layer.type !== 'symbol') return [layer]
      const { 'icon-image': icon, ...layout } = layer.layout ?? {}
      if (icon !== undefined && !('text-field' in layout)) return []
      return [{ ...layer, layout: { ...layout, 'text-font': ['Inter Variable'] } }]
    }),
  }
}
