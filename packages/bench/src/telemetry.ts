import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { getDeviceMetrics } from '@caretaker/contract/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { rollUpDays } from '@caretaker/server/features/telemetry/days.ts'
import { packPoints } from '@caretaker/server/features/telemetry/pack.ts'
import { makeAllDue } from '@caretaker/server/postgres/due.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { addDevice } from '@caretaker/server/testing/furnish/devices.ts'
import type { Spread } from './figures.ts'
import { rounded, spreadOf } from './figures.ts'
import { inBrowser } from './in-browser.ts'
import { roundsOf } from './rounds.ts'

/** Ms from the click to the painted picture, for each round. */
interface Painted {
  sixSeriesOfAWeek: number[]
  twelveCards: number[]
}

const metrics = [
  'flowTemperature',
  'returnTemperature',
  'dhwTemperature',
  'outsideTemperature',
  'modulation',
  'systemPressure',
] satisfies MetricKey[]
const day = 86_400_000
/** The number of unmeasured calls. */
const warmUps = 20
/** p95 in ms at the server, bytes, and p95 in ms from the click to the painted picture. */
const most = { aWeek: 60, aYear: 60, packedPoint: 40, sixSeries: 150, twelveCards: 250 }

/**
 * Measures how long the API takes to return six series of one device while others send readings: a week with one
 * reading a minute, and five weeks and a year of roll-ups, first with unpacked points and then with past days packed.
 * Also measures the size of a point in both cases, and the time from a click to the painted picture in a browser.
 * `--devices N` changes the number of reporting devices, `--runs N` (at least 100) how often each range is requested,
 * `--painted N` (at least 40) how often a picture is drawn; `--painted 0` skips the browser. Exits with 1 if a figure
 * exceeds its limit.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: '50' },
      runs: { type: 'string', default: '100' },
      painted: { type: 'string', default: '40' },
    },
  })
  const runs = roundsOf('runs', values.runs, 'p99')
  const rounds = values.painted === '0' ? 0 : roundsOf('painted', values.painted, 'p95')
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const server = await startEmbedded(folder)
  const database = openPools(server.url)
  try {
    await migrate(database.owner)
    const test = await testApp({}, database)
    const [tenant, email] = ['north', 'manager@north.test']
    await test.addTenant(tenant)
    await test.addMember(tenant, email, 'Manager')
    const devices: string[] = []
    while (devices.length < Number(values.devices)) devices.push(await addDevice(test, tenant, { product: 'BX' }))
    await fill(database, tenant)

    const authorization = `Bearer ${await test.token(email)}`
    const ask = () => measure(test.app, { runs, authorization, tenant, device: devices[17 % devices.length]! })
    const asTheyCame = await ask()
    const packing = await pack(database, tenant)
    const figures = await ask()
    await test.app.close()
    console.log(
      JSON.stringify({ devices: devices.length, series: metrics.length, asTheyCame, packing, figures }, null, 2),
    )
    const worst = (range: string) => Math.max(asTheyCame[range]!.p95!, figures[range]!.p95!)
    console.log(
      `telemetry: six series over a week, p95 ${worst('a week')} ms (must be at most ${most.aWeek}), over a year ${worst('a year')} ms (at most ${most.aYear}); a packed point takes ${packing.bytesOfPackedPoint} bytes (must be at most ${most.packedPoint}), before ${packing.bytesOfPoint}`,
    )
    const isSlow = worst('a week') > most.aWeek || worst('a year') > most.aYear
    if (isSlow || packing.bytesOfPackedPoint > most.packedPoint) process.exitCode = 1
  } finally {
    await database.drop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  if (!rounds) return
  const samples = await inBrowser<Painted>('telemetry', { BENCH_ROUNDS: String(rounds) })
  const [six, twelve] = [spreadOf(samples.sixSeriesOfAWeek), spreadOf(samples.twelveCards)]
  console.log(JSON.stringify({ rounds, sixSeriesOfAWeekMs: six, twelveCardsMs: twelve }, null, 2))
  console.log(
    `telemetry: six series over a week p95 ${six.p95} ms from press to painted (must be at most ${most.sixSeries}), twelve cards p95 ${twelve.p95} ms (at most ${most.twelveCards})`,
  )
  if (six.p95! > most.sixSeries || twelve.p95! > most.twelveCards) process.exitCode = 1
}

interface Asking {
  runs: number
  authorization: string
  tenant: string
  device: string
}

/** Measures the response times for ranges of six series. */
async function measure(app: TestApp['app'], { runs, authorization, tenant, device }: Asking) {
  const now = Date.now()
  const figures: Record<string, Spread & { points: number; kB: number }> = {}
  for (const [name, days] of Object.entries({ 'a day': 1, 'a week': 7, 'five weeks': 35, 'a year': 365 })) {
    const ask = async () => {
      const begun = performance.now()
      const response = await app.inject({
        method: getDeviceMetrics.method,
        url: getDeviceMetrics.path,
        headers: { authorization },
        payload: { tenant, deviceId: device, metrics, from: now - days * day, to: now },
      })
      const taken = performance.now() - begun
      if (response.statusCode !== 200) throw new Error(response.body)
      return { taken, answer: response.body }
    }
    let answer = ''
    for (let warm = 0; warm < warmUps; warm++) ({ answer } = await ask())
    const samples: number[] = []
    for (let run = 0; run < runs; run++) samples.push((await ask()).taken)
    const { data } = JSON.parse(answer) as { data: { series: unknown[] }[] }
    figures[name] = {
      ...spreadOf(samples),
      points: data.reduce((sum, one) => sum + one.series.length, 0),
      kB: Math.round(answer.length / 1000),
    }
  }
  return figures
}

