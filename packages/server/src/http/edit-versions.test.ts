import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getDeviceTags, updateDeviceTags } from '@caretaker/contract/actions.ts'
import { getAwaabsLawFigures, putAwaabsLawFigures } from '@caretaker/contract/awaabs-law.ts'
import { getBoiler, putBcmSettings, updateChSetPoint } from '@caretaker/contract/boilers.ts'
import { changeComplianceFigures, getComplianceFigures } from '@caretaker/contract/compliance.ts'
import {
  getEmered,
  getNetworkingDevice,
  updateDeviceBuildingLocation,
  updateDeviceGeoLocation,
} from '@caretaker/contract/devices.ts'
import {
  getBatteryLimits,
  putBatteryLimits,
  updateEmeredMonitoredLedCircuit,
  updateEmeredOperation,
} from '@caretaker/contract/equipment.ts'
import { getResidentAppSettings, setResidentAppSettings } from '@caretaker/contract/residents.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { setDeviceAccessRightsTag, tenantCreateTag } from '@caretaker/contract/tags.ts'
import {
  editTenant,
  getTenantSetup,
  setTimeZone,
  setUnknownMetrics,
} from '@caretaker/contract/tenant-administration.ts'
import { getSignInPolicy, setSignInPolicy } from '@caretaker/contract/tenants.ts'
import { inTenant } from '../postgres/tenant.ts'
import { makeKey } from '../testing/api-key.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../testing/furnish/devices.ts'

const tenant = 'north'
const [manager, guest, stranger] = ['manager@north.test', 'guest@north.test', 'manager@south.test']
const vendor = 'developer@north.test'
const params = { tenant }
let app: TestApp
let light: string
let key: string
beforeAll(async () => {
  app = await testApp()
  const flags = { features: ['PropertyCentric', 'AwaabsLaw', 'HomeHub'], capabilities: ['ViewProperties'] } as const
  await app.addTenant(tenant, { features: [...flags.features], capabilities: [...flags.capabilities] })
  await app.addTenant('south')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, vendor, 'Developer')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember('south', stranger, 'Manager')
  light = await addDevice(app, tenant)
  key = await makeKey(app, tenant, manager)
})
afterAll(() => app.close())

interface Sent {
  params?: Record<string, string>
  body?: object
  ifMatch?: string
  as?: string
}

async function call(route: AnyRoute, { params: named = {}, body, ifMatch, as = manager }: Sent) {
  const answer = await app.app.inject({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name]!),
    headers: {
      authorization: `Bearer ${as === key ? key : await app.token(as)}`,
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    payload: body,
  })
  const text = answer.body
  const content = (text ? JSON.parse(text) : {}) as Record<string, unknown> & { data?: Record<string, unknown> }
  return { status: answer.statusCode, etag: answer.headers.etag as string | undefined, body: content }
}

const ofLight = (more: object = {}) => ({ tenant, deviceId: light, ...more })
const read = () => call(getEmered, { body: ofLight() })
const place = (room: string, sent: Sent = {}) =>
  call(updateDeviceBuildingLocation, { body: ofLight({ room }), ...sent })

test('a device has its version as ETag, and an edit based on another version changes nothing', async () => {
  const { etag, body } = await read()
  assert.equal(etag, `"${String(body.data!['version'])}"`)
  const first = await place('Plant room', { ifMatch: etag! })
  assert.equal(first.status, 200)
  assert.notEqual(first.etag, etag)
  assert.equal((await read()).etag, first.etag)
  const late = await place('Loft', { ifMatch: etag! })
  assert.deepEqual(
    [late.status, late.body['isSuccessful'], late.body['message']],
    [412, false, 'Someone else has changed this device. Reload and try again.'],
  )
  assert.equal((await read()).body.data!['room'], 'Plant room')
  // The version in the body, without the header.
  const version = Number(/\d+/.exec(etag!)![0])
  assert.equal((await call(updateDeviceBuildingLocation, { body: ofLight({ room: 'Loft', version }) })).status, 409)
  // Without a version, changes are accepted as before.
  assert.equal((await place('Cellar')).status, 200)
  assert.equal((await place('Plant room', { ifMatch: '*' })).status, 200)
  // A reading changes no version.
  await inTenant(app.database.db, tenant, (tx) =>
    tx
      .updateTable('device')
      .set({ reported: { firmware: '2' } })
      .where('tenant_id', '=', tenant)
      .where('id', '=', light)
      .execute(),
  )
  assert.equal((await read()).etag, first.etag)
})

