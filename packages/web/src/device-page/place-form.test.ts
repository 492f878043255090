import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Device } from '@caretaker/contract/devices.ts'
import { PlaceForm, nowhere, placeChanges, placeValues } from './place-form.ts'

const buildings = [
  {
    ...{ building: 'alder', name: 'Alder House', lat: null, lng: null, defaultFloor: null },
    floors: [{ floor: 'second', number: 2, name: 'Second' }],
  },
]
const device = {
  buildingId: 'alder',
  floor: 2,
  room: null,
  location: 'Hall',
  locationDetails: null,
  lat: 53.8,
  long: -1.5,
}
const stored = placeValues(device as Device, buildings)

test('the form begins with what is stored, and sends what differs alone', () => {
  assert.deepEqual(stored, {
    ...{ building: 'alder', floor: 'second', room: '', location: 'Hall', locationDetails: '' },
    ...{ latitude: '53.8', longitude: '-1.5' },
  })
  assert.deepEqual(placeChanges(stored, stored), { moved: undefined, located: undefined })
  assert.deepEqual(placeChanges(stored, { ...stored, room: 'Plant room', location: '' }), {
    moved: { room: 'Plant room', location: null },
    located: undefined,
  })
  assert.deepEqual(placeChanges(stored, { ...stored, building: nowhere, floor: nowhere }).moved, {
    ...{ buildingId: null, floorId: null },
  })
  assert.deepEqual(placeChanges(stored, { ...stored, latitude: '', longitude: '' }).located, {
    ...{ latitude: null, longitude: null },
  })
})

test('coordinates are numbers within their range, both or neither', () => {
  const valid = (latitude: string, longitude: string) => PlaceForm.safeParse({ ...stored, latitude, longitude }).success
  assert.ok(valid('53.8', '-1.5') && valid('', '') && valid('-90', '180'))
  for (const [latitude, longitude] of [
    ['91', '0'],
    ['0', '181'],
    ['north', '0'],
    ['53.8', ''],
  ] as const)
    assert.ok(!valid(latitude, longitude), `${latitude} ${longitude}`)
})
