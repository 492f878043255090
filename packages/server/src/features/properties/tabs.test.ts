import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getPropertyAudit } from '@caretaker/contract/property-audit.ts'
import { getPropertyLicences } from '@caretaker/contract/property-licences.ts'
import { audit } from '../../audit/audit.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const [manager, guest, limited, elsewhere, stranger, bare] = [
  'manager@north.test',
  'guest@north.test',
  'limited@north.test',
  'elsewhere@north.test',
  'manager@south.test',
  'manager@bare.test',
]
const flags = { features: ['PropertyCentric'], capabilities: ['ViewProperties'] } as const
let app: TestApp
let patch: string
const [home, other, theirs] = [randomUUID(), randomUUID(), randomUUID()]
const devices: Record<'boiler' | 'dot' | 'moved', string> = { boiler: '', dot: '', moved: '' }

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south'])
    await app.addTenant(id, {
      features: [...flags.features, 'ManagedService', 'AuditTab'],
      capabilities: ['ViewProperties'],
    })
  await app.addTenant('bare', { features: [...flags.features], capabilities: [...flags.capabilities] })
  patch = await addAccessRightsTag(app, 'north', 'Patch')
  const far = await addAccessRightsTag(app, 'north', 'Far')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('north', limited, 'Manager', [patch])
  await app.addMember('north', elsewhere, 'Manager', [far])
  await app.addMember('south', stranger, 'Manager')
  await app.addMember('bare', bare, 'Manager')
  devices.boiler = await addDevice(app, 'north', {
    product: 'BX',
    serial: 'BX1000001A',
    name: '',
    accessRightsTagId: patch,
  })
  devices.dot = await addDevice(app, 'north', { product: 'MD', serial: 'MD1000002B', name: 'Bedroom dot' })
  devices.moved = await addDevice(app, 'north', { product: 'MD', serial: 'MD1000003C' })
  await addHome('north', home, patch)
  await addHome('north', other, null)
  await addHome('south', theirs, null)
  await addHome('bare', theirs, null)
  await inTenant(app.database.db, 'north', async (tx) => {
    const put = (id: string, property_id: string) =>
      tx.updateTable('device').set({ property_id }).where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
    await put(devices.boiler, home)
    await put(devices.dot, home)
    await put(devices.moved, other)
    const bought = { tenant_id: tx.tenant, type: 'SaaS Standard', period_months: 24, renewed_on: null }
    await tx
      .insertInto('device_licence')
      .values([
        { ...bought, id: randomUUID(), device_id: devices.boiler, start_on: '2025-03-04' },
        { ...bought, id: randomUUID(), device_id: devices.dot, start_on: '2024-02-29', renewed_on: '2026-02-28' },
        { ...bought, id: randomUUID(), device_id: devices.moved, start_on: '2025-01-01' },
      ])
      .execute()
    await tx
      .insertInto('licence')
      .values(
        [home, other, null].map((property_id) => ({
          ...{ tenant_id: tx.tenant, id: randomUUID(), type: 'Healthy Homes', property_id },
          ...{ start_on: '2026-04-01', period_months: 12, renewed_on: null },
        })),
      )
      .execute()
  })
})
afterAll(() => app.close())

async function addHome(tenant: string, id: string, tag: string | null) {
  await inTenant(app.database.db, tenant, (tx) =>
    tx
      .insertInto('property')
      .values({
        ...{ tenant_id: tenant, id, reference: `NG-${id.slice(0, 8)}`, address1: '1 Hill', postcode: 'LS6 1AB' },
        ...{ town: 'Leeds', county: '', latitude: null, longitude: null, access_rights_tag_id: tag },
      })
      .execute(),
  )
}

const licences = (propertyId: string, email: string, tenant = 'north') =>
  app.send(getPropertyLicences, { params: { tenant, propertyId } }, email)
const audits = (propertyId: string, email: string, more: object = {}, tenant = 'north') =>
  app.send(getPropertyAudit, { params: { tenant }, query: { propertyId, ...more } }, email)

