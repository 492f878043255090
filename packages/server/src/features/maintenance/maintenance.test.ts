import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { addBoilerWaterTreatmentRecord, getBoilerRecords } from '@caretaker/contract/compliance.ts'
import { getDeviceConditions, recordDeviceRepair } from '@caretaker/contract/conditions.ts'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import {
  addDeviceNote,
  addRepairPhoto,
  boilerRepairForm,
  emeredRepairForm,
  getAllDeviceForms,
  getBoilerRepairForms,
  getDeviceNotes,
  getDeviceRepairForms,
  getEmeredRepairForms,
  getLiftMonitorsForms,
  getNetworkDevicesForms,
  getPeopleCountersForms,
  getRepairPhoto,
} from '@caretaker/contract/maintenance.ts'
import { removeDevice } from '@caretaker/contract/actions.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { jpegOf } from '../../testing/photos.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const lighting = 'lighting@north.test'
const boilers = 'boiler@north.test'
const today = dayAt(Date.now(), 'Europe/London')
let app: TestApp
let patch: string
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-maintenance-'))
beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder })
  await app.addTenant(tenant)
  await app.addTenant('south')
  patch = await addAccessRightsTag(app, tenant, 'Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [patch])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const note = (deviceId: string, text: string, email = boilers, deviceType: Product = 'BX') =>
  app.send(addDeviceNote, { form: { tenant, deviceId, deviceType, note: text } }, email)
const notes = async (deviceId: string) =>
  (await app.send(getDeviceNotes, { body: { tenant, deviceId } }, manager)).body.data!
const boilerForm = (deviceId: string, description: string, email = boilers) =>
  app.send(boilerRepairForm, { form: { tenant, deviceId, description } }, email)
const lightForm = (deviceId: string, form: object, email = lighting) =>
  app.send(emeredRepairForm, { form: { tenant, deviceId, ...form } }, email)
const repairs = async (deviceId: string, deviceType: Product, email = manager) =>
  (await app.send(getDeviceRepairForms, { body: { tenant, deviceId, deviceType } }, email)).body.data!
const status = async (deviceId: string) =>
  (await app.send(getDeviceConditions, { body: { tenant, deviceId } }, manager)).body.data!.status

test('a note is stored as written, with author and time, newest first [dev-3ent-29 dev-7actions-25 dev-7actions-39]', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  assert.deepEqual(await notes(boiler), [])
  const began = Date.now()
  const first = await note(boiler, '  Key is with the <b>caretaker</b>\nof Alder House ')
  assert.deepEqual([first.status, first.body.message], [200, 'Form has successfully been submitted'])
  await note(boiler, 'Ring twice', manager)
  const [second, kept] = await notes(boiler)
  assert.deepEqual([second!.description, second!.user], ['Ring twice', 'manager'])
  assert.deepEqual(
    { ...kept, id: '', timestamp: '' },
    {
      ...{ id: '', timestamp: '', category: 'Note', data: {}, user: 'boiler' },
      description: 'Key is with the <b>caretaker</b>\nof Alder House',
    },
  )
  assert.ok(Date.parse(kept!.timestamp) >= began - 1000)
  const { rows } = await app.database.owner.query<{ after: object }>(
    `select after from audit_entry where subject_id = $1 and action = 'device note added' order by at`,
    [boiler],
  )
  assert.deepEqual(rows[0]!.after, { noteId: kept!.id, characters: kept!.description.length })
})

test('an empty or overlong note, or one for another device type or with control characters, is refused', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  for (const text of [' \n ', `<p>${'x'.repeat(100_000)}</p>`, 'nul \0']) {
    const refused = await note(boiler, text)
    assert.equal(refused.status, 400)
  }
  assert.equal((await note(boiler, 'Ring', boilers, 'BC')).status, 400)
  assert.deepEqual(await notes(boiler), [])
})

test('the repair form of a boiler is stored with its author, and the device counts as repaired [dev-7actions-27 dev-7actions-37]', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX', status: 'FailedEquipment' })
  const filled = await boilerForm(boiler, ' New fan ')
  assert.deepEqual(
    [filled.body.isSuccessful, filled.body.message, filled.body.data!.flickTestQueued],
    [true, 'Form has successfully been submitted', false],
  )
  assert.partialDeepStrictEqual(await repairs(boiler, 'BX'), [
    {
      ...{ id: filled.body.data!.id, category: 'Repair', description: 'New fan', user: 'boiler', deviceId: boiler },
      ...{ part: 'equipment', repairedBy: 'boiler', repairedOn: today },
    },
  ])
  assert.equal(await status(boiler), 'RepairedEquipment')
})