test('every edit of a device has another version as its result, and rejects an old one', async () => {
  const tag = (await app.send(tenantCreateTag, { body: { tenant, name: 'Lobby' } }, manager)).body.data!.id
  const accessRightsTagId = await addAccessRightsTag(app, tenant, 'East')
  const edits: [AnyRoute, Sent][] = [
    [updateDeviceBuildingLocation, { body: ofLight({ location: 'Stair' }) }],
    [updateDeviceGeoLocation, { body: ofLight({ latitude: 53.8, longitude: -1.5 }) }],
    [updateDeviceTags, { body: ofLight({ tagIds: [tag] }) }],
    [
      setDeviceAccessRightsTag,
      { params: { tenant, deviceId: light }, body: { accessRightsTagId: accessRightsTagId as unknown } },
    ],
    [updateEmeredMonitoredLedCircuit, { body: ofLight({ monitoredLedCircuit: 'single' }) }],
    [updateEmeredOperation, { body: ofLight({ keySwitch: 'Cupboard' }) }],
  ]
  for (const [route, sent] of edits) {
    const before = (await read()).etag!
    const edited = await call(route, { ...sent, ifMatch: before })
    assert.ok([200, 204].includes(edited.status), `${route.path} ${JSON.stringify(edited.body)}`)
    const after = (await read()).etag!
    assert.notEqual(after, before, route.path)
    if (route.reply) assert.equal(edited.etag, after, route.path)
    assert.equal((await call(route, { ...sent, ifMatch: before })).status, 412, route.path)
  }
  assert.equal((await call(getDeviceTags, { body: ofLight() })).etag, (await read()).etag)
})

test('of several edits at the same time that are based on one version, one wins', async () => {
  const { etag } = await read()
  const rooms = Array.from({ length: 6 }, (_, at) => `Room ${at}`)
  const answers = await Promise.all(rooms.map((room) => place(room, { ifMatch: etag! })))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 412, 412, 412, 412, 412],
  )
  const won = rooms[answers.findIndex(({ status }) => status === 200)]
  assert.equal((await read()).body.data!['room'], won)
})

test('a right is checked before the version: others learn and change nothing', async () => {
  const { etag, body } = await read()
  for (const ifMatch of [etag!, '"1"']) {
    assert.equal((await place('Mine', { ifMatch, as: guest })).status, 403)
    assert.equal((await place('Mine', { ifMatch, as: stranger })).status, 404)
    const unknown = { ...ofLight(), tenant: 'south', room: 'Mine' }
    assert.equal((await call(updateDeviceBuildingLocation, { body: unknown, ifMatch, as: stranger })).status, 404)
  }
  assert.equal((await call(getEmered, { body: ofLight(), as: stranger })).status, 404)
  assert.deepEqual((await read()).body.data!['room'], body.data!['room'])
  // An API key is treated like a person.
  assert.equal((await place('By key', { ifMatch: '"1"', as: key })).status, 412)
  assert.equal((await place('By key', { ifMatch: etag!, as: key })).status, 200)
})

