import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { afterAll, beforeAll, test } from 'vitest'
import fastify from 'fastify'
import { sql } from 'kysely'
import { strFromU8, unzipSync } from 'fflate'
import { exportListing } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { FieldId } from '@caretaker/rules/devices/list.ts'
import { deviceFields, equipmentFields, listings } from '@caretaker/rules/devices/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { sendTable } from '../../http/send-table.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { csvTable } from '../../spreadsheets/csv.ts'
import type { Cell, Table } from '../../spreadsheets/table.ts'
import { xlsxTable } from '../../spreadsheets/xlsx.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { oneOfFew } from '../../lists/export.ts'

let app: TestApp
const tenant = 'north'
const manager = 'manager@north.test'
const limited = 'limited@north.test'
const hidden = 'manager@hiding.test'
const formulas = ['\u200b=1+1', ' \uff1d1', '=1+1', '+1', '-1+1', '-', '@SUM(A1)', '\t=1', '\r=1', '\n=1']
const awkward = 'Stair "A", <b>&\nlanding _x0041_ é'

beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addTenant('hiding', { features: ['HideCustomerPersonalData'] })
  await app.database.owner.query(`update tenant set time_zone = 'Pacific/Auckland' where id = $1`, [tenant])
  const patch = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [patch])
  await app.addMember(tenant, 'engineer@north.test', 'BoilerEngineer')
  await app.addMember('hiding', hidden, 'Manager')
  await addDevice(app, 'hiding', { name: 'Hidden light' })
  for (const name of [...formulas, awkward]) await addDevice(app, tenant, { product: 'MG', name })
  const full = await addDevice(app, tenant, {
    product: 'BX',
    name: 'Boiler',
    status: 'RepairedDevice',
    accessRightsTagId: patch,
  })
  await addDevice(app, tenant, { product: 'BX', name: 'Bare', status: 'Ok' })
  const tagIds = [crypto.randomUUID(), crypto.randomUUID()]
  const { owner } = app.database
  await owner.query(`insert into tag (tenant_id, id, name) values ($1, $2, 'winter'), ($1, $3, 'Damp')`, [
    tenant,
    ...tagIds,
  ])
  for (const id of tagIds) await owner.query('insert into device_tag values ($1, $2, $3)', [tenant, full, id])
  await owner.query(
    `update device set building_name = 'Alder House', floor_name = 'Floor 1', floor_number = 1, room = 'Loft',
       address = '1 High Street', postcode = 'LS1 1AA', property_reference = 'NG-1', location = 'Hall',
       location_details = 'Behind', monitoring = 'HeatPump', connection_status = 'NotConnected',
       reported = '{"faultCode":"E119","fault":{"description":"Low water pressure"},"firmware":"4.1"}', status_at = '2026-01-31T13:30:00Z', in_wholesale = true,
       water_state = 'InDate', water_due_at = '2030-03-31T11:00:00Z'
     where id = $1`,
    [full],
  )
  await owner.query(
    `insert into device_link (tenant_id, device_id, heard_at) values ($1, $2, '2026-06-30T12:00:00Z')`,
    [tenant, full],
  )
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     select $1, gen_random_uuid(), 'EM1' || lpad(n::text, 6, '0'), 'EM', 'Light ' || n % 7, 'EmergencyLights',
       case when n % 3 = 0 then 'Ok' else 'FailedEquipment' end, case when n % 3 = 0 then 2 else 5 end
     from generate_series(1, 2345) n`,
    [tenant],
  )
})
afterAll(() => app.close())

async function exported(body: object, email = manager) {
  const authorization = `Bearer ${await app.token(email)}`
  const { method, path: url } = exportListing
  return app.app.inject({ method, url, headers: { authorization }, payload: { tenant, ...body } })
}

/** The fields of a CSV file, parsed according to RFC 4180. */
function readCsv(text: string): string[][] {
  assert.ok(text.startsWith('\uFEFF'), 'a byte-order mark')
  assert.ok(text.endsWith('\r\n'))
  const rows = text.slice(1, -2).split(/\r\n/)
  return rows.map((row) => {
    assert.match(row, /^"([^"]|"")*"(,"([^"]|"")*")*$/, 'every field is quoted')
    return [...row.matchAll(/"((?:[^"]|"")*)"/g)].map((match) => match[1]!.replaceAll('""', '"'))
  })
}

const boilerColumns = fieldsOf(listings.Boilers, false)
  .filter((field) => field.viewable && field.fieldId !== 'deviceId' && field.fieldId !== 'serial')
  .map((field) => field.fieldId)
const boilerCells: Partial<Record<FieldId, string>> = {
  name: 'Boiler',
  product: 'Boiler control module',
  status: 'Warning: Repaired device',
  connection: 'Not connected',
  building: 'Alder House',
  floor: 'Floor 1',
  room: 'Loft',
  address: '1 High Street',
  postcode: 'LS1 1AA',
  propertyReference: 'NG-1',
  location: 'Hall',
  locationDetails: 'Behind',
  monitoring: 'Heat pump',
  fault: 'E119: Low water pressure',
  firmware: '4.1',
  statusSince: '2026-02-01T02:30:00+13:00',
  failedSince: '',
  statusReason: '',
  connectionSince: '',
  gasSafetyDue: '',
  gasSafety: '',
  waterTreatmentDue: '2030-04-01',
  waterTreatment: 'In date',
  lastHeard: '2026-07-01T00:00:00+12:00',
  tags: 'Damp, winter',
  accessRightsTag: 'East Patch',
  inWholesale: 'Yes',
}

test('a file of lights has their luminaire, lamp, inverter and battery, with the day and age of a battery from a later repair', async () => {
  const { owner } = app.database
  const light = await addDevice(app, tenant, { name: 'Plant room' })
  const bare = await addDevice(app, tenant, { name: 'Plant room two' })
  await owner.query(
    `insert into emergency_equipment (tenant_id, device_id, name, lamp_type, inverter_type, battery_type, battery_voltage,
       battery_capacity, battery_installed) values ($1, $2, 'Escape 3 h', 'LED', 'Integral', 'Nickel Cadmium', 3.6, 4, '2012-01-01')`,
    [tenant, light],
  )
  const twoYearsAgo = new Date(Date.now() - 2 * 366 * 86_400_000).toISOString().slice(0, 10)
  await owner.query(
    `insert into repair_form (tenant_id, id, device_id, at, part, parts, description, repaired_by, repaired_on, person_name)
     values ($1, gen_random_uuid(), $2, now(), 'equipment', '{"battery":true}', '', 'Sam', $3, 'Sam')`,
    [tenant, light, twoYearsAgo],
  )
  const columns = ['name', ...equipmentFields]
  const filters = [{ fieldId: 'name', filterOp: 'contains', value: 'plant room' }]
  const [heading, ...rows] = readCsv((await exported({ listing: 'EmergencyLights', columns, filters })).body)
  assert.deepEqual(heading, [
    ...['Name', 'Luminaire', 'Lamp', 'Inverter', 'Battery type', 'Battery voltage (V)', 'Battery capacity (Ah)'],
    ...['Battery fitted on', 'Battery age (years)'],
  ])
  assert.deepEqual(
    rows.toSorted((a, b) => b[0]!.localeCompare(a[0]!)),
    [
      ['Plant room two', '', '', '', '', '', '', '', ''],
      ['Plant room', 'Escape 3 h', 'LED', 'Integral', 'Nickel Cadmium', '3.6', '4', twoYearsAgo, '2'],
    ],
  )
  await owner.query('delete from device where tenant_id = $1 and id = any($2)', [tenant, [light, bare]])
})

test("a file has the texts of the screen, times in the tenant's zone, and empty cells for missing values", async () => {
  const csv = await exported({ listing: 'Boilers', columns: boilerColumns })
  assert.equal(csv.statusCode, 200)
  const [heading, full, bare] = readCsv(csv.body)
  assert.deepEqual(
    heading,
    boilerColumns.map((id) => deviceFields[id].label),
  )
  assert.deepEqual(
    full,
    boilerColumns.map((id) => boilerCells[id]),
  )
  assert.deepEqual(bare!.slice(0, 4), ['Bare', 'Boiler control module', 'Passed', 'Never connected'])
  assert.deepEqual(bare!.slice(4, 11), Array(7).fill(''))
  const workbook = readXlsx((await exported({ listing: 'Boilers', columns: boilerColumns, format: 'xlsx' })).rawPayload)
  assert.equal(workbook.name, 'Boilers')
  const typed = {
    ...boilerCells,
    statusSince: '01/02/2026 02:30',
    lastHeard: '01/07/2026 00:00',
    inWholesale: 'TRUE',
    waterTreatmentDue: '01/04/2030',
  }
  assert.deepEqual(workbook.rows.slice(0, 2), [heading, boilerColumns.map((id) => typed[id])])
})

test('numbers, days, instants and booleans are typed cells in a workbook, and texts in CSV', async () => {
  const cells: Cell[] = [
    -12.5,
    0,
    true,
    false,
    null,
    { day: '2026-03-29' },
    // Midnight in London, an hour before it in UTC.
    { dayOf: new Date(Date.UTC(2026, 5, 30, 23, 0)) },
    // At one o'clock the London time jumps by an hour.
    new Date(Date.UTC(2026, 2, 29, 0, 59)),
    new Date(Date.UTC(2026, 2, 29, 1, 0)),
    '-1',
    Number.NaN,
  ]
  const bytesOf = async (table: Table) => {
    table.rows.end([['Heading'], cells])
    return Buffer.concat((await table.bytes.toArray()) as Buffer[])
  }
  assert.deepEqual(readXlsx(await bytesOf(xlsxTable('Cells', cells.length, 'Europe/London'))).rows[1], [
    ...['-12.5', '0', 'TRUE', 'FALSE', '', '29/03/2026', '01/07/2026', '29/03/2026 00:59', '29/03/2026 02:00'],
    '-1',
  ])
  assert.deepEqual(readCsv((await bytesOf(csvTable('Europe/London'))).toString())[1], [
    ...[
      '-12.5',
      '0',
      'Yes',
      'No',
      '',
      '2026-03-29',
      '2026-07-01',
      '2026-03-29T00:59:00+00:00',
      '2026-03-29T02:00:00+01:00',
    ],
    ...['-1', ''],
  ])
})

/** The column widths of a workbook's sheet in characters, and the range of its filter. */
function layoutOf(bytes: Buffer): { widths: number[]; filter: string | undefined } {
  const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml']!)
  const cols = [...sheet.matchAll(/<col min="(\d+)" max="(\d+)" width="(\d+)" customWidth="1"\/>/g)]
  for (const [at, [, from, to]] of cols.entries()) assert.deepEqual([from, to], [String(at + 1), String(at + 1)])
  // Excel reads the parts of a sheet only in this order.
  assert.match(sheet, /<sheetViews>.*<cols>.*<sheetData>.*<\/sheetData><autoFilter ref="[^"]*"\/><\/worksheet>$/s)
  return { widths: cols.map(([, , , width]) => Number(width)), filter: /<autoFilter ref="([^"]*)"/.exec(sheet)?.[1] }
}

test('the columns of a workbook are as wide as their content, and its header filters all of its rows', async () => {
  const bytesOf = async (pieces: Cell[][][], columns: number) => {
    const table = xlsxTable('Cells', columns, 'UTC')
    for (const piece of pieces) table.rows.write(piece)
    table.rows.end()
    return Buffer.concat((await table.bytes.toArray()) as Buffer[])
  }
  const row = ['A name of 22 letters..', -12.5, new Date(0), { day: '2026-03-29' }, 'x'.repeat(500), 'two\nlines', null]
  const heading = ['Name', 'Figure', 'Since', 'On', 'Text', 'Place', 'Nothing at all']
  const { widths, filter } = layoutOf(await bytesOf([[heading], [row, row]], heading.length))
  assert.deepEqual(widths, [24, 10, 18, 12, 60, 9, 18])
  assert.equal(filter, 'A1:G3')
  const tall = layoutOf(await bytesOf([[['No']], Array.from({ length: 3000 }, () => ['12345678'])], 1))
  assert.deepEqual(tall, { widths: [10], filter: 'A1:A3001' })
  assert.deepEqual(layoutOf(await bytesOf([[['No']]], 1)), { widths: [6], filter: 'A1:A1' })
  const listing = (await exported({ listing: 'EmergencyLights', columns: ['serial', 'name'], format: 'xlsx' }))
    .rawPayload
  assert.equal(layoutOf(listing).filter, 'A1:B2346')
  assert.equal(readXlsx(listing).rows.length, 2346)
})

test('the file is named after its day and its listing', async () => {
  const today = dayAt(Date.now(), 'Pacific/Auckland')
  for (const format of ['csv', 'xlsx'] as const) {
    const { headers } = await exported({ listing: 'Boilers', columns: ['serial'], format })
    assert.equal(headers['content-disposition'], `attachment; filename="${today}-Boilers.${format}"`)
    assert.match(
      String(headers['content-type']),
      format === 'csv' ? /^text\/csv; charset=utf-8/ : /spreadsheetml\.sheet/,
    )
  }
})

test('what a spreadsheet would take for a formula is a text in both kinds of file', async () => {
  const body = { listing: 'NetworkingDevices', columns: ['name'] }
  const csv = readCsv(
    (await exported({ ...body, filters: [{ fieldId: 'name', filterOp: 'noneof', value: [awkward] }] })).body,
  )
  assert.deepEqual(csv.slice(1).flat().toSorted(), formulas.map((text) => `'${text}`).toSorted())
  const { rows } = readXlsx((await exported({ ...body, format: 'xlsx' })).rawPayload)
  assert.deepEqual(rows.slice(1).flat().toSorted(), [...formulas, awkward].toSorted())
  const quoted = (await exported({ ...body, search: 'stair' })).body
  assert.ok(quoted.endsWith(`\r\n"${awkward.replaceAll('"', '""')}"\r\n`))
})

