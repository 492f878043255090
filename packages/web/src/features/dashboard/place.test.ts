import assert from 'node:assert/strict'
import { test } from 'vitest'
import { placeText } from './place.ts'

const item = {
  kind: 'device',
  deviceId: '',
  product: 'BX',
  name: 'Kitchen boiler',
  building: null,
  room: null,
  address: null,
  propertyReference: null,
  faultCode: null,
  reason: null,
  since: '',
} as const

test('a place is written as people on site name it', () => {
  assert.equal(placeText({ ...item, building: 'Kestrel Court', room: 'Stair B' }), 'Kestrel Court, Stair B')
  assert.equal(placeText({ ...item, building: 'Kestrel Court', name: 'Landing 2' }), 'Kestrel Court, Landing 2')
  assert.equal(placeText({ ...item, address: '14 Alder Close, Leeds', faultCode: 'F28' }), '14 Alder Close, F28')
  assert.equal(placeText(item), 'Kitchen boiler')
})

test('where addresses are hidden, the place is the property reference', () => {
  assert.equal(placeText({ ...item, propertyReference: 'NG-010001', faultCode: 'EA' }), 'NG-010001, EA')
})
