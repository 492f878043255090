import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import {
  addBoilerGasSafetyRecord,
  addBoilerRecordAttachment,
  getBoilerRecordAttachment,
  getBoilerRecords,
  withdrawBoilerRecord,
} from '@caretaker/contract/compliance.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { exportProperties, fetchProperties, getProperty, putPropertyDetails } from '@caretaker/contract/properties.ts'
import {
  addHomeAppliance,
  addHomeApplianceRecord,
  getHomeApplianceCertificate,
  getHomeApplianceRecords,
  getPropertySafety,
  removeHomeAppliance,
  withdrawHomeApplianceRecord,
} from '@caretaker/contract/property-safety.ts'
import type { PropertyRow } from '@caretaker/contract/properties.ts'
import { getReport } from '@caretaker/contract/reports.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { complianceStates, monthsAfter, pressingStates, stateWords } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { HomeCaseName } from '@caretaker/rules/properties/attention.ts'
import { homeCases, homeCaseView } from '@caretaker/rules/properties/attention.ts'
import { refreshPlaces } from '../../projections/copied-places.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { pdfOf } from '../../testing/certificate-files.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { observe } from '../alerts/observe.ts'
import { turnCompliance } from '../compliance/compliance-states.ts'
import { ingestStates } from '../devices/ingest.ts'
import { refreshFrost } from '../heating/refresh.ts'
import { worklistOf } from '../dashboard/worklist.ts'
import { refreshHomeStatuses } from './refresh-statuses.ts'

const tenant = 'north'
const [manager, limited, guest, stranger] = [
  'manager@north.test',
  'limited@north.test',
  'guest@north.test',
  'manager@south.test',
]
const zone = 'Europe/London'
const today = dayAt(Date.now(), zone)

let app: TestApp
let east: string
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south'])
    await app.addTenant(id, { features: ['PropertyCentric', 'VoidFlag'], capabilities: ['ViewProperties'] })
  east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember(tenant, limited, 'Manager', [east])
  await app.addMember('south', stranger, 'Manager')
})
afterAll(() => app.close())

const query = (text: string, values: unknown[] = []) => app.database.owner.query(text, values)

async function addHome(reference: string, { tag = null as string | null } = {}): Promise<string> {
  const id = randomUUID()
  await query(
    `insert into property (tenant_id, id, reference, address1, access_rights_tag_id) values ($1, $2, $3::text, $3::text || ' Street', $4)`,
    [tenant, id, reference, tag],
  )
  return id
}

async function addBoiler(home: string, monitoring = 'Boiler'): Promise<string> {
  const id = await addDevice(app, tenant, { product: 'BX', status: 'Ok' })
  await query(`update device set property_id = $3, monitoring = $4 where tenant_id = $1 and id = $2`, [
    ...[tenant, id, home],
    monitoring,
  ])
  await inTenant(app.database.db, tenant, (tx) => refreshPlaces(tx, tenant, [id]))
  return id
}

const addRecord = (deviceId: string, day: string, status: 'Pass' | 'Fail' = 'Pass', type: RecordType = 'GasSafety') =>
  query(
    `insert into compliance_record (tenant_id, id, device_id, type, serial_number, recorded_at, status, is_draft, created_at)
     values ($1, gen_random_uuid(), $2::uuid, $3, 'LGSR-' || left($2::text, 8), $4, $5, false, now())`,
    [tenant, deviceId, type, new Date(startOfDay(day, zone)), status],
  )

/** Runs the worker's jobs for properties. Records that tests insert directly are read again. */
async function runPropertyJobs(): Promise<void> {
  await query(`update property set compliance_facts = null`)
  await query(
    `insert into due (work, tenant_id, due_at) values ('settle homes', $1, 'epoch') on conflict (work, tenant_id) do update set due_at = 'epoch'`,
    [tenant],
  )
  await refreshHomeStatuses(app.database.db)
  await refreshHomeStatuses(app.database.db)
}

const rowOf = async (reference: string, who = manager): Promise<PropertyRow | undefined> => {
  const body = { tenant, listing: 'Properties' as const, search: reference }
  return (await app.send(fetchProperties, { body }, who)).body.data!.rows[0]
}
const pageOf = async (propertyId: string) =>
  (await app.send(getProperty, { params: { tenant, propertyId } }, manager)).body
const boilerOf = async (deviceId: string) =>
  (await app.send(getBoiler, { body: { tenant, deviceId } }, manager)).body.data!