/** Packs points older than a day, and returns the disk size of a point before and after, including indexes. */
async function pack({ owner, db }: TestDatabase, tenant: string) {
  const stored = async () => {
    const { rows } = await owner.query<{ loose: number; bytes: number; packed: number; packedBytes: number }>(
      `select (select count(*)::int from point) as loose,
         (select sum(pg_total_relation_size(inhrelid))::float8 from pg_inherits where inhparent = 'point'::regclass) as bytes,
         (select coalesce(sum(n), 0)::int from packed_day) as packed, pg_total_relation_size('packed_day')::float8 as "packedBytes"`,
    )
    return rows[0]!
  }
  const before = await stored()
  await makeAllDue(owner, tenant)
  const begun = performance.now()
  await packPoints(db)
  const seconds = (performance.now() - begun) / 1000
  await owner.query('vacuum analyze packed_day')
  await owner.query('vacuum analyze point')
  const after = await stored()
  return {
    points: before.loose,
    bytesOfPoint: rounded(before.bytes / before.loose),
    packed: after.packed,
    bytesOfPackedPoint: rounded(after.packedBytes / after.packed),
    packedASecond: Math.round(after.packed / seconds),
  }
}

/** Writes a week of readings every minute and a year of hourly and daily roll-ups for every device, in chronological order. */
async function fill({ owner, db }: TestDatabase, tenant: string): Promise<void> {
  await owner.query(
    `insert into series (tenant_id, device_id, metric) select $1, device.id, metric from device, unnest($2::text[]) metric`,
    [tenant, metrics],
  )
  const readings = (from: number, to: number) =>
    owner.query(
      `insert into point
       select tenant_id, id, date_trunc('minute', now()) - make_interval(mins => age), round((40 + 20 * sin(age / 100.0 + id) + random())::numeric, 1)
       from generate_series($1::int, $2::int, -1) age, series order by age desc, id`,
      [from, to],
    )
  // As with autovacuum, the newest readings are not vacuumed yet.
  await readings(7 * 1440, 1440)
  await owner.query('vacuum analyze point')
  await readings(1439, 0)
  await owner.query(
    `insert into hourly
     select tenant_id, id, hour, 60, 2400, 20 + 10 * sin(age / 50.0), 50 + 10 * random(), hour + interval '59 minutes', 40
     from (select age, date_trunc('hour', now()) - make_interval(hours => age) as hour from generate_series(8759, 0, -1) age) hours, series
     order by age desc, id`,
  )
  await owner.query('vacuum analyze hourly')
  await makeAllDue(owner, tenant)
  await rollUpDays(db)
  await owner.query('vacuum analyze daily')
}
