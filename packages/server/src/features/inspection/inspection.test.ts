import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, test } from 'vitest'
import { strFromU8, unzipSync } from 'fflate'
import { extractText, getDocumentProxy } from 'unpdf'
import { bulkUninstall } from '@caretaker/contract/actions.ts'
import { updateEmeredLuminaire, updateEmeredOperation } from '@caretaker/contract/equipment.ts'
import { recordDeviceRepair, updateInterimMeasure } from '@caretaker/contract/conditions.ts'
import { exportInspectionSheet, getLogBook, updateLogBook } from '@caretaker/contract/inspection.ts'
import { addRepairPhoto } from '@caretaker/contract/maintenance.ts'
import { dayAfter, dayAt, dayText, zonedText } from '@caretaker/rules/calendar/days.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { drawnWebp, jpegOf, pngOf, webpOf } from '../../testing/photos.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { happened, openConditions } from '../conditions/store.ts'

let app: TestApp
let east: string
const [manager, guest, boilers, limited] = ['manager', 'guest', 'boilers', 'limited'].map(
  (who) => `${who}@north.test`,
) as [string, string, string, string]
const tenant = 'north'
const [court, empty, foreign] = [randomUUID(), randomUUID(), randomUUID()]
const lights: Record<'tested' | 'failed' | 'silent', string> = { tested: '', failed: '', silent: '' }
const today = new Date().toISOString().slice(0, 10)
const period = { from: '2025-01-01', to: '2025-12-31' }

async function addBuilding(of: string, id: string, name: string) {
  await inTenant(app.database.db, of, (tx) =>
    tx
      .insertInto('building')
      .values({ tenant_id: of, id, name, address: '1 Mill Lane', postcode: 'HX1 5TX' })
      .execute(),
  )
}

async function addLight(name: string, of = tenant, building = court, tag?: string) {
  const id = await addDevice(app, of, { name, ...(tag && { accessRightsTagId: tag }) })
  await app.database.owner.query(
    `update device set building_id = $3, building_name = (select name from building where tenant_id = $1 and id = $3),
       floor_name = 'Floor 2', floor_number = 2, room = $4 where tenant_id = $1 and id = $2`,
    [of, id, building, name],
  )
  return id
}

async function addTest(
  deviceId: string,
  type: TestType,
  day: string,
  result: TestResult,
  minutes?: number,
  of = tenant,
) {
  await inTenant(app.database.db, of, (tx) =>
    tx
      .insertInto('emergency_test')
      .values({
        ...{ tenant_id: of, event_id: randomUUID(), device_id: deviceId, test_type: type, result },
        started_at: new Date(`${day}T02:00:00Z`),
        reason: result === 'Failed' ? 'Predicted Failed Components: Battery.' : 'Device successfully completed test.',
        component_states: '{}',
        series: JSON.stringify(minutes === undefined ? [] : [{ seconds: minutes * 60, batteryVoltage: 3 }]),
      })
      .execute(),
  )
}

async function addMissed(deviceId: string, day: string, reason: string) {
  const [run, group] = [randomUUID(), randomUUID()]
  const at = new Date(`${day}T02:00:00Z`)
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('test_run')
      .values({
        ...{ tenant_id: tenant, id: run, group_id: group, group_name: 'Court A', building_id: court },
        ...{ test_type: 'T0', starts_at: at, state: 'over', ended_at: at },
      })
      .execute()
    await tx
      .insertInto('test_run_light')
      .values({
        ...{ tenant_id: tenant, run_id: run, device_id: deviceId, state: 'missed', reason, due_at: at },
        ...{ command_id: null, synced_at: null, event_id: null, ended_at: at },
      })
      .execute()
  })
}

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, limited, 'Manager', [east])
  await app.addMember('south', 'manager@south.test', 'Manager')
  await addBuilding(tenant, court, 'Beech Hill Court')
  await addBuilding(tenant, empty, 'Empty House')
  await addBuilding('south', foreign, 'Foreign House')
  lights.tested = await addLight('Corridor', tenant, court, east)
  lights.failed = await addLight('Łódź stairwell')
  lights.silent = await addLight('Unheard lobby')
  const foreigner = await addLight('Foreign light', 'south', foreign)
  await addTest(foreigner, 'T0', '2025-03-03', 'Passed', undefined, 'south')
  await addTest(lights.tested, 'T180', '2025-11-03', 'Passed', 186)
  for (let month = 1; month <= 12; month++)
    await addTest(lights.tested, 'T0', `2025-${String(month).padStart(2, '0')}-05`, 'Passed')
  await addTest(lights.failed, 'T0', '2025-02-03', 'Passed')
  await addTest(lights.failed, 'T180', '2025-02-10', 'Failed', 117)
  await addMissed(lights.failed, '2025-05-03', 'The light was offline.')
  const operation = { operatingMode: 'maintained' as const, keySwitch: 'Intake room' }
  await app.send(updateEmeredOperation, { body: { tenant, deviceId: lights.tested!, ...operation } }, manager)
  await inTenant(app.database.db, tenant, async (tx) => {
    await happened(tx, [
      {
        deviceId: lights.failed,
        occurrence: {
          ...{ what: 'test', at: Date.parse('2025-02-10T05:00:00Z'), testType: 'T180', result: 'Failed' },
          states: { Battery: 'Failed' },
        } as never,
      },
    ])
    await tx
      .insertInto('repair_form')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), device_id: lights.tested, at: new Date(), part: 'equipment' },
        ...{ parts: '{"battery":true,"inverter":false,"lamp":false}', description: 'Swollen pack' },
        ...{ repaired_by: 'Ann Electric', repaired_on: '2025-06-07', person_id: null, person_name: 'Somebody' },
      })
      .execute()
  })
})
afterAll(() => app.close())