const viewOf = (name: HomeCaseName) => {
  const { filters, sorts } = homeCaseView(name, today)
  return { filters, sorts }
}

/** The dashboard's count for a case, and the number of rows that its link opens. */
async function caseOf(name: HomeCaseName, tags: string[] = []) {
  const actor: Actor = {
    ...{ userId: randomUUID(), memberId: randomUUID(), tenant, role: 'Manager', tags },
    ...{ features: ['PropertyCentric', 'VoidFlag'], capabilities: ['ViewProperties'] },
  }
  const { cases } = await inTenant(app.database.db, tenant, (tx) => worklistOf(tx, actor))
  const found = cases.find((one) => one.case === name)!
  const body = { tenant, listing: 'Properties' as const, ...viewOf(name) }
  const { body: page } = await app.send(fetchProperties, { body: body as never }, tags.length ? limited : manager)
  assert.equal(page.data!.total, found.count, `${name}: the link opens as many homes as are counted`)
  return { count: found.count, worst: found.worst.map((one) => one.propertyReference!) }
}

/** A property in each state, and what every view has to show for it. */
const lastYear = monthsAfter(today, -12)
const states: Record<
  ComplianceState,
  { stated?: string; records?: [day: string, status: 'Pass' | 'Fail'][]; group: string; reason?: string }
> = {
  NoRecord: { group: 'Passed' },
  InDate: { records: [[monthsAfter(today, -3), 'Pass']], group: 'Passed' },
  Stated: { stated: monthsAfter(today, -3), group: 'Passed' },
  Due: { records: [[monthsAfter(today, -11), 'Pass']], group: 'Passed' },
  Overdue: { records: [[dayAfter(lastYear, -20), 'Pass']], group: 'Warning', reason: 'Gas check overdue' },
  NeverChecked: { records: [], group: 'Warning', reason: 'Gas never checked' },
  Failed: {
    records: [
      [monthsAfter(today, -3), 'Pass'],
      [dayAfter(today, -9), 'Fail'],
    ],
    ...{ group: 'Failed', reason: 'Gas check failed' },
  },
}

