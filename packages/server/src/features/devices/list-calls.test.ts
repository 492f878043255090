import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { previewSelection } from '@caretaker/contract/actions.ts'
import { fetchViewData, getFieldChoices, shouldUpdateView } from '@caretaker/contract/devices.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { listingNames, listings } from '@caretaker/rules/devices/list.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { setStatus } from '../../testing/statuses.ts'

let app: TestApp
const tenant = 'north'
const manager = 'manager@north.test'
const limited = 'limited@north.test'
const hidden = 'manager@hiding.test'
const memberOf = (role: string) => `${role}@north.test`.toLowerCase()
let others: string

beforeAll(async () => {
  app = await testApp()
  const features: Feature[] = ['HideCustomerPersonalData']
  await app.addTenant(tenant)
  await app.addTenant('hiding', { features })
  await app.addTenant('south')
  const patch = await addAccessRightsTag(app, tenant, 'East Patch')
  for (const role of roles) if (role !== 'Manager') await app.addMember(tenant, memberOf(role), role)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [patch])
  await app.addMember('hiding', hidden, 'Manager')
  await app.addMember('south', 'manager@south.test', 'Manager')
  await addDevice(app, tenant, { name: 'Stair A', accessRightsTagId: patch })
  others = await addDevice(app, tenant, { name: 'stair B 100%' })
  await addDevice(app, tenant, { name: 'Corridor' })
  await addDevice(app, tenant, { product: 'BX', name: 'Kitchen boiler' })
  await addDevice(app, tenant, { product: 'ADEY', name: 'Filter' })
  await addDevice(app, tenant, { product: 'ADEY', name: 'Filter' })
  await addDevice(app, 'south', { name: 'Stair A of the south' })
  await addDevice(app, 'hiding', { name: 'Stair A' })
})
afterAll(() => app.close())

const page = (body: object, email = manager) => app.send(fetchViewData, { body: { tenant, ...body } }, email)
const namesOf = (data: { rows: { deviceDisplayName: string }[] } | null) =>
  data!.rows.map((row) => row.deviceDisplayName).toSorted()

test('with an empty body the view data are those of the first listing that the user may see [core-7.1-14]', async () => {
  const { status, body } = await page({})
  assert.equal(status, 200)
  assert.deepEqual(namesOf(body.data), ['Corridor', 'Stair A', 'stair B 100%'])
  assert.deepEqual(
    { total: body.data!.total, outOf: body.data!.outOf, page: body.data!.page, pageSize: body.data!.pageSize },
    { total: 3, outOf: 3, page: 1, pageSize: 100 },
  )
  const boilers = await page({}, memberOf('BoilerEngineer'))
  assert.deepEqual(namesOf(boilers.body.data), ['Kitchen boiler'])
})

test('view data name their page, view and client [core-3-33]', async () => {
  const ownView = await page({})
  assert.deepEqual(ownView.body.data!.context, { page: 1, tenantId: tenant, viewId: 'emered-main' })
  const past = await page({ viewId: 'emered-installed', page: 7 })
  assert.deepEqual(past.body.data!.context, { page: 1, tenantId: tenant, viewId: 'emered-installed' })
})

test('a preset view filters, and filters in the call override it', async () => {
  const preset = await page({ viewId: 'emered-installed' })
  assert.equal(preset.body.data!.total, 3)
  assert.equal((await page({ viewId: 'emered-failed' })).body.data!.total, 0)
  assert.equal((await page({ viewId: 'emered-failed', filters: [] })).body.data!.total, 3)
  assert.deepEqual(namesOf((await page({ viewId: 'boiler-main' })).body.data), ['Kitchen boiler'])
})

