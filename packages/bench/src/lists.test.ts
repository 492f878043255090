import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '@caretaker/client/client.ts'
import { openClient } from '@caretaker/client/client.ts'
import { exportList, importList, listNames } from '@caretaker/client/lists.ts'
import { addProperty } from '@caretaker/contract/properties.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { runImports } from '@caretaker/server/features/imports/job.ts'
import { makeKey } from '@caretaker/server/testing/api-key.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { addDevice } from '@caretaker/server/testing/furnish/devices.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { childEnv } from '../../../tools/child.mjs'

const tenant = 'north'
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-lists-'))
let app: TestApp
let origin: string
let keys: { manager: string; guest: string }
const ending = new AbortController()
let worker: Promise<void>

/** Does the work of the worker process. */
async function work() {
  while (!ending.signal.aborted) {
    await runImports(app.context)
    await sleep(20)
  }
}

beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder })
  await app.addTenant(tenant, { features: ['PropertyCentric', 'HomeHub'], capabilities: ['ViewProperties'] })
  await app.addMember(tenant, 'manager@north.test', 'Manager')
  for (const [at, product] of products().entries()) await addDevice(app, tenant, { product, name: `Device ${at}` })
  const body = { address1: '1 Elm Road', postcode: 'LS1 4DY', propertyReference: 'N-1' }
  await app.send(addProperty, { params: { tenant }, body } as never, 'manager@north.test')
  keys = {
    manager: await makeKey(app, tenant, 'manager@north.test'),
    guest: await makeKey(app, tenant, 'manager@north.test', 'Guest'),
  }
  const port = await freePort('localhost')
  origin = `http://localhost:${port}`
  await app.app.listen({ port, host: 'localhost' })
  worker = work()
})
afterAll(async () => {
  ending.abort()
  await worker
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const products = () => [...new Set(Object.values(listings).flatMap((list): readonly Product[] => list.products))]
const client = (key = keys.manager) => openClient({ origin, key, attempts: 1 })

async function previewed(by: Client, file: File) {
  for await (const list of importList(by, tenant, file, { interval: 20 })) return list
  throw new Error('no preview')
}

/** The rows of an exported file; each cell keeps its quotation marks. */
const rowsOf = (text: string) =>
  text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(/,(?=")/))
const sorted = (rows: string[][]) => rows.map((row) => row.join(',')).toSorted()

for (const list of listNames)
  test(`${list}: an exported file with one changed cell is imported, and changes that cell alone`, async () => {
    const by = client()
    const before = await exportList(by, tenant, { list, format: 'csv' })
    const rows = rowsOf(await before.text())
    const unchanged = await previewed(by, before)
    assert.deepEqual([unchanged.found!.totals.create, unchanged.found!.totals.change], [{}, {}])
    const { columns } = unchanged.found!.sheets[0]!.mapping!
    const field = (['room', 'deviceName', 'location', 'epcRating'] as const).find((name) => columns.includes(name))
    assert.ok(field, `${list} exports none of the fields`)
    const value = field === 'epcRating' ? '"B"' : `"Changed in ${list}"`
    const changed = rows.map((row, at) => (at === 1 ? row.with(columns.indexOf(field), value) : row))
    const file = new File([changed.map((row) => row.join(',')).join('\n')], `${list}.csv`)
    const states: string[] = []
    for await (const step of importList(by, tenant, file, { yes: true, interval: 20 })) {
      states.push(step.state)
      const kind = list === 'Properties' ? 'property' : 'device'
      assert.deepEqual([step.found!.totals.create, step.found!.totals.change], [{}, { [kind]: 1 }])
    }
    assert.deepEqual(states, ['planned', 'done'])
    const after = await exportList(by, tenant, { list, format: 'csv' })
    assert.deepEqual(sorted(rowsOf(await after.text())), sorted(changed))
    // As a workbook too.
    const workbook = await previewed(by, await exportList(by, tenant, { list, format: 'xlsx' }))
    assert.deepEqual([workbook.found!.totals.create, workbook.found!.totals.change], [{}, {}])
  })

const root = path.resolve(import.meta.dirname, '../../..')
/** Runs the command line as a process of its own. */
async function command(args: string[], env: Record<string, string> = {}) {
  const program = path.join(root, 'packages/client/src/main.ts')
  const given = childEnv({ CARETAKER: origin, KEY: keys.manager, TENANT: tenant, ...env })
  return promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env: given }).then(
    ({ stdout }) => ({ stdout, code: 0, stderr: '' }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
}

test('the command line exports a list, previews the changed file, imports it and undoes the import', async () => {
  const file = path.join(folder, 'homes.csv')
  assert.deepEqual(await command(['export', 'Properties', file]), { stdout: `${file}\n`, code: 0, stderr: '' })
  // An edited file is not overwritten.
  expect(await command(['export', 'Properties', file])).toMatchObject({ code: 1 })
  const rows = rowsOf(readFileSync(file, 'utf8'))
  const column = rows[0]!.indexOf('"EPC"')
  const rating = async () =>
    rowsOf(await (await exportList(client(), tenant, { list: 'Properties', format: 'csv' })).text())[1]![column]
  const before = await rating()
  writeFileSync(file, rows.map((row, at) => (at === 1 ? row.with(column, '"C"') : row).join(',')).join('\n'))
  expect((await command(['import', file])).stdout).toMatch(/To create: nothing\nTo update: 1 property/)
  assert.equal(await rating(), before)
  const { stdout } = await command(['import', file, '--yes'])
  const [, id] = /Done: 1 created or updated, 0 rejected\.\nTo undo it within 30 days: import undo (\S+)/.exec(stdout)!
  assert.equal(await rating(), '"C"')
  assert.match((await command(['import', 'undo', id!])).stdout, /Undone: 1 reverted, 0 kept/)
  assert.equal(await rating(), before)
})

test('a key without the right to import changes nothing, and mistakes are explained', async () => {
  const file = path.join(folder, 'more.csv')
  writeFileSync(file, 'Property Ref,Address 1,Postcode\nN-9,9 Elm Road,LS1 4DY')
  const refused = await command(['import', file, '--yes'], { KEY: keys.guest })
  expect(refused).toMatchObject({ code: 1, stderr: "You don't have permission.\n" })
  expect(await command(['import', file, '--yes'], { TENANT: 'south' })).toMatchObject({ code: 1 })
  const homes = await app.database.owner.query(`select from property where reference = 'N-9'`)
  assert.equal(homes.rowCount, 0)
  for (const wrong of [[], ['export', 'Nothing', 'x.csv'], ['export', 'Properties', 'x.txt'], ['import', 'x', '--no']])
    expect(await command(wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') as string })
  expect(await command(['import', 'missing.csv'])).toMatchObject({ code: 1, stderr: 'missing.csv cannot be read.\n' })
})