async function ask(sent: object = {}, email = manager) {
  const authorization = `Bearer ${await app.token(email)}`
  const { method, path: url } = exportInspectionSheet
  return app.app.inject({
    ...{ method, url, headers: { authorization } },
    payload: { tenant, buildingId: court, ...period, ...sent },
  })
}

/** The text of a PDF as another library reads it, per page with single spaces. */
async function pagesOf(bytes: Buffer): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false })
  return text.map((page) => page.replaceAll(/\s+/g, ' '))
}

test('a sheet names the client, the building, the period and every light, and states that it is not a certificate', async () => {
  const response = await ask({ responsible: 'Priya Nair' })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'application/pdf')
  assert.match(String(response.headers['content-disposition']), /2025-12-31-EmergencyLighting-Beech-Hill-Court\.pdf/)
  const [cover] = await pagesOf(response.rawPayload)
  for (const text of [
    'Emergency lighting test record',
    'It is not a certificate',
    'Beech Hill Court, 1 Mill Lane, HX1 5TX',
    '01/01/2025 to 31/12/2025',
    'Responsible person Priya Nair',
    'Completion certificate unknown: the installer hands it over on paper',
    'Emergency lights 3',
    'Central battery unknown',
    'T0: 13 passed',
    'T180: 1 passed, 1 failed',
    'Page 1 of',
  ])
    assert.ok(cover!.includes(text), `${text} in ${cover}`)
  const [named] = await pagesOf((await ask({ certificate: 'EL-2019-044 of 12/03/2019, site file' })).rawPayload)
  assert.ok(named!.includes('Completion certificate EL-2019-044 of 12/03/2019, site file'))
  const [fed] = await pagesOf((await ask({ centralBattery: 'Basement, feeds stair A' })).rawPayload)
  assert.ok(fed!.includes('Central battery Basement, feeds stair A'))
  const all = (await pagesOf(response.rawPayload)).join(' ')
  for (const name of ['Corridor', 'Łódź stairwell', 'Unheard lobby']) assert.ok(all.includes(name), name)
  assert.ok(!all.includes('Foreign'))
  assert.match(all, /End of the sheet\./)
  // Unreported facts are not made up, and signatures have a line.
  assert.match(all, /Mode Key switch Group/)
  assert.equal(all.match(/unknown unknown none/g)?.length, 2)
  assert.match(all, /Corridor .*?Maintained Intake room none/)
  assert.match(all, /10 Signatures Who Name Signature Date Responsible person _+ _+ _+ Inspected by _+ _+ _+/)
})

test('each month of a light has its day, missed tests are shown, and unknown ones are unknown, never passed', async () => {
  const all = (await pagesOf((await ask()).rawPayload)).join(' ')
  assert.match(all, /Corridor 2025( P05){12} Passed 03\/11\/2025, 186 min/)
  assert.match(all, /Łódź stairwell 2025 unknown P03 unknown unknown X03( unknown){7} Failed 10\/02\/2025, 117 min/)
  assert.match(all, /Unheard lobby 2025( unknown){13}/)
  assert.match(all, /Responsible person unknown/)
  assert.match(all, /T180 Failed 117 min 10\/02\/2025, 03:57 GMT Predicted Failed Components: Battery\./)
  assert.match(all, /T0 Missed – – The light was offline\./)
})

