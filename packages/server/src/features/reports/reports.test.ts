import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { strFromU8, unzipSync } from 'fflate'
import { sql } from 'kysely'
import {
  addReportSchedule,
  deleteReportRun,
  deleteReportSchedule,
  getMonthlyReport,
  getReport,
  getReportFile,
  getReportRuns,
  getReports,
  getReportSchedules,
  updateReportSchedule,
  startReport,
} from '@caretaker/contract/reports.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { monthAfter, monthOf, monthSpan, monthText } from '@caretaker/rules/reports/months.ts'
import { makeDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { recomputeTestConditions } from '../conditions/store.ts'
import { testApp } from '../../testing/app.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { releaseReports, writeReports } from './job.ts'
import { reportLetter } from './report-emails.ts'
import type { StoredRun } from './store.ts'

const [north, south] = ['north', 'south']
const [manager, limited, lighting, boilers, guest] = ['manager', 'limited', 'lighting', 'boilers', 'guest'].map(
  (who) => `${who}@north.test`,
) as [string, string, string, string, string]
const hour = 3_600_000
const zone = 'Europe/London'
const now = new Date()
const running = monthOf(dayAt(+now, zone))
const last = monthAfter(running, -1)
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-reports-'))

let app: TestApp
let [east, west, foreignTag]: [string, string, string] = ['', '', '']
const homes: Record<string, string> = {}
const devices: Record<string, string> = {}

const within = <T>(tenant: string, work: Parameters<typeof inTenant<T>>[2]) => inTenant(app.database.db, tenant, work)

async function addHome(tenant: string, reference: string, tag: string | null) {
  const id = randomUUID()
  await within(tenant, (tx) =>
    tx
      .insertInto('property')
      .values({
        ...{ tenant_id: tenant, id, reference, address1: `${reference} Lane`, postcode: 'LS6 1AB', latitude: null },
        ...{ longitude: null, access_rights_tag_id: tag, epc_rating: 'D', architype: null },
      })
      .execute(),
  )
  homes[reference] = id
  return id
}

async function place(name: string, home: string | null, given: Parameters<typeof addDevice>[2] = {}, tenant = north) {
  const id = await addDevice(app, tenant, given)
  await app.database.owner.query(
    `update device set property_id = $3, room = $4, created_at = '2024-01-01' where tenant_id = $1 and id = $2`,
    [tenant, id, home, name],
  )
  devices[name] = id
  return id
}

/** The same air for each hour of the last month. */
async function air(deviceId: string, values: Record<string, number>) {
  const { from, to } = monthSpan(last, zone)
  await within(north, async (tx) => {
    for (const [metric, reading] of Object.entries(values)) {
      const { id } = await tx
        .insertInto('series')
        .values({ tenant_id: north, device_id: deviceId, metric: metric as 'temperature' })
        .returning('id')
        .executeTakeFirstOrThrow()
      await sql`
        insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
        select ${north}, ${id}, hour, 1, ${reading}, ${reading}, ${reading}, hour, ${reading}
        from generate_series(${new Date(from)}::timestamptz, ${new Date(to - 1)}::timestamptz, interval '1 hour') as hour
        on conflict do nothing`.execute(tx)
    }
  })
}

async function addTest(deviceId: string, at: Date, result: 'Passed' | 'Failed', type: 'T0' | 'T180' = 'T0') {
  await within(north, (tx) =>
    tx
      .insertInto('emergency_test')
      .values({
        ...{ tenant_id: north, event_id: randomUUID(), device_id: deviceId, test_type: type, started_at: at, result },
        ...{ reason: 'Predicted Failed Components: Battery.', series: '[]' },
        component_states: JSON.stringify(result === 'Failed' ? { Battery: 'Failed', Lamp: 'Ok' } : {}),
      })
      .execute(),
  )
}

beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder, CARETAKER_DEMO: 'on' })
  const flags = {
    features: ['PropertyCentric', 'ReportHistory', 'ReportScheduling'] as const,
    capabilities: ['ViewProperties'] as const,
  }
  for (const id of [north, south])
    await app.addTenant(id, { features: [...flags.features], capabilities: [...flags.capabilities] })
  // Winter weather outside, in any month.
  await app.database.owner.query(`update tenant set settings = '{"damp": {"outside": 5}}' where id = $1`, [north])
  east = await addAccessRightsTag(app, north, 'East')
  west = await addAccessRightsTag(app, north, 'West')
  await addAccessRightsTag(app, north, 'Default')
  foreignTag = await addAccessRightsTag(app, south, 'Foreign')
  await app.addMember(north, manager, 'Manager')
  await app.addMember(north, limited, 'Manager', [east])
  await app.addMember(north, lighting, 'LightingEngineer')
  await app.addMember(north, boilers, 'BoilerEngineer')
  await app.addMember(north, guest, 'Guest')
  await app.addMember(south, 'manager@south.test', 'Manager')
  const [one, two] = [await addHome(north, 'H-01', east), await addHome(north, 'H-02', west)]
  await addHome(north, 'H-03', null)
  const foreign = await addHome(south, 'S-01', null)
  await place('Hall', one, { product: 'EM', accessRightsTagId: east })
  await place('Stair', two, { product: 'EM', status: 'FailedEquipment', accessRightsTagId: west })
  await place('Foreign hall', foreign, { product: 'EM' }, south)
  for (const [home, tag, name, values] of [
    [one, east, 'Bedroom', { temperature: 15, humidity: 78 }],
    [two, west, 'Kitchen', { temperature: 20, humidity: 45 }],
  ] as const)
    await air(await place(name, home, { product: 'MD', accessRightsTagId: tag }), values)
  const { from } = monthSpan(last, zone)
  await addTest(devices.Hall!, new Date(from + hour), 'Passed')
  await addTest(devices.Stair!, new Date(from + 2 * hour), 'Passed')
  await addTest(devices.Stair!, new Date(from + 3 * hour), 'Failed', 'T180')
  await addTest(devices.Stair!, new Date(from - hour), 'Failed')
  await within(north, (tx) => recomputeTestConditions(tx, [devices.Stair!]))
  await app.database.owner.query('delete from due')
  // As the last month ends.
  const end = new Date(monthSpan(last, zone).to + 60_000)
  await within(north, (tx) => makeDue(tx, 'write reports', end))
  await within(south, (tx) => makeDue(tx, 'write reports', end))
  await writeReports(app.context, undefined, () => end)
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

