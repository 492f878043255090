import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  addCaseReadings,
  addCaseRecord,
  changeAwaabsLawCase,
  exportBreachRegister,
  getBreachRegister,
  getCaseRecordFile,
  getCaseRecords,
  putAwaabsLawFigures,
} from '@caretaker/contract/awaabs-law.ts'
import type { WorkCase, WorkHome } from '@caretaker/contract/dashboard.ts'
import { getWorklist } from '@caretaker/contract/dashboard.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { exportProperties, fetchProperties, getProperty, putPropertyDetails } from '@caretaker/contract/properties.ts'
import { getPropertyAudit } from '@caretaker/contract/property-audit.ts'
import { getMonthlyReport } from '@caretaker/contract/reports.ts'
import { workingDaysAfter, workingDaysBefore, workingDaysBetween } from '@caretaker/rules/calendar/bank-holidays.ts'
import { dayAfter, dayAt, dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { heicText } from '@caretaker/rules/files/types.ts'
import { defaultAwaabsLaw } from '@caretaker/rules/properties/awaabs-law.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { pdfOf } from '../../testing/certificate-files.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { jpegOf, pngOf } from '../../testing/photos.ts'

const zone = 'Europe/London'
const today = dayAt(Date.now(), zone)
const tenant = 'lawful'
const [manager, guest, limited, stranger] = ['manager', 'guest', 'limited', 'stranger'].map(
  (name) => `${name}@${name === 'stranger' ? 'other' : tenant}.test`,
) as [string, string, string, string]
const everything = {
  features: ['PropertyCentric', 'AwaabsLaw', 'AuditTab'] as const,
  capabilities: ['ViewProperties', 'ReportManager'] as const,
}

let app: TestApp
let east: string
let made = 0
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'other', 'without'])
    await app.addTenant(id, {
      features: everything.features.filter((one) => id !== 'without' || one !== 'AwaabsLaw'),
      capabilities: [...everything.capabilities],
    } as never)
  east = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember(tenant, limited, 'Manager', [east])
  await app.addMember('other', stranger, 'Manager')
  await app.addMember('without', 'manager@without.test', 'Manager')
})
afterAll(() => app.close())

async function addHome({ tag, at = tenant, damp }: { tag?: string; at?: string; damp?: 'high' | 'severe' } = {}) {
  const propertyId = randomUUID()
  await inTenant(app.database.db, at, (tx) =>
    tx
      .insertInto('property')
      .values({
        ...{ tenant_id: at, id: propertyId, reference: `AL-${++made}`, address1: `${made} Ashfield Terrace` },
        ...{ town: 'Halifax', postcode: 'HX1 4QD', access_rights_tag_id: tag ?? null },
        ...(damp && { damp_level: damp, damp_rank: damp === 'severe' ? 4 : 3, damp_since: new Date() }),
      })
      .execute(),
  )
  return { tenant: at, propertyId }
}
type Home = Awaited<ReturnType<typeof addHome>>

const change = async (home: Home, changes: object[], who = manager) =>
  app.send(changeAwaabsLawCase, { params: home, body: { changes } as never }, who)