test('open faults have their age, repairs their day and person, gaps their days and planned tests', async () => {
  const all = (await pagesOf((await ask()).rawPayload)).join(' ')
  const age = Math.round((Date.parse(today) - Date.parse('2025-02-10')) / 86_400_000)
  assert.match(
    all,
    new RegExp(`Battery failed in the 3-hour test \\(T180\\) 10/02/2025, 05:00 GMT OPEN for ${age} days – unknown`),
  )
  assert.match(all, /07\/06\/2025 Repair: Battery: Swollen pack\. Entered by Somebody, \S+ \S+\. Ann Electric/)
  assert.match(all, /Monthly test 10\/02\/2025 31\/12\/2025 324 T0 03\/05\/2025 missed: The light was offline\./)
  assert.match(all, /Yearly test \(T180\) 01\/01\/2025, nothing known before 31\/12\/2025 364 none on record/)
  assert.equal(dayText(dayAfter('2025-12-31', 1)), '01/01/2026')
})

test('an open failure shows its interim measure, with who and when', async () => {
  const light = await addLight('Roof stair')
  const conditionId = await inTenant(app.database.db, tenant, async (tx) => {
    const at = Date.parse('2025-02-10T05:00:00Z')
    const occurrence = { what: 'test', at, testType: 'T180', result: 'Failed', states: { Lamp: 'Failed' } } as const
    await happened(tx, [{ deviceId: light, occurrence }])
    return (await openConditions(tx, [light])).get(light)![0]!.id
  })
  const body = { tenant, deviceId: light, conditionId, interimMeasure: 'Torch by the door' }
  await app.send(updateInterimMeasure, { body }, manager)
  const all = (await pagesOf((await ask()).rawPayload)).join(' ')
  assert.match(
    all,
    new RegExp(`Roof stair Lamp failed in the 3-hour test .* – Torch by the door \\(manager, ${dayText(today)}\\)`),
  )
  const { rows } = readXlsx((await ask({ format: 'xlsx' })).rawPayload, 6)
  assert.equal(rows.find((row) => row[1] === 'Roof stair')!.at(-1), `Torch by the door (manager, ${dayText(today)})`)
  // The other tests expect the building without it.
  await app.database.owner.query('update device set building_id = null where id = $1', [light])
})

test('a repaired fault stays open in the sheet, not yet proven, until a test of the failed type has passed', async () => {
  const light = await addLight('Cellar')
  const happens = (occurrence: object) =>
    inTenant(app.database.db, tenant, (tx) => happened(tx, [{ deviceId: light, occurrence: occurrence as never }]))
  const failure = { what: 'test', testType: 'T180', result: 'Failed', states: { Battery: 'Failed' } }
  await happens({ ...failure, at: Date.parse('2025-02-10T05:00:00Z') })
  const evidence = { repairedBy: 'Ann Electric', repairedOn: '2025-02-12' }
  await happens({ what: 'repair', part: 'equipment', at: Date.parse('2025-02-12T15:00:00Z'), evidence })
  const faults = async () => {
    const { rows } = readXlsx((await ask({ format: 'xlsx' })).rawPayload, 6)
    return rows.filter((row) => row[1] === 'Cellar').map((row) => [row[2], row[4], row[6]])
  }
  const what = 'Battery failed in the 3-hour test (T180)'
  const repaired = 'Repaired on 12/02/2025 by Ann Electric, not yet proven'
  assert.deepEqual(await faults(), [[what, 'open', repaired]])
  const passed = { ...failure, result: 'Passed', states: {} }
  await happens({ ...passed, testType: 'T0', at: Date.parse('2025-02-13T02:00:00Z') })
  assert.deepEqual(await faults(), [[what, 'open', repaired]])
  await happens({ ...passed, at: Date.parse('2025-02-14T02:00:00Z') })
  assert.ok((await faults()).every(([, ended]) => ended !== 'open'))
  await app.database.owner.query('update device set building_id = null where id = $1', [light])
})