async function ask(
  type: string,
  query: string,
  { email = manager, tenant = north, month = last }: Partial<Asked> = {},
) {
  const authorization = `Bearer ${await app.token(email)}`
  const params = { tenant, reportType: type, year: month.year, month: month.month }
  // As in the portal's documents, with a slash at the end.
  const url = `${pathOf(getMonthlyReport.path, params)}/${query}`
  return app.app.inject({ method: 'GET', url, headers: { authorization } })
}
const pathOf = (path: string, params: Record<string, string | number>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]))

interface Asked {
  email: string
  tenant: string
  month: Month
}
/** The data of a workbook, with the header first. */
const dataOf = (bytes: Buffer) => readXlsx(bytes, 1).rows
const column = (rows: string[][], name: string) => rows.slice(1).map((row) => row[rows[0]!.indexOf(name)] ?? '')
const summaryOf = (bytes: Buffer) => readXlsx(bytes, 2).rows
const value = (rows: string[][], name: string) => rows.find(([label]) => label === name)?.[1]

test('a monthly report is a workbook named by its month, with a summary chart and typed cells [est-7.5-1] [est-7.5-6] [est-1-18]', async () => {
  const response = await ask('Overview', '')
  assert.equal(response.statusCode, 200, response.body)
  assert.match(
    String(response.headers['content-disposition']),
    new RegExp(`filename="${monthText(last)}-Overview\\.xlsx"`),
  )
  const files = unzipSync(response.rawPayload)
  const names = [...strFromU8(files['xl/workbook.xml']!).matchAll(/<sheet name="(.*?)"/g)].map(([, name]) => name)
  assert.deepEqual(names, ['Summary', 'Data'])
  const chart = strFromU8(files['xl/charts/chart2.xml']!)
  const summary = summaryOf(response.rawPayload)
  const [, from, to] = /'Summary'!\$B\$(\d+):\$B\$(\d+)/.exec(chart)!
  assert.deepEqual(
    summary.slice(Number(from) - 1, Number(to)).map(([word, count]) => [word, count]),
    [
      ['Passed', '3'],
      ['Warning', '0'],
      ['Failed', '1'],
      ['Device failed', '0'],
      ['Not installed', '0'],
    ],
  )
  assert.equal(value(summary, 'Rows'), '3')
  const rows = dataOf(response.rawPayload)
  assert.deepEqual(column(rows, 'Property REF'), ['H-01', 'H-02', 'H-03'])
  assert.deepEqual(column(rows, 'Devices'), ['2', '2', '0'])
  assert.deepEqual(column(rows, 'Status').slice(1), ['Failed', ''])
  assert.deepEqual(column(rows, 'Tests passed'), ['1', '1', '0'])
  assert.deepEqual(column(rows, 'Tests failed'), ['0', '1', '0'])
  for (const name of rows[0]!) assert.ok(value(summary, name)?.length, `${name} is explained`)
})