describe('the state of a property', () => {
  const homes = new Map<ComplianceState, { home: string; boiler: string | undefined }>()
  beforeAll(async () => {
    for (const state of complianceStates) {
      const { stated, records } = states[state]
      const home = await addHome(`S-${state}`, { tag: east })
      // An appliance that burns no gas: a heat pump.
      const boiler = await addBoiler(home, state === 'NoRecord' ? 'HeatPump' : 'Boiler')
      for (const [day, status] of records ?? []) await addRecord(boiler, day, status)
      if (stated) {
        const body = { lastGasSafetyCheckDate: stated }
        const { status } = await app.send(
          putPropertyDetails,
          { params: { tenant, propertyId: home }, body: body as never },
          manager,
        )
        assert.equal(status, 200)
      }
      homes.set(state, { home, boiler })
    }
    await runPropertyJobs()
  })

  for (const state of complianceStates)
    test(`${state}: list, filter, page, boiler, file, report, palette and alerts agree`, async () => {
      const { home, boiler } = homes.get(state)!
      const wanted = state === 'NoRecord' ? null : state
      const row = (await rowOf(`S-${state}`))!
      const page = await pageOf(home)
      const device = await boilerOf(boiler!)
      assert.equal(row.gasSafety, wanted, 'list of homes')
      assert.equal(device.gasSafety?.state ?? null, wanted, 'boiler')
      const due = row.gasSafetyDue && dayAt(Date.parse(row.gasSafetyDue), zone)
      assert.equal(page.gasSafetyDueDate, due, 'due date of the page')
      assert.equal(page.gasSafetyFailedDate, row.gasSafetyFailed, 'failed date of the page')
      assert.equal(row.gasSafetyFailed !== null, state === 'Failed')
      const { gas } = (await app.send(getPropertySafety, { params: { tenant, propertyId: home } }, manager)).body
      assert.deepEqual([gas?.state ?? null, gas?.dueOn ?? null], [wanted, due], 'head of the page')
      assert.deepEqual(
        gas?.appliances.map((one) => [one.deviceId, one.state]) ?? [],
        wanted ? [[boiler, wanted]] : [],
        'appliances of the page',
      )
      assert.equal(device.gasSafety?.dueAt ?? null, row.gasSafetyDue, 'due date of the boiler')
      // The status of the device does not hide it.
      assert.equal(displayGroup(device.deviceStatus), states[state].group, 'status of the boiler')
      const boilers = {
        tenant,
        listing: 'Boilers' as const,
        filters: [{ fieldId: 'propertyReference', filterOp: 'equals' as const, value: `S-${state}` }],
      }
      const listed = (await app.send(fetchViewData, { body: boilers as never }, manager)).body.data!.rows[0]!
      assert.equal(listed.deviceGasSafety?.state ?? null, wanted, 'list of boilers')
      assert.equal(listed.deviceStatus, device.deviceStatus, 'status in the list of boilers')
      assert.equal(listed.deviceStatusReason, states[state].reason ?? null, 'reason in the list of boilers')
      assert.equal(row.deviceStatusReason, states[state].reason ?? null, 'reason in the list of homes')
      for (const one of complianceStates) {
        const filters = [
          { fieldId: 'gasSafety', filterOp: 'anyof', value: [one] },
          { fieldId: 'propertyReference', filterOp: 'equals', value: `S-${state}` },
        ]
        const body = { tenant, listing: 'Properties', filters } as never
        const { total } = (await app.send(fetchProperties, { body }, manager)).body.data!
        assert.equal(total, one === wanted ? 1 : 0, `filtered by ${one}`)
      }
      const body = {
        tenant,
        listing: 'Properties',
        columns: ['propertyReference', 'gasSafety'],
        format: 'csv',
        search: `S-${state}`,
      }
      const file = await app.app.inject({
        method: 'POST',
        url: exportProperties.path,
        headers: { authorization: `Bearer ${await app.token(manager)}` },
        payload: body,
      })
      assert.equal(file.statusCode, 200)
      const { properties } = (await app.send(searchEverything, { body: { tenant, search: `S-${state}` } }, manager))
        .body.data!
      assert.deepEqual(
        properties.items.map((one) => [one.propertyId, one.gasSafety]),
        [[home, wanted]],
        'palette',
      )
      const seen = await inTenant(app.database.db, tenant, async (tx) => {
        await observe(tx, 'home', [home], Date.now(), null)
        return tx
          .selectFrom('home_spell')
          .select('key')
          .where('tenant_id', '=', tenant)
          .where('property_id', '=', home)
          .where('key', '=', 'gasCheckDue')
          .execute()
      })
      assert.equal(seen.length > 0, wanted !== null && pressingStates.some((one) => one === wanted), 'alerts')
      const report = await app.app.inject({
        method: 'POST',
        url: getReport.path.replace('{tenant}', tenant),
        headers: { authorization: `Bearer ${await app.token(manager)}` },
        payload: { reportType: 'GasSafety' },
      })
      assert.equal(report.statusCode, 200, report.body)
      const [head, ...rows] = readXlsx(report.rawPayload, 1).rows
      const line = rows.find((one) => one[head!.indexOf('Property REF')] === `S-${state}`)!
      const cell = (label: string) => line[head!.indexOf(label)]
      assert.equal(cell('State'), wanted ? stateWords[wanted] : 'No gas appliance', 'report')
      assert.equal(cell('Certificate') ?? '', row.gasSafetyCertificate ?? (wanted ? 'No record' : ''), 'certificate')
      assert.ok(file.body.endsWith(`"S-${state}","${wanted ? stateWords[wanted] : ''}"\r\n`), file.body)
    })

  test('the dashboard counts each property as the list does, the worst two first', async () => {
    assert.deepEqual(await caseOf('gas failed'), { count: 1, worst: ['S-Failed'] })
    assert.deepEqual(await caseOf('gas overdue'), { count: 2, worst: ['S-NeverChecked', 'S-Overdue'] })
    assert.deepEqual(await caseOf('gas due'), { count: 1, worst: ['S-Due'] })
    assert.deepEqual(await caseOf('water treatments'), { count: 0, worst: [] })
  })

  test('a limited user counts only their own properties, another client none of them', async () => {
    await addBoiler(await addHome('S-west'))
    await runPropertyJobs()
    assert.deepEqual((await caseOf('gas overdue')).count, 3)
    assert.deepEqual(await caseOf('gas overdue', [east]), { count: 2, worst: ['S-NeverChecked', 'S-Overdue'] })
    assert.equal(await rowOf('S-west', limited), undefined)
    const body = { tenant: 'south', listing: 'Properties' as const, ...viewOf('gas failed') }
    assert.equal((await app.send(fetchProperties, { body: body as never }, stranger)).body.data!.total, 0)
  })

  test('the list sorts failed before never checked, overdue, due and stated', async () => {
    const body = {
      tenant,
      listing: 'Properties' as const,
      search: 'S-',
      sorts: [{ fieldId: 'gasSafety', descending: false }],
    }
    const { rows } = (await app.send(fetchProperties, { body: body as never }, manager)).body.data!
    const order = rows.map((row) => row.gasSafety).filter((state, at, all) => state && all.indexOf(state) === at)
    assert.deepEqual(order, ['Failed', 'NeverChecked', 'Overdue', 'Due', 'Stated', 'InDate'])
  })

  test('a state changes by date at once for the property, the boiler and its status', async () => {
    const home = await addHome('T-1')
    const boiler = await addBoiler(home)
    await addRecord(boiler, monthsAfter(today, -3))
    await runPropertyJobs()
    const due = (await pageOf(home)).gasSafetyDueDate!
    const checkOn = async (day: string) => {
      await turnCompliance(app.database.db, new Date(startOfDay(day, zone) + 60_000))
      const [row, device] = [await rowOf('T-1'), await boilerOf(boiler)]
      assert.equal(row!.gasSafety, device.gasSafety!.state)
      return `${row!.gasSafety} ${displayGroup(device.deviceStatus)}`
    }
    assert.equal(await checkOn(dayAfter(monthsAfter(due, -2), -1)), 'InDate Passed')
    assert.equal(await checkOn(monthsAfter(due, -2)), 'Due Passed')
    assert.equal(await checkOn(dayAfter(due, 1)), 'Overdue Warning')
    await runPropertyJobs()
    assert.equal((await rowOf('T-1'))!.gasSafety, 'InDate')
    assert.equal(displayGroup((await boilerOf(boiler)).deviceStatus), 'Passed')
  })

  test('when a boiler is added or removed, the property counts what is in it', async () => {
    const home = await addHome('M-1')
    const boiler = await addBoiler(home)
    await runPropertyJobs()
    assert.equal((await rowOf('M-1'))!.gasSafety, 'NeverChecked')
    await query(`update device set monitoring = 'HeatPump' where id = $1`, [boiler])
    await runPropertyJobs()
    assert.equal((await rowOf('M-1'))!.gasSafety, null)
    assert.equal(displayGroup((await boilerOf(boiler)).deviceStatus), 'Passed')
  })
})

