import assert from 'node:assert/strict'
import { test } from 'vitest'
import { equipmentLists } from './equipment.ts'

test("a tenant's own list replaces the default, battery types are the same for all", () => {
  const usual = equipmentLists()
  assert.deepEqual(usual.batteryTypes, [
    'Alkaline',
    'Lead Acid',
    'Lithium Ion',
    'Lithium Polymer',
    'Nickel Cadmium',
    'Nickel Metal Hydride',
    'Zinc Air',
  ])
  assert.deepEqual(equipmentLists({ lampTypes: ['Candle'] }), { ...usual, lampTypes: ['Candle'] })
})
