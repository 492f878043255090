import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildingTypes, compassPoints, energyRatings, energyRatingWords, heatingTypes, voidFlags } from './dwelling.ts'

test('six building types: four of houses, two of apartments', () => {
  assert.deepEqual(buildingTypes, {
    house: ['semi-detached', 'detached', 'end terrace', 'mid terrace'],
    apartment: ['corner', 'mid block'],
  })
})

test('the points of the compass', () => {
  assert.deepEqual(compassPoints, ['North', 'South', 'East', 'West'])
})

test("energy ratings are A to G and 'No rating'", () => {
  assert.deepEqual(energyRatings.map(energyRatingWords), ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'No rating'])
  assert.equal(energyRatingWords(null), 'No rating')
})

test('a home is void or not', () => {
  assert.deepEqual(voidFlags, ['NotVoid', 'Void'])
})

test('the heating types', () => {
  assert.deepEqual(heatingTypes, ['Unknown', 'None', 'Boiler', 'HeatPump', 'Hybrid', 'HIU', 'Hydrogen'])
})