describe('an incorrect record', () => {
  const gasRecord = (deviceId: string, number: string, more: object = {}) => ({
    tenant,
    deviceId,
    recordSerialNumber: number,
    recordTimestamp: new Date(startOfDay(dayAfter(today, -10), zone)).toISOString(),
    recordStatus: 'Pass' as const,
    ...more,
  })
  async function record(deviceId: string, number: string, more: object = {}): Promise<string> {
    const { body } = await app.send(addBoilerGasSafetyRecord, { body: gasRecord(deviceId, number, more) }, manager)
    const { recordId } = body.data!
    const file = new File([pdfOf(`Certificate ${number} ${deviceId}`)], `${number}.pdf`)
    const sent = await app.send(addBoilerRecordAttachment, { form: { tenant, deviceId, recordId, file } }, manager)
    assert.equal(sent.status, 200)
    return recordId
  }
  const recordsOf = async (deviceId: string) =>
    (await app.send(getBoilerRecords, { body: { tenant, deviceId } }, manager)).body.data!
  const withdraw = (
    deviceId: string,
    recordId: string,
    who = manager,
    reason = 'The certificate is for 21 Quarry Lane',
  ) => app.send(withdrawBoilerRecord, { body: { tenant, deviceId, recordId, reason } }, who)

  test('is withdrawn with a reason, keeps its certificate, counts no more, and can be entered again', async () => {
    const home = await addHome('W-1', { tag: east })
    const boiler = await addBoiler(home)
    const recordId = await record(boiler, 'LGSR-W-1')
    assert.equal((await rowOf('W-1'))!.gasSafety, 'InDate')
    for (const [who, status] of [
      [guest, 403],
      [stranger, 404],
    ] as const)
      assert.equal((await withdraw(boiler, recordId, who)).status, status, who)
    assert.equal((await withdraw(boiler, recordId, manager, ' ')).status, 400)
    assert.equal((await withdraw(boiler, recordId)).status, 200)
    assert.equal((await withdraw(boiler, recordId)).status, 409)
    assert.equal((await rowOf('W-1'))!.gasSafety, 'NeverChecked')
    assert.equal((await boilerOf(boiler)).gasSafety!.state, 'NeverChecked')
    const [withdrawn] = await recordsOf(boiler)
    assert.deepEqual(
      [withdrawn!.recordId, withdrawn!.withdrawn!.by, withdrawn!.withdrawn!.reason],
      [recordId, 'manager', 'The certificate is for 21 Quarry Lane'],
    )
    const [attachmentId] = withdrawn!.attachmentIds
    const names = new URLSearchParams({ tenant, deviceId: boiler, recordId, attachmentId: attachmentId! })
    const file = await app.app.inject({
      method: 'GET',
      url: `${getBoilerRecordAttachment.path}?${names.toString()}`,
      headers: { authorization: `Bearer ${await app.token(manager)}` },
    })
    assert.equal(file.statusCode, 200)
    const { rows } = await query(`select after from audit_entry where action = 'compliance record withdrawn'`)
    assert.equal((rows[0] as { after: { reason: string } }).after.reason, 'The certificate is for 21 Quarry Lane')
    await record(boiler, 'LGSR-W-1')
    assert.equal((await rowOf('W-1'))!.gasSafety, 'InDate')
    assert.equal((await recordsOf(boiler)).length, 2)
  })

  test('a certificate number used for another property is a question, and links both records where it covers both', async () => {
    const [first, second] = [
      await addBoiler(await addHome('D-1')),
      await addBoiler(await addHome('D-2', { tag: east })),
    ]
    const one = await record(first, 'LGSR-D-1')
    const asked = (more: object = {}, who = manager) =>
      app.send(addBoilerGasSafetyRecord, { body: gasRecord(second, 'lgsr-d-1', more) }, who)
    const { status, body } = await asked()
    assert.deepEqual([status, body.message], [409, 'lgsr-d-1 is already used for D-1, D-1 Street.'])
    // Nothing is disclosed about a property that a limited user does not see.
    await query(`update device set access_rights_tag_id = $2 where id = $1`, [second, east])
    assert.equal((await asked({}, limited)).body.message, 'lgsr-d-1 is already used for another property.')
    const two = await record(second, 'lgsr-d-1', { coversOtherHome: true })
    assert.deepEqual((await recordsOf(second))[0]!.coversAlso?.propertyReference, 'D-1')
    assert.deepEqual((await recordsOf(first))[0]!.coversAlso?.propertyReference, 'D-2')
    // A withdrawn record does not use up its number.
    for (const [device, recordId] of [
      [first, one],
      [second, two],
    ] as const)
      await withdraw(device, recordId)
    const third = await addBoiler(await addHome('D-3'))
    const again = await app.send(addBoilerGasSafetyRecord, { body: gasRecord(third, 'LGSR-D-1') }, manager)
    assert.equal(again.status, 200)
  })
})

