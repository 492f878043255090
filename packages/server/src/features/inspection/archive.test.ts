import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { unzipSync } from 'fflate'
import { extractText, getDocumentProxy } from 'unpdf'
import { startInspectionSheets } from '@caretaker/contract/inspection.ts'
import { getReportFile, getReportRuns } from '@caretaker/contract/reports.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { writeReports } from '../reports/job.ts'

let app: TestApp
const files = mkdtempSync(path.join(tmpdir(), 'caretaker-sheets-'))
const tenant = 'north'
const [engineer, limited, boilers] = ['engineer@north.test', 'limited@north.test', 'boilers@north.test']
const [court, otherBuilding, twin, empty] = Array.from({ length: 4 }, () => randomUUID()) as [
  string,
  string,
  string,
  string,
]

beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: files })
  for (const id of [tenant, 'south']) await app.addTenant(id)
  const east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, engineer, 'LightingEngineer')
  await app.addMember(tenant, limited, 'LightingEngineer', [east])
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  for (const [id, name] of [
    [court, 'Beech Hill Court'],
    [otherBuilding, 'Alder House'],
    [twin, 'Alder: House'],
    [empty, 'Empty House'],
  ] as const)
    await app.database.owner.query(`insert into building (tenant_id, id, name, address) values ($1, $2, $3, 'x')`, [
      tenant,
      id,
      name,
    ])
  for (const [building, name, tag] of [
    [court, 'Stairwell', east],
    [otherBuilding, 'Landing', undefined],
    [twin, 'Lobby', undefined],
  ] as const) {
    const id = await addDevice(app, tenant, { name, ...(tag && { accessRightsTagId: tag }) })
    await app.database.owner.query('update device set building_id = $2 where id = $1', [id, building])
  }
})
afterAll(async () => {
  await app.close()
  rmSync(files, { recursive: true, force: true })
})

const period = { from: '2025-01-01', to: '2025-12-31' }
const start = (sent: object = {}, email = engineer) =>
  app.send(startInspectionSheets, { body: { tenant, buildingIds: null, ...period, ...sent } as never }, email)

/** Has the sheets written, and returns the files of the archive. */
async function written(sent: object = {}, email = engineer): Promise<Record<string, Uint8Array>> {
  const { status, body } = await start(sent, email)
  assert.equal(status, 202, JSON.stringify(body))
  await writeReports(app.context)
  const { runId } = body as unknown as { runId: string }
  const runs = (await app.send(getReportRuns, { params: { tenant } }, email)).body.runs
  const run = runs.find((one) => one.runId === runId)!
  assert.deepEqual([run.state, run.reportType, run.fault], ['done', 'InspectionSheets', null])
  const { method, path: url } = getReportFile
  const authorization = `Bearer ${await app.token(email)}`
  const file = await app.app.inject({
    ...{ method, url: url.replace('{tenant}', tenant).replace('{runId}', runId), headers: { authorization } },
  })
  assert.equal(file.statusCode, 200)
  assert.match(String(file.headers['content-disposition']), /2025-12-31-EmergencyLighting\.zip/)
  return unzipSync(file.rawPayload)
}

const textOf = async (bytes: Uint8Array) =>
  (await extractText(await getDocumentProxy(Uint8Array.from(bytes)), { mergePages: true })).text

test('the sheets of all buildings with lights come in one archive, one file each', async () => {
  const all = await written()
  assert.deepEqual(Object.keys(all), [
    '2025-12-31-EmergencyLighting-Alder-House.pdf',
    '2025-12-31-EmergencyLighting-Alder-House-2.pdf',
    '2025-12-31-EmergencyLighting-Beech-Hill-Court.pdf',
  ])
  assert.match(await textOf(all['2025-12-31-EmergencyLighting-Alder-House.pdf']!), /Landing/)
  const court = await textOf(all['2025-12-31-EmergencyLighting-Beech-Hill-Court.pdf']!)
  assert.ok(court.includes('Stairwell') && !court.includes('Landing'))
})

test('some buildings can be chosen, also as workbooks; limited users get only their own lights', async () => {
  assert.deepEqual(Object.keys(await written({ buildingIds: [otherBuilding], format: 'xlsx' })), [
    '2025-12-31-EmergencyLighting-Alder-House.xlsx',
  ])
  assert.deepEqual(Object.keys(await written({}, limited)), ['2025-12-31-EmergencyLighting-Beech-Hill-Court.pdf'])
})

test('sheets without lights, for future days or of unknown buildings are refused, and to users without lighting', async () => {
  for (const [status, sent, email] of [
    [404, { buildingIds: [empty] }],
    [404, { buildingIds: [randomUUID()] }],
    [404, { buildingIds: [otherBuilding] }, limited],
    [400, { to: '2999-01-01' }],
    [400, { buildingIds: [] }],
    [403, {}, boilers],
    [404, { tenant: 'south' }],
  ] as const)
    assert.equal((await start(sent, email)).status, status, JSON.stringify(sent))
})