test('the PDF is tagged, in English, and table headers are read once however many pages a table has', async () => {
  const many = randomUUID()
  await addBuilding(tenant, many, 'Long House')
  for (let light = 0; light < 60; light++) await addLight(`Light ${light}`, tenant, many)
  const bytes = (await ask({ buildingId: many, from: '2023-01-01' })).rawPayload
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  assert.ok(pdf.numPages > 6, String(pdf.numPages))
  assert.deepEqual(await pdf.getMarkInfo(), { Marked: true, UserProperties: false, Suspects: false })
  const { info } = await pdf.getMetadata()
  assert.deepEqual(
    [(info as { Language: string }).Language, (info as { Title: string }).Title.slice(0, 30)],
    ['en-GB', 'Emergency lighting test record'],
  )
  const roles = new Map<string, number>()
  // The tree of a page also contains elements of other pages, without their contents.
  const count = (node: { role?: string; type?: string; children?: { type?: string }[] }) => {
    if (node.role && node.children?.some(({ type }) => type === 'content'))
      roles.set(node.role, (roles.get(node.role) ?? 0) + 1)
    for (const child of node.children ?? []) count(child)
  }
  for (let page = 1; page <= pdf.numPages; page++) count((await (await pdf.getPage(page)).getStructTree()) as object)
  assert.equal(roles.get('H1'), 1)
  assert.equal(roles.get('H2'), 10)
  // Of nine parts four have rows, and the cover and the signatures have a table: 2 + 9 + 4 + 4 + 6 + 4 headings, and
  // one for each row.
  const pages = await pagesOf(bytes)
  const rows = 9 + 60 + 1 + 180 + 120 + 2
  assert.equal(roles.get('TH'), 2 + 9 + 4 + 4 + 6 + 4 + rows)
  // The total is drawn separately: this reader sees no space before it.
  for (const [at, page] of pages.entries()) assert.match(page, new RegExp(`Page ${at + 1} of ?${pages.length} `))
  // Visible on every page nevertheless.
  const heads = pages.filter((page) => page.includes('Yearly test (T180) EM') || /Light Year Jan Feb/.test(page))
  assert.ok(heads.length >= 4, String(heads.length))
})

test('the workbook has a sheet for each part, read by another library', async () => {
  const response = await ask({ format: 'xlsx' })
  assert.equal(response.statusCode, 200)
  const names = [...strFromU8(unzipSync(response.rawPayload)['xl/workbook.xml']!).matchAll(/<sheet name="(.*?)"/g)]
  assert.deepEqual(
    names.map(([, name]) => name),
    ['About', 'Lights', 'Schedule', 'Months and years', 'Tests', 'Faults', 'Repairs and alterations'].concat([
      'Photographs',
      'Lights removed',
      'Gaps',
    ]),
  )
  const sheet = (number: number) => readXlsx(response.rawPayload, number).rows
  assert.deepEqual(
    sheet(1).find(([name]) => name === 'Responsible person'),
    ['Responsible person', 'unknown'],
  )
  const light = sheet(2).find((row) => row[1] === 'Corridor')!
  assert.deepEqual(light.slice(-3), ['03/11/2025', 'Passed', '186'])
  assert.deepEqual(sheet(2)[0]!.slice(10, 12), ['Mode', 'Key switch'])
  assert.deepEqual(light.slice(10, 12), ['Maintained', 'Intake room'])
  assert.deepEqual(
    sheet(2)
      .find((row) => row[1] === 'Unheard lobby')!
      .slice(10, 12),
    ['unknown', 'unknown'],
  )
  assert.deepEqual(
    sheet(1).find(([name]) => name === 'Central battery'),
    ['Central battery', 'unknown'],
  )
  for (const who of ['Responsible person', 'Inspected by'])
    assert.match(sheet(1).find(([name]) => name === `${who}: name, signature, date`)![1]!, /^_+ +_+ +_+$/)
  const failed = sheet(5).find((row) => row[4] === 'Failed')!
  assert.equal(sheet(5)[0]![6], 'Failed at')
  assert.match(failed[6]!, /10\/02\/2025.*03:57/)
  assert.equal(
    sheet(4)
      .find((row) => row[1] === 'Unheard lobby')!
      .slice(3, 15)
      .join(),
    Array(12).fill('unknown').join(),
  )
  assert.equal(sheet(5).length, 1 + 13 + 1 + 1 + 1)
  assert.equal(sheet(6).find((row) => row[2] === 'Battery failed in the 3-hour test (T180)')![4], 'open')
  const [day, what, by] = sheet(7)[1]!.slice(2)
  assert.deepEqual([day, by], ['07/06/2025', 'Ann Electric'])
  assert.match(what!, /^Repair: Battery: Swollen pack\. Entered by Somebody, /)
  assert.ok(sheet(10).length > 3)
})

