import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  addressInTenant,
  addressWithoutTenant,
  landingFor,
  pathTo,
  safeTarget,
  segmentsOf,
  tenantInPath,
} from './places.ts'

test('an address consists of tenant, area, id and subid, without missing parts [core-2.4-70]', () => {
  assert.equal(pathTo('northgate'), '/northgate')
  assert.equal(pathTo('northgate', 'Boilers'), '/northgate/Boilers')
  assert.equal(pathTo('northgate', 'Boilers', 'a b'), '/northgate/Boilers/a%20b')
  assert.equal(pathTo('northgate', 'Properties', '7', 'telemetry'), '/northgate/Properties/7/telemetry')
  assert.equal(pathTo('northgate', 'Properties', undefined, 'telemetry'), '/northgate/Properties')
})

test('segments are decoded, and an invalid escape is left as it is', () => {
  assert.deepEqual(segmentsOf('/north%20gate/Boilers?a=/b#/c'), ['north gate', 'Boilers'])
  assert.deepEqual(segmentsOf('/%E0%A4%A/'), ['%E0%A4%A'])
  assert.deepEqual(segmentsOf('/'), [])
})

test('the tenant of a path is one of those given, regardless of case', () => {
  assert.equal(tenantInPath('/Northgate/Boilers', ['harbour', 'northgate']), 'northgate')
  assert.equal(tenantInPath('/meridian/Boilers', ['harbour', 'northgate']), undefined)
  assert.equal(tenantInPath('/', ['harbour']), undefined)
})

test('picking a client prefixes the current address', () => {
  assert.equal(addressInTenant('/Boilers', 'northgate'), '/northgate/Boilers')
  assert.equal(addressInTenant('/Boilers?page=2#top', 'northgate'), '/northgate/Boilers?page=2#top')
  assert.equal(addressInTenant('/', 'northgate'), '/northgate/Dashboard')
  assert.equal(addressInTenant('/?x=1', 'northgate'), '/northgate/Dashboard')
})

test('picking a client replaces the prefix of another one and drops ids and query', () => {
  assert.equal(addressInTenant('/harbour/Boilers/1234?page=2', 'northgate'), '/northgate/Boilers')
  assert.equal(addressInTenant('/harbour', 'northgate'), '/northgate/Dashboard')
  assert.equal(addressInTenant('/harbour/nonsense/1', 'northgate'), '/northgate/Dashboard')
})

test('the address of the picked client itself is unchanged', () => {
  assert.equal(addressInTenant('/northgate/Boilers/1234?a=b#c', 'northgate'), '/northgate/Boilers/1234?a=b#c')
})

test('switching the client keeps the area only', () => {
  assert.equal(addressWithoutTenant('/northgate/Boilers/1234?page=2'), '/Boilers')
  assert.equal(addressWithoutTenant('/northgate/emergencylights'), '/EmergencyLights')
  assert.equal(addressWithoutTenant('/northgate'), '/Dashboard')
})

test('a target keeps path, query and fragment', () => {
  assert.equal(safeTarget('/northgate/Boilers?page=2#row'), '/northgate/Boilers?page=2#row')
})

test('targets outside the portal, the root and the callback are not stored', () => {
  for (const target of [
    undefined,
    7,
    '',
    'northgate',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/',
    '/?x=1',
    '/callback?code=1',
  ])
    assert.equal(safeTarget(target), undefined)
})

test("a sign-in lands on the Dashboard of the target's tenant", () => {
  assert.equal(landingFor('/northgate/Boilers/1?x#y'), '/northgate/Dashboard')
  assert.equal(landingFor('/Boilers'), '/Dashboard')
  assert.equal(landingFor(undefined), '/Dashboard')
})