test('rooms and properties have the figures of the month, with reasons [est-2.6-12]', async () => {
  const rows = dataOf((await ask('DampAndMould', '')).rawPayload)
  const hours = String((monthSpan(last, zone).to - monthSpan(last, zone).from) / hour)
  assert.deepEqual(column(rows, 'Room'), ['Bedroom', 'Kitchen'])
  assert.deepEqual(column(rows, 'Hours above 70 %'), [hours, '0'])
  assert.deepEqual(column(rows, 'Hours below 16 °C'), [hours, '0'])
  assert.deepEqual(column(rows, 'Mean °C'), ['15', '20'])
  assert.deepEqual(column(rows, 'Risk'), ['High', 'Low'])
  const warm = dataOf((await ask('FuelPoverty', '')).rawPayload)
  assert.deepEqual(column(warm, 'Property REF'), ['H-01', 'H-02'])
  assert.deepEqual(column(warm, 'Hours below 18 °C'), [hours, '0'])
  // Two properties are too few for a comparison.
  assert.deepEqual(column(warm, 'Gap °C'), ['', ''])
})

test('tags can be repeated, and a report covers only items with one of them [est-7.5-2] [est-7.5-3]', async () => {
  const places = async (query: string) => column(dataOf((await ask('Overview', query)).rawPayload), 'Property REF')
  assert.deepEqual(await places(`?tag=${east}`), ['H-01'])
  assert.deepEqual(await places(`?tag=${east}&tag=${west}`), ['H-01', 'H-02'])
  assert.deepEqual(column(dataOf((await ask('DampAndMould', `?tag=${west}`)).rawPayload), 'Room'), ['Kitchen'])
  assert.deepEqual(column(dataOf((await ask('FuelPoverty', `?tag=${west}`)).rawPayload), 'Property REF'), ['H-02'])
})

test("with the devices that an overview leaves out, its figures equal the dashboard's", async () => {
  const loose = await addDevice(app, north, { product: 'BX', name: 'In no home' })
  const response = await ask('Overview', '', { month: running })
  const summary = summaryOf(response.rawPayload)
  const note = summary.find(([, one]) => one?.startsWith('Left out: '))?.[1] ?? ''
  const leftOut = Number(/^Left out: (\d+) /.exec(note)?.[1])
  const { rows } = await app.database.owner.query<{ count: number }>(
    `select count(*)::int as count from device where tenant_id = $1`,
    [north],
  )
  const inRows = column(dataOf(response.rawPayload), 'Devices').reduce((sum, one) => sum + Number(one), 0)
  assert.ok(leftOut >= 1, note)
  assert.equal(inRows + leftOut, rows[0]!.count)
  // The dashboard has no such figures for an ended month, or for tags.
  for (const other of [await ask('Overview', ''), await ask('Overview', `?tag=${east}`, { month: running })])
    assert.ok(summaryOf(other.rawPayload).some(([, one]) => one?.startsWith('Devices without a property or building')))
  await app.database.owner.query(`delete from device where id = $1`, [loose])
})

test('moves and tags after a month change none of its reports; the current month has the present state [est-2.6-20]', async () => {
  const before = dataOf((await ask('Overview', '')).rawPayload)
  await app.database.owner.query('update device set property_id = $2, access_rights_tag_id = null where id = $1', [
    devices.Hall,
    homes['H-03'],
  ])
  assert.deepEqual(dataOf((await ask('Overview', '')).rawPayload), before)
  const response = await ask('Overview', '', { month: running })
  assert.deepEqual(column(dataOf(response.rawPayload), 'Devices'), ['1', '2', '1'])
  assert.deepEqual(column(dataOf(response.rawPayload), 'Tests passed'), ['0', '0', '0'])
  assert.ok(
    summaryOf(response.rawPayload).some(
      ([, note]) => note === 'The month has not ended: these are the figures so far.',
    ),
  )
  // Rooms read by a report of the current month stay known after another report without rooms.
  const rooms = async () => {
    const { rows } = await app.database.owner.query<{ rooms: number }>(
      'select count(figures)::int as rooms from report_device where tenant_id = $1 and month = $2',
      [north, `${monthText(running)}-01`],
    )
    return rows[0]!.rooms
  }
  assert.equal(await rooms(), 0)
  for (const type of ['DampAndMould', 'Overview']) {
    await ask(type, '', { month: running })
    assert.equal(await rooms(), 2, type)
  }
  await app.database.owner.query('update device set property_id = $2, access_rights_tag_id = $3 where id = $1', [
    devices.Hall,
    homes['H-01'],
    east,
  ])
})