test('gateways and boilers too: a request of a setting changes the version of the boiler', async () => {
  const gateway = await addDevice(app, tenant, { product: 'MG' })
  assert.match((await call(getNetworkingDevice, { body: { tenant, deviceId: gateway } })).etag!, /^"\d+"$/)
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const body = { tenant, deviceId: boiler }
  const { etag } = await call(getBoiler, { body })
  const wanted = { body: { ...body, chSetPoint: 60 }, ifMatch: etag! }
  const first = await call(updateChSetPoint, wanted)
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal((await call(updateChSetPoint, { ...wanted, body: { ...body, chSetPoint: 55 } })).status, 412)
  assert.equal(first.etag, (await call(getBoiler, { body })).etag)
  const water = { params: { tenant, id: boiler }, body: { dhwSetPoint: 50 } }
  assert.equal((await call(putBcmSettings, { ...water, ifMatch: etag! })).status, 412)
  assert.equal((await call(putBcmSettings, { ...water, ifMatch: first.etag! })).status, 200)
})

const contacts = (residentAppContactEmail: string) => ({
  residentAppContactEmail,
  residentAppContactPhoneNumber: '+441134960142',
})

test('settings of a client have a version, and a change based on another version changes nothing', async () => {
  const law = (await call(getAwaabsLawFigures, { params })).body
  const { version: _, ...figures } = law
  const policy = { secondFactorRoles: [], idleMinutes: 60, sessionHours: 12 }
  const gas = { tenant, type: 'GasSafety', figures: { months: 12, window: 2, notice: 21 } }
  const edits: [AnyRoute, AnyRoute, Sent][] = [
    [getResidentAppSettings, setResidentAppSettings, { params, body: contacts('help@north.test') }],
    [getBatteryLimits, putBatteryLimits, { params, body: { isWide: true } }],
    [
      getAwaabsLawFigures,
      putAwaabsLawFigures,
      { params, body: { ...figures, summary: (figures['summary'] as number) - 1 } },
    ],
    [getComplianceFigures, changeComplianceFigures, { body: gas }],
    [getSignInPolicy, setSignInPolicy, { params, body: policy, as: vendor }],
    [getTenantSetup, editTenant, { body: { id: tenant, name: 'North Homes', contact: 'Ann' }, as: vendor }],
    [getTenantSetup, setTimeZone, { params, body: { timeZone: 'Europe/Paris' }, as: vendor }],
    [getTenantSetup, setUnknownMetrics, { params, body: { areKept: true }, as: vendor }],
  ]
  for (const [reader, writer, sent] of edits) {
    const asked = { params, ...(reader.method === 'POST' && { body: params }), as: sent.as ?? manager }
    const version = async () => (await call(reader, asked)).etag!
    const before = await version()
    const edited = await call(writer, { ...sent, ifMatch: before })
    assert.ok([200, 204].includes(edited.status), `${writer.path} ${edited.status} ${JSON.stringify(edited.body)}`)
    const after = await version()
    assert.notEqual(after, before, writer.path)
    if (writer.reply) assert.equal(edited.etag, after, writer.path)
    const late = await call(writer, { ...sent, ifMatch: before })
    assert.deepEqual(
      [late.status, late.body['message']],
      [412, 'Someone else has changed these settings. Reload and try again.'],
      writer.path,
    )
    assert.equal(await version(), after, writer.path)
  }
})

test('of several changes of settings at the same time, one wins; a guest and another client change none', async () => {
  const { etag } = await call(getResidentAppSettings, { params })
  const emails = Array.from({ length: 5 }, (_, at) => `${at}@north.test`)
  const set = (email: string, as = manager, ifMatch = etag!) =>
    call(setResidentAppSettings, { params, body: contacts(email), ifMatch, as })
  assert.equal((await set('guest@north.test', guest)).status, 403)
  assert.equal((await set('south@south.test', stranger)).status, 404)
  const answers = await Promise.all(emails.map((email) => set(email)))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 412, 412, 412, 412],
  )
  const won = emails[answers.findIndex(({ status }) => status === 200)]
  const { body } = await call(getResidentAppSettings, { params })
  assert.equal(body['residentAppContactEmail'], won)
  assert.equal((await set(`${randomUUID()}@north.test`, manager, '"1"')).status, 412)
})