test('all rows of the listing are in the file, not a page, in its order and with its filters and search', async () => {
  const wanted = {
    listing: 'EmergencyLights' as const,
    filters: [{ fieldId: 'status', filterOp: 'equals' as const, value: 'failedequipment' }],
    sorts: [{ fieldId: 'name', descending: true }],
    search: 'light 3',
  }
  const expected: string[] = []
  for (let page = 1; ; page++) {
    const { body } = await app.send(fetchViewData, { body: { tenant, ...wanted, page } }, manager)
    expected.push(...body.data!.rows.map((row) => row.deviceSerial))
    if (expected.length >= body.data!.total) break
  }
  assert.ok(expected.length > 200)
  const [, ...rows] = readCsv((await exported({ ...wanted, columns: ['serial', 'name'] })).body)
  assert.deepEqual(
    rows.map(([serial]) => serial),
    expected,
  )
  const all = readCsv((await exported({ listing: 'EmergencyLights', columns: ['serial'] })).body)
  assert.equal(all.length, 2346)
  assert.equal(new Set(all.flat()).size, 2346)
})

test('a listing without rows is a file with its header', async () => {
  const body = { listing: 'VStats', columns: ['serial', 'status'] }
  assert.deepEqual(readCsv((await exported(body)).body), [['Serial Number', 'Device Status']])
  assert.deepEqual(readXlsx((await exported({ ...body, format: 'xlsx' })).rawPayload).rows, [
    ['Serial Number', 'Device Status'],
  ])
})