test('a report of a month that was never closed states so, and has no rows', async () => {
  const response = await ask('Overview', '', { month: { year: 2019, month: 1 } })
  assert.equal(response.statusCode, 200)
  assert.equal(dataOf(response.rawPayload).length, 1)
  assert.ok(summaryOf(response.rawPayload).some(([, note]) => note?.includes('were not recorded')))
  assert.equal(value(summaryOf(response.rawPayload), 'As at'), 'unknown')
})

test('CSV has only the data', async () => {
  const response = await ask('Overview', '?format=csv')
  assert.equal(response.headers['content-type'], 'text/csv; charset=utf-8')
  const lines = response.body.trimEnd().split('\r\n')
  assert.equal(lines.length, 4)
  assert.match(lines[1]!, /^"H-01","H-01 Lane","LS6 1AB"/)
})

test('a report without a month is requested by its type alone [est-2.6-9] [est-7.5-4]', async () => {
  const post = async (payload: object, email = manager) =>
    app.app.inject({
      ...{ method: 'POST', url: pathOf(getReport.path, { tenant: north }), payload },
      headers: { authorization: `Bearer ${await app.token(email)}` },
    })
  const failed = await post({ reportType: 'FailedEmeredReport' })
  assert.match(
    String(failed.headers['content-disposition']),
    new RegExp(`${dayAt(Date.now(), zone)}-FailedEmeredReport`),
  )
  assert.equal(failed.statusCode, 200, failed.body)
  const rows = dataOf(failed.rawPayload)
  assert.deepEqual(
    [column(rows, 'Room'), column(rows, 'Test'), column(rows, 'Part')],
    [['Stair'], ['T180'], ['Battery']],
  )
  const compliance = dataOf((await post({ reportType: 'EmeredComplianceReport' })).rawPayload)
  assert.deepEqual(column(compliance, 'Yearly result').toSorted(), ['', 'Failed'])
  assert.deepEqual(column(dataOf((await post({ reportType: 'FailedEmeredReport' }, limited)).rawPayload), 'Room'), [])
  assert.equal((await post({ reportType: 'Overview' })).statusCode, 400)
  assert.equal((await post({ reportType: 'FailedEmeredReport', more: 1 })).statusCode, 400)
  assert.equal((await post({ reportType: 'FailedEmeredReport' }, boilers)).statusCode, 403)
})

test("the page gets the available reports, tags and the user's own reports [est-2.6-15] [est-2.6-11] [est-2.6-13]", async () => {
  const { body } = await app.send(getReports, { params: { tenant: north } }, limited)
  assert.deepEqual(
    body.reports.map((one) => [one.reportType, one.isMonthly]),
    [
      ['Overview', true],
      ['DampAndMould', true],
      ['FuelPoverty', true],
      ['GasSafety', false],
      ['FailedEmeredReport', false],
    ],
  )
  assert.deepEqual(
    body.tags.map((tag) => [tag.name, tag.isOwn]),
    [
      ['East', true],
      ['West', false],
    ],
  )
  const { body: few } = await app.send(getReports, { params: { tenant: north } }, lighting)
  assert.deepEqual(
    few.reports.map(({ reportType }) => reportType),
    ['Overview', 'FailedEmeredReport'],
  )
})

