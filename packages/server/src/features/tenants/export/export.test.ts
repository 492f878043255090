import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import type { Entry } from 'yauzl'
import { fromBufferPromise } from 'yauzl'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getTenantSetup } from '@caretaker/contract/tenant-administration.ts'
import {
  deleteTenantExport,
  getTenantExportFile,
  getTenantExports,
  startTenantExport,
} from '@caretaker/contract/tenant-exports.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { forgetFiles } from '../../../files/retention.ts'
import { refreshPlaces } from '../../../projections/copied-places.ts'
import { inTenant } from '../../../postgres/tenant.ts'
import type { TestApp } from '../../../testing/app.ts'
import { testApp } from '../../../testing/app.ts'
import type { TenantItems } from '../../../testing/furnish/furnish.ts'
import { furnish } from '../../../testing/furnish/furnish.ts'
import { exportTenants, releaseExports } from './job.ts'
import { claimExport } from './store.ts'
import { exportedSubjects, notExported, singleReadings } from './subjects.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-export-test-'))
const developer = 'developer@home.test'
let app: TestApp
let north: TenantItems
let south: TenantItems

beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder })
  await app.addTenant('home')
  for (const role of roles) await app.addMember('home', `${role}@home.test`.toLowerCase(), role)
  north = await furnish(app, 'north')
  south = await furnish(app, 'south')
  await north.certificate()
  await app.addMember('north', 'boss@north.test', 'Manager')
  await app.addMember('north', developer, 'Developer')
  await app.database.owner.query('delete from tenant_export')
  // A text that a spreadsheet would take for a formula.
  await inTenant(app.database.db, 'north', async (tx) => {
    await refreshPlaces(tx, 'north')
    await tx.updateTable('building').set({ address: '=HYPERLINK("x")' }).where('tenant_id', '=', 'north').execute()
  })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const params = { tenant: 'north' }
const order = (as = developer, body = {}) => app.send(startTenantExport, { params, body }, as)
const list = async (as = developer) => (await app.send(getTenantExports, { params }, as)).body.exports
const take = async (exportId: string, as = developer, tenant = 'north') => {
  const answer = await app.app.inject({
    method: 'GET',
    url: getTenantExportFile.path.replace('{tenant}', tenant).replace('{exportId}', exportId),
    headers: { authorization: `Bearer ${await app.token(as)}` },
  })
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload }
}

/** The parts of an archive by their names. */
async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true })
  const entries: Entry[] = []
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.once('end', resolve).once('error', reject).readEntry()
  })
  const parts: Record<string, string> = {}
  for (const entry of entries)
    parts[entry.fileName] = Buffer.concat(
      (await (await zip.openReadStreamPromise(entry)).toArray()) as Buffer[],
    ).toString()
  return parts
}