test('the log book facts are stored with the building, used by its sheet, and can be overridden for one sheet', async () => {
  const book = (sent: object = {}, email = manager) =>
    app.send(updateLogBook, { body: { tenant, buildingId: empty, ...sent } }, email)
  const kept = async (email = manager, buildingId = empty, of = tenant) =>
    app.send(getLogBook, { body: { tenant: of, buildingId } }, email)
  const nothing = { responsible: null, certificate: null, centralBattery: null }
  assert.deepEqual((await kept()).body.data, nothing)
  const answer = await book({ responsible: ' Priya Nair ', certificate: 'EL-2019-044, site file' })
  assert.deepEqual(answer.body.data, { ...nothing, responsible: 'Priya Nair', certificate: 'EL-2019-044, site file' })
  await book({ centralBattery: 'Basement' })
  await book({ centralBattery: 'Basement' })
  const all = { responsible: 'Priya Nair', certificate: 'EL-2019-044, site file', centralBattery: 'Basement' }
  assert.deepEqual((await kept(guest)).body.data, all)
  const [cover] = await pagesOf((await ask({ buildingId: empty }, guest)).rawPayload)
  for (const text of ['person Priya Nair', 'certificate EL-2019-044, site file', 'Central battery Basement'])
    assert.ok(cover!.includes(text), cover)
  const other = { buildingId: empty, responsible: 'Jo Whitfield', centralBattery: '' }
  const [front] = await pagesOf((await ask(other, guest)).rawPayload)
  for (const text of ['person Jo Whitfield', 'certificate EL-2019-044, site file', 'Central battery unknown'])
    assert.ok(front!.includes(text), front)
  assert.deepEqual((await kept()).body.data, all)
  assert.equal((await book({ certificate: '' })).body.data!.certificate, null)
  const { rows } = await app.database.owner.query(
    `select before, after from audit_entry where subject_id = $1 and action = 'building changed' order by at`,
    [empty],
  )
  assert.deepEqual(rows, [
    {
      before: { responsible: null, certificate: null },
      after: { responsible: 'Priya Nair', certificate: 'EL-2019-044, site file' },
    },
    { before: { centralBattery: null }, after: { centralBattery: 'Basement' } },
    { before: { certificate: 'EL-2019-044, site file' }, after: { certificate: null } },
  ])
  for (const [email, status] of [
    [guest, 403],
    [boilers, 403],
    [limited, 403],
    ['manager@south.test', 404],
  ] as const)
    assert.equal((await book({ responsible: 'Nobody' }, email)).status, status, email)
  assert.equal((await book({ buildingId: foreign })).status, 404)
  assert.equal((await book({ responsible: 'x'.repeat(201) })).status, 400)
  for (const [status, ...asked] of [
    [200, limited, court],
    [404, limited, empty],
    [403, boilers],
    [404, manager, foreign],
    [404, 'manager@south.test', empty],
    [404, 'manager@south.test', empty, 'south'],
  ] as const)
    assert.equal((await kept(...asked)).status, status, asked.join(' '))
  await book({ responsible: '', centralBattery: '' })
})

test('a sheet lists the next planned test of each type by group, repeated tests, and the lights without one', async () => {
  const [planned, group, missed] = [randomUUID(), randomUUID(), randomUUID()]
  await addBuilding(tenant, planned, 'Plan House')
  const light = await addLight('Planned light', tenant, planned)
  await addLight('Light without a plan', tenant, planned)
  // It stays in the group, and is in no sheet of the building.
  const elsewhere = await addLight('Light elsewhere', tenant, court)
  const run = (test_type: TestType, day: number, more: object = {}) => ({
    ...{ tenant_id: tenant, id: randomUUID(), group_id: group, group_name: 'Stairs', building_id: planned },
    ...{ test_type, starts_at: new Date(`${dayAfter(today, day)}T02:00:00Z`), ended_at: null, ...more },
  })
  await inTenant(app.database.db, tenant, async (tx) => {
    const start = { t180_start: '2025-01-05 02:00:00', created_at: new Date() }
    const member = { tenant_id: tenant, group_id: group, added_at: new Date() }
    await tx
      .insertInto('light_group')
      .values({ tenant_id: tenant, id: group, name: 'Stairs', name_key: 'stairs', building_id: planned, ...start })
      .execute()
    await tx
      .insertInto('light_group_member')
      .values([light, elsewhere].map((device_id) => ({ ...member, device_id })))
      .execute()
    await tx
      .insertInto('test_run')
      .values([
        run('T0', 40),
        run('T0', 10),
        run('T0', -20),
        run('T180', 200),
        run('T180', -3, { id: missed, state: 'over' }),
        run('T180', 5, { repeats: missed }),
        run('T180', 6, { repeats: randomUUID() }),
      ])
      .execute()
    const of = { tenant_id: tenant, run_id: missed, state: 'missed' as const, due_at: new Date() }
    await tx
      .insertInto('test_run_light')
      .values([light, elsewhere].map((device_id) => ({ ...of, device_id })))
      .execute()
  })
  const clock = (day: number) => zonedText(Date.parse(`${dayAfter(today, day)}T02:00:00Z`), 'Europe/London')
  const all = (await pagesOf((await ask({ buildingId: planned })).rawPayload)).join(' ')
  const part = all.slice(all.indexOf('2 Schedule'), all.indexOf('3 Monthly'))
  const rows = [
    'Group Lights Test Next',
    `Stairs 1 T0 ${clock(10)}`,
    `Stairs 1 T180 ${clock(200)}`,
    `Stairs 1 T180 again ${clock(5)}`,
  ]
  // A page may end before the last of them.
  for (const wanted of [rows.join(' '), 'none 1 – none planned']) assert.ok(part.includes(wanted), part)
  const sheet = readXlsx((await ask({ buildingId: planned, format: 'xlsx' })).rawPayload, 3).rows
  assert.deepEqual(
    sheet.map((row) => row.slice(0, 3).join(' ')),
    ['Group Lights Test', 'Stairs 1 T0', 'Stairs 1 T180', 'Stairs 1 T180 again', 'none 1 –'],
  )
})