test('limited users and engineers get what they may see; others, and other clients, get nothing', async () => {
  const places = (bytes: Buffer) => column(dataOf(bytes), 'Property REF')
  assert.deepEqual(places((await ask('Overview', '', { email: limited })).rawPayload), ['H-01'])
  assert.deepEqual(places((await ask('Overview', `?tag=${west}`, { email: limited })).rawPayload), [])
  assert.deepEqual(column(dataOf((await ask('DampAndMould', '', { email: limited })).rawPayload), 'Room'), ['Bedroom'])
  assert.deepEqual(places((await ask('FuelPoverty', '', { email: limited })).rawPayload), ['H-01'])
  for (const [type, asked, status] of [
    ['DampAndMould', { email: lighting }, 403],
    ['Overview', { email: 'manager@south.test' }, 404],
    ['Overview', { email: 'manager@south.test', tenant: south }, 200],
    ['Overview', { tenant: south }, 404],
  ] as const)
    assert.equal((await ask(type, '', asked)).statusCode, status, type)
  const own = await ask('Overview', '', { email: 'manager@south.test', tenant: south })
  assert.deepEqual(places(own.rawPayload), ['S-01'])
  await app.database.owner.query(`insert into tenant_feature values ($1, 'HideCustomerPersonalData')`, [north])
  const hidden = dataOf((await ask('Overview', '')).rawPayload)
  assert.ok(!hidden[0]!.includes('Address') && !hidden[0]!.includes('Postcode'))
  assert.ok(!hidden.flat().some((cell) => cell.includes('Lane') || cell.includes('LS6')))
  await app.database.owner.query(`delete from tenant_feature where feature = 'HideCustomerPersonalData'`)
})

test('invalid months, reports and tags are refused with the error', async () => {
  const next = monthAfter(running, 1)
  for (const [type, query, month, text] of [
    ['Overview', '', next, 'That month has not begun.'],
    ['Overview', '', { year: 1, month: 1 }, 'Reports begin with 2019.'],
    ['Overview', '', { year: 2025, month: 13 }, 'month'],
    ['Overview', '', { year: 2025, month: 0 }, 'month'],
    ['Nothing', '', last, 'reportType'],
    ['FailedEmeredReport', '', last, 'is not a monthly report'],
    ['Overview', `?tag=${foreignTag}`, last, 'This tag does not exist'],
    ['Overview', '?tag=Default', last, 'tag'],
    ['Overview', '?format=pdf', last, 'format'],
    ['Overview', '?more=1', last, 'more'],
  ] as const) {
    const response = await ask(type, query, { month })
    assert.equal(response.statusCode, 400, `${type} ${query} ${response.body}`)
    assert.ok(response.body.includes(text), response.body)
  }
  const { rows } = await app.database.owner.query<{ id: string }>(
    `select id from access_rights_tag where tenant_id = $1 and display_name = 'Default'`,
    [north],
  )
  assert.equal((await ask('Overview', `?tag=${rows[0]!.id}`)).statusCode, 400)
})

const wanted = { reportType: 'Overview' as const, month: last, format: 'xlsx' as const }
const inNorth = { params: { tenant: north } }
const runsOf = async (email = manager) => (await app.send(getReportRuns, inNorth, email)).body.runs

test('a report ordered on the page is written by the worker, visible to its user only, and can be deleted [est-4-65]', async () => {
  const { status, body: run } = await app.send(startReport, { ...inNorth, body: { ...wanted, format: 'csv' } }, manager)
  assert.deepEqual([status, run.state, run.fileName], [202, 'waiting', null])
  const file = { params: { tenant: north, runId: run.runId } }
  assert.equal((await app.send(getReportFile, file, manager)).status, 404)
  await writeReports(app.context)
  const [done] = await runsOf()
  assert.deepEqual([done?.state, done?.rows, done?.fileName], ['done', 3, `${monthText(last)}-Overview.csv`])
  const answer = await app.send(getReportFile, file, manager)
  assert.match(answer.body as unknown as string, /"H-01","H-01 Lane"/)
  for (const [email, expected] of [
    [guest, 404],
    ['manager@south.test', 404],
  ] as const)
    assert.equal((await app.send(getReportFile, file, email)).status, expected)
  assert.deepEqual(await runsOf(guest), [])
  // A user whose rights were reduced can no longer open earlier files.
  const narrow = (tags: string[]) =>
    app.database.owner.query('update membership set tag_ids = $1 where email = $2', [tags, manager])
  await narrow([west])
  const refused = await app.send(getReportFile, file, manager)
  assert.deepEqual([refused.status, /Create it again/.test(refused.body.message)], [403, true])
  await narrow([])
  assert.equal((await app.send(getReportFile, file, manager)).status, 200)
  assert.equal((await app.send(deleteReportRun, file, guest)).status, 404)
  assert.equal((await app.send(deleteReportRun, file, manager)).status, 204)
  assert.deepEqual(await runsOf(), [])
})

