import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { addBuilding, getBuilding, updateBuilding } from '@caretaker/contract/buildings.ts'
import { addProperty, getProperty, putPropertyAddress, putPropertyDetails } from '@caretaker/contract/properties.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
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
  assert.equal(etag, 'W/"1"')
  const change = (numberOfRoom: number, ifMatch?: string, more: object = {}) =>
    call(putPropertyDetails, home, { numberOfRoom, ...more }, ifMatch)
  const first = await change(3, etag as string)
  assert.deepEqual([first.status, first.etag], [200, 'W/"2"'])
  const late = await change(4, etag as string)
  assert.deepEqual(
    [late.status, late.body.message],
    [412, 'Someone else has changed this property. Reload it and try again.'],
  )
  assert.equal((await call(putPropertyAddress, home, { postcode: 'LS1 4DY' }, etag as string)).status, 412)
  assert.deepEqual([(await read()).body.numberOfRoom, (await read()).etag], [3, 'W/"2"'])
  // Strong ETags of the same version are accepted, a text that is no ETag of ours matches nothing, and * matches everything.
  assert.equal((await change(5, '"2"')).status, 200)
  for (const wrong of ['W/"x"', '2', '"2", "3"', 'W/"3']) assert.equal((await change(6, wrong)).status, 412, wrong)
  assert.equal((await change(6, '*')).status, 200)
  // Without the header as before, and with a version in the body that differs from the header.
  assert.equal((await change(7)).status, 200)
  assert.equal((await change(8, undefined, { version: 1 })).status, 409)
  assert.equal((await change(8, 'W/"5"', { version: 1 })).status, 412)
})

test('a building compares the version within its body', async () => {
  const oak = { name: 'Oak House', lat: 53.8, lng: -1.5, floors: [{ name: '1' }] }
  const made = await call(addBuilding, {}, { tenant, building: oak })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { buildingId: building } = made.body.data as { buildingId: string }
  const read = await call(getBuilding, {}, { tenant, building })
  assert.equal(read.etag, 'W/"1"')
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
  assert.deepEqual([renamed.status, renamed.etag], [200, 'W/"2"'], JSON.stringify(renamed.body))
  assert.equal((await call(updateBuilding, {}, wanted('Elm House'), read.etag as string)).status, 412)
})