test('a position on a plan is not an alteration, and summer times are shown as such', async () => {
  const light = await addLight('Drawn light')
  const drawn = async (before: object, after: object) =>
    app.database.owner.query(
      `insert into audit_entry (tenant_id, person_name, action, subject_type, subject_id, subject_name, before, after, at)
       values ($1, 'Ann Electric', 'device moved', 'device', $2, 'x', $3, $4, '2025-07-01T10:00:00Z')`,
      [tenant, light, before, after],
    )
  await drawn({ latitude: 53.1, longitude: -1.5 }, { latitude: 53.2, longitude: -1.6 })
  await drawn({ room: 'Hall', latitude: 53.1 }, { room: 'Loft', latitude: 53.2 })
  await inTenant(app.database.db, tenant, async (tx) => {
    const at = Date.parse('2025-07-10T05:00:00Z')
    const occurrence = { what: 'test', at, testType: 'T0', result: 'Failed', states: { Lamp: 'Failed' } } as const
    await happened(tx, [{ deviceId: light, occurrence }])
  })
  const all = (await pagesOf((await ask()).rawPayload)).join(' ')
  const part = all.slice(all.indexOf('6 Repairs'), all.indexOf('7 Photographs'))
  assert.match(part, /Drawn light 01\/07\/2025 Room Hall → Loft Ann Electric/)
  assert.equal(part.match(/Drawn light/g)?.length, 1)
  assert.ok(!/latitude|longitude/i.test(all))
  assert.match(all, /Drawn light Lamp failed in the function test \(T0\) 10\/07\/2025, 06:00 BST/)
  await app.database.owner.query('update device set building_id = null where id = $1', [light])
})

test('a sheet names who was responsible before, each with a start day', async () => {
  const planned = randomUUID()
  await addBuilding(tenant, planned, 'Named House')
  await app.database.owner.query(
    `insert into audit_entry (tenant_id, person_name, action, subject_type, subject_id, subject_name, before, after, at)
     values ($1, 'x', 'building changed', 'building', $2, 'x', '{"responsible":null}', '{"responsible":"Jo Whitfield"}', '2024-02-01T12:00:00Z'),
       ($1, 'x', 'building changed', 'building', $2, 'x', '{"certificate":null}', '{"certificate":"EL-1"}', '2024-03-01T12:00:00Z')`,
    [tenant, planned],
  )
  const cover = async () => (await pagesOf((await ask({ buildingId: planned }, guest)).rawPayload))[0]!
  assert.ok(!(await cover()).includes('Earlier responsible persons'))
  await app.send(updateLogBook, { body: { tenant, buildingId: planned, responsible: 'Priya Nair' } }, manager)
  const today = dayText(dayAt(Date.now(), 'Europe/London'))
  assert.ok(
    (await cover()).includes(`Earlier responsible persons Jo Whitfield from 01/02/2024; Priya Nair from ${today}`),
    await cover(),
  )
})

test('a building without lights has a sheet that states this', async () => {
  const all = (await pagesOf((await ask({ buildingId: empty })).rawPayload)).join(' ')
  assert.ok(all.includes('No emergency light of the building is in service.'))
  assert.equal((await ask({ buildingId: empty, format: 'xlsx' })).statusCode, 200)
})

