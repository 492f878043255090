import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { fetchViewData, getFieldChoices } from '@caretaker/contract/devices.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const [manager, limited] = ['manager@north.test', 'limited@north.test']

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  const east = await addAccessRightsTag(app, 'north', 'East')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', limited, 'Manager', [east])
  await app.addMember('south', 'manager@south.test', 'Manager')
  const add = (
    name: string,
    product: 'MG' | 'ZR' | 'EM',
    parentId?: string,
    accessRightsTagId?: string,
    tenant = 'north',
  ) =>
    addDevice(app, tenant, {
      ...{ name, product, serial: `${product}10000${name}` },
      ...(parentId && { parentId }),
      ...(accessRightsTagId && { accessRightsTagId }),
    })
  const roof = await add('01A', 'MG')
  const cellar = await add('02B', 'MG', undefined, east)
  const extender = await add('03C', 'ZR', roof)
  await add('11A', 'EM', roof, east)
  await add('12A', 'EM', extender)
  await add('13B', 'EM', cellar, east)
  await add('14Z', 'EM')
  await add('15S', 'EM', await add('01S', 'MG', undefined, undefined, 'south'), undefined, 'south')
})
afterAll(() => app.close())

async function rows(
  email: string,
  filters: ReturnType<typeof by>,
  listing: 'EmergencyLights' | 'NetworkingDevices' = 'EmergencyLights',
  tenant = 'north',
) {
  const { status, body } = await app.send(fetchViewData, { body: { tenant, listing, filters } }, email)
  assert.equal(status, 200, JSON.stringify(body))
  return body
    .data!.rows.map(({ deviceDisplayName, deviceGateway }) => `${deviceDisplayName} ${deviceGateway}`)
    .toSorted()
}
const by = (filterOp: 'equals' | 'anyof' | 'contains' | 'noneof' | 'present', value: string | string[] | boolean) => [
  { fieldId: 'gateway', filterOp, value },
]
const [roof, cellar] = ['MG1000001A', 'MG1000002B']

test('a light is found by its gateway, also through an extender', async () => {
  const behind = [`11A ${roof}`, `12A ${roof}`]
  assert.deepEqual(await rows(manager, by('equals', roof)), behind)
  assert.deepEqual(await rows(manager, by('anyof', [roof.toLowerCase(), cellar])), [...behind, `13B ${cellar}`])
  assert.deepEqual(await rows(manager, by('contains', '001a')), behind)
  assert.deepEqual(await rows(manager, by('contains', '%')), [])
  assert.deepEqual(await rows(manager, by('noneof', [roof])), [`13B ${cellar}`, '14Z null'])
  assert.deepEqual(await rows(manager, by('present', false)), ['14Z null'])
  assert.deepEqual(await rows(manager, by('equals', roof), 'NetworkingDevices'), [`03C ${roof}`])
})

test('a user who may not see a gateway neither reads its serial number nor finds devices by it', async () => {
  assert.deepEqual(await rows(limited, []), ['11A null', `13B ${cellar}`])
  assert.deepEqual(await rows(limited, by('equals', roof)), [])
  const choices = async (email: string, tenant: string) =>
    (
      await app.send(
        getFieldChoices,
        { body: { tenant, listing: 'EmergencyLights', fieldId: 'gateway', search: 'mg' } },
        email,
      )
    ).body.data
  assert.deepEqual(await choices(manager, 'north'), [roof, cellar])
  assert.deepEqual(await choices(limited, 'north'), [cellar])
  assert.deepEqual(await choices('manager@south.test', 'south'), ['MG1000001S'])
  assert.deepEqual(await rows('manager@south.test', by('equals', roof), 'EmergencyLights', 'south'), [])
})