test('a property lists the packages of its devices and its own licences, by day, with their ends [est-7.2-7 est-3-18 est-3-19]', async () => {
  const { status, body } = await licences(home, manager)
  assert.equal(status, 200)
  const bought = { licenceType: 'SaaS Standard', saasPeriod: 24 }
  assert.deepEqual(body.deviceLicences, [
    {
      ...{ deviceId: devices.dot, device: 'Multi-dot', serialNumber: 'MD1000002B', ...bought },
      ...{ saasStartDate: '2024-02-29', saasEndDate: '2028-02-28', saasRenewedDate: '2026-02-28' },
    },
    {
      ...{ deviceId: devices.boiler, device: 'Boiler control module', serialNumber: 'BX1000001A', ...bought },
      ...{ saasStartDate: '2025-03-04', saasEndDate: '2027-03-04', saasRenewedDate: null },
    },
  ])
  assert.deepEqual(
    body.propertyLicences.map(({ licenceId, ...shown }) => [typeof licenceId, shown]),
    [
      [
        'string',
        {
          ...{ licenceType: 'Healthy Homes', saasPeriod: 12 },
          ...{ saasStartDate: '2026-04-01', saasEndDate: '2027-04-01', saasRenewedDate: null },
        },
      ],
    ],
  )
})

test('a limited user gets the devices that they see; other properties, tenants and clients without the feature give nothing', async () => {
  const { body } = await licences(home, limited)
  assert.deepEqual(
    body.deviceLicences.map(({ deviceId }) => deviceId),
    [devices.boiler],
  )
  assert.equal((await licences(home, guest)).status, 200)
  assert.equal((await licences(home, elsewhere)).status, 404)
  assert.equal((await licences(theirs, manager)).status, 404)
  assert.equal((await licences(randomUUID(), manager)).status, 404)
  assert.equal((await licences(home, stranger, 'south')).status, 404)
  assert.equal((await licences(theirs, bare, 'bare')).status, 403)
})

test('the audit of a property and its devices is listed newest first, in pages [est-7.2-12 est-3-23]', async () => {
  const known = await app.database.owner.query<{ id: string }>('select id from person where email = $1', [manager])
  const person = { id: known.rows[0]!.id, name: 'Priya Nair' }
  const record = (change: Omit<Parameters<typeof audit>[1], 'person'>) =>
    inTenant(app.database.db, 'north', (tx) => audit(tx, { person, ...change }))
  const device = (id: string, name: string) => ({ type: 'device' as const, id, name })
  await record({
    action: 'property details changed',
    subject: { type: 'property', id: home, name: '1 Hill' },
    before: { epcRating: null },
    after: { epcRating: 'D' },
  })
  await record({ action: 'property added', subject: { type: 'property', id: other, name: '2 Hill' } })
  await record({ action: 'device tags changed', subject: device(devices.dot, 'MD1000002B') })
  await record({ action: 'boiler reset requested', subject: device(devices.boiler, 'BX1000001A') })
  await record({ action: 'device tags changed', subject: device(devices.moved, 'MD1000003C') })
  const { status, body } = await audits(home, manager)
  assert.equal(status, 200)
  assert.equal(body.total, 3)
  assert.deepEqual(
    body.results.map(({ description }) => description),
    ['Boiler reset requested, BX1000001A', 'Device tags changed, MD1000002B', 'Property details changed'],
  )
  const { auditId, dateTime, ...shown } = body.results[2]!
  assert.ok(auditId && Date.parse(dateTime) <= Date.now() + 1000)
  assert.deepEqual(shown, {
    ...{ description: 'Property details changed', userId: person.id, userName: 'Priya Nair' },
    ...{ before: { epcRating: null }, after: { epcRating: 'D' } },
  })
  const second = await audits(home, manager, { page: 2, pageSize: 2 })
  assert.deepEqual([second.body.total, second.body.results.length], [3, 1])

  const few = await audits(home, limited)
  assert.deepEqual(
    few.body.results.map(({ description }) => description),
    ['Boiler reset requested, BX1000001A', 'Property details changed'],
  )
  for (const [id, email, tenant] of [
    [home, elsewhere, 'north'],
    [theirs, manager, 'north'],
    [home, stranger, 'south'],
  ] as const)
    assert.equal((await audits(id, email, {}, tenant)).status, 404, `${email} of ${id}`)
  assert.equal((await audits(theirs, bare, {}, 'bare')).status, 403)
  assert.equal((await audits('nonsense', manager)).status, 400)
  assert.equal((await audits(home, manager, { pageSize: 101 })).status, 400)
})
