import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { getReportRuns, startReport } from '@caretaker/contract/reports.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ReportType } from '@caretaker/rules/reports/kinds.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { monthAfter, monthOf, monthSpan } from '@caretaker/rules/reports/months.ts'
import { assessDamp } from '@caretaker/server/features/damp/assess.ts'
import { writeReports } from '@caretaker/server/features/reports/job.ts'
import { packHours } from '@caretaker/server/features/telemetry/hours.ts'
import { packedBefore } from '@caretaker/server/features/telemetry/pack.ts'
import { seriesOf } from '@caretaker/server/features/telemetry/walk.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import type { CpuSeconds } from './cpu.ts'
import { cpuSince, embeddedProcess } from './cpu.ts'
import { rounded } from './figures.ts'

const tenant = 'north'
const email = 'manager@north.test'
const megabyte = 1_000_000
const limits = { seconds: 20, raisedMB: 150 }
/** Seconds in which each 1,000 homes with readings are written down as their month ends, beside those without. */
const closingSeconds = { base: 20, perThousandRead: 12 }
const hour = 3_600_000
/** Of each home: a boiler that measures the weather, two rooms with a sensor of air, and lights. */
const ofHome = 5
const kinds = ['Overview', 'DampAndMould', 'FuelPoverty'] as const satisfies ReportType[]
const ofNow = ['FailedEmeredReport', 'EmeredComplianceReport'] as const satisfies ReportType[]

/**
 * How long the worker takes to write reports of a client of 100,000 devices, 40,000 of them in rooms whose air they measure, and by how
 * much that raises its memory: of the last month, which is written down, and of the running one, which is gathered anew. `--devices N`
 * changes the number; so many homes as `--read N` says have their readings of every hour, and stand for the others in the last month. The
 * end of that month, in which it is written down, is judged too, and so are the reports that are of no month.
 */
export async function run(args: string[]): Promise<void> {
  const option = (usual: number) => ({ type: 'string', default: String(usual) }) as const
  const { values } = parseArgs({ args, options: { devices: option(100_000), read: option(200) } })
  const homes = Math.ceil(Number(values.devices) / ofHome)
  const read = Math.min(homes, Number(values.read))
  const now = new Date()
  const running = monthOf(dayAt(+now, 'Europe/London'))
  const last = monthAfter(running, -1)
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const server = await startEmbedded(folder)
  const postgres = embeddedProcess(folder)
  const database = openPools(server.url)
  try {
    await migrate(database.owner)
    const test = await testApp({ CARETAKER_DATA: folder }, database)
    await test.addTenant(tenant, { features: ['PropertyCentric', 'ReportHistory'], capabilities: ['ViewProperties'] })
    await test.addMember(tenant, email, 'Manager')
    await fill(database.owner, { homes, read, last, now })
    await packAll(database.db)
    await makeDue(database.owner, 'assess damp')
    await assessDamp(database.db)
    await database.owner.query('vacuum analyze packed_hours, damp_room')
    await makeDue(database.owner, 'write reports')
    const closing = await measured(postgres, () => writeReports(test.context))
    await standFor(database.owner, last)

    const write = async (reportType: ReportType, month: Month | null) => {
      const { status } = await test.send(startReport, { params: { tenant }, body: { reportType, month } }, email)
      if (status !== 202) throw new Error(`${reportType}: ${status}`)
      const figures = await measured(postgres, () => writeReports(test.context))
      const { body } = await test.send(getReportRuns, { params: { tenant } }, email)
      const [{ state, rows, size, fault }] = body.runs as [(typeof body.runs)[number]]
      if (state !== 'done') throw new Error(`${reportType}: ${state} ${fault}`)
      if (!rows) throw new Error(`${reportType} has no row`)
      return { report: reportType, rows, fileMB: rounded(size! / megabyte), ...figures }
    }
    // What is loaded at first is no matter of how many devices there are.
    await write('Overview', last)
    const finished = []
    for (const kind of kinds) finished.push(await write(kind, last))
    const soFar = []
    for (const kind of kinds) soFar.push(await write(kind, running))
    const asItIs = []
    for (const kind of ofNow) asItIs.push(await write(kind, null))
    console.log(
      JSON.stringify({ devices: homes * ofHome, homes, read, closing, finished, soFar, ofNow: asItIs }, null, 2),
    )
    const worst = (of: readonly { seconds: number; raisedMB: number }[], what: 'seconds' | 'raisedMB') =>
      Math.max(...of.map((one) => one[what]))
    const all = [...finished, ...soFar, ...asItIs]
    const mostClosing = closingSeconds.base + (closingSeconds.perThousandRead * read) / 1000
    console.log(
      `reports: ${homes * ofHome} devices within ${worst(finished, 'seconds')} s, so far ${worst(soFar, 'seconds')} s, as it is now ${worst(asItIs, 'seconds')} s (must be at most ${limits.seconds}), memory raised by ${worst(all, 'raisedMB')} MB (at most ${limits.raisedMB})`,
    )
    console.log(
      `reports: the month written down in ${closing.seconds} s (at most ${mostClosing}), memory raised by ${closing.raisedMB} MB (at most ${limits.raisedMB})`,
    )
    const isOver =
      worst(all, 'seconds') > limits.seconds ||
      closing.seconds > mostClosing ||
      worst([...all, closing], 'raisedMB') > limits.raisedMB
    if (isOver) process.exitCode = 1
    await test.app.close()
  } finally {
    await database.drop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Measured {
  seconds: number
  cpu: CpuSeconds
  raisedMB: number
}

/** Seconds, those of processors, and by how much the process grew at most. */
async function measured(postgres: number, work: () => Promise<unknown>): Promise<Measured> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let highest = before
  const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 20)
  const begun = performance.now()
  const used = cpuSince(postgres)
  await work()
  const cpu = used()
  clearInterval(watch)
  return {
    seconds: rounded((performance.now() - begun) / 1000),
    cpu,
    raisedMB: rounded((highest - before) / megabyte),
  }
}