const changed = async (home: Home, ...changes: object[]) => {
  const { status, body } = await change(home, changes)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const read = async (home: Home, who = manager) => (await app.send(getProperty, { params: home }, who)).body
const back = (days: number) => workingDaysBefore(today, days)

describe("a case of Awaab's Law", () => {
  test('starts with awareness, has a number, and shows all running deadlines', async () => {
    const home = await addHome()
    await changed(home, { status: 'Investigation', hazard: 'Damp and mould', on: back(8) })
    const found = new Date(Date.now() - 3_600_000).toISOString()
    const { awaabsLawCases } = await changed(home, { status: 'Summary', on: back(2) }, { emergency: true, at: found })
    const [one] = awaabsLawCases
    assert.match(one!.number, /^AL-\d{4}$/)
    assert.deepEqual(
      [one!.status, one!.hazard, one!.aware, one!.isEmergency],
      ['Summary', 'Damp and mould', { on: back(8), at: null }, true],
    )
    const due = new Date(Date.parse(found) + 24 * 3_600_000)
    assert.deepEqual(
      one!.deadlines.map(({ step, isEmergency, due, otherDue, done }) => [step, isEmergency, due, otherDue, done?.on]),
      [
        ['Investigation', false, { on: workingDaysAfter(back(8), 10), at: null }, null, back(2)],
        ['Summary', false, { on: workingDaysAfter(back(2), 3), at: null }, null, undefined],
        [
          'Repairs',
          true,
          { on: dayAt(+due, zone), at: due.toISOString() },
          { on: workingDaysAfter(back(2), 5), at: null },
          undefined,
        ],
      ],
    )
  })

  test('keeps its dates when it goes back a step; an emergency or an earlier step leaves it overdue', async () => {
    const home = await addHome()
    await changed(home, { status: 'Investigation', on: back(15) })
    const due = workingDaysAfter(back(15), 10)
    assert.equal((await changed(home, { emergency: true })).awaabsLawDueDate, due)
    await changed(home, { status: 'Summary', on: back(7) })
    const summary = workingDaysAfter(back(7), 3)
    assert.equal((await read(home)).awaabsLawDueDate, summary)
    const wentBack = await changed(home, { status: 'Investigation' })
    assert.equal(wentBack.awaabsLawDueDate, [due, summary].toSorted()[0])
    // Returning to the step on the same day changes nothing.
    assert.equal((await changed(home, { status: 'Summary', on: back(7) })).awaabsLawDueDate, summary)
  })

  test('is closed only with a reason, reopens with its true dates, and a new case is a new number', async () => {
    const home = await addHome()
    await changed(home, { status: 'Investigation', on: back(4) })
    assert.equal((await change(home, [{ status: 'None' }])).status, 400)
    assert.equal((await change(home, [{ status: 'None', reason: '  ' }])).status, 400)
    const details = { params: home, body: { awaabsLawStatus: 'None' as const } }
    assert.equal((await app.send(putPropertyDetails, details, manager)).status, 400)
    const closed = await changed(home, { status: 'None', reason: 'No hazard found' })
    assert.deepEqual(
      closed.awaabsLawCases.map(({ status, closedOn, closeReason }) => [status, closedOn, closeReason]),
      [['None', today, 'No hazard found']],
    )
    assert.equal(closed.awaabsLawDueDate, null)
    const [{ number } = { number: '' }] = closed.awaabsLawCases
    const open = await changed(home, { reopen: true, reason: 'Closed by mistake' })
    assert.deepEqual(
      open.awaabsLawCases.map((one) => [one.number, one.status, one.aware.on, one.closedOn]),
      [[number, 'Investigation', back(4), null]],
    )
    assert.equal(open.awaabsLawDueDate, workingDaysAfter(back(4), 10))
    assert.equal((await change(home, [{ reopen: true }])).status, 400)
    await changed(home, { status: 'None', reason: 'No hazard found' })
    const next = await changed(home, { status: 'Investigation' })
    assert.equal(next.awaabsLawCases.length, 2)
    assert.deepEqual([next.awaabsLawCases[1]!.number, next.awaabsLawCases[0]!.number > number], [number, true])
    // The next case has started, so the one before stays closed.
    assert.equal((await change(home, [{ reopen: true }])).status, 400)
  })

  test('keeps a missed deadline that a correction moves, with the reason, and corrects several dates at once', async () => {
    const home = await addHome()
    await changed(home, { status: 'Investigation', on: back(15) })
    const entered = await changed(home, { status: 'Summary', on: back(3) })
    const [first, second] = entered.awaabsLawHistory.map(({ id }) => id)
    // Each alone would be earlier than the other.
    const { awaabsLawCases } = await changed(
      home,
      { corrects: first, on: back(2), reason: 'Typing error' },
      { corrects: second, on: back(1), reason: 'Typing error' },
    )
    const [investigation, , , moved] = awaabsLawCases[0]!.deadlines
    assert.deepEqual([investigation!.due.on, investigation!.done?.on], [workingDaysAfter(back(2), 10), back(1)])
    assert.deepEqual(
      [moved!.step, moved!.due.on, moved!.moved?.reason],
      ['Investigation', workingDaysAfter(back(15), 10), 'Typing error'],
    )
    for (const wrong of [
      [{ corrects: second, on: back(1) }],
      [{ corrects: second, on: back(9), reason: 'Typing error' }],
      [{ corrects: second, on: dayAfter(today, 1), reason: 'Typing error' }],
      [{ emergency: true, at: new Date(Date.now() + 60_000).toISOString() }],
      [{ corrects: randomUUID(), on: back(1), reason: 'Typing error' }],
      [{ hazard: 'Falls', corrects: second }],
      [{ on: back(1) }],
      [{}],
    ])
      assert.equal((await change(home, wrong)).status, 400, JSON.stringify(wrong))
  })

  test('records the values before and after each change, with the step, in the audit of the property', async () => {
    const home = await addHome()
    await changed(home, { status: 'Investigation', on: back(6), hazard: 'Damp and mould' })
    const { awaabsLawHistory } = await changed(home, { hazard: 'Excess cold' })
    const [{ id } = { id: '' }] = awaabsLawHistory
    const reason = 'Typing error'
    assert.equal((await change(home, [{ corrects: id, on: back(5) }])).status, 400)
    await changed(home, { corrects: id, on: back(5), reason })
    await changed(home, { corrects: id, on: back(4), reason })
    await changed(home, { status: 'Repairs' })
    const { body } = await app.send(
      getPropertyAudit,
      { params: { tenant }, query: { propertyId: home.propertyId } },
      manager,
    )
    const entries = body.results.map(({ description, before, after }) => [
      description,
      before?.awaabsLawDate ?? before?.awaabsLawHazard ?? before?.awaabsLawStatus,
      after?.awaabsLawDate ?? after?.awaabsLawHazard ?? after?.awaabsLawStatus,
    ])
    assert.deepEqual(entries.slice(1, 4), [
      ["Awaab's Law date corrected, Awareness", dayText(back(5)), dayText(back(4))],
      ["Awaab's Law date corrected, Awareness", dayText(back(6)), dayText(back(5))],
      ["Awaab's Law case changed, Investigation", 'Damp and mould', 'Excess cold'],
    ])
    assert.deepEqual(
      entries.map(([description]) => description).filter((_, at) => at === 0 || at === 4),
      ["Awaab's Law step entered, Repairs", "Awaab's Law case opened, Investigation"],
    )
    assert.match(String(body.results[0]!.after?.awaabsLawCase), /^AL-/)
  })

  test('can only be changed by users who may edit the property, and where the client has the feature', async () => {
    const home = await addHome()
    const opening = [{ status: 'Investigation' }]
    assert.equal((await change(home, opening, guest)).status, 403)
    assert.equal((await change(home, opening, limited)).status, 404)
    assert.equal((await change(home, opening, stranger)).status, 404)
    const without = await addHome({ at: 'without' })
    assert.equal((await change(without, opening, 'manager@without.test')).status, 403)
    assert.equal((await change(await addHome({ tag: east }), opening, limited)).status, 200)
  })
})

describe('figures and hazards', () => {
  test('a stricter figure is shown beside that of the law; a laxer one is refused', async () => {
    await app.addTenant('strict', { features: ['PropertyCentric', 'AwaabsLaw'], capabilities: ['ViewProperties'] })
    await app.addMember('strict', 'manager@strict.test', 'Manager')
    const set = (body: object) =>
      app.send(putAwaabsLawFigures, { params: { tenant: 'strict' }, body: body as never }, 'manager@strict.test')
    const laxer = { investigation: 11, summary: 4, repairs: 6, emergency: 25, preventive: 13 }
    for (const [name, value] of Object.entries(laxer))
      assert.equal((await set({ ...defaultAwaabsLaw, [name]: value })).status, 400, name)
    assert.equal((await set({ ...defaultAwaabsLaw, investigation: 5 })).status, 200)
    const home = await addHome({ at: 'strict' })
    const { body } = await change(home, [{ status: 'Investigation', on: back(7) }], 'manager@strict.test')
    const [deadline] = body.awaabsLawCases[0]!.deadlines
    assert.deepEqual(
      [deadline!.due.on, deadline!.lawDue?.on],
      [workingDaysAfter(back(7), 5), workingDaysAfter(back(7), 10)],
    )
    // A deadline missed by the stricter figure stays missed when the client returns to the law's figure.
    await set(defaultAwaabsLaw)
    const after = await read(home, 'manager@strict.test')
    assert.deepEqual(
      after.awaabsLawCases[0]!.deadlines.map(({ due, moved }) => [due.on, moved?.reason]),
      [
        [workingDaysAfter(back(7), 10), undefined],
        [workingDaysAfter(back(7), 5), 'New figures'],
      ],
    )
  })

  test("a hazard is covered from the date in the installation's settings, shown with its source", async () => {
    const home = await addHome()
    const { awaabsLawCases } = await changed(home, { status: 'Investigation', hazard: 'Another hazard' })
    assert.deepEqual([awaabsLawCases[0]!.deadlines, awaabsLawCases[0]!.coverage?.from], [[], null])
    assert.match(awaabsLawCases[0]!.coverage!.source, /phase 3/)
    await changed(home, { hazard: 'Damp and mould' })
    assert.equal((await read(home)).awaabsLawDueDate, workingDaysAfter(today, 10))
  })
})

describe('the records of a case', () => {
  const heic = readFileSync(new URL('../../testing/samples/photo.heic', import.meta.url))
  test('are notes, photographs and files, visible to users who may see the property', async () => {
    const home = await addHome()
    const { awaabsLawCases } = await changed(home, { status: 'Investigation' })
    const params = { ...home, caseId: awaabsLawCases[0]!.caseId }
    const add = (form: object, who = manager) => app.send(addCaseRecord, { params, form: form as never }, who)
    const photo = new File([jpegOf()], 'mould.jpg', { type: 'image/jpeg' })
    assert.equal((await add({ kind: 'note', text: 'Tenant reports mould behind the wardrobe' })).status, 201)
    const added = await add({ kind: 'photograph', text: 'Bedroom 1', file: photo })
    assert.equal(added.status, 201, JSON.stringify(added.body))
    for (const [kind, content, name, message] of [
      ['photograph', heic, 'IMG_0001.HEIC', heicText],
      ['photograph', pngOf([], '', [25_000, 25_000]), 'large.png', /is 25,000 × 25,000 pixels/],
      ['file', pdfOf('Survey', '5 0 obj\n<< /S /JavaScript /JS (a) >>\nendobj'), 'survey.pdf', /contains script/],
      ['file', pdfOf('Survey').subarray(0, -40), 'survey.pdf', /not complete/],
    ] as const) {
      const refused = await add({ kind, text: '', file: new File([new Uint8Array(content)], name) })
      assert.ok([413, 415].includes(refused.status), name)
      assert.match((refused.body as unknown as { message: string }).message, new RegExp(message))
    }
    for (const wrong of [{ kind: 'note', text: ' ' }, { kind: 'photograph' }, { kind: 'file', text: 'x' }])
      assert.equal((await add(wrong)).status, 400, JSON.stringify(wrong))
    for (const [who, status] of [
      [guest, 403],
      [limited, 404],
      [stranger, 404],
    ] as const)
      assert.equal((await add({ kind: 'note', text: 'x' }, who)).status, status, who)
    const { body } = await app.send(getCaseRecords, { params }, guest)
    assert.deepEqual(
      body.results.map(({ kind, text, file }) => [kind, text, file?.name]),
      [
        ['photograph', 'Bedroom 1', 'mould.jpg'],
        ['note', 'Tenant reports mould behind the wardrobe', undefined],
      ],
    )
    assert.equal((await app.send(getCaseRecords, { params }, stranger)).status, 404)
    const file = { params: { ...params, recordId: body.results[0]!.recordId } }
    assert.equal((await app.send(getCaseRecordFile, file, guest)).status, 200)
    assert.equal((await app.send(getCaseRecordFile, file, stranger)).status, 404)
    assert.deepEqual((await read(home)).awaabsLawCases[0]!.records, { note: 1, photograph: 1, file: 0, readings: 0 })
    const readings = { params, body: { from: back(5), to: today, text: '' } }
    assert.equal((await app.send(addCaseReadings, readings, manager)).status, 422)
    assert.equal(
      (await app.send(addCaseReadings, { params, body: { ...readings.body, to: back(9) } }, manager)).status,
      400,
    )
  })
})

describe('readings kept with a case', () => {
  const hour = 3_600_000
  /** The start of the day this many days ago. */
  const dayStart = (days: number) => startOfDay(dayAfter(today, -days), zone)

  /** A sensor in a property that measured one temperature in each hour of the last ten days. */
  async function addSensor({ propertyId }: Home, room: string, temperature: number): Promise<string> {
    const id = await addDevice(app, tenant, { product: 'MD' })
    await inTenant(app.database.db, tenant, async (tx) => {
      await sql`update device set property_id = ${propertyId}, room = ${room} where tenant_id = ${tenant} and id = ${id}`.execute(
        tx,
      )
      const series = await tx
        .insertInto('series')
        .values({ tenant_id: tenant, device_id: id, metric: 'temperature' })
        .returning('id')
        .executeTakeFirstOrThrow()
      await sql`
        insert into hourly
        select ${tenant}, ${series.id}, at, 60, 60 * ${temperature}::float8, ${temperature}, ${temperature}, at, ${temperature}
        from generate_series(${new Date(dayStart(10))}::timestamptz, ${new Date(dayStart(0))}::timestamptz - interval '1 hour',
          interval '1 hour') as at
        on conflict do nothing`.execute(tx)
    })
    return id
  }
  const moveTo = async (deviceId: string, home: Home, at: number, room?: string) => {
    const body = { tenant, deviceId, propertyId: home.propertyId, ...(room && { room }) }
    const { status } = await app.send(updateDeviceBuildingLocation, { body: body as never }, manager)
    assert.equal(status, 200)
    await app.database.owner.query(
      `update audit_entry set at = $2 where tenant_id = $1 and id = (select id from audit_entry
         where tenant_id = $1 and subject_id = $3 and action = 'device moved' order by at desc limit 1)`,
      [tenant, new Date(at), deviceId],
    )
  }
  const readingsOf = async (home: Home, days: [from: number, to: number]) => {
    const [one] = (await read(home)).awaabsLawCases
    const params = { ...home, caseId: one!.caseId }
    const [from, to] = days.map((count) => dayAfter(today, -count)) as [string, string]
    const { status, body } = await app.send(addCaseReadings, { params, body: { from, to, text: '' } }, manager)
    assert.equal(status, 201, JSON.stringify(body))
    return body.readings!.rooms.map(({ room, hours, meanTemperature }) => [room, hours, meanTemperature])
  }
  const openCase = async () => {
    const home = await addHome()
    await changed(home, { status: 'Investigation', hazard: 'Excess cold', on: back(5) })
    return home
  }

  test('come from the sensors in the property during the period, for the hours that each was there', async () => {
    const [home, other] = [await openCase(), await openCase()]
    await addSensor(home, 'Lounge', 15)
    const leaves = await addSensor(home, 'Bedroom', 12)
    const comes = await addSensor(other, 'Hall', 21)
    await moveTo(leaves, other, dayStart(4), 'Kitchen')
    await moveTo(comes, home, dayStart(2) + hour / 2)
    const sorted = (rooms: unknown) =>
      (rooms as unknown[][]).toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))
    assert.deepEqual(sorted(await readingsOf(home, [6, 5])), [
      ['Bedroom', 48, 12],
      ['Lounge', 48, 15],
    ])
    assert.deepEqual(sorted(await readingsOf(home, [5, 1])), [
      ['Bedroom', 24, 12],
      ['Hall', 47, 21],
      ['Lounge', 120, 15],
    ])
    // The hour in which a sensor was moved counts for neither property.
    assert.deepEqual(sorted(await readingsOf(other, [4, 1])), [
      ['Hall', 48, 21],
      ['Kitchen', 96, 12],
    ])
    const renamed = { params: home, body: { propertyReference: 'AL-RENAMED' } }
    assert.equal((await app.send(putPropertyDetails, renamed as never, manager)).status, 200)
    assert.deepEqual(sorted(await readingsOf(home, [6, 5]))[0], ['Bedroom', 48, 12])
    assert.deepEqual(sorted(await readingsOf(home, [1, 0])), [
      ['Hall', 24, 21],
      ['Lounge', 24, 15],
    ])
  })
})