test('a limited user gets the devices of their own patch; a user without access to the listing gets none', async () => {
  const { body } = await exported({ listing: 'Boilers', columns: ['name'] }, limited)
  assert.deepEqual(readCsv(body), [['Name'], ['Boiler']])
  assert.equal(
    (await exported({ listing: 'EmergencyLights', columns: ['name'] }, 'engineer@north.test')).statusCode,
    403,
  )
  assert.equal((await exported({ tenant: 'hiding', columns: ['name'] })).statusCode, 404)
})

test('personal columns are refused where they are hidden, and nothing else discloses them', async () => {
  const refused = await exported({ tenant: 'hiding', columns: ['name', 'address', 'postcode'] }, hidden)
  assert.equal(refused.statusCode, 400)
  assert.deepEqual(
    refused.json<{ validationErrors: { field: string }[] }>().validationErrors.map(({ field }) => field),
    ['columns.1', 'columns.2'],
  )
  assert.deepEqual(readCsv((await exported({ tenant: 'hiding', columns: ['name'] }, hidden)).body), [
    ['Name'],
    ['Hidden light'],
  ])
})

/** Waits until no call uses a database connection any more. */
async function idle(): Promise<void> {
  const { app: pool } = app.database
  while (pool.idleCount < pool.totalCount) await new Promise(setImmediate)
}

