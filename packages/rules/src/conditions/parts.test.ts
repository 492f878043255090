import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ConditionKind } from './conditions.ts'
import type { OpenCondition, PartModels } from './parts.ts'
import { modelOf, partsForTheVan, partsList, partsNeeded } from './parts.ts'

const one = (kind: ConditionKind, more: Partial<OpenCondition> = {}): OpenCondition => ({
  ...{ kind, key: '', began: 100 },
  ...more,
})
const failedTest = (key: string, states: OpenCondition['states'], began = 100) =>
  one('testFailed', { key, states: states!, began, lastSeen: began })

for (const [name, open, expected] of [
  ['a battery that failed a 3-hour test', [failedTest('T180', { Battery: 'Failed', Lamp: 'Ok' })], ['Battery T180']],
  [
    'a battery that failed two tests is one battery',
    [failedTest('T180', { Battery: 'Failed' }), failedTest('T0', { Battery: 'Failed' })],
    ['Battery T0, T180'],
  ],
  [
    'several parts of one light',
    [failedTest('T180', { Battery: 'Failed', Lamp: 'Failed' }), failedTest('T0', { Inverter: 'Failed' })],
    ['Battery T180', 'Inverter T0', 'Lamp T180'],
  ],
  ['the light itself', [one('deviceTestFailed', { key: 'T0', states: { Emered: 'Failed' } })], ['Device T0']],
  ['a failed test of which no part is known', [failedTest('T180', {})], ['T180']],
  ['a fault that names its part', [one('deviceFault', { key: 'device LAMP_FAILURE' })], ['Lamp LAMP_FAILURE']],
  [
    'a fault whose words name its part',
    [one('fault', { key: 'device E7', description: 'Battery voltage too low' })],
    ['Battery E7'],
  ],
  ['a fault that names none', [one('fault', { key: 'device E9' })], ['E9']],
  ['a light reported broken', [one('equipmentBroken')], ['Broken']],
  [
    'a degraded battery is not replaced yet',
    [one('testDegraded', { key: 'T180', states: { Battery: 'Degraded' } })],
    [],
  ],
  ['a silent light needs no part', [one('notHeard')], []],
  [
    'what was repaired since is not needed',
    [failedTest('T180', { Battery: 'Failed' }, 100), one('equipmentRepaired', { key: 'T180', began: 200 })],
    [],
  ],
  [
    'what failed again after a repair is',
    [failedTest('T180', { Battery: 'Failed' }, 300), one('equipmentRepaired', { key: 'T180', began: 200 })],
    ['Battery T180'],
  ],
] as const)
  test(`parts: ${name}`, () => {
    assert.deepEqual(
      partsNeeded(open as readonly OpenCondition[]).map(({ reason }) => reason),
      expected,
    )
  })

const models: PartModels = {
  ...{ luminaire: 'Escape 3 h', lampType: 'LED', inverterType: 'Integral' },
  ...{ batteryType: 'Nickel Cadmium', batteryVoltage: 3.6, batteryCapacity: 4 },
}
const light = (name: string, building: string | null) => ({
  ...{ deviceId: name, name, serial: `EM ${name}`, buildingId: building && `id of ${building}`, building },
  ...{ floor: null, room: null },
})

test('a row per building, part and model counts parts, not lights', () => {
  const battery = failedTest('T180', { Battery: 'Failed' })
  const rows = partsList([
    { light: light('Corridor 10', 'Beech Hill Court'), models, open: [battery] },
    {
      light: light('Corridor 2', 'Beech Hill Court'),
      models,
      open: [failedTest('T0', { Battery: 'Failed', Lamp: 'Failed' })],
    },
    { light: light('Shed', null), models: null, open: [battery] },
    { light: light('Stair', 'Alder House'), models: { ...models, batteryType: null }, open: [battery] },
    { light: light('Whole', 'Alder House'), models, open: [] },
  ])
  assert.deepEqual(
    rows.map((row) => [row.building, row.part, row.model, row.quantity, row.lights.map(({ name }) => name).join()]),
    [
      ['Alder House', 'Battery', null, 1, 'Stair'],
      ['Beech Hill Court', 'Battery', 'Nickel Cadmium 3.6 V, 4 Ah', 2, 'Corridor 2,Corridor 10'],
      ['Beech Hill Court', 'Lamp', 'LED', 1, 'Corridor 2'],
      [null, 'Battery', null, 1, 'Shed'],
    ],
  )
  assert.deepEqual(partsForTheVan(rows), [
    {
      part: 'Battery',
      quantity: 4,
      models: [
        { model: 'Nickel Cadmium 3.6 V, 4 Ah', quantity: 2 },
        { model: null, quantity: 2 },
      ],
    },
    { part: 'Lamp', quantity: 1, models: [{ model: 'LED', quantity: 1 }] },
  ])
})

test('a model that was not entered is null', () => {
  assert.equal(modelOf('Battery', { ...models, batteryVoltage: null, batteryCapacity: null }), 'Nickel Cadmium')
  assert.deepEqual(
    (['Battery', 'Inverter', 'Lamp', 'Device', 'Unknown'] as const).map((part) => modelOf(part, null)),
    [null, null, null, null, null],
  )
})