describe('a gas appliance without a device', () => {
  test('is entered on the property, which then counts as never checked until it is removed', async () => {
    const home = await addHome('A-1', { tag: east })
    const params = { tenant, propertyId: home }
    const safety = async () => (await app.send(getPropertySafety, { params }, manager)).body
    assert.equal((await safety()).gas, null)
    for (const [who, status] of [
      [guest, 403],
      [stranger, 404],
    ] as const)
      assert.equal((await app.send(addHomeAppliance, { params, body: { name: 'Gas fire' } }, who)).status, status, who)
    const added = await app.send(addHomeAppliance, { params, body: { name: 'Gas fire, lounge' } }, manager)
    assert.equal(added.status, 200)
    const { gas } = await safety()
    assert.deepEqual(
      gas!.appliances.map((one) => [one.name, one.state, one.addedBy]),
      [['Gas fire, lounge', 'NeverChecked', 'manager']],
    )
    assert.equal((await rowOf('A-1'))!.gasSafety, 'NeverChecked')
    const { applianceId } = added.body
    const one = { tenant, propertyId: home, applianceId }
    const form = (more: object = {}) => ({
      ...{ ...one, recordSerialNumber: 'LGSR-A-1', recordDay: dayAfter(today, -10), recordStatus: 'Pass' as const },
      file: new File([pdfOf('Certificate of the fire')], 'fire.pdf'),
      ...more,
    })
    for (const [who, status] of [
      [guest, 403],
      [stranger, 404],
    ] as const)
      assert.equal((await app.send(addHomeApplianceRecord, { form: form() as never }, who)).status, status, who)
    const tomorrow = form({ recordDay: dayAfter(today, 1) })
    assert.equal((await app.send(addHomeApplianceRecord, { form: tomorrow as never }, manager)).status, 400)
    const recorded = await app.send(addHomeApplianceRecord, { form: form() as never }, manager)
    assert.equal(recorded.status, 200, JSON.stringify(recorded.body))
    assert.equal((await rowOf('A-1'))!.gasSafety, 'InDate')
    const records = async () => (await app.send(getHomeApplianceRecords, { params: one }, manager)).body.records
    const [record] = await records()
    assert.deepEqual([record!.serialNumber, record!.attachments[0]!.name], ['LGSR-A-1', 'fire.pdf'])
    const names = new URLSearchParams({ ...one, recordId: record!.recordId, attachmentId: record!.attachmentIds[0]! })
    const certificate = async (who: string) =>
      app.app.inject({
        method: 'GET',
        url: `${getHomeApplianceCertificate.path}?${names.toString()}`,
        headers: { authorization: `Bearer ${await app.token(who)}` },
      })
    assert.equal((await certificate(manager)).statusCode, 200)
    assert.equal((await certificate(stranger)).statusCode, 404)
    // For a boiler of another property, the number leads to a question.
    const elsewhere = await addBoiler(await addHome('A-3'))
    const body = {
      ...{ tenant, deviceId: elsewhere, recordSerialNumber: 'LGSR-A-1', recordStatus: 'Pass' as const },
      recordTimestamp: new Date().toISOString(),
    }
    assert.equal((await app.send(addBoilerGasSafetyRecord, { body }, manager)).status, 409)
    const wrongRecord = { params: { ...one, recordId: record!.recordId }, body: { reason: 'Wrong appliance' } }
    assert.equal((await app.send(withdrawHomeApplianceRecord, wrongRecord, manager)).status, 200)
    assert.equal((await records())[0]!.withdrawn!.reason, 'Wrong appliance')
    assert.equal((await rowOf('A-1'))!.gasSafety, 'NeverChecked')
    const other = await addHome('A-2')
    const wrong = { tenant, propertyId: other, applianceId }
    const because = { reason: 'Fire taken out by the gas engineer' }
    const remove = (who: string, reason = because.reason, from: object = one) =>
      app.send(removeHomeAppliance, { params: from as typeof one, body: { reason } }, who)
    assert.equal((await remove(manager, because.reason, wrong)).status, 404)
    assert.equal((await remove(manager, ' ')).status, 400, 'without a reason')
    for (const [who, status] of [
      [guest, 403],
      [stranger, 404],
    ] as const)
      assert.equal((await remove(who)).status, status, who)
    assert.equal((await remove(manager)).status, 200)
    assert.equal((await remove(manager)).status, 404, 'removed already')
    const { gas: none, removedAppliances } = await safety()
    assert.equal(none, null)
    assert.deepEqual(
      removedAppliances.map(({ removedAt, ...rest }) => [dayAt(Date.parse(removedAt), zone), rest]),
      [[today, { applianceId, name: 'Gas fire, lounge', removedBy: 'manager', reason: because.reason }]],
    )
    assert.equal((await records())[0]!.serialNumber, 'LGSR-A-1', 'its records stay readable')
    assert.equal((await certificate(manager)).statusCode, 200)
    assert.equal((await certificate(stranger)).statusCode, 404)
    const later = form({ recordSerialNumber: 'LGSR-A-9' })
    assert.equal((await app.send(addHomeApplianceRecord, { form: later as never }, manager)).status, 404)
    const { rows: entries } = await query(
      `select before, after from audit_entry where tenant_id = $1 and action = 'gas appliance removed' and subject_id = $2`,
      [tenant, home],
    )
    assert.deepEqual(entries, [{ before: { appliance: 'Gas fire, lounge' }, after: because }])
    assert.equal((await rowOf('A-1'))!.gasSafety, null)
  })
})

