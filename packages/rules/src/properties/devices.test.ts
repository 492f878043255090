import assert from 'node:assert/strict'
import { test } from 'vitest'
import { boilersFirst, devicesOfHomeInOrder, locationLines, meterLines, opensInApp } from './devices.ts'

const one = (
  product: 'BX' | 'ZH' | 'MD' | 'TH' | 'ASHP' | 'EM' | 'PM',
  serialNumber = `${product}1`,
  status = 'Ok',
) => ({ product, serialNumber, status })

test('connected devices come before all others, home hub first [est-2.3-63 est-2.3-64]', () => {
  const home = [one('BX'), one('MD', 'MD2'), one('ASHP'), one('ZH'), one('EM'), one('MD', 'MD1'), one('TH')]
  const order = devicesOfHomeInOrder(home).map(({ serialNumber }) => serialNumber)
  assert.deepEqual(order, ['ZH1', 'TH1', 'MD1', 'MD2', 'ASHP1', 'BX1', 'EM1'])
})

test('the devices of a property with the worst status come first', () => {
  const home = [
    one('ZH'),
    one('BX', 'BX1', 'FailedEquipment'),
    one('MD', 'MD1', 'Installed'),
    one('TH', 'TH1', 'FailedDevice'),
  ]
  const order = devicesOfHomeInOrder(home).map(({ serialNumber }) => serialNumber)
  assert.deepEqual(order, ['BX1', 'TH1', 'MD1', 'ZH1'])
})

test('a property opens in the app with its hub, else with its boiler module [est-2.3-58 est-2.3-59]', () => {
  assert.equal(opensInApp([one('BX'), one('MD'), one('ZH')])?.product, 'ZH')
  assert.equal(opensInApp([one('MD'), one('BX')])?.product, 'BX')
  assert.equal(opensInApp([one('ASHP'), one('MD')]), undefined)
})

test('a power meter lists its clamps, other devices their location [est-2.3-62]', () => {
  const clamps = [
    { circuit: '1', location: 'Heat pump' },
    { circuit: '2', location: 'Sockets' },
  ]
  assert.deepEqual(locationLines({ product: 'PM', location: 'Hall', clamps }), [
    'Clamp 1: Heat pump',
    'Clamp 2: Sockets',
  ])
  assert.deepEqual(locationLines({ product: 'PM', location: 'Hall', clamps: [] }), ['Hall'])
  assert.deepEqual(locationLines({ product: 'MD', location: null, clamps: [] }), [])
})

test('packages of devices whose name begins with B come first, the others keep their order [est-2.3-56]', () => {
  const rows = ['Multi-dot', 'Boiler', 'Autofill', 'Bedroom dot', 'boiler'].map((device) => ({ device }))
  assert.deepEqual(
    boilersFirst(rows).map(({ device }) => device),
    ['Boiler', 'Bedroom dot', 'Multi-dot', 'Autofill', 'boiler'],
  )
})

test('a power meter that reports all clamps in one series is labelled as such', () => {
  const powerClamps = { 1: 'Heat pump', 2: 'Sockets' }
  const lines = ['Clamp 1: Heat pump', 'Clamp 2: Sockets']
  assert.deepEqual(meterLines({ powerClamps, series: ['power1', 'power2'] }), lines)
  assert.deepEqual(meterLines({ powerClamps, series: ['power'] }), [...lines, 'Measured together'])
  assert.deepEqual(meterLines({ powerClamps: { 1: 'Whole home' }, series: ['power'] }), ['Clamp 1: Whole home'])
  assert.deepEqual(meterLines({ powerClamps: null, series: ['power'] }), [])
})