describe('missed deadlines', () => {
  let ours: Home
  beforeAll(async () => {
    await app.addTenant('board', {
      features: [...everything.features],
      capabilities: [...everything.capabilities],
    } as never)
    const patch = await addAccessRightsTag(app, 'board', 'West Patch')
    for (const [name, tags] of [
      ['manager', []],
      ['limited', [patch]],
    ] as const)
      await app.addMember('board', `${name}@board.test`, 'Manager', [...tags])
    ours = await addHome({ at: 'board', tag: patch })
    const other = await addHome({ at: 'board' })
    const enter = (home: Home, ...changes: object[]) => change(home, changes, 'manager@board.test')
    await enter(ours, { status: 'Investigation', hazard: 'Damp and mould', on: back(20) })
    await enter(ours, { status: 'Summary', on: back(6) })
    await enter(other, { status: 'Investigation', on: back(14) }, { status: 'Summary', on: back(9) })
    await enter(other, { status: 'Repairs', on: back(8) }, { status: 'Audit', on: back(7) })
  })
  const query = { from: dayAfter(today, -90), to: today }
  const register = async (who: string, more: object = {}) =>
    app.send(getBreachRegister, { params: { tenant: 'board' }, query: { ...query, ...more } as never }, who)

  test('are in the register with counts by month and patch, open ones first', async () => {
    const { status, body } = await register('manager@board.test')
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.rows.map(({ step, state, due, patch }) => [step, state, due.on, patch?.name]),
      [
        ['Repairs', 'not done', workingDaysAfter(back(6), 5), 'West Patch'],
        ['Summary', 'not done', workingDaysAfter(back(6), 3), 'West Patch'],
        ['Investigation', 'done late', workingDaysAfter(back(20), 10), 'West Patch'],
      ],
    )
    assert.deepEqual([body.due, body.met, body.missed, body.cases, body.notDone], [6, 3, 3, 1, 2])
    assert.equal(
      body.months.reduce((sum, { missed }) => sum + missed, 0),
      3,
    )
    assert.deepEqual(
      body.patches.map(({ name, missed }) => [name, missed]),
      [['West Patch', 3]],
    )
  })

  test("are limited to the user's patches, to one patch by choice, and to the client", async () => {
    const { body } = await register('limited@board.test')
    assert.deepEqual([body.missed, body.met, body.choices.map(({ name }) => name)], [3, 0, ['West Patch']])
    const chosen = body.choices[0]!.id
    assert.equal((await register('manager@board.test', { patch: chosen })).body.missed, 3)
    assert.equal((await register('manager@board.test', { patch: randomUUID() })).body.due, 0)
    assert.equal((await register(manager)).status, 404)
    const without = { params: { tenant: 'without' }, query }
    assert.equal((await app.send(getBreachRegister, without, 'manager@without.test')).status, 403)
    assert.equal((await register('manager@board.test', { from: today, to: dayAfter(today, -1) })).status, 400)
  })

  test('are exported with the same rows, and reported with all cases of the month', async () => {
    const file = (format: string, more: object = {}) =>
      app.send(
        exportBreachRegister,
        { params: { tenant: 'board' }, query: { ...query, format, ...more } as never },
        'manager@board.test',
      )
    const csv = async (more?: object) => {
      const { status, body } = await file('csv', more)
      assert.equal(status, 200)
      return Buffer.from(body as never)
        .toString()
        .trim()
        .split('\r\n')
    }
    const rows = await csv()
    assert.equal(rows.length, 4)
    assert.match(rows[3]!, /"Investigation".*"Done late","4 days"/)
    assert.equal((await csv({ state: 'not done' })).length, 3)
    assert.equal((await file('xlsx')).status, 200)
    const [year, month] = today.split('-').map(Number)
    const params = { tenant: 'board', reportType: 'AwaabsLaw', year: String(year), month: String(month) }
    const report = await app.send(
      getMonthlyReport,
      { params: params as never, query: { format: 'csv' } as never },
      'manager@board.test',
    )
    assert.equal(report.status, 200)
    const lines = Buffer.from(report.body as never)
      .toString()
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 7)
    assert.match(lines[1]!, /"Investigation".*"Done late","4 days"/)
  })

  test('are shown in the list of properties and its export', async () => {
    const columns = ['propertyReference', 'awaabsLawMissed'] as const
    const body = { tenant: 'board', listing: 'Properties' as const }
    const { rows } = (await app.send(fetchProperties, { body }, 'manager@board.test')).body.data!
    const { awaabsLawMissed } = rows.find(({ propertyId }) => propertyId === ours.propertyId)!
    const late = (due: string) => Math.max(1, workingDaysBetween(due, today))
    const days = (count: number) => `${count} working ${count === 1 ? 'day' : 'days'} late`
    const [summary, repairs] = [3, 5].map((count) => days(late(workingDaysAfter(back(6), count))))
    assert.equal(awaabsLawMissed, `Investigation 4 working days late; Summary ${summary}; Repairs ${repairs}`)
    const file = await app.send(
      exportProperties,
      { body: { ...body, columns: [...columns], format: 'csv' } },
      'manager@board.test',
    )
    assert.ok(
      Buffer.from(file.body as never)
        .toString()
        .includes(awaabsLawMissed!),
    )
  })
})

