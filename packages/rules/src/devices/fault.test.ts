import assert from 'node:assert/strict'
import { test } from 'vitest'
import { faultIn, faultSince, isThermostat, supportsRemoteReset } from './fault.ts'

test('a reported fault has code, description, source and whether it can be reset; None is no fault [dev-3ent-24]', () => {
  const lowPressure = { description: 'Low water pressure', faultSource: 'boiler', isResettable: true }
  assert.deepEqual(faultIn({ faultCode: 'E119', fault: lowPressure }), {
    code: 'E119',
    description: 'Low water pressure',
    source: 'boiler',
    isResettable: true,
  })
  assert.deepEqual(faultIn({ faultCode: 'AF1', fault: { faultSource: 'autofill' } }), {
    code: 'AF1',
    description: null,
    source: 'autofill',
    isResettable: false,
  })
  for (const description of ['', 7, null, {}])
    assert.equal(faultIn({ faultCode: 'E1', fault: { description } })?.description, null)
  for (const faultSource of ['Autofill', 'heat pump', '', null, 1])
    assert.equal(faultIn({ faultCode: 'E1', fault: { faultSource } })?.source, 'boiler')
  assert.deepEqual(faultIn({ faultCode: 'E1', fault: 'odd' }), {
    code: 'E1',
    description: null,
    source: 'boiler',
    isResettable: false,
  })
  for (const reported of [{}, { faultCode: 'None' }, { faultCode: '' }, { faultCode: 7 }])
    assert.equal(faultIn(reported), null)
})

test('the start of a fault is accepted only within this century', () => {
  const since = (timestamp: unknown) => faultSince({ fault: { timestamp } })?.toISOString()
  assert.equal(since('2026-11-19T07:30:00Z'), '2026-11-19T07:30:00.000Z')
  assert.equal(since(Date.UTC(2026, 10, 19)), '2026-11-19T00:00:00.000Z')
  // Microseconds for milliseconds, five-digit years, and invalid times.
  for (const odd of [
    1_754_000_000_000_000,
    '+012345-01-01T00:00:00Z',
    '1969-12-31T00:00:00Z',
    'soon',
    null,
    {},
    Infinity,
  ])
    assert.equal(since(odd), undefined, JSON.stringify(odd))
  assert.equal(faultSince({}), undefined)
})

test('the reported thermostat and remote reset are read', () => {
  assert.equal(isThermostat({ installedAs: 'thermostat' }), true)
  assert.equal(isThermostat({ installedAs: 'sensor' }), false)
  assert.equal(supportsRemoteReset({}), true)
  assert.equal(supportsRemoteReset({ remoteResetSupported: false }), false)
})
