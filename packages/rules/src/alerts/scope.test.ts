import assert from 'node:assert/strict'
import { test } from 'vitest'
import { productCodes, familyOf } from '../devices/products.ts'
import { families, isSameScope, scopeOf, scopeWords, wholeClient } from './scope.ts'

test('a scope in words', () => {
  const words = (bend: Partial<Parameters<typeof scopeWords>[0]>) =>
    scopeWords({ families: [], buildings: [], tags: [], ...bend })
  assert.equal(words({}), 'All devices')
  assert.equal(words({ tags: ['NightTest'] }), 'NightTest')
  assert.equal(words({ tags: ['A', 'B', 'C'] }), 'A, B or C')
  assert.equal(words({ families: ['emered'] }), 'Emergency lights')
  assert.equal(words({ families: ['emered', 'gateway'] }), 'Emergency lights and gateways')
  assert.equal(words({ families: ['boiler', 'vStat', 'autofill'] }), 'Boilers, V-Stats and autofills')
  assert.equal(words({ families: ['emered'], buildings: ['Oak House'] }), 'Emergency lights in Oak House')
  assert.equal(words({ buildings: ['Oak House', 'Elm House'] }), 'All devices in Oak House or Elm House')
  assert.equal(
    words({ families: ['emered'], buildings: ['Oak House'], tags: ['NightTest'] }),
    'Emergency lights in Oak House tagged NightTest',
  )
})

test('a rule about properties covers them by building and tag, not by family', () => {
  const words = (bend: Partial<Parameters<typeof scopeWords>[0]>) =>
    scopeWords({ families: [], buildings: [], tags: [], ...bend }, true)
  assert.equal(words({}), 'All properties')
  assert.equal(words({ families: ['boiler'] }), 'All properties')
  assert.equal(words({ families: ['boiler'], tags: ['East'] }), 'East')
  assert.equal(words({ buildings: ['Oak House'], tags: ['East'] }), 'All properties in Oak House tagged East')
})

test('every family can be chosen', () => {
  assert.deepEqual([...new Set(productCodes.map(familyOf))].toSorted(), families.toSorted())
})

test('a rule with one tag covers the devices with that tag', () => {
  assert.deepEqual(scopeOf({ tagId: 't' }), { ...wholeClient, tagIds: ['t'] })
  assert.deepEqual(scopeOf({ tagId: 't', scope: wholeClient }), wholeClient)
  assert.ok(isSameScope({ ...wholeClient, tagIds: ['a', 'b'] }, { ...wholeClient, tagIds: ['b', 'a'] }))
  assert.ok(!isSameScope({ ...wholeClient, tagIds: ['a'] }, wholeClient))
})
