import assert from 'node:assert/strict'
import { test } from 'vitest'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import type { TargetOf } from './map-target.ts'
import { targetOf } from './map-target.ts'

const leeds = { lat: 53.8, lng: -1.55 }
const york = { lat: 53.96, lng: -1.08 }
const nowhere = { lat: null, lng: null }
const extent = { west: -1.6, south: 53.7, east: -1.0, north: 54 }
const size = { width: 800, height: 600 }
const overview: TargetOf = {
  ...{ size, hasDevice: false, device: undefined, hasBuilding: false, building: undefined, floor: undefined },
  ...{ extent, isExtentOfAnother: false, hasLooked: false },
}
const atBuilding = { hasBuilding: true, building: leeds }

const cases: { name: string; of: Partial<TargetOf>; at: { lat: number; lng: number; zoom?: number } | undefined }[] = [
  { name: 'a map that is not drawn yet does not move', of: { ...atBuilding, size: undefined }, at: undefined },
  {
    name: 'a device is looked at closely, before its building',
    of: { ...atBuilding, hasDevice: true, device: york },
    at: { ...york, zoom: mapZooms.marker },
  },
  { name: 'a device whose place is not known yet is waited for', of: { hasDevice: true }, at: undefined },
  { name: 'a building', of: atBuilding, at: { ...leeds, zoom: mapZooms.building } },
  { name: 'a floor before its building', of: { ...atBuilding, floor: york }, at: { ...york, zoom: mapZooms.building } },
  {
    name: 'a floor without a place is shown at its building',
    of: { ...atBuilding, floor: nowhere },
    at: { ...leeds, zoom: mapZooms.building },
  },
  {
    name: 'a floor and building without a place are shown where their devices are',
    of: { hasBuilding: true, building: nowhere, floor: nowhere, hasLooked: true },
    at: { lat: 53.85, lng: -1.3 },
  },
  {
    name: 'the extent of the floor before is not used',
    of: { hasBuilding: true, building: nowhere, floor: nowhere, isExtentOfAnother: true },
    at: undefined,
  },
  { name: 'a building that is not loaded yet is waited for', of: { hasBuilding: true }, at: undefined },
  { name: 'the overview shows everything at first', of: {}, at: { lat: 53.85, lng: -1.3 } },
  { name: 'the overview stays where the person has moved it', of: { hasLooked: true }, at: undefined },
  { name: 'an extent that is not known moves nothing', of: { extent: undefined }, at: undefined },
]

for (const { name, of, at } of cases)
  test(name, () => {
    const target = targetOf({ ...overview, ...of })
    if (!at) return assert.equal(target, undefined)
    assert.ok(target)
    // The centre of an extent is the centre on the map, not of the degrees.
    assert.ok(Math.abs(target.lat - at.lat) < 0.02 && Math.abs(target.lng - at.lng) < 0.02, JSON.stringify(target))
    if (at.zoom !== undefined) assert.equal(target.zoom, at.zoom)
  })