/** As the night after each day leaves them. */
async function packAll(db: Parameters<typeof seriesOf>[0]): Promise<void> {
  for await (const series of seriesOf(db, tenant))
    await inTenant(db, tenant, (tx) => packHours(tx, series, packedBefore(new Date())))
}

const makeDue = (owner: pg.Pool, work: 'assess damp' | 'write reports') =>
  owner.query(
    `insert into due (work, tenant_id, due_at) values ($2, $1, now())
     on conflict (work, tenant_id) do update set due_at = now()`,
    [tenant, work],
  )

interface Filling {
  homes: number
  read: number
  last: Month
  now: Date
}

async function fill(owner: pg.Pool, { homes, read, last, now }: Filling): Promise<void> {
  const id = (block: number, n: string) => `('00000000-0000-4000-800${block}-' || lpad((${n})::text, 12, '0'))::uuid`
  const run = (text: string, values: unknown[] = []) => owner.query(text, values)
  const { from, to } = monthSpan(last, 'Europe/London')
  await run(`insert into property (tenant_id, id, reference, address1, postcode, epc_rating)
    select '${tenant}', ${id(0, 'n')}, 'H-' || lpad(n::text, 6, '0'), n || ' Mill Lane', 'LS6 1AB', substr('ABCDEFG', 1 + n % 7, 1)
    from generate_series(1, ${homes}) n`)
  await run(
    `insert into device (tenant_id, id, serial, product, name, status, severity, property_id, room, created_at)
     select '${tenant}', ${id(1, `n * ${ofHome} + k`)}, product || n || '-' || k, product, product || n || '-' || k,
       case when n % 50 = 0 then 'FailedEquipment' else 'Ok' end, 2, ${id(0, 'n')}, 'Room ' || k, '2025-01-01'
     from generate_series(1, ${homes}) n, unnest(array['BX', 'MD', 'MD', 'EM', 'EM']) with ordinality of_home (product, k)`,
  )
  await run(
    `insert into emergency_test (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
     select tenant_id, gen_random_uuid(), id, 'T0', $1::timestamptz + (month || ' days')::interval, case when n = 0 then 'Failed' else 'Passed' end, '', '{}', '[]'
     from device, generate_series(1, 58, 29) month, lateral (select abs(hashtext(id::text)) % 30 as n) dice where product = 'EM'`,
    [new Date(from)],
  )
  await run(
    `insert into condition (tenant_id, id, device_id, kind, key, began_at, last_seen_at, evidence, ended_at)
     select tenant_id, gen_random_uuid(), id, 'notHeard', '', $1::timestamptz + interval '3 days', $1::timestamptz + interval '3 days', '{}',
       $1::timestamptz + interval '4 days'
     from device where abs(hashtext(id::text)) % 10 = 0`,
    [new Date(from)],
  )
  const isRead = `substr(serial, 3)::text ~ '^[0-9]+-' and split_part(substr(serial, 3), '-', 1)::int <= ${read}`
  await run(`insert into series (tenant_id, device_id, metric) select tenant_id, id, metric
    from device, unnest(case product when 'MD' then array['temperature', 'humidity'] else array['outsideTemperature', 'burnerHours'] end) metric
    where product in ('MD', 'BX') and ${isRead}`)
  await run(
    `insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
     select '${tenant}', id, at, 4, 4 * value, value, value, at, value from series,
       generate_series($1::timestamptz, $2, interval '1 hour') at,
       lateral (select case metric when 'temperature' then 14 + id % 8 when 'humidity' then 40 + id % 45
         when 'burnerHours' then extract(epoch from at) / 36000 else 4 end::float8 as value) one
     order by at, id`,
    [new Date(Math.min(from, to - 42 * 24 * hour)), now],
  )
  await run('vacuum analyze property, device, emergency_test, condition, series, hourly')
}

/** Whoever was read stands for those who were not, in the month that is written down. */
async function standFor(owner: pg.Pool, last: Month): Promise<void> {
  const month = `${last.year}-${String(last.month).padStart(2, '0')}-01`
  for (const [table, which] of [
    ['report_device', `and product = 'MD'`],
    ['report_home', ''],
  ])
    await owner.query(
      `update ${table} set figures = (select figures from ${table} where figures is not null and month = $1 limit 1)
       where figures is null and month = $1 ${which}`,
      [month],
    )
  await owner.query('vacuum analyze report_device, report_home')
}