test('the repair form of a light has what was replaced, ends its failure and queues one flick test in place of an older one [dev-7actions-38]', async () => {
  const light = await addDevice(app, tenant, { status: 'FailedEquipment' })
  const filled = await lightForm(light, { battery: 'true', lamp: 'true', description: 'Two spares left' })
  assert.deepEqual(
    [filled.body.message, filled.body.data!.flickTestQueued],
    ['Device marked as repaired and flick test queued', true],
  )
  assert.equal(await status(light), 'RepairedEquipment')
  const [form] = await repairs(light, 'EM')
  assert.deepEqual([form!.data, form!.description], [{ battery: true, inverter: false, lamp: true }, 'Two spares left'])
  await lightForm(light, { inverter: 'true' })
  const { body } = await app.send(getDeviceCommands, { body: { tenant, deviceId: light } }, manager)
  assert.deepEqual(
    body.data!.map(({ name, args, status }) => [name, args, status]),
    [
      ['runTest', { testType: 'T0' }, 'queued'],
      ['runTest', { testType: 'T0' }, 'withdrawn'],
    ],
  )
})

test('an empty form is refused, and so is that of another kind of device', async () => {
  const [light, boiler] = [await addDevice(app, tenant), await addDevice(app, tenant, { product: 'BX' })]
  for (const answer of [await boilerForm(boiler, '  '), await lightForm(light, { battery: 'false' })])
    assert.deepEqual([answer.status, answer.body.message], [400, 'Form has not been completed'])
  for (const answer of [
    await boilerForm(light, 'New fan', lighting),
    await lightForm(boiler, { lamp: 'true' }, boilers),
  ])
    assert.equal(answer.body.isSuccessful, false)
  const stock = await addDevice(app, tenant, { product: 'BX', status: 'Inventory' })
  assert.equal((await boilerForm(stock, 'New fan')).body.isSuccessful, false)
  assert.deepEqual([await repairs(light, 'EM'), await repairs(boiler, 'BX'), await repairs(stock, 'BX')], [[], [], []])
})

test('a repair recorded with a name and a day is a form like others; all forms of a device are listed together [dev-7actions-26]', async () => {
  const light = await addDevice(app, tenant)
  await app.send(
    recordDeviceRepair,
    {
      body: {
        ...{ tenant, deviceId: light, part: 'device', repairedBy: 'Ada Fitter', repairedOn: '2026-01-05' },
        note: 'New circuit board',
      },
    },
    lighting,
  )
  await note(light, 'Ladder needed', lighting, 'EM')
  const { body } = await app.send(getAllDeviceForms, { body: { tenant, deviceId: light, deviceType: 'EM' } }, manager)
  assert.deepEqual(
    body.data!.map(({ category, description, user }) => [category, description, user]),
    [
      ['Note', 'Ladder needed', 'lighting'],
      ['Repair', 'New circuit board', 'lighting'],
    ],
  )
  assert.partialDeepStrictEqual(await repairs(light, 'EM'), [
    { part: 'device', repairedBy: 'Ada Fitter', repairedOn: '2026-01-05' },
  ])
})

test('the repair forms of a client are listed by kind of device, for visible devices [core-7.1-27 core-7.1-28 core-7.1-29 core-7.1-30 core-7.1-31]', async () => {
  const calls = {
    EM: getEmeredRepairForms,
    BX: getBoilerRepairForms,
    LM: getLiftMonitorsForms,
    PC: getPeopleCountersForms,
    ZG: getNetworkDevicesForms,
  } as const
  const seen = async (product: keyof typeof calls, email: string, body: object = {}) => {
    const answer = await app.send(calls[product], { body: { tenant, ...body } } as never, email)
    return answer.status === 200 ? answer.body.data! : answer.status
  }
  for (const product of Object.keys(calls) as (keyof typeof calls)[]) {
    const [first, second] = [
      await addDevice(app, tenant, { product }),
      await addDevice(app, tenant, { product, accessRightsTagId: patch }),
    ]
    for (const deviceId of [first, second])
      await app.send(
        recordDeviceRepair,
        { body: { tenant, deviceId, part: 'device', repairedBy: 'Ada', repairedOn: today, note: deviceId } },
        manager,
      )
    const all = await seen(product, manager)
    assert.ok(Array.isArray(all), product)
    assert.ok(all.every(({ productId }) => productId === product || product === 'BX'))
    assert.deepEqual(
      all.slice(0, 2).map(({ description }) => description),
      [second, first],
      product,
    )
    const earlier = await seen(product, manager, { before: all[0]!.timestamp })
    assert.ok(Array.isArray(earlier) && earlier.every(({ id }) => id !== all[0]!.id))
    const limited = await seen(product, 'limited@north.test')
    assert.deepEqual(Array.isArray(limited) && limited.map(({ deviceId }) => deviceId), [second], product)
    assert.equal(await seen(product, 'manager@south.test'), 404, product)
  }
  // Users who may not read the area get nothing of it.
  assert.equal(await seen('EM', boilers), 403)
  assert.equal(await seen('BX', lighting), 403)
})

