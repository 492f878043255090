import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { addBuilding, getBuilding, updateBuilding } from '@caretaker/contract/buildings.ts'
import { addProperty, getProperty, putPropertyAddress, putPropertyDetails } from '@caretaker/contract/properties.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await app.addMember(tenant, manager, 'Manager')
})
afterAll(() => app.close())

async function call(route: AnyRoute, params: Record<string, string>, body?: object, ifMatch?: string) {
  const answer = await app.app.inject({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name]!),
    headers: {
      authorization: `Bearer ${await app.token(manager)}`,
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    payload: body,
  })
  return { status: answer.statusCode, etag: answer.headers.etag, body: answer.json<Record<string, unknown>>() }
}

test('a property has its version as ETag, and a change based on another version is refused with 412', async () => {
  const added = await app.send(
    addProperty,
    { params: { tenant }, body: { address1: '1 Elm Road', postcode: 'LS1 4DY' } } as never,
    manager,
  )
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const home = { tenant, propertyId: added.body.propertyId }
  const read = () => call(getProperty, home)
  const { etag } = await read()
  assert.equal(etag, '"1"')
  const change = (numberOfRoom: number, ifMatch?: string, more: object = {}) =>
    call(putPropertyDetails, home, { numberOfRoom, ...more }, ifMatch)
  const first = await change(3, etag as string)
  assert.deepEqual([first.status, first.etag], [200, '"2"'])
  const late = await change(4, etag as string)
  assert.deepEqual(
    [late.status, late.body.message],
    [412, 'Someone else has changed this property. Reload it and try again.'],
  )
  assert.equal((await call(putPropertyAddress, home, { postcode: 'LS1 4DY' }, etag as string)).status, 412)
  assert.deepEqual([(await read()).body.numberOfRoom, (await read()).etag], [3, '"2"'])
  // An ETag that a proxy made weak is accepted, a text that is not an ETag of ours matches nothing, and * matches
  // everything.
  assert.equal((await change(5, 'W/"2"')).status, 200)
  for (const wrong of ['"x"', '2', '"3', '"1", "2"', '"1" "3"', ''])
    assert.equal((await change(6, wrong)).status, 412, wrong)
  assert.equal((await change(6, '*')).status, 200)
  // In a list, one version has to be current.
  const listed = await change(9, '"1", "x", "4"')
  assert.deepEqual([listed.status, listed.etag], [200, '"5"'], JSON.stringify(listed.body))
  // Without the header, as before; then with a version in the body, without the header and different from it.
  assert.equal((await change(7)).status, 200)
  assert.equal((await change(8, undefined, { version: 1 })).status, 409)
  assert.equal((await change(8, '"6"', { version: 1 })).status, 412)
  // Calls without a version do not ignore the header.
  const tag = await call(tenantCreateTag, {}, { tenant, name: 'Lobby' }, '"1"')
  assert.deepEqual([tag.status, tag.body.message], [400, 'This call does not accept If-Match.'])
})

test('a building compares the version within its body', async () => {
  const oak = { name: 'Oak House', lat: 53.8, lng: -1.5, floors: [{ name: '1' }] }
  const made = await call(addBuilding, {}, { tenant, building: oak })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { buildingId: building } = made.body.data as { buildingId: string }
  const read = await call(getBuilding, {}, { tenant, building })
  assert.equal(read.etag, '"1"')
  const { floors } = read.body.data as { floors: { floor: string; name: string }[] }
  const wanted = (name: string) => ({
    tenant,
    building: {
      building,
      name,
      floors: floors.map((one) => ({ floor: one.floor, name: one.name })),
      defaultFloor: null,
    },
  })
  const renamed = await call(updateBuilding, {}, wanted('Ash House'), read.etag as string)
  assert.deepEqual([renamed.status, renamed.etag], [200, '"2"'], JSON.stringify(renamed.body))
  assert.equal((await call(updateBuilding, {}, wanted('Elm House'), read.etag as string)).status, 412)
})
