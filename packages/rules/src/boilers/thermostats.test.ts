import assert from 'node:assert/strict'
import { test } from 'vitest'
import { thermostatWirings } from './thermostats.ts'

test('there are six thermostat wirings [dev-3ent-18 core-3-46]', () => {
  assert.deepEqual(Object.values(thermostatWirings), [
    'None',
    'Bus thermostat connected to boiler (non-OpenTherm)',
    'Third-party OpenTherm thermostat connected to BCM',
    'Own-brand OpenTherm thermostat connected to BCM',
    'Call-for-heat thermostat connected to boiler',
    'Call-for-heat thermostat connected to BCM',
  ])
})
