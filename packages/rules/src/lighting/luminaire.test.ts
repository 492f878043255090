import assert from 'node:assert/strict'
import { test } from 'vitest'
import { batteryTypes } from './equipment.ts'
import type { LuminaireField, LuminaireTexts } from './luminaire.ts'
import {
  isNameTaken,
  luminaireChanges,
  luminaireFault,
  luminaireFaults,
  luminaireFields,
  luminaireOf,
  luminaireTexts,
  usualVoltage,
} from './luminaire.ts'

const good: LuminaireTexts = {
  ...{ name: 'Stairwell, microwave', lampType: 'LED', inverterType: 'Integral' },
  ...{ batteryType: 'Nickel Cadmium', batteryVoltage: '3.6', batteryCapacity: '4.0' },
}
const wrong = (field: LuminaireField, value: string) => luminaireFaults({ ...good, [field]: value })

test('each field of a luminaire has its rule and its text', () => {
  assert.deepEqual(luminaireFaults(good), {})
  for (const [field, value, text] of [
    ['name', ' ', 'Name is required'],
    ['lampType', '', 'Lamp type is required'],
    ['inverterType', '', 'Inverter type is required'],
    ['batteryType', '', 'Battery type is required'],
    ['batteryType', 'Potato', 'Please select battery type from list'],
    ['batteryType', 'nickel cadmium', 'Please select battery type from list'],
    ['batteryVoltage', '', 'Battery Voltage is required'],
    ['batteryVoltage', 'three', 'Battery Voltage needs to be a number'],
    ['batteryVoltage', '3,6', 'Battery Voltage needs to be a number'],
    ['batteryVoltage', '0x4', 'Battery Voltage needs to be a number'],
    ['batteryVoltage', 'Infinity', 'Battery Voltage needs to be a number'],
    ['batteryVoltage', '-4', 'Battery Voltage must be greater than 2.6V'],
    ['batteryVoltage', '2.6', 'Battery Voltage must be greater than 2.6V'],
    ['batteryVoltage', '12.01', 'Battery Voltage can not be greater than 12V'],
    ['batteryCapacity', '', 'Battery Capacity is required'],
    ['batteryCapacity', '4 Ah', 'Battery Capacity needs to be a number'],
    ['batteryCapacity', '0', 'Battery Capacity must be greater than 0'],
    ['batteryCapacity', '20', 'Battery Capacity must be less than 20Ah'],
  ] as const)
    assert.deepEqual(wrong(field, value), { [field]: text }, `${field} ${value}`)
  for (const volts of ['2.61', '12', '12.0', ' 6 ']) assert.deepEqual(wrong('batteryVoltage', volts), {}, volts)
  for (const hours of ['0.01', '19.99']) assert.deepEqual(wrong('batteryCapacity', hours), {}, hours)
  for (const type of batteryTypes) assert.deepEqual(wrong('batteryType', type), {}, type)
})

test('a number follows the same rule as its text', () => {
  assert.equal(luminaireFault('batteryVoltage', 12), undefined)
  assert.equal(luminaireFault('batteryVoltage', 2.6), 'Battery Voltage must be greater than 2.6V')
  assert.equal(luminaireFault('batteryCapacity', Number.NaN), 'Battery Capacity needs to be a number')
  assert.equal(luminaireFault('batteryCapacity', 1e-7), undefined)
})

test('changes are listed by field, however a number is written', () => {
  assert.deepEqual(luminaireChanges(good, good), [])
  assert.deepEqual(luminaireChanges(good, { ...good, batteryVoltage: '3.60', batteryCapacity: '4' }), [])
  const changed = { ...good, batteryCapacity: '2.5', name: 'Corridor' }
  assert.deepEqual(luminaireChanges(good, changed), ['name', 'batteryCapacity'])
  assert.deepEqual(luminaireChanges({ ...good, batteryVoltage: '' }, good), ['batteryVoltage'])
  assert.deepEqual(Object.keys(luminaireOf(good)), [...luminaireFields])
  assert.deepEqual(luminaireOf({ ...good, name: ' Stair  well ' }).name, 'Stair well')
})

test('a luminaire converts to form values and back unchanged', () => {
  assert.deepEqual(luminaireOf(luminaireTexts(luminaireOf(good))), luminaireOf(good))
  assert.deepEqual(luminaireChanges(luminaireTexts(luminaireOf(good)), good), [])
})

test('names are compared regardless of case and spaces', () => {
  assert.equal(isNameTaken(' stair  WELL', [{ name: 'Stair well' }]), true)
  assert.equal(isNameTaken('Stairs', [{ name: 'Stair well' }]), false)
})

test('the usual voltage is that of most standard luminaires with such a battery, and unknown without any', () => {
  const standards = [3.6, 6, 3.6].map((batteryVoltage) => ({ batteryType: 'Nickel Cadmium' as const, batteryVoltage }))
  assert.equal(usualVoltage('Nickel Cadmium', standards), 3.6)
  assert.equal(usualVoltage('Lead Acid', standards), undefined)
  assert.equal(usualVoltage('Nickel Cadmium', standards.slice(0, 2)), 3.6)
})

test('extended voltage limits accept two cells and central supplies', () => {
  const fault = (volts: string) => luminaireFault('batteryVoltage', volts, { isWide: true })
  for (const volts of ['2.4', '2.6', '12.1', '24']) assert.equal(fault(volts), undefined, volts)
  assert.equal(fault('2.39'), 'Battery Voltage must be at least 2.4V')
  assert.equal(fault('24.01'), 'Battery Voltage can not be greater than 24V')
  assert.equal(luminaireFault('batteryVoltage', '2.4'), 'Battery Voltage must be greater than 2.6V')
})