test('users with read-only rights, another area or other devices write nothing; other clients find nothing', async () => {
  const [light, boiler] = [await addDevice(app, tenant), await addDevice(app, tenant, { product: 'BX' })]
  const wrong = [
    ['guest@north.test', 403, 403],
    [lighting, 403, 404],
    ['limited@north.test', 404, 404],
    ['manager@south.test', 404, 404],
  ] as const
  for (const [email, ofForm, ofNote] of wrong) {
    const form = await boilerForm(boiler, 'New fan', email)
    assert.ok([ofForm, ofNote].includes(form.status as never), `${email} ${form.status}`)
    assert.equal((await note(boiler, 'Ring twice', email)).status, ofNote, email)
  }
  assert.equal((await lightForm(light, { lamp: 'true' }, 'guest@north.test')).status, 403)
  assert.equal((await lightForm(light, { lamp: 'true' }, boilers)).status, 404)
  assert.deepEqual([await notes(boiler), await repairs(boiler, 'BX'), await repairs(light, 'EM')], [[], [], []])
  for (const email of ['limited@north.test', 'manager@south.test']) {
    const response = await app.send(getDeviceNotes, { body: { tenant, deviceId: boiler } }, email)
    assert.equal(response.status, 404, email)
  }
})

test('a repair has up to six photographs, visible to users who see the device', async () => {
  const light = await addDevice(app, tenant)
  const { body } = await app.send(
    recordDeviceRepair,
    { body: { tenant, deviceId: light, part: 'device', repairedBy: 'Ada', repairedOn: today } },
    lighting,
  )
  const { repairId } = body.data!
  const add = (content: Uint8Array<ArrayBuffer>, email = lighting, more: object = {}) =>
    app.send(
      addRepairPhoto,
      { form: { tenant, deviceId: light, repairId, file: new File([content], 'battery-label.jpg'), ...more } },
      email,
    )
  for (let photo = 0; photo < 6; photo++) {
    const added = await add(jpegOf({ picture: `photo ${photo}` }))
    assert.equal(added.status, 200, JSON.stringify(added.body))
  }
  assert.equal((await add(jpegOf({ picture: 'one more' }))).body.message, 'A repair can have at most 6 photos.')
  const [form] = await repairs(light, 'EM')
  assert.deepEqual(
    form!.photos.map(({ name }) => name),
    Array(6).fill('battery-label.jpg'),
  )
  const fetchPhoto = async (email: string, query: Record<string, string> = {}) =>
    app.app.inject({
      ...{ method: 'GET', url: getRepairPhoto.path },
      query: { tenant, deviceId: light, repairId, photoId: form!.photos[0]!.photoId, ...query },
      headers: { authorization: `Bearer ${await app.token(email)}` },
    })
  const sent = await fetchPhoto('guest@north.test')
  assert.deepEqual([sent.statusCode, sent.headers['content-type']], [200, 'image/jpeg'])
  // Without location and camera data.
  assert.ok(!sent.rawPayload.includes('XMP-WORDS'))
  const other = await addDevice(app, tenant)
  assert.equal((await fetchPhoto(lighting, { deviceId: other })).statusCode, 404)
  for (const [email, code] of [
    ['limited@north.test', 404],
    ['manager@south.test', 404],
  ] as const) {
    assert.equal((await fetchPhoto(email)).statusCode, code, email)
    assert.equal((await add(jpegOf(), email)).status, code, email)
  }
  assert.equal((await add(jpegOf(), 'guest@north.test')).status, 403)
  assert.equal((await add(Buffer.from('%PDF-1.4 no photograph'))).body.isSuccessful, false)
})

test('when it is uninstalled, a device loses its forms, notes and records [dev-4status-7]', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const own = { tenant, deviceId: boiler }
  const checked = {
    recordSerialNumber: 'WT-1',
    recordTimestamp: Date.now() - 86_400_000,
    recordStatus: 'Pass' as const,
  }
  await app.send(
    addBoilerWaterTreatmentRecord,
    { body: { ...own, ...checked, testKitUsed: 'Adey MC1+ Quick Test' } },
    boilers,
  )
  const records = async () => (await app.send(getBoilerRecords, { body: own }, manager)).body.data!
  await note(boiler, 'Ring twice')
  await boilerForm(boiler, 'New fan')
  assert.deepEqual([(await notes(boiler)).length, (await records()).length], [1, 1])
  await app.send(removeDevice, { body: { tenant, deviceId: boiler } }, manager)
  assert.deepEqual([await notes(boiler), await repairs(boiler, 'BX'), await records()], [[], [], []])
  const { waterTreatment } = (await app.send(getBoiler, { body: own }, manager)).body.data!
  assert.deepEqual(waterTreatment, { dueAt: null, state: 'NoRecord' })
})
