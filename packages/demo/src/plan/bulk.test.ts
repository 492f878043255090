import assert from 'node:assert/strict'
import { test } from 'vitest'
import { tenantPlans, worldOf } from './tenants.ts'

test('a demo of the usual size has a building whose lights are not set up, and a small one has none', () => {
  const northgate = tenantPlans.find(({ id }) => id === 'northgate')!
  const free = (devices: number) =>
    [...worldOf(northgate, devices, Date.parse('2026-11-20T12:00:00Z')).devices()].filter(
      ({ product, status, buildingId }) => product === 'EM' && status === 'Ok' && buildingId === null,
    )
  const lights = free(2000)
  assert.equal(lights.length, 36)
  assert.equal(new Set(lights.map(({ name }) => name)).size, 36)
  for (const level of ['Level 0', 'Level 1', 'Level 2'])
    assert.equal(lights.filter(({ name }) => name.startsWith(`${level}, `)).length, 12)
  assert.equal(free(200).length, 0)
})
