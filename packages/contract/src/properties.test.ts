import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Property, PropertyChanges } from './properties.ts'

/** The given values that a property accepts in a field. */
const taken = (field: keyof PropertyChanges, values: readonly unknown[]) =>
  values.filter((value) => PropertyChanges.safeParse({ [field]: value }).success)

test('a property has one of six building types: four houses, two apartments [core-3-41]', () => {
  const houses = ['House Semi-Detached', 'House Detached', 'House End-Terrace', 'House Mid-Terrace']
  const apartments = ['Apartment Corner', 'Apartment Mid-Block']
  const others = ['House', 'Apartment', 'House Corner', 'Apartment Detached', 'Bungalow', 'house detached', '']
  assert.deepEqual(taken('propertyArchitype', [...houses, ...others, ...apartments]), [...houses, ...apartments])
})

test('the orientation of a property is a compass point [core-3-42]', () => {
  const points = ['North', 'South', 'East', 'West']
  assert.deepEqual(taken('propertyOrientation', [...points, 'NorthEast', 'north', 'N', '']), points)
})

test('a property has an energy rating from A to G, or none', () => {
  const ratings = ['A', 'B', 'C', 'D', 'E', 'F', 'G', null]
  assert.deepEqual(taken('epcRating', [...ratings, 'H', 'a', 'NoRating', 'No rating', '']), ratings)
})

test('a property is void or not [core-3-44]', () => {
  const flags = ['NotVoid', 'Void']
  assert.deepEqual(taken('voidStatus', [...flags, 'void', 'Not void', '', null]), flags)
})

test('a property has one of seven heating types [core-3-45]', () => {
  const types = ['Unknown', 'None', 'Boiler', 'HeatPump', 'Hybrid', 'HIU', 'Hydrogen']
  const heated = [...types, 'Coal', 'hybrid', '', null].filter(
    (type) => Property.shape.monitoring.safeParse(type).success,
  )
  assert.deepEqual(heated, types)
})
