import type { MapBuilding, MapCluster } from '@caretaker/contract/maps.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import type { MapMarker } from './map-props.ts'
import { BuildingPin, ClusterRing, clusterSize, lookOf, sharesOf } from './pins.tsx'

/** The stacking order of markers: worse ones are higher. */
export const orderOf = { failed: 5, warning: 4, 'failed-device': 3, passed: 2, 'not-installed': 1 } as const

export function clusterMarker(cluster: MapCluster, by: MapStatusFilter, what: 'devices' | 'buildings'): MapMarker {
  const shares = sharesOf(cluster.counts, by)
  const size = clusterSize(cluster.count)
  const parts = shares.map(({ word, count }) => `${count.toLocaleString('en-GB')} ${word.toLowerCase()}`)
  return {
    id: cluster.id,
    place: cluster,
    name: `${[`${cluster.count.toLocaleString('en-GB')} ${what}`, ...parts].join(', ')}. Zoom in`,
    look: <ClusterRing counts={cluster.counts} by={by} count={cluster.count} size={size} />,
    size,
    order: 10 + orderOf[shares[0]?.tone ?? 'not-installed'],
  }
}

export function buildingMarker(building: MapBuilding, by: MapStatusFilter, selected: boolean, zoom: number): MapMarker {
  const look = lookOf(by, building.deviceStatus, building.connectionStatus)
  const size = zoom > mapZooms.largeIcons ? 42 : look.tone === 'passed' ? 28 : 32
  return {
    id: building.building,
    place: building,
    name: `${building.name}, ${look.word.toLowerCase()}`,
    look: <BuildingPin look={look} size={size} selected={selected} />,
    size,
    caption: building.name,
    selected,
    order: orderOf[look.tone],
  }
}