test('limited users get only their lights, and the sheet states this; others and other clients get none', async () => {
  const all = (await pagesOf((await ask({}, limited)).rawPayload)).join(' ')
  assert.ok(all.includes('This sheet contains only lights that the person who requested it can see.'))
  assert.ok(all.includes('Corridor') && !all.includes('stairwell') && !all.includes('lobby'))
  assert.equal((await ask({ buildingId: empty }, limited)).statusCode, 404)
  const whole = (await pagesOf((await ask({}, guest)).rawPayload)).join(' ')
  assert.ok(whole.includes('Łódź stairwell') && !whole.includes('may see'))
  for (const [sent, email, status] of [
    [{}, boilers, 403],
    [{ buildingId: foreign }, manager, 404],
    [{ buildingId: randomUUID() }, manager, 404],
    [{}, 'manager@south.test', 404],
    [{ tenant: 'south' }, 'manager@south.test', 404],
  ] as const)
    assert.equal((await ask(sent, email)).statusCode, status, JSON.stringify(sent))
})

test('an invalid period is refused with the reason', async () => {
  for (const [sent, text] of [
    [{ from: '2025-02-30' }, 'must be a day in the format YYYY-MM-DD'],
    [{ from: '2026-01-01' }, 'The last day is before the first'],
    [{ to: '2999-01-01' }, 'The period cannot include future days'],
    [{ from: '1999-01-01' }, 'A sheet can cover at most 20 years'],
    [{ format: 'doc' }, 'format'],
    [{ responsible: 'a\nb' }, 'responsible'],
    [{ more: 1 }, 'more'],
  ] as const) {
    const response = await ask(sent)
    assert.equal(response.statusCode, 400, text)
    assert.ok(response.body.includes(text), response.body)
  }
})

test('alterations of a light are in the sheet as they were made', async () => {
  const luminaire = {
    ...{ name: 'Bulkhead', lampType: 'LED', inverterType: 'Integral', batteryType: 'Lead Acid' as const },
    ...{ batteryVoltage: 12, batteryCapacity: 7, batteryInstalledDate: '2025-01-05' },
  }
  await app.send(updateEmeredLuminaire, { body: { tenant, deviceId: lights.silent, ...luminaire } }, manager)
  const all = (await pagesOf((await ask({ from: '2025-01-01', to: today })).rawPayload)).join(' ')
  assert.match(all, /Bulkhead LED, Integral Lead Acid, 12 V, 7 Ah, in since 05\/01\/2025/)
  assert.match(all, /Battery type unknown → Lead Acid; .*Battery installed unknown → 05\/01\/2025/)
})

test('a light removed or moved away in the period is listed with its day and person', async () => {
  const [left, moved, elsewhere] = [
    await addLight('Gone landing'),
    await addLight('Moved landing'),
    await addLight('Other landing', tenant, empty),
  ]
  const mover = await app.database.owner.query<{ id: string }>(
    `insert into audit_entry (tenant_id, person_name, action, subject_type, subject_id, subject_name, before, after)
     values ($1, 'Ann Electric', 'device moved', 'device', $2, 'x', '{"building":"Beech Hill Court"}', '{"building":"Empty House"}'),
       ($1, 'Ann Electric', 'device moved', 'device', $3, 'x', '{"room":"Hall"}', '{"room":"Loft"}') returning id`,
    [tenant, moved, lights.tested],
  )
  assert.equal(mover.rowCount, 2)
  await app.database.owner.query(
    `update device set building_id = $2, building_name = 'Empty House' where tenant_id = $1 and id = $3`,
    [tenant, empty, moved],
  )
  const { status } = await app.send(bulkUninstall, { body: { tenant, deviceIds: [left, elsewhere] } }, manager)
  assert.equal(status, 200)
  const now = { from: today, to: today }
  const all = (await pagesOf((await ask(now)).rawPayload)).join(' ')
  const part = all.slice(all.indexOf('8 Lights removed'), all.indexOf('9 Gaps'))
  assert.match(part, new RegExp(`Gone landing ${dayText(today)} Taken down manager`))
  assert.match(part, new RegExp(`Moved landing ${dayText(today)} Moved to Empty House Ann Electric`))
  assert.ok(!part.includes('Other landing') && !part.includes('Corridor'), part)
  const rows = readXlsx((await ask({ ...now, format: 'xlsx' })).rawPayload, 9).rows
  assert.deepEqual(
    rows.slice(1).map((row) => row.slice(1)),
    [
      ['Moved landing', dayText(today), 'Moved to Empty House', 'Ann Electric'],
      ['Gone landing', dayText(today), 'Taken down', 'manager'],
    ],
  )
  // A renamed building is the same one; another one that now has its old name is not.
  await app.database.owner.query(
    `insert into audit_entry (tenant_id, person_name, action, subject_type, subject_id, subject_name, before, after, at)
     values ($1, 'Ann Electric', 'building changed', 'building', $2, 'x', '{"name":"Beech Hill Court"}', '{"name":"Beech Hill"}', now()),
       ($1, 'Ann Electric', 'device moved', 'device', $3, 'x', '{"building":"Beech Hill Court"}', '{"building":"Empty House"}', now() + interval '1 ms')`,
    [tenant, court, await addLight('Later landing', tenant, empty)],
  )
  await app.database.owner.query(`update building set name = 'Beech Hill' where tenant_id = $1 and id = $2`, [
    tenant,
    court,
  ])
  const renamed = (await pagesOf((await ask(now)).rawPayload)).join(' ')
  assert.match(renamed, /Moved landing .* Moved to Empty House/)
  assert.ok(!renamed.includes('Later landing'), renamed)
  // Not in the year before, and not for users limited to one patch.
  const before = (await pagesOf((await ask()).rawPayload)).join(' ')
  assert.ok(!before.includes('Gone landing') && !before.includes('Moved landing'))
  assert.ok(!(await pagesOf((await ask(now, limited)).rawPayload)).join(' ').includes('landing'))
})