describe('heating that is off', () => {
  const fault = (deviceId: string, code: string) =>
    inTenant(app.database.db, tenant, (tx) =>
      ingestStates(tx, [{ deviceId, tenant, payload: { faultCode: code, fault: {} }, receivedAt: new Date() }]),
    )

  test('a lockout counts as long as it lasts, in occupied properties', async () => {
    const [home, empty] = [await addHome('H-1', { tag: east }), await addHome('H-2')]
    const [boiler, other] = [await addBoiler(home), await addBoiler(empty)]
    await query(`update property set void_flag = 'Void' where id = $1`, [empty])
    await query(`update device set connection_status = 'Connected' where id = any($1)`, [[boiler, other]])
    for (const id of [boiler, other]) await fault(id, 'EA')
    await runPropertyJobs()
    assert.deepEqual([(await rowOf('H-1'))!.heating, (await rowOf('H-2'))!.heating], ['LockedOut', 'LockedOut'])
    assert.ok((await rowOf('H-1'))!.heatingSince)
    assert.deepEqual(await caseOf('heating off'), { count: 1, worst: ['H-1'] })
    assert.deepEqual(await caseOf('heating off', [east]), { count: 1, worst: ['H-1'] })
    // Recorded as broken, it does not heat either: neither during the lockout nor after it.
    await query(
      `insert into condition (tenant_id, id, device_id, kind, key, began_at)
       values ($1, gen_random_uuid(), $2, 'equipmentBroken', '', now())`,
      [tenant, boiler],
    )
    await runPropertyJobs()
    assert.equal((await rowOf('H-1'))!.heating, 'LockedOut')
    assert.deepEqual(await caseOf('heating off'), { count: 1, worst: ['H-1'] })
    await fault(boiler, 'None')
    await runPropertyJobs()
    assert.equal((await rowOf('H-1'))!.heating, 'Broken')
    assert.deepEqual(await caseOf('heating off'), { count: 1, worst: ['H-1'] })
    await query(`update condition set ended_at = now() where tenant_id = $1 and device_id = $2`, [tenant, boiler])
    await runPropertyJobs()
    assert.equal((await rowOf('H-1'))!.heating, 'Working')
    assert.deepEqual(await caseOf('heating off'), { count: 0, worst: [] })
  })

  test('a room below 5 °C is a frost risk until it is warmer', async () => {
    const home = await addHome('F-1')
    const sensor = await addDevice(app, tenant, { product: 'MD' })
    await query(`update device set property_id = $2 where id = $1`, [sensor, home])
    const { rows } = await query(
      `insert into series (tenant_id, device_id, metric) values ($1, $2, 'temperature') returning id`,
      [tenant, sensor],
    )
    const reads = (value: number) =>
      query(
        `insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
         values ($1, $2, date_trunc('hour', now()), 1, $3, $3, $3, now(), $3)
         on conflict (tenant_id, series_id, hour) do update set last_value = excluded.last_value`,
        [tenant, rows[0]!['id'], value],
      )
    const shownAt = async (value: number) => {
      await reads(value)
      await inTenant(app.database.db, tenant, (tx) => refreshFrost(tx, new Date()))
      return (await rowOf('F-1'))!.heating
    }
    assert.equal(await shownAt(4.9), 'FrostRisk')
    assert.deepEqual((await caseOf('heating off')).worst, ['F-1'])
    assert.equal(await shownAt(5), null)
  })

  test('each case can be queried', async () => {
    for (const name of homeCases.filter((one) => one !== 'legal deadlines')) assert.ok((await caseOf(name)).count >= 0)
  })
})

test('a boiler outside a property alerts by its own checks; one in a property leaves them to the property', async () => {
  const found = (kind: 'device' | 'home', id: string) =>
    inTenant(app.database.db, tenant, async (tx) => {
      const { pasts } = await observe(tx, kind, [id], Date.now(), null)
      const open = pasts.spells.get(id)!.filter(({ key, ended }) => key.startsWith('gas') && ended === null)
      return open.map(({ key }) => key).toSorted()
    })
  const loose = await addDevice(app, tenant, { product: 'BX', status: 'Ok' })
  await query(`update device set gas_state = 'Failed', property_id = null where id = $1`, [loose])
  assert.deepEqual(await found('device', loose), ['gasCheckDue', 'gasCheckFailed'])
  const home = await addHome('U-1')
  const boiler = await addBoiler(home)
  await query(`update device set gas_state = 'Overdue' where id = $1`, [boiler])
  await query(`update property set gas_check_state = 'NeverChecked' where id = $1`, [home])
  assert.deepEqual(await found('device', boiler), [])
  assert.deepEqual(await found('home', home), ['gasCheckDue', 'gasNeverChecked'])
})
