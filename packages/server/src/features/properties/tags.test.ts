import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { addTagToDevice, removeDevice, updateDeviceTags } from '@caretaker/contract/actions.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { commitImport, getImport, undoImport, uploadImport } from '@caretaker/contract/imports.ts'
import { fetchProperties } from '@caretaker/contract/properties.ts'
import { deleteAccessRightsTag, setDeviceAccessRightsTag, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { runImports } from '../imports/job.ts'
import { lookAtTags, rewriteTagSets } from './tags.ts'

const tenant = 'north'
const [manager, limited, lights] = ['manager@north.test', 'limited@north.test', 'lights@north.test']
let app: TestApp
let patch: string
let spare: string
const [one, other] = [randomUUID(), randomUUID()]
const [damp, winter] = [randomUUID(), randomUUID()]
let boiler: string
let light: string

beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  patch = await addAccessRightsTag(app, tenant, 'Patch')
  spare = await addAccessRightsTag(app, tenant, 'Spare')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [patch])
  await app.addMember(tenant, lights, 'LightingEngineer')
  boiler = await addDevice(app, tenant, { product: 'BX', serial: 'BX1000001A', accessRightsTagId: patch })
  light = await addDevice(app, tenant, { product: 'EM', serial: 'EM1000002B' })
  for (const [id, reference] of [
    [one, 'H-1'],
    [other, 'H-2'],
  ])
    await run('insert into property (tenant_id, id, reference, access_rights_tag_id) values ($1, $2, $3, $4)', [
      ...[id, reference, patch],
    ])
  await run('update device set property_id = $2 where tenant_id = $1', [one])
  for (const [id, name] of [
    [damp, 'Damp'],
    [winter, 'Winter'],
  ])
    await run('insert into tag (tenant_id, id, name) values ($1, $2, $3)', [id, name])
})
afterAll(() => app.close())

const run = (text: string, values: unknown[] = []) => app.database.owner.query(text, [tenant, ...values])

/** The properties that each user finds by a tag. */
async function found(name: string, filterOp: 'anyof' | 'noneof' = 'anyof'): Promise<string[]> {
  const answers = [manager, limited, lights].map(async (email) => {
    const filters = [{ fieldId: 'tags', filterOp, value: [name] }]
    const { body } = await app.send(fetchProperties, { body: { tenant, filters } }, email)
    return body.data!.rows.map(({ propertyReference }) => propertyReference).join()
  })
  return Promise.all(answers)
}

/** The result is the same before and after the job has run, which leaves nothing to do. */
async function expect(name: string, ...homes: string[]): Promise<void> {
  assert.deepEqual(await found(name), homes)
  await rewriteTagSets(app.database.db, tenant)
  assert.deepEqual(await found(name), homes)
  const { rows } = await run(`select from property_retagged where tenant_id = $1
    union all select from property where tenant_id = $1 and tag_set is null`)
  assert.equal(rows.length, 0)
}

const put = (tagIds: string[], deviceId: string) =>
  app.send(updateDeviceTags, { body: { tenant, deviceId, tagIds } }, manager)
const move = (deviceId: string, propertyId: string | null) =>
  app.send(updateDeviceBuildingLocation, { body: { tenant, deviceId, propertyId } }, manager)
const limit = (accessRightsTagId: string | null) =>
  app.send(setDeviceAccessRightsTag, { params: { tenant, deviceId: boiler }, body: { accessRightsTagId } }, manager)

test('properties are found by the tags of the devices that the user sees, immediately after any change', async () => {
  await expect('damp', '', '', '')
  await app.send(addTagToDevice, { body: { tenant, deviceId: boiler, tagId: damp } }, manager)
  await expect('damp', 'H-1', 'H-1', '')
  assert.deepEqual(await found('Damp', 'noneof'), ['H-2', 'H-2', 'H-1,H-2'])

  await put([damp, winter], light)
  await expect('WINTER', 'H-1', '', 'H-1')
  await put([], boiler)
  await expect('damp', 'H-1', '', 'H-1')
  await put([damp], boiler)

  await limit(null)
  await expect('damp', 'H-1', '', 'H-1')
  await limit(patch)
  await expect('damp', 'H-1', 'H-1', 'H-1')

  await move(light, other)
  await expect('winter', 'H-2', '', 'H-2')
  await expect('damp', 'H-1,H-2', 'H-1', 'H-2')
  await move(boiler, null)
  await expect('damp', 'H-2', '', 'H-2')
  await move(boiler, one)
  await expect('damp', 'H-1,H-2', 'H-1', 'H-2')

  await app.send(removeDevice, { body: { tenant, deviceId: light } }, manager)
  await expect('damp', 'H-1', 'H-1', '')
})

test('a list that adds tags to devices or moves them, and its undo, take effect at once', async () => {
  const content = ['Serial number,Property reference,Tags', 'BX1000001A,H-2,Winter', 'EM1000003C,H-1,Damp'].join('\n')
  const file = new File([content], 'devices.csv')
  const { body } = await app.send(uploadImport, { form: { tenant, file } }, manager)
  const { importId } = body.data!
  await runImports(app.context)
  const { revision, state } = (await app.send(getImport, { body: { tenant, importId } }, manager)).body.data!
  assert.equal(state, 'planned')
  await app.send(commitImport, { body: { tenant, importId, revision } }, manager)
  await runImports(app.context)
  await expect('winter', 'H-2', 'H-2', '')
  // A list adds tags to those of a device.
  await expect('damp', 'H-1,H-2', 'H-2', 'H-1')
  await app.send(undoImport, { body: { tenant, importId } }, manager)
  await runImports(app.context)
  await expect('winter', '', '', '')
  await expect('damp', 'H-1', 'H-1', '')
})

test('an unannounced change is found when all properties are checked', async () => {
  await run('insert into device_tag (tenant_id, device_id, tag_id) values ($1, $2, $3)', [boiler, winter])
  assert.deepEqual(await found('winter'), ['', '', ''])
  await run(`insert into due (work, tenant_id, due_at) values ('look at tags of homes', $1, 'epoch')`)
  assert.equal(await lookAtTags(app.database.db), 1)
  await expect('winter', 'H-1', 'H-1', '')
})

test('a deleted tag is on no property, and a device that loses its access rights tag with it is not seen by it', async () => {
  await app.send(tenantDeleteTag, { body: { tenant, id: winter } }, manager)
  await expect('winter', '', '', '')
  // Tags of users cannot be deleted, so no user may have it.
  await run('update membership set tag_ids = array[$2::uuid] where tenant_id = $1 and tag_ids = array[$3::uuid]', [
    ...[spare, patch],
  ])
  await run('update property set access_rights_tag_id = $2 where tenant_id = $1', [spare])
  const { status } = await app.send(deleteAccessRightsTag, { params: { tenant, id: patch } }, manager)
  assert.equal(status, 204)
  await expect('damp', 'H-1', '', '')
  const { rows } = await run('select id from tag_set where tenant_id = $1')
  assert.equal(rows.length, 1, 'sets that no home has are gone')
})