test('a report whose writer died is written by the next worker; one that fails states so', async () => {
  const { body: run } = await app.send(startReport, { ...inNorth, body: wanted }, manager)
  const claim = (until: string, attempts: number) =>
    app.database.owner.query(
      `update report_run set state = 'running', claimed_until = now() + $2::interval, attempts = $3 where id = $1`,
      [run.runId, until, attempts],
    )
  await claim('1 minute', 1)
  await writeReports(app.context)
  assert.equal((await runsOf())[0]!.state, 'running')
  // An unrelated process ends, and then its writer.
  const claimant = (number: number) =>
    app.database.owner.query('update report_run set claimant = $1 where id = $2', [number, run.runId])
  await claimant(7)
  assert.equal(await releaseReports(app.context, [8]), 0)
  assert.equal(await releaseReports(app.context, [7, 8]), 1)
  await writeReports(app.context)
  assert.equal((await runsOf())[0]!.state, 'done')
  await app.database.owner.query('update report_run set finished_at = null, file_id = null where id = $1', [run.runId])
  await claim('-1 second', 1)
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'write reports'`)
  await writeReports(app.context)
  assert.equal((await runsOf())[0]!.state, 'done')
  const { body: lost } = await app.send(startReport, { ...inNorth, body: { ...wanted, tagIds: [west] } }, limited)
  await app.database.owner.query('update membership set role = $1, tag_ids = $2 where email = $3', [
    'LightingEngineer',
    [east],
    limited,
  ])
  const { body: damp } = await app.send(startReport, { ...inNorth, body: wanted }, limited)
  await app.database.owner.query(`update report_run set report_type = 'DampAndMould' where id = $1`, [damp.runId])
  await writeReports(app.context)
  const states = new Map((await runsOf(limited)).map((one) => [one.runId, [one.state, one.fault]]))
  assert.deepEqual(states.get(damp.runId), ['failed', "You don't have permission."])
  assert.deepEqual(states.get(lost.runId), ['done', null])
  await app.database.owner.query(`update membership set role = 'Manager' where email = $1`, [limited])
})

test('each user has at most five open reports, and reports are deleted after 90 days', async () => {
  for (let count = 0; count < 5; count++)
    assert.equal((await app.send(startReport, { ...inNorth, body: wanted }, guest)).status, 202)
  assert.equal((await app.send(startReport, { ...inNorth, body: wanted }, guest)).status, 429)
  await writeReports(app.context)
  assert.equal((await runsOf(guest)).length, 5)
  await app.database.owner.query(
    `update report_run set finished_at = now() - interval '91 days' where membership_id = (select id from membership where email = $1)`,
    [guest],
  )
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'write reports'`)
  await writeReports(app.context)
  assert.deepEqual(await runsOf(guest), [])
})

test("a schedule e-mails last month's report in the client's time zone; a missed one comes once, late, and states so", async () => {
  const schedule = { reportType: 'DampAndMould' as const, tagIds: [east], day: 3, hour: 7 }
  const { status, body } = await app.send(addReportSchedule, { ...inNorth, body: schedule }, manager)
  assert.equal(status, 201)
  assert.equal(new Date(body.nextAt).toLocaleString('en-GB', { timeZone: zone }).slice(-8), '07:00:00')
  const mails = async () =>
    (
      await app.database.owner.query<{ subject: string; text: string; attachment_name: string; size: number }>(
        `select subject, text, attachment_name, file.size from mail
         left join file on file.tenant_id = mail.tenant_id and file.id = attachment_id and referrer = 'mail'
         where mail.tenant_id = $1 and recipient = $2 order by at`,
        [north, manager],
      )
    ).rows
  await app.database.owner.query(`update report_schedule set next_at = $2 where id = $1`, [
    body.scheduleId,
    new Date(Date.parse(body.nextAt) - 90 * 86_400_000),
  ])
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'write reports'`)
  await writeReports(app.context)
  const [mail, ...more] = await mails()
  assert.deepEqual(more, [])
  assert.match(mail!.subject, /^north homes: Damp and mould for /)
  assert.match(mail!.text, /It has 1 row\./)
  const [run] = await runsOf()
  assert.match(mail!.text, /It was due at .* and is late: it was not created until /)
  assert.ok(mail!.text.includes(`/north/Reporting?run=${run!.runId}\n`), mail!.text)
  assert.deepEqual([mail!.attachment_name, mail!.size], [run!.fileName, run!.size])
  assert.deepEqual([run?.isScheduled, run?.tags, run?.month], [true, ['East'], last])
  const { body: own } = await app.send(getReportSchedules, inNorth, manager)
  assert.ok(Date.parse(own.schedules[0]!.nextAt) > Date.now())
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'write reports'`)
  await writeReports(app.context)
  assert.equal((await mails()).length, 1)
  const one = { params: { tenant: north, scheduleId: body.scheduleId } }
  assert.equal((await app.send(deleteReportSchedule, one, guest)).status, 404)
  assert.equal((await app.send(deleteReportSchedule, one, manager)).status, 204)
  assert.equal((await app.send(deleteReportSchedule, one, manager)).status, 404)
})