test('a caller that disconnects releases the connection and the place', async () => {
  const origin = await app.app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${await app.token(manager)}`, 'content-type': 'application/json' }
  for (const format of ['csv', 'xlsx', 'csv', 'xlsx', 'csv', 'xlsx']) {
    const body = JSON.stringify({ tenant, listing: 'EmergencyLights', columns: ['serial', 'name', 'status'], format })
    const leaving = new AbortController()
    const response = await fetch(origin + exportListing.path, { method: 'POST', headers, body, signal: leaving.signal })
    assert.equal(response.status, 200)
    await response.body!.getReader().read()
    leaving.abort()
    await idle()
  }
  assert.equal((await exported({ listing: 'Boilers', columns: ['serial'] })).statusCode, 200)
})

for (const [kind, table] of [
  ['CSV', () => csvTable('UTC')],
  ['Excel', () => xlsxTable('Endless', 1, 'UTC')],
] as const)
  test(`a caller that reads nothing for too long gets no complete ${kind} file; the connection and the place are released`, async () => {
    const over = Promise.withResolvers<void>()
    async function* endless(tx: TenantTx) {
      for (;;) {
        await sql`select`.execute(tx)
        yield Array.from({ length: 250 }, () => [randomBytes(1000).toString('hex')])
      }
    }
    const server = fastify()
    server.get('/', (_request, reply) => {
      const file = { name: 'endless', type: 'text/plain' }
      const sent = inTenant(app.database.db, tenant, (tx) =>
        oneOfFew(tx, 'slow', () => sendTable(reply, file, table(), endless(tx), 100)),
      )
      return sent.finally(over.resolve).then(() => reply)
    })
    const [response] = (await once(get(await server.listen({ port: 0, host: '127.0.0.1' })), 'response')) as [
      IncomingMessage,
    ]
    await over.promise
    await idle()
    await (
      await exporting('slow')
    )()
    await assert.rejects(response.toArray(), /aborted/)
    await server.close()
  })

test('a file has each device once, as it was at the request, though it changes while the file is read', async () => {
  const changed = await addDevice(app, tenant, { product: 'ADEY', name: 'As it was' })
  const deleted = await addDevice(app, tenant, { product: 'ADEY', name: 'Deleted meanwhile' })
  const { owner } = app.database
  const other = await owner.connect()
  // The rows of the page are read with their links, after they are selected.
  await other.query('begin; lock table device_link in access exclusive mode')
  const file = exported({ listing: 'ThirdParty', columns: ['name'], sorts: [{ fieldId: 'name' }] })
  const waiting = `select from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and relation = 'device_link'::regclass and not granted`
  while (!(await owner.query(waiting)).rowCount);
  await other.query(`update device set name = 'As it is now' where id = $1`, [changed])
  await other.query('delete from device where id = $1', [deleted])
  await other.query('commit')
  other.release()
  assert.deepEqual(readCsv((await file).body), [['Name'], ['As it was'], ['Deleted meanwhile']])
})

test('a file is the only answer to its call: nothing is logged', async () => {
  const lines = app.logged.length
  for (const format of ['csv', 'xlsx']) {
    assert.equal((await exported({ listing: 'Boilers', columns: ['serial'], format })).statusCode, 200)
    await idle()
  }
  assert.deepEqual(app.logged.slice(lines), [])
})

/** Starts an export of a user at another client, as another process would run it; resolves when it has begun. */
async function exporting(personId: string) {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = () => {
    begun.resolve()
    return over.promise
  }
  const ended = inTenant(app.database.db, 'south', (tx) => oneOfFew(tx, personId, work))
  await Promise.race([begun.promise, ended])
  return async () => {
    over.resolve()
    await ended
  }
}

test('each user runs one export at a time, at any client and by any process; others run theirs', async () => {
  const { rows } = await app.database.owner.query<{ id: string }>('select id from person where email = $1', [manager])
  const end = await exporting(rows[0]!.id)
  try {
    const second = await exported({ listing: 'Boilers', columns: ['serial'] })
    assert.equal(second.statusCode, 429)
    assert.match(second.json<{ message: string }>().message, /Your last export is still running/)
    assert.equal((await exported({ listing: 'Boilers', columns: ['serial'] }, limited)).statusCode, 200)
  } finally {
    await end()
  }
  assert.equal((await exported({ listing: 'Boilers', columns: ['serial'] })).statusCode, 200)
})

test('only a few exports run at once: one more is asked to come back later', async () => {
  const ends = await Promise.all(['a', 'b', 'c', 'd'].map(exporting))
  try {
    const fifth = await exported({ listing: 'Boilers', columns: ['serial'] })
    assert.equal(fifth.statusCode, 429)
    assert.match(fifth.json<{ message: string }>().message, /Too many exports/)
  } finally {
    await Promise.all(ends.map((end) => end()))
  }
  assert.equal((await exported({ listing: 'Boilers', columns: ['serial'] })).statusCode, 200)
})

test('unknown columns, filters and formats are refused with a message', async () => {
  for (const body of [
    { columns: [] },
    { columns: ['colour'] },
    { columns: ['latitude'] },
    { columns: ['lastTest', 'fault'] },
    { columns: ['name', 'name'] },
    { columns: ['name'], filters: [{ fieldId: 'colour', value: 'red' }] },
    { columns: ['name'], format: 'pdf' },
  ]) {
    const { statusCode, headers, body: answer } = await exported(body)
    assert.equal(statusCode, 400, answer)
    assert.match(String(headers['content-type']), /json/)
    assert.ok((JSON.parse(answer) as { message: string }).message)
  }
})
