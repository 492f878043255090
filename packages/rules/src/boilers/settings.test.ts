import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addressParts } from './address.ts'
import { heatingMaxOf, heatingUnitOf, thermostatIn } from './details.ts'
import { relayName, relayStates } from './power-switch.ts'
import { addressFault, chMaxFault, dhwSetPointFault, locationFault, referenceFault } from './settings.ts'

test('CH max accepts 30 to 80, both included, and nothing else [dev-5val-27 est-5-46]', () => {
  for (const value of ['30', '30.5', '60', '80', ' 45 ']) assert.equal(chMaxFault(value), undefined, value)
  for (const value of ['29', '29.9', '81', '80.1', '-40', '', 'warm', '4e1'])
    assert.equal(chMaxFault(value), 'CH max should be greater than 30', value)
})

test('the DHW set point accepts 40 to 65, both included, and nothing else [dev-5val-29 est-5-47]', () => {
  for (const value of ['40', '52', '65']) assert.equal(dhwSetPointFault(value), undefined, value)
  for (const value of ['39', '66', '65.5', '', 'hot'])
    assert.equal(dhwSetPointFault(value), 'DHW should range from 40°C to 65°C', value)
})

test('texts must not be empty or blank', () => {
  for (const [fault, text] of [
    [addressFault, 'Address can not be empty'],
    [referenceFault, 'Property Reference can not be empty'],
    [locationFault, 'Location can not be empty'],
  ] as const) {
    for (const empty of ['', ' ', '\t']) assert.equal(fault(empty), text)
    assert.equal(fault('Kitchen'), undefined)
  }
})

test('a one-line address split into parts and joined again is unchanged', () => {
  const known = { town: 'Sowerby Bridge', county: 'West Yorkshire' }
  const written = (line: string) => {
    const { postcode, ...parts } = addressParts(line, known)
    return [...Object.values(parts), postcode].filter(Boolean).join(', ')
  }
  for (const line of [
    '14 Calder Rise',
    '14 Calder Rise, Sowerby Bridge',
    '14 Calder Rise, Sowerby Bridge, West Yorkshire',
    '14 Calder Rise, Sowerby Bridge, West Yorkshire, HX6 3AL',
    'Flat 2, 14 Calder Rise, Sowerby Bridge, West Yorkshire, HX6 3AL',
    'Flat 2, The Mill, Old Yard, Calder Rise, Sowerby Bridge, West Yorkshire, HX6 3AL',
    '1 High Street, Leeds',
    '1 High Street, Leeds, West Yorkshire',
    'HX6 3AL',
  ])
    assert.equal(written(line), line)
  assert.deepEqual(addressParts('Flat 2, 16 Calder Rise, Sowerby Bridge, West Yorkshire hx63an', known), {
    ...{ address1: 'Flat 2', address2: '16 Calder Rise', address3: '' },
    ...{ town: 'Sowerby Bridge', county: 'West Yorkshire', postcode: 'HX6 3AN' },
  })
})

test('missing and unknown reported values are null', () => {
  assert.equal(thermostatIn({ thermostatKind: 'callForHeatToBcm' }), 'callForHeatToBcm')
  for (const thermostatKind of [undefined, 3, 'toString', 'smart']) assert.equal(thermostatIn({ thermostatKind }), null)
  assert.equal(heatingUnitOf({ product: 'BX', monitoring: 'HeatPump' }), 'air source heat pump')
  assert.equal(heatingUnitOf({ product: 'BX', monitoring: null }), 'boiler')
  assert.deepEqual([heatingMaxOf(60, 'Void'), heatingMaxOf(60, null), heatingMaxOf(null, 'Occupied')], [10, 60, null])
})

test('a relay without a request has its reported state as desired state', () => {
  assert.deepEqual(relayStates({ relays: { 1: false } }, { relays: { 1: true, 2: false, odd: 'x' } }), [
    { relayId: '1', desiredPoweredOn: false, reportedPoweredOn: true },
    { relayId: '2', desiredPoweredOn: false, reportedPoweredOn: false },
  ])
  assert.deepEqual([relayName('2'), relayName('7')], ['Immersion heater', 'Relay 7'])
})