const bad: [what: string, body: object, status: number, message: RegExp, field?: string][] = [
  ['a listing', { listing: 'Toasters' }, 400, /./, 'listing'],
  ['a view', { viewId: 'no-such-view' }, 404, /Not found/],
  ['a view of another listing', { listing: 'Boilers', viewId: 'emered-failed' }, 404, /Not found/],
  ['a field to filter', { filters: [{ fieldId: 'colour', value: 'red' }] }, 400, /no field 'colour'/, 'filters.0'],
  ['a field of another listing', { filters: [{ fieldId: 'fault', value: 'x' }] }, 400, /no field 'fault'/, 'filters.0'],
  ['a field that has no filter', { filters: [{ fieldId: 'firmware', value: 'x' }] }, 400, /cannot be filtered by/],
  ['an operator', { filters: [{ fieldId: 'name', filterOp: 'like', value: 'x' }] }, 400, /./, 'filters.0.filterOp'],
  ['an operator of another kind', { filters: [{ fieldId: 'name', filterOp: 'from', value: 'x' }] }, 400, /compared by/],
  ['a day', { filters: [{ fieldId: 'lastTest', value: '2026-02-31' }] }, 400, /needs a day/, 'filters.0'],
  ['the last day', { filters: [{ fieldId: 'lastTest', filterOp: 'to', value: '9999-12-31' }] }, 400, /needs a day/],
  ['a value', { filters: [{ fieldId: 'name', value: 7 }] }, 400, /needs a text/, 'filters.0'],
  ['a field to sort by', { sorts: [{ fieldId: 'constructor' }] }, 400, /no field 'constructor'/, 'sorts.0'],
  ['a field that has no order', { sorts: [{ fieldId: 'tags' }] }, 400, /cannot be sorted by/, 'sorts.0'],
  ['a page', { page: 0 }, 400, /./, 'page'],
  ['a page that is no number', { page: 'last' }, 400, /./, 'page'],
  ['a page size', { pageSize: 25 }, 400, /A page can have 100 rows here/, 'pageSize'],
  ["a grid's page size", { listing: 'VStats', pageSize: 10 }, 400, /A page can have 25, 50, 100 rows here/, 'pageSize'],
  ['a parameter', { order: 'name' }, 400, /./],
]
for (const [what, body, status, message, field] of bad)
  test(`an unknown ${what} is refused with a message`, async () => {
    const answer = await page(body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(answer.body.isSuccessful, false)
    assert.match(answer.body.message!, message)
    const fields = (answer.body['validationErrors'] as { field: string }[]).map((error) => error.field)
    if (field) assert.deepEqual(fields, [field])
  })

test('every invalid filter and order is named, not only the first', async () => {
  const { body } = await page({
    filters: [
      { fieldId: 'colour', value: 'red' },
      { fieldId: 'name', value: 'Stair A' },
      { fieldId: 'size', value: 1 },
    ],
    sorts: [{ fieldId: 'tags' }],
  })
  const fields = (body['validationErrors'] as { field: string }[]).map((error) => error.field)
  assert.deepEqual(fields, ['filters.0', 'filters.2', 'sorts.0'])
})

test('personal fields are unknown where they are hidden', async () => {
  for (const body of [{ filters: [{ fieldId: 'address', value: 'x' }] }, { sorts: [{ fieldId: 'postcode' }] }]) {
    assert.equal((await page({ ...body, tenant: 'hiding' }, hidden)).status, 400)
    assert.equal((await page(body)).status, 200)
  }
  const choices = { listing: 'EmergencyLights', fieldId: 'address' } as const
  assert.equal((await app.send(getFieldChoices, { body: { tenant: 'hiding', ...choices } }, hidden)).status, 400)
  assert.equal((await app.send(getFieldChoices, { body: { tenant, ...choices } }, manager)).status, 200)
})

for (const role of roles)
  test(`${role} gets the listings of the role and is refused the others`, async () => {
    const actor = { userId: '', memberId: '', tenant, role, tags: [], features: [], capabilities: [] }
    for (const listing of listingNames) {
      const expected = can(actor, listings[listing].may) ? 200 : 403
      const answers = await Promise.all([
        page({ listing }, memberOf(role)),
        app.send(previewSelection, { body: { tenant, selection: { query: { listing } } } }, memberOf(role)),
        app.send(getFieldChoices, { body: { tenant, listing, fieldId: 'serial' } }, memberOf(role)),
        page({ viewId: `${listings[listing].root}-main` }, memberOf(role)),
      ])
      for (const { status, body } of answers) assert.equal(status, expected, `${listing}: ${JSON.stringify(body)}`)
    }
  })

test("another tenant's rows are in no answer, and the tenant itself is not found", async () => {
  const found = await page({ search: 'south' })
  assert.deepEqual([found.body.data!.total, found.body.data!.outOf], [0, 3])
  const choices = await app.send(
    getFieldChoices,
    { body: { tenant, listing: 'EmergencyLights', fieldId: 'name' } },
    manager,
  )
  assert.deepEqual(choices.body.data, ['Corridor', 'Stair A', 'stair B 100%'])
  assert.equal((await page({ tenant: 'south' })).status, 404)
})

test('devices to act on are those that match, without read-only ones', async () => {
  const select = async (query: object, email: string) =>
    (await app.send(previewSelection, { body: { tenant, selection: { query } } }, email)).body.data!
  const found = await select({ listing: 'EmergencyLights', search: 'STAIR' }, manager)
  assert.deepEqual([found.total, found.readOnly], [2, 0])
  assert.deepEqual(await select({ listing: 'ThirdParty' }, memberOf('Guest')), { total: 0, readOnly: 2, actions: [] })
  assert.equal((await select({ listing: 'EmergencyLights' }, limited)).total, 1)
})

test('choices are the values that the user may see, searched case-insensitively', async () => {
  const choices = async (body: object, email = manager) =>
    (await app.send(getFieldChoices, { body: { tenant, listing: 'EmergencyLights', fieldId: 'name', ...body } }, email))
      .body
  assert.deepEqual((await choices({ search: 'STAIR' })).data, ['Stair A', 'stair B 100%'])
  assert.deepEqual((await choices({ search: '0%' })).data, ['stair B 100%'])
  assert.deepEqual((await choices({}, limited)).data, ['Stair A'])
  assert.deepEqual((await choices({ fieldId: 'status' })).data, ['Ok'])
  assert.deepEqual((await choices({ fieldId: 'accessRightsTag' })).data, ['East Patch'])
  for (const fieldId of ['lastTest', 'inWholesale', 'firmware', 'fault'])
    assert.match((await choices({ fieldId })).message!, /no values to choose from/)
  assert.equal((await choices({ fieldId: 'colour' })).isSuccessful, false)
})

test('a limited user sees no changes of devices of others, and nobody those of other products', async () => {
  const changes = async (email: string, deviceTypes: ('EM' | 'BX')[], date: string) =>
    (await app.send(shouldUpdateView, { body: { tenant, deviceTypes, date } }, email)).body.data!
  const { rows } = await app.database.owner.query<{ now: Date }>('select clock_timestamp() as now')
  const start = rows[0]!.now.toISOString()
  await inTenant(app.database.db, tenant, (tx) => setStatus(tx, others, 'FailedEquipment'))
  assert.deepEqual(await changes(manager, ['EM'], start), { shouldUpdate: true, deviceIds: [others] })
  assert.deepEqual(await changes(limited, ['EM'], start), { shouldUpdate: false, deviceIds: [] })
  assert.deepEqual(await changes(manager, ['BX'], start), { shouldUpdate: false, deviceIds: [] })
  assert.deepEqual(await changes(manager, [], start), { shouldUpdate: false, deviceIds: [] })
  const unknown = await app.send(
    shouldUpdateView,
    { body: { tenant, deviceTypes: ['XX' as 'EM'], date: start } },
    manager,
  )
  assert.equal(unknown.status, 400)
})

test('of many changes the last 1,000 are returned, the last one first', async () => {
  await app.addTenant('many')
  await app.addMember('many', 'manager@many.test', 'Manager')
  const { rows } = await app.database.owner.query<{ id: string }>(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     select 'many', gen_random_uuid(), 'EM1' || lpad(n::text, 6, '0'), 'EM', 'Light', 'EmergencyLights', 'Ok', 2
     from generate_series(1, 1200) n returning id`,
  )
  const since = new Date(Date.now() - 60_000).toISOString()
  const ids = rows.map((row) => row.id)
  for (const some of [ids.slice(0, 600), ids.slice(600)])
    await inTenant(app.database.db, 'many', (tx) => setStatus(tx, some, 'FailedEquipment'))
  const { body } = await app.send(
    shouldUpdateView,
    { body: { tenant: 'many', deviceTypes: ['EM'], date: since } },
    'manager@many.test',
  )
  const listed = body.data!.deviceIds
  assert.equal(listed.length, 1000)
  assert.deepEqual(listed.slice(0, 600).toSorted(), ids.slice(600).toSorted())
  assert.ok(listed.slice(600).every((id) => ids.slice(0, 600).includes(id)))
})

test('a range of days includes the last millisecond of its end day and not the first of the next [core-5-12 core-5-13 dev-5val-62]', async () => {
  await app.addTenant('dated')
  await app.addMember('dated', 'manager@dated.test', 'Manager')
  const tested = {
    'too early': '2026-10-31T23:59:59.999Z',
    first: '2026-11-01T00:00:00.000Z',
    last: '2026-11-20T23:59:59.999Z',
    'too late': '2026-11-21T00:00:00.000Z',
  }
  for (const [name, at] of Object.entries(tested)) {
    const id = await addDevice(app, 'dated', { name })
    await app.database.owner.query('update device set last_test_at = $2 where id = $1', [id, at])
  }
  const within = async (filters: object[]) =>
    namesOf((await page({ tenant: 'dated', filters }, 'manager@dated.test')).body.data)
  const from = { fieldId: 'lastTest', filterOp: 'from', value: '2026-11-01' }
  const to = { fieldId: 'lastTest', filterOp: 'to', value: '2026-11-20' }
  assert.deepEqual(await within([from, to]), ['first', 'last'])
  assert.deepEqual(await within([from]), ['first', 'last', 'too late'])
  assert.deepEqual(await within([to]), ['first', 'last', 'too early'])
  assert.deepEqual(await within([{ ...to, filterOp: 'equals' }]), ['last'])
})
