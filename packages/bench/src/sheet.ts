import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { rounded } from './figures.ts'

const tenant = 'north'
const email = 'manager@north.test'
const building = '00000000-0000-4000-8000-000000000001'
const megabyte = 1_000_000
/** What the process that writes it may use of a heap, in MB: several times less than the file and its rows take. */
const heap = 160
const years = 10

/**
 * An inspector's sheet of a building of 2,000 lights over ten years, as PDF and as Excel, written by a process of its own with a heap of
 * 160 MB and fetched over HTTP: how long it takes, how large it is, and what the process grew to. `--lights N` changes the number.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { lights: { type: 'string', default: '2000' }, write: { type: 'string' }, format: { type: 'string' } },
  })
  if (values.write) return write(values.write, values.format === 'xlsx' ? 'xlsx' : 'pdf')
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const server = await startEmbedded(folder)
  const database = openPools(server.url)
  try {
    await migrate(database.owner)
    const test = await testApp({ CARETAKER_DATA: folder }, database)
    await test.addTenant(tenant)
    await test.addMember(tenant, email, 'Manager')
    await fill(database.owner, Number(values.lights))
    await test.app.close()
    for (const format of ['pdf', 'xlsx']) await inChild(server.url, format)
  } finally {
    await database.drop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function inChild(url: string, format: string): Promise<void> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heap}`, main, 'sheet', '--write', url, '--format', format],
    { stdio: 'inherit' },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) {
    console.log(`sheet: as ${format} it was not written with a heap of ${heap} MB`)
    process.exitCode = 1
  }
}

/** In a process of its own: asks for the sheet and lets its pieces go as they come. */
async function write(url: string, format: 'pdf' | 'xlsx'): Promise<void> {
  const test = await testApp({}, openPools(url))
  const authorization = `Bearer ${await test.token(email)}`
  const to = new Date().toISOString().slice(0, 10)
  const from = `${Number(to.slice(0, 4)) - years}${to.slice(4).replace('-02-29', '-02-28')}`
  const origin = await test.app.listen({ port: 0 })
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let highest = before
  const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 20)
  const begun = performance.now()
  const answer = await fetch(`${origin}${exportInspectionSheet.path}`, {
    method: exportInspectionSheet.method,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ tenant, buildingId: building, from, to, format }),
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  let bytes = 0
  for await (const piece of answer.body!) bytes += piece.length
  clearInterval(watch)
  const seconds = rounded((performance.now() - begun) / 1000)
  console.log(
    `sheet: ${format}, ${rounded(bytes / megabyte)} MB in ${seconds} s with a heap of ${heap} MB, the process grew by ${rounded((highest - before) / megabyte)} MB`,
  )
}

async function fill(owner: pg.Pool, lights: number): Promise<void> {
  const run = (text: string, values: unknown[] = []) => owner.query(text, values)
  await run(
    `insert into building (tenant_id, id, name, address, postcode) values ($1, $2, 'Kestrel Court', '1 Mill Lane', 'LS6 1AB')`,
    [tenant, building],
  )
  await run(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity, building_id, building_name, room, created_at)
     select $1, gen_random_uuid(), 'EMB' || n || 'X', 'EM', 'Stair ' || n, 'EmergencyLights', 'Ok', 2, $2, 'Kestrel Court', 'Landing ' || n % 40,
       now() - interval '11 years'
     from generate_series(1, $3::int) n`,
    [tenant, building, lights],
  )
  await run(
    `insert into emergency_test (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
     select $1, gen_random_uuid(), id, case when n % 13 = 0 then 'T180' else 'T0' end, now() - n * interval '28 days' - interval '1 hour',
       case when abs(hashtext(id::text || n)) % 50 = 0 then 'Failed' else 'Passed' end,
       'Device successfully completed test.', '{"Battery": "Ok", "Lamp": "Ok"}', '[]'
     from device, generate_series(1, $2::int) n where tenant_id = $1 and product = 'EM'`,
    [tenant, years * 13],
  )
  await run('vacuum analyze device, emergency_test')
}