test('only the owner changes a schedule; each recipient gets what they may see', async () => {
  const schedule = { reportType: 'Overview' as const, day: 3, hour: 7 }
  const { body: made } = await app.send(addReportSchedule, { ...inNorth, body: schedule }, manager)
  const { rows } = await app.database.owner.query<{ id: string; email: string }>(
    `select id, email from membership where tenant_id = $1`,
    [north],
  )
  const idOf = (email: string) => rows.find((one) => one.email === email)!.id
  const one = { params: { tenant: north, scheduleId: made.scheduleId } }
  const body = { ...schedule, format: 'csv' as const, day: 5, recipientIds: [idOf(guest), idOf(manager)] }
  assert.equal((await app.send(updateReportSchedule, { ...one, body }, guest)).status, 404)
  const strangers = { ...body, recipientIds: [crypto.randomUUID()] }
  assert.equal((await app.send(updateReportSchedule, { ...one, body: strangers }, manager)).status, 400)
  const { status, body: changed } = await app.send(updateReportSchedule, { ...one, body }, manager)
  assert.equal(status, 200, JSON.stringify(changed))
  assert.deepEqual(
    [changed.scheduleId, changed.day, changed.format, changed.recipients.map(({ id }) => id)],
    [made.scheduleId, 5, 'csv', [idOf(guest)]],
  )
  const before = (await app.send(getReportRuns, inNorth, guest)).body.runs.length
  await app.database.owner.query(`update report_schedule set next_at = now() - interval '1 day'`)
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'write reports'`)
  await writeReports(app.context)
  const runs = (await app.send(getReportRuns, inNorth, guest)).body.runs
  assert.equal(runs.length, before + 1)
  assert.equal(runs[0]!.reportType, 'Overview')
  const { rows: mails } = await app.database.owner.query<{ text: string }>(
    `select text from mail where tenant_id = $1 and recipient = $2 order by at desc limit 1`,
    [north, guest],
  )
  assert.match(mails[0]!.text, /because .+ has a schedule that sends it to you/)
  await app.send(deleteReportSchedule, one, manager)
})

test('a schedule alone delivers the report: attached, or as a link for users with access to reports', async () => {
  await app.database.owner.query(`delete from tenant_feature where tenant_id = $1 and feature = 'ReportHistory'`, [
    north,
  ])
  const schedule = { reportType: 'Overview' as const, day: 3, hour: 7 }
  const { body } = await app.send(addReportSchedule, { ...inNorth, body: schedule }, manager)
  await dueNow()
  const [run] = await runsOf()
  assert.deepEqual([run?.isScheduled, run?.reportType, run?.state], [true, 'Overview', 'done'])
  const file = { params: { tenant: north, runId: run!.runId } }
  assert.equal((await app.send(getReportFile, file, manager)).status, 200)
  assert.equal((await app.send(getReportFile, file, guest)).status, 404)
  await app.send(deleteReportSchedule, { params: { tenant: north, scheduleId: body.scheduleId } }, manager)
  const letter = (attachment?: { id: string; name: string }) =>
    reportLetter({
      ...{ config: app.context.config, tenant: north, client: 'North', zone, now: new Date() },
      ...{ to: { email: manager, name: 'Ann' }, rows: 2, ...(attachment && { attachment }) },
      run: { ...{ id: run!.runId, report_type: 'Overview', month: '2026-10', scheduled_for: new Date() } } as StoredRun,
    })
  assert.match(letter().text, /too large for an e-mail\. You can download it for 90 days\./)
  assert.doesNotMatch(letter({ id: run!.runId, name: 'a.xlsx' }).text, /too large|late/)
})

/** Makes every schedule due since yesterday. */
async function dueNow() {
  await app.database.owner.query(`update report_schedule set next_at = now() - interval '1 day'`)
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'write reports'`)
  await writeReports(app.context)
}