describe('properties that need attention', () => {
  test("are counted as the list counts them by the same filter, for each user's part", async () => {
    await app.addTenant('cards', { features: ['PropertyCentric', 'AwaabsLaw'], capabilities: ['ViewProperties'] })
    const patch = await addAccessRightsTag(app, 'cards', 'West')
    const people = ['manager@cards.test', 'limited@cards.test'] as const
    await app.addMember('cards', people[0], 'Manager')
    await app.addMember('cards', people[1], 'Manager', [patch])
    const homes: Home[] = []
    for (let at = 0; at < 5; at++)
      homes.push(
        await addHome({
          at: 'cards',
          ...(at < 2 && { tag: patch }),
          ...(at !== 2 && { damp: at ? 'high' : 'severe' }),
        }),
      )
    const enter = (home: Home, ...changes: object[]) => change(home, changes, people[0])
    // Overdue since yesterday, due today, an emergency past its hours, due in ten days, and an audit without a
    // deadline.
    await enter(homes[0]!, { status: 'Investigation', on: back(11) })
    await enter(homes[1]!, { status: 'Investigation', on: back(10) })
    const found = new Date(Date.now() - 25 * 3_600_000).toISOString()
    await enter(homes[2]!, { status: 'Investigation', emergency: true, at: found })
    await enter(homes[3]!, { status: 'Investigation', on: today })
    await enter(homes[4]!, { status: 'Audit', on: back(40) })
    for (const [who, laws, late, damp] of [
      [people[0], 4, 2, 4],
      [people[1], 2, 1, 2],
    ] as const) {
      const { cases } = (await app.send(getWorklist, { body: { tenant: 'cards' } }, who)).body.data!
      const caseOf = (name: WorkCase['case']) => cases.find((one) => one.case === name)!
      const [law, risk] = [caseOf('legal deadlines'), caseOf('damp risk')]
      assert.deepEqual([law.count, law.late, risk.count, risk.late], [laws, late, damp, null], who)
      const homeIn = ({ worst }: WorkCase, at: number) => worst[at] as WorkHome
      for (const { count, filters, sorts, worst } of [law, risk]) {
        const body = { tenant: 'cards', filters, sorts } as never
        assert.equal((await app.send(fetchProperties, { body }, who)).body.data!.total, count, who)
        assert.equal(worst.length, 2)
      }
      assert.equal(homeIn(risk, 0).damp, 'severe')
      assert.ok(homeIn(law, 0).deadline!.lateAt <= homeIn(law, 1).deadline!.lateAt)
    }
    // A deadline ends with its day: what is due today is not late.
    assert.ok(startOfDay(today, zone) < Date.now())
  })
})
