import assert from 'node:assert/strict'
import { test } from 'vitest'
import { formTexts } from '@caretaker/rules/maintenance/forms.ts'
import { longestPhoto, repairTexts } from '@caretaker/rules/maintenance/repairs.ts'
import type { RepairContext, RepairFaults, RepairFields } from './repair-form.ts'
import { repairBodyOf, repairFaultsOf } from './repair-form.ts'

const fields: RepairFields = {
  isDevice: false,
  parts: { lamp: { model: 'LED 3 W', quantity: 1 } },
  ...{ repairedOn: '10/11/2026', repairedTime: '09:30', fittedOn: '', repairedBy: 'Priya Nair', note: '' },
}
const context: RepairContext = {
  isLight: true,
  faultBegan: Date.parse('2026-11-09T08:00:00Z'),
  photos: [],
  readClock: () => Date.parse('2026-11-10T12:00:00Z'),
  zone: 'Europe/London',
}
const battery = { battery: { model: '', quantity: 1 } }
const photo = (size: number) => ({ file: { name: 'a.jpg', type: 'image/jpeg', size } as File })

const cases: { name: string; fields?: Partial<RepairFields>; context?: Partial<RepairContext>; faults: object }[] = [
  { name: 'a valid repair', faults: {} },
  { name: 'nothing replaced and no note', fields: { parts: {}, note: ' ' }, faults: { parts: repairTexts.empty } },
  { name: 'a note alone is enough for a light', fields: { parts: {}, note: 'Cleaned' }, faults: {} },
  { name: 'another device needs a note', context: { isLight: false }, faults: { note: formTexts.empty } },
  {
    name: 'a day in another format',
    fields: { repairedOn: '2026-11-10' },
    faults: { repairedOn: 'Enter a day as DD/MM/YYYY' },
  },
  { name: 'a day in the future', fields: { repairedOn: '11/11/2026' }, faults: { repairedOn: repairTexts.future } },
  {
    name: 'a day before the fault',
    fields: { repairedOn: '08/11/2026' },
    faults: { repairedOn: repairTexts.beforeFault('2026-11-09') },
  },
  { name: 'no time is a valid time', fields: { repairedTime: '' }, faults: {} },
  { name: 'an impossible time', fields: { repairedTime: '24:00' }, faults: { repairedTime: 'Enter a time as HH:MM' } },
  { name: 'the day of fitting counts for a battery alone', fields: { fittedOn: 'x' }, faults: {} },
  {
    name: 'a day of fitting that is no day',
    fields: { parts: battery, fittedOn: 'x' },
    faults: { fittedOn: 'Enter a day as DD/MM/YYYY' },
  },
  {
    name: 'a battery fitted in the future',
    fields: { parts: battery, fittedOn: '11/11/2026' },
    faults: { fittedOn: repairTexts.future },
  },
  { name: 'nobody named', fields: { repairedBy: '  ' }, faults: { repairedBy: 'Enter who repaired it' } },
  { name: 'a photograph of the largest size', context: { photos: [photo(longestPhoto)] }, faults: {} },
  {
    name: 'a photograph that is too large',
    context: { photos: [photo(longestPhoto + 1)] },
    faults: { photos: repairTexts.photo },
  },
]

for (const one of cases)
  test(`errors of the repair form: ${one.name}`, () => {
    const faults = repairFaultsOf({ ...fields, ...one.fields }, { ...context, ...one.context })
    const shown = Object.entries(faults).filter(([, fault]) => fault !== undefined)
    assert.deepEqual(Object.fromEntries(shown), one.faults satisfies Partial<RepairFaults>)
  })

test('the body holds what was filled in, without empty texts, and the night of the test by the clock of the client', () => {
  const of = { tenant: 'northgate', deviceId: 'd', isLight: true, zone: 'Europe/London', proof: 'night' as const }
  const filled = { ...fields, parts: { ...battery, lamp: { model: ' LED ', quantity: 2 } }, fittedOn: '10/11/2026' }
  assert.deepEqual(repairBodyOf(filled, '2026-11-10', { ...of, night: '2026-11-11T02:00:00Z' }), {
    ...{ tenant: 'northgate', deviceId: 'd', part: 'equipment', repairedOn: '2026-11-10', repairedTime: '09:30' },
    parts: [
      { part: 'battery', quantity: 1 },
      { part: 'lamp', quantity: 2, model: 'LED' },
    ],
    ...{ repairedBy: 'Priya Nair', batteryFittedOn: '2026-11-10', provingTest: '2026-11-11T02:00' },
  })
})
