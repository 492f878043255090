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

test('An address is built of tenant, area, id and subid, leaving out the parts that are not given [core-2.4-70]', () => {
  assert.equal(pathTo('northgate'), '/northgate')
  assert.equal(pathTo('northgate', 'Boilers'), '/northgate/Boilers')
  assert.equal(pathTo('northgate', 'Boilers', 'a b'), '/northgate/Boilers/a%20b')
  assert.equal(pathTo('northgate', 'Properties', '7', 'telemetry'), '/northgate/Properties/7/telemetry')
  assert.equal(pathTo('northgate', 'Properties', undefined, 'telemetry'), '/northgate/Properties')
})

test('Segments are decoded, and a broken escape is left alone', () => {
  assert.deepEqual(segmentsOf('/north%20gate/Boilers?a=/b#/c'), ['north gate', 'Boilers'])
  assert.deepEqual(segmentsOf('/%E0%A4%A/'), ['%E0%A4%A'])
  assert.deepEqual(segmentsOf('/'), [])
})

test('The tenant of a path is one of those given, whatever the letter case', () => {
  assert.equal(tenantInPath('/Northgate/Boilers', ['harbour', 'northgate']), 'northgate')
  assert.equal(tenantInPath('/meridian/Boilers', ['harbour', 'northgate']), undefined)
  assert.equal(tenantInPath('/', ['harbour']), undefined)
})

test('Picking a client prefixes the current address', () => {
  assert.equal(addressInTenant('/Boilers', 'northgate'), '/northgate/Boilers')
  assert.equal(addressInTenant('/Boilers?page=2#top', 'northgate'), '/northgate/Boilers?page=2#top')
  assert.equal(addressInTenant('/', 'northgate'), '/northgate/Dashboard')
  assert.equal(addressInTenant('/?x=1', 'northgate'), '/northgate/Dashboard')
})

test('Picking a client replaces the prefix of another one and drops its ids and query', () => {
  assert.equal(addressInTenant('/harbour/Boilers/1234?page=2', 'northgate'), '/northgate/Boilers')
  assert.equal(addressInTenant('/harbour', 'northgate'), '/northgate/Dashboard')
  assert.equal(addressInTenant('/harbour/nonsense/1', 'northgate'), '/northgate/Dashboard')
})

test('The address of the picked client itself stays as it is', () => {
  assert.equal(addressInTenant('/northgate/Boilers/1234?a=b#c', 'northgate'), '/northgate/Boilers/1234?a=b#c')
})

test('A change of client keeps the area only', () => {
  assert.equal(addressWithoutTenant('/northgate/Boilers/1234?page=2'), '/Boilers')
  assert.equal(addressWithoutTenant('/northgate/emergencylights'), '/EmergencyLights')
  assert.equal(addressWithoutTenant('/northgate'), '/Dashboard')
})

test('A target keeps path, query and fragment', () => {
  assert.equal(safeTarget('/northgate/Boilers?page=2#row'), '/northgate/Boilers?page=2#row')
})

test('A target outside the portal, the root and the callback are not remembered', () => {
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

test('A sign-in lands on the Dashboard of the tenant of its target', () => {
  assert.equal(landingFor('/northgate/Boilers/1?x#y'), '/northgate/Dashboard')
  assert.equal(landingFor('/Boilers'), '/Dashboard')
  assert.equal(landingFor(undefined), '/Dashboard')
})