test('the worker writes everything of a client into one readable file, and nothing of another', async () => {
  const { status, body } = await order()
  assert.deepEqual([status, body.state, body.askedBy, body.readings], [202, 'waiting', 'developer', false])
  assert.equal((await order('admin@home.test')).status, 409)
  assert.equal((await take(body.exportId)).status, 404)
  assert.equal(await exportTenants(app.context), 1)
  const [one] = await list()
  assert.deepEqual([one!.state, one!.fault, one!.part], ['done', null, null])
  assert.match(one!.fileName!, /^north-\d{4}-\d\d-\d\d\.zip$/)
  const file = await take(one!.exportId)
  assert.equal(file.status, 200)
  assert.equal(file.headers['content-type'], 'application/zip')
  assert.equal(file.bytes.length, one!.size)

  const parts = await unzipped(file.bytes)
  const table = (name: string) => parse(parts[`${name}.csv`]!, { bom: true, columns: true }) as Record<string, string>[]
  for (const { name } of exportedSubjects) assert.ok(parts[`${name}.csv`], name)
  const written = exportedSubjects.reduce((sum, { name }) => sum + table(name).length, 0)
  assert.equal(one!.rows, written)
  const { body: setup } = await app.send(getTenantSetup, { params }, developer)
  assert.equal(table('devices').length, setup.inUse.devices)
  assert.equal(table('users').length, setup.inUse.users)
  const light = table('devices').find(({ Name }) => Name === `${north.secret} light`)!
  assert.deepEqual(
    [light.Product, light.Building, light.Floor, light['Access rights tag'], light.Latitude],
    ['EM', `${north.secret} house`, `${north.secret} floor`, `${north.secret} tag`, '53.8'],
  )
  const hour = table('telemetry-hourly').find(({ Measurement }) => Measurement === 'flowTemperature')!
  assert.deepEqual([hour.Readings, hour.Mean, hour.Last], ['1', '55', '55'])
  assert.equal(table('residents')[0]!.Name, north.secret)
  // Personal and shared settings, with their owners.
  for (const name of ['views', 'report-schedules', 'imports', 'bulk-actions'])
    assert.ok(table(name).length > 0, `${name} has rows`)
  assert.ok(table('audit').some(({ Action, By }) => Action === 'client exported' && By === 'developer'))
  assert.equal(table('buildings')[0]!.Address, `'=HYPERLINK("x")`)
  const all = Object.entries(parts).map(([name, text]) => name + text)
  assert.ok(all.some((text) => text.includes(north.secret)))
  assert.ok(!all.some((text) => text.includes(south.secret)), 'of the other client there is nothing')
  const files = Object.keys(parts).filter((name) => name.startsWith('files/'))
  assert.ok(files.length >= 1)
  const readme = parts['README.txt']!
  assert.match(readme, /All data of north homes \(north\)/)
  assert.match(readme, new RegExp(`devices\\.csv, ${setup.inUse.devices} rows: Devices`))
  assert.match(readme, new RegExp(`files, ${files.length} files`))
  assert.match(
    readme,
    /Not included:\r\npoint: single readings, which were not requested: hourly values are in telemetry-hourly\.csv/,
  )

  const { results } = (await app.send(getAudit, { params, query: {} }, developer)).body
  assert.deepEqual(
    results.filter(({ action }) => action === 'client exported').map(({ userName, after }) => [userName, after]),
    [
      ['developer', { export: 'downloaded', readings: 'by the hour' }],
      ['developer', { export: 'asked for', readings: 'by the hour' }],
    ],
  )
})

test('it contains every reading if requested, with its time of measurement, packed or not', async () => {
  const { owner } = app.database
  await owner.query('delete from tenant_export')
  for (const table of ['point', 'packed_day']) await owner.query(`delete from ${table} where tenant_id = 'north'`)
  const { rows } = await owner.query<{ id: number }>(
    `select id from series where tenant_id = 'north' and metric = 'flowTemperature' limit 1`,
  )
  const series = rows[0]!.id
  await owner.query(
    `insert into packed_day (tenant_id, series_id, day, n, gaps, readings)
     values ('north', $1, '2026-10-25T00:00Z', 3, '{1500,60000,3600000}', '{40.5,-1,0}')`,
    [series],
  )
  await owner.query(`insert into point (tenant_id, series_id, at, value) values ('north', $1, $2, 61.25)`, [
    series,
    '2026-11-20T12:00:00.250Z',
  ])
  const { body } = await order(developer, { readings: true })
  assert.equal(body.readings, true)
  assert.equal(await exportTenants(app.context), 1)
  const parts = await unzipped((await take(body.exportId)).bytes)
  const table = parse(parts['telemetry-readings.csv']!, { bom: true, columns: true }) as Record<string, string>[]
  assert.deepEqual(table.map(({ Time, Value }) => `${Time} ${Value}`).sort(), [
    '2026-10-25T01:00:01+01:00 40.5',
    // The clocks went back meanwhile.
    '2026-10-25T01:01:01+00:00 0',
    '2026-10-25T01:01:01+01:00 -1',
    '2026-11-20T12:00:00+00:00 61.25',
  ])
  assert.ok(table.every(({ Measurement }) => Measurement === 'flowTemperature'))
  assert.doesNotMatch(parts['README.txt']!, /single readings, which were not requested/)
  const { results } = (await app.send(getAudit, { params, query: {} }, developer)).body
  assert.deepEqual(results[0]!.after, { export: 'downloaded', readings: 'every one' })
})