test('a schedule of a suspended client sends nothing and blocks nothing, and resumes afterwards', async () => {
  await app.addMember(north, 'staff@vendor.test', 'Developer')
  const schedule = { reportType: 'Overview' as const, day: 3, hour: 7 }
  const { body } = await app.send(addReportSchedule, { ...inNorth, body: schedule }, manager)
  await app.database.owner.query(`update tenant set suspended_at = now(), suspended_reason = 'unpaid' where id = $1`, [
    north,
  ])
  const before = (await app.database.owner.query('select id from report_run')).rowCount
  await app.send(startReport, { ...inNorth, body: wanted }, 'staff@vendor.test')
  await dueNow()
  const [written] = await runsOf('staff@vendor.test')
  assert.equal(written?.state, 'done')
  assert.equal((await app.database.owner.query('select id from report_run')).rowCount, before! + 1)
  const { rows: waiting } = await app.database.owner.query(
    `select due_at > now() as later from due where work = 'write reports' and tenant_id = $1`,
    [north],
  )
  assert.deepEqual(waiting, [{ later: true }])
  await app.database.owner.query(`update tenant set suspended_at = null, suspended_reason = null where id = $1`, [
    north,
  ])
  const { body: own } = await app.send(getReportSchedules, inNorth, manager)
  assert.deepEqual(
    own.schedules.map((one) => [Date.parse(one.nextAt) > Date.now(), one.lastAt]),
    [[true, null]],
  )
  await dueNow()
  assert.equal((await runsOf()).filter(({ isScheduled }) => isScheduled).length > 0, true)
  assert.equal((await app.database.owner.query('select id from report_run')).rowCount, before! + 2)
  await app.send(deleteReportSchedule, { params: { tenant: north, scheduleId: body.scheduleId } }, manager)
})

test('invalid months and tags are refused when a report is ordered or scheduled too', async () => {
  const { rows } = await app.database.owner.query<{ id: string }>(
    `select id from access_rights_tag where tenant_id = $1 and display_name = 'Default'`,
    [north],
  )
  const usual = rows[0]!.id
  for (const [month, tagIds, text] of [
    [monthAfter(running, 1), [], 'That month has not begun.'],
    [{ year: 1, month: 1 }, [], 'Reports begin with 2019.'],
    [{ year: 2025, month: 13 }, [], 'month'],
    [null, [], 'is a monthly report'],
    [last, [foreignTag], 'This tag does not exist'],
    [last, [usual], 'This tag does not exist'],
    [last, ['Default'], 'tagIds'],
  ] as const) {
    const { status, body } = await app.send(
      startReport,
      { ...inNorth, body: { ...wanted, month: month && { ...month }, tagIds: [...tagIds] } },
      manager,
    )
    assert.equal(status, 400, text)
    assert.ok(JSON.stringify(body).includes(text), JSON.stringify(body))
    if (!tagIds.length) continue
    const schedule = { reportType: 'Overview' as const, tagIds: [...tagIds], day: 1, hour: 7 }
    const answer = await app.send(addReportSchedule, { ...inNorth, body: schedule }, manager)
    assert.deepEqual([answer.status, JSON.stringify(answer.body).includes(text)], [400, true], text)
  }
  assert.deepEqual((await app.send(getReportSchedules, inNorth, manager)).body.schedules, [])
})

test('gas safety can be scheduled too: it describes the day on which it is written', async () => {
  const body = { reportType: 'GasSafety' as const, tagIds: [east], day: 1, hour: 7 }
  const added = await app.send(addReportSchedule, { ...inNorth, body }, manager)
  assert.equal(added.status, 201)
  const { scheduleId } = added.body
  await dueNow()
  const { runs } = (await app.send(getReportRuns, inNorth, manager)).body
  const run = runs.find(({ reportType, isScheduled }) => reportType === 'GasSafety' && isScheduled)!
  assert.deepEqual([run.state, run.month], ['done', null])
  await app.send(deleteReportSchedule, { params: { tenant: north, scheduleId } }, manager)
})

test('schedules need the feature, and exist only for monthly reports', async () => {
  const body = { reportType: 'FailedEmeredReport' as const, day: 1, hour: 0 }
  assert.equal((await app.send(addReportSchedule, { ...inNorth, body }, manager)).status, 400)
  for (const wrong of [{ day: 29 }, { day: 0 }, { hour: 24 }])
    assert.equal(
      (await app.send(addReportSchedule, { ...inNorth, body: { ...body, reportType: 'Overview', ...wrong } }, manager))
        .status,
      400,
    )
  await app.database.owner.query(`delete from tenant_feature where tenant_id = $1 and feature = 'ReportScheduling'`, [
    north,
  ])
  assert.equal(
    (await app.send(addReportSchedule, { ...inNorth, body: { ...body, reportType: 'Overview' } }, manager)).status,
    403,
  )
  assert.equal((await app.send(getReportSchedules, inNorth, manager)).status, 403)
})
