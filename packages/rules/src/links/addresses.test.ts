import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isPagePath, pagePaths, reservedSegments } from './addresses.ts'
import { placeAreas } from './places.ts'

test('an address is a page if the router has it, with or without a client, regardless of case', () => {
  for (const path of [
    '/',
    '/?page=2',
    '/callback?code=1',
    '/northgate',
    '/northgate/',
    '/northgate/Dashboard',
    '/NorthGate/dashboard?x=1#y',
    '/Dashboard',
    '/northgate/EmergencyLights/7f/telemetry',
    '/EmergencyLights/7f',
    '/northgate/EmergencyLights/Listing/a%20view',
    '/northgate/Properties/Import',
    '/northgate/Settings/Tenants/Add',
  ])
    assert.ok(isPagePath(path), path)
  for (const path of [
    '/wp-login.php',
    '/.env',
    '/robots.txt',
    '/login',
    '/api',
    '/northgate/Nonsense',
    '/northgate/Dashboard/more',
    '/northgate/EmergencyLights/7f/telemetry/more',
    '/northgate/Settings/nonsense',
    '/a/b/c',
    '/..%2fetc',
  ])
    assert.ok(!isPagePath(path), path)
})

test('the first segment of every page below a client is an area', () => {
  const areas = pagePaths.flatMap((path) => path.split('/').slice(2, 3))
  for (const area of areas) assert.ok((placeAreas as readonly string[]).includes(area), area)
})

test('names of the server, of sign-in and of pages are reserved', () => {
  for (const name of ['api', 'login', 'callback', 'add', 'dashboard', 'settings'])
    assert.ok(reservedSegments.includes(name), name)
  for (const name of ['tags', '$tenantid', '']) assert.ok(!reservedSegments.includes(name), name)
})