test('only the vendor exports a client and sees, downloads and deletes its exports', async () => {
  const [one] = await list()
  const { exportId } = one!
  const deleting = (as: string) => app.send(deleteTenantExport, { params: { ...params, exportId } }, as)
  for (const as of [
    ...roles
      .filter((role) => role !== 'Admin' && role !== 'Developer')
      .map((role) => `${role}@home.test`.toLowerCase()),
    'boss@north.test',
    south.manager,
  ]) {
    const answers = [
      (await order(as)).status,
      (await app.send(getTenantExports, { params }, as)).status,
      (await take(exportId, as)).status,
      (await deleting(as)).status,
    ]
    assert.deepEqual(answers, [403, 403, 403, 403], as)
  }
  assert.equal((await take(exportId, developer, 'south')).status, 404)
  assert.equal((await app.send(deleteTenantExport, { params: { tenant: 'south', exportId } }, developer)).status, 404)
  assert.equal((await app.send(startTenantExport, { params: { tenant: 'nowhere' }, body: {} }, developer)).status, 404)
  assert.equal((await app.send(startTenantExport, { params, body: {} })).status, 401)
  assert.equal((await deleting('admin@home.test')).status, 204)
  assert.deepEqual(await list(), [])
})

test('an export whose writer died is written by another; after three attempts it has failed', async () => {
  await order()
  const at = (minutes: number) => () => new Date(Date.now() + minutes * 60_000)
  await inTenant(app.database.db, 'north', (tx) => claimExport(tx, new Date(), { until: at(2)(), claimant: 7 }))
  assert.equal(await exportTenants(app.context, undefined, at(1)), 0, 'it belongs to somebody')
  assert.equal((await list())[0]!.state, 'running')
  assert.equal(await releaseExports(app.context, [8]), 0, 'somebody else is gone')
  assert.equal(await releaseExports(app.context, [7, 8]), 1)
  assert.equal(await exportTenants(app.context), 1)
  assert.equal((await list())[0]!.state, 'done')

  await order()
  await inTenant(app.database.db, 'north', (tx) => claimExport(tx, new Date(), { until: at(2)() }))
  assert.equal(await exportTenants(app.context, undefined, at(1)), 0)
  assert.equal(await exportTenants(app.context, undefined, at(3)), 1)
  assert.equal((await list())[0]!.state, 'done')

  await order()
  await app.database.owner.query(`update tenant_export set attempts = 3 where finished_at is null`)
  assert.equal(await exportTenants(app.context, undefined, at(6)), 1)
  assert.deepEqual([(await list())[0]!.state, (await list())[0]!.fault], ['failed', 'Something went wrong!'])
})

test('it is kept for seven days, and then its file is deleted as well', async () => {
  await order()
  await exportTenants(app.context, undefined, () => new Date(Date.now() + 10 * 60_000))
  const later = (days: number) => new Date(Date.now() + days * 86_400_000)
  await exportTenants(app.context, undefined, () => later(6.9))
  assert.ok((await list()).some(({ state }) => state === 'done'))
  await exportTenants(app.context, undefined, () => later(7.1))
  assert.deepEqual(await list(), [])
  await forgetFiles(app.context, later(9))
  const { rowCount } = await app.database.owner.query(`select from file where referrer = 'tenant_export'`)
  assert.equal(rowCount, 0)
})

test('every table of tenants is in an export, or listed as excluded', async () => {
  const { rows } = await app.database.owner.query<{ name: string }>(
    `select relname as name from pg_class where relforcerowsecurity and not relispartition order by 1`,
  )
  const named = new Set([...exportedSubjects.flatMap(({ tables }) => tables), ...Object.keys(notExported)])
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !named.has(name)),
    [],
  )
  assert.deepEqual(
    [...named].filter((name) => rows.every((row) => row.name !== name)),
    [],
  )
  for (const { tables, columns, from } of [...exportedSubjects, singleReadings])
    for (const table of tables)
      assert.match(JSON.stringify(columns) + from, new RegExp(`\\b${table}\\b`), `${table} is read`)
})