test('if there are more photographs than a sheet prints, it states how many and where the others are', async () => {
  const building = randomUUID()
  await addBuilding(tenant, building, 'Sixty Court')
  const light = await addLight('Stair D', tenant, building)
  for (let at = 0; at < 62; at += 6) {
    const body = { tenant, deviceId: light, part: 'device', repairedBy: 'Ada', repairedOn: today } as const
    const { repairId } = (await app.send(recordDeviceRepair, { body: body as never }, manager)).body.data!
    for (let photo = at; photo < Math.min(62, at + 6); photo++) {
      const file = new File([jpegOf({ picture: `many ${photo}` })], `label-${photo}.jpg`)
      const form = { tenant, deviceId: light, repairId, file }
      assert.equal((await app.send(addRepairPhoto, { form }, manager)).status, 200)
    }
  }
  const sheet = await ask({ buildingId: building, from: dayAfter(today, -1), to: today })
  const all = (await pagesOf(sheet.rawPayload)).join(' ')
  assert.equal(sheet.rawPayload.toString('latin1').match(/\/S \/Figure/g)?.length, 60)
  assert.match(all, /60 of 62 photographs are printed. The other 2 are in the list, and on the Maintenance tab/)
  assert.equal(all.match(/not printed: a sheet prints 60 photographs/g)?.length, 2)
})

test('photographs of repairs in the period are printed with light, day and alternative text, and listed in the workbook', async () => {
  const building = randomUUID()
  await addBuilding(tenant, building, 'Photo Court')
  const light = await addLight('Stair C', tenant, building)
  const repair = async (repairedOn: string, ...contents: Buffer[]) => {
    const { body } = await app.send(
      recordDeviceRepair,
      { body: { tenant, deviceId: light, part: 'device', repairedBy: 'Ada', repairedOn } },
      manager,
    )
    for (const [at, content] of contents.entries()) {
      const file = new File([new Uint8Array(content)], `label-${at}.jpg`)
      const form = { tenant, deviceId: light, repairId: body.data!.repairId, file }
      assert.equal((await app.send(addRepairPhoto, { form }, manager)).status, 200)
    }
  }
  await repair(
    today,
    ...[1, 2, 3, 4].map((picture) => jpegOf({ picture: `${picture}`, size: [400, 300] })),
    pngOf([deflateSync(Buffer.alloc(4))], 'a'),
    drawnWebp,
  )
  // A picture that no program can draw.
  await repair(today, webpOf('GPS'))
  const around = { buildingId: building, from: dayAfter(today, -30), to: today }
  const pdf = await ask(around)
  assert.equal(pdf.statusCode, 200)
  const all = (await pagesOf(pdf.rawPayload)).join(' ')
  const captions = all.match(new RegExp(`EM\\S* Stair C, ${dayText(today)}`, 'g'))
  assert.equal(captions?.length, 6, all)
  assert.match(all, /label-0\.\w+ not printed: its file could not be read. See it on the Maintenance tab of the light./)
  assert.match(all, /6 of 7 photographs are printed. The other one is in the list/)
  const raw = pdf.rawPayload.toString('latin1')
  assert.equal(raw.match(/\/Subtype \/Image/g)?.length, 6)
  assert.equal(raw.match(/\/S \/Figure/g)?.length, 6)
  const workbook = await ask({ ...around, format: 'xlsx' })
  assert.equal(readXlsx(workbook.rawPayload, 8).rows.length, 8)
  // Before the repairs there is none.
  const before = await ask({ ...around, from: dayAfter(today, -30), to: dayAfter(today, -1) })
  assert.match((await pagesOf(before.rawPayload)).join(' '), /Photographs of repairs None on record in the period/)
})
