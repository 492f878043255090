import { parseArgs } from 'node:util'
import type pg from 'pg'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { readConfig } from '@caretaker/server/config.ts'
import type { Context } from '@caretaker/server/context.ts'
import { openStore } from '@caretaker/server/files/store.ts'
import { startDeviceLink } from '@caretaker/server/mqtt/device-link.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { openDb, openPool } from '@caretaker/server/postgres/pool.ts'
import { startWorker } from './alerts-parts.ts'
import { bareInsert } from './bare-insert.ts'
import { startChild, waitUntil } from './children.ts'
import type { IdleTime } from './cpu.ts'
import { embeddedProcess, idleTimes } from './cpu.ts'
import { probeFeed } from './feed-probe.ts'
import { rounded } from './figures.ts'
import { addDevices } from './ingest-estate.ts'
import type { Interval } from './ingest-faults.ts'
import { faultsOf, fewestForTrend, lossesOf } from './ingest-faults.ts'
import type { Latency } from './latency.ts'
import { addLatency, latencyPercentile } from './latency.ts'
import type { LoadDevice, LoadOrder, LoadReport, LoadTotals } from './load-order.ts'
import { drainsWithin, valuesPerReading } from './load-order.ts'
import { memoryOf, treeMemory } from './memory.ts'
import { inDatabase, ownServer } from './own-server.ts'

/** The warm-up in seconds; longer if the devices' first messages take longer. */
const warmUp = 4
/** The longest warm-up, in seconds. */
const longestWarmUp = 600
/** The longest interval in seconds; a short run uses a sixth of its length. */
const longestInterval = 60
/** With alert rules, one in this many messages is a fault or its end. */
const stateEvery = 50
/** How long all sign-ins may take, and how late a report of the generator may be, in ms. */
const [signInWithin, reportWithin] = [300_000, 30_000]
const firstLookWithin = 600_000
const bareSeconds = 5

/**
 * Measures the device link from the socket to the acknowledgement after the commit, with its load generator, the alert
 * worker and the database on the same machine. For comparison, it measures bare batched inserts into a table with the
 * same columns.
 *
 * 1,000 devices (`--devices N`) of 4 tenants (`--tenants N`) connect, with 5 alert rules per tenant (`--rules N`, 0 for
 * no rules and no worker). Each keeps 1, 4, 16 and 64 messages in flight in turn (`--windows 1,4,16,64`), for 20
 * seconds each (`--seconds N`, or `--minutes N` for a soak test). Exits with 1 if a figure exceeds its alert limit or
 * gets worse between the first and last third of a run, or if acknowledged and stored values differ. `--server URL`
 * creates the database on your own Postgres, distributed over its machines if Citus knows some; `--machines N`
 * limits their number.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: '1000' },
      tenants: { type: 'string', default: '4' },
      rules: { type: 'string', default: '5' },
      windows: { type: 'string', default: '1,4,16,64' },
      seconds: { type: 'string', default: '20' },
      minutes: { type: 'string' },
      ...ownServer,
    },
  })
  const tenants = Array.from({ length: Number(values.tenants) }, (_, at) => `tenant-${at + 1}`)
  await inDatabase(values, ({ url, folder }) =>
    measure({
      ...{ url, tenants, devices: Number(values.devices), rules: Number(values.rules) },
      seconds: values.minutes ? Number(values.minutes) * 60 : Number(values.seconds),
      windows: values.windows.split(',').map(Number),
      database: values.server ? undefined : embeddedProcess(folder),
    }),
  )
}

interface Measuring {
  url: string
  tenants: string[]
  devices: number
  rules: number
  windows: number[]
  seconds: number
  /** The main process of the database, if it runs on this machine. */
  database: number | undefined
}

async function measure({ url, tenants, devices: count, rules, windows, seconds, database }: Measuring): Promise<void> {
  const owner = openPool(url, 'owner', 4)
  await migrate(owner)
  const app = openPool(url, 'app', 16)
  // More than any one device sends.
  const many = '1000000000'
  const config = readConfig({ MQTT_PORT: '0', CARETAKER_DEVICE_MESSAGES: many, CARETAKER_DEVICE_MB: many })
  const context: Context = {
    config,
    owner,
    idp: owner,
    files: openStore(config),
    db: openDb(app),
    anonymousDb: openDb(app),
    log: pino({ level: 'error' }),
    metrics: new Registry(),
  }
  const devices = await addDevices(owner, { tenants, devices: count, rules })
  const link = await startDeviceLink(context)
  const worker = rules ? await startWorker({ url, settings: {}, claimant: 1 }) : undefined
  const feed = probeFeed(context.db, tenants[0]!)
  try {
    if (rules) await waitForFirstLook(owner, tenants.length)
    const points: Point[] = []
    for (const window of windows)
      points.push(
        await measureWindow({
          order: {
            port: link.port!,
            // Half of the server's limit, because a slot becomes free only when the server has seen the response.
            atOnce: Math.max(1, Math.floor(config.mqtt.waitingPerAddress / 2)),
            ...{ window, devices, after: points.at(-1)?.totals.latest ?? 0 },
            ...(rules && { stateEvery }),
          },
          ...{ seconds, database, lag: () => feed.lag(), metrics: context.metrics },
        }),
      )
    await feed.stop()
    await worker?.kill()
    await link.stop()
    // Counted when nothing is being stored, because a distributed database counts the two at different moments.
    const stored = await countStored(owner)
    const bare = { one: await bareInsert(owner, 1, bareSeconds), two: await bareInsert(owner, 2, bareSeconds) }
    print({ points, bare, stored, devices, tenants: tenants.length, rules })
  } finally {
    await worker?.kill()
    await Promise.all([owner.end(), app.end()])
  }
}

/** Waits for the worker's initial check of all devices, which is not part of the load. */
const waitForFirstLook = (owner: pg.Pool, tenants: number): Promise<void> =>
  waitUntil(
    'the first look of the alert worker at all devices',
    async () => {
      const { rowCount } = await owner.query('select from alert_progress where position is not null')
      return rowCount! >= tenants
    },
    firstLookWithin,
  )

/** The results for one number of messages in flight per connection. */
interface Point {
  window: number
  seconds: number
  messages: number
  slowestSecond: number
  latency: Latency
  intervals: Interval[]
  idle: IdleTime | null
  serverCores: number
  generatorMB: number
  totals: LoadTotals
}

interface MeasuredWindow {
  order: LoadOrder & { devices: LoadDevice[] }
  seconds: number
  database: number | undefined
  lag(): number
  metrics: Registry
}

async function measureWindow({ order, seconds, database, lag, metrics }: MeasuredWindow): Promise<Point> {
  const load = startChild<LoadReport | LoadTotals>('load.ts')
  const isSecond = (report: LoadReport | LoadTotals): report is LoadReport => report.kind === 'second'
  const isTotals = (report: LoadReport | LoadTotals): report is LoadTotals => report.kind === 'totals'
  try {
    load.send(order)
    await load.find(isSecond, signInWithin)
    // The first messages of a device take longer than later ones, because they create its series.
    const first = order.devices.length * order.window
    let warm = await load.find(isSecond, reportWithin)
    for (let second = 2; second < warmUp || warm.total < first; second++) {
      if (second > longestWarmUp) throw new Error(`${warm.total} of the first ${first} messages in ${second} s`)
      warm = await load.find(isSecond, reportWithin)
    }
    const latency: Latency = new Map()
    const perSecond: number[] = []
    const intervals: Interval[] = []
    const every = Math.min(longestInterval, Math.max(1, Math.floor(seconds / fewestForTrend)))
    const begin = () => ({ messages: 0, latency: new Map() as Latency, unacknowledged: 0, waiting: 0, feedLag: 0 })
    let [current, intervalFrom, generatorMB] = [begin(), performance.now(), 0]
    const [from, idleSince, used] = [performance.now(), idleTimes(), process.cpuUsage()]
    for (let second = 0; second < seconds; second++) {
      const report = await load.find(isSecond, reportWithin)
      if (report.connections < order.devices.length)
        throw new Error(`only ${report.connections} of ${order.devices.length} connections are left`)
      perSecond.push(report.acknowledged)
      addLatency(latency, report.latency)
      addLatency(current.latency, report.latency)
      generatorMB = Math.round(report.memory / 1_048_576)
      current.messages += report.acknowledged
      current.unacknowledged = Math.max(current.unacknowledged, await figureOf(metrics, 'unacknowledged'))
      current.waiting = Math.max(current.waiting, await figureOf(metrics, 'waiting'))
      current.feedLag = Math.max(current.feedLag, lag())
      if ((second + 1) % every) continue
      intervals.push({
        messagesPerSecond: Math.round((current.messages / (performance.now() - intervalFrom)) * 1000),
        p95: latencyPercentile(current.latency, 0.95),
        p99: latencyPercentile(current.latency, 0.99),
        unacknowledged: rounded(current.unacknowledged, 2),
        waiting: current.waiting,
        feedLag: rounded(current.feedLag, 2),
        memory: {
          server: memoryOf(process.pid).shared,
          database: database ? treeMemory(database).shared : null,
        },
      })
      ;[current, intervalFrom] = [begin(), performance.now()]
    }
    const taken = (performance.now() - from) / 1000
    const { user, system } = process.cpuUsage(used)
    const idle = idleSince()
    load.send('stop')
    const totals = await load.find(isTotals, drainsWithin + reportWithin)
    return {
      ...{ window: order.window, seconds: taken, messages: perSecond.reduce((sum, count) => sum + count, 0) },
      ...{ slowestSecond: Math.min(...perSecond), latency, intervals, idle, generatorMB, totals },
      serverCores: rounded((user + system) / 1e6 / taken, 2),
    }
  } finally {
    await load.kill()
  }
}

async function figureOf(metrics: Registry, name: SystemFigure): Promise<number> {
  const { values } = await metrics.getSingleMetric(systemFigures[name].metric)!.get()
  return values[0]!.value
}

/** Counts the stored values, and the alerts raised by the faults. */
async function countStored(owner: pg.Pool) {
  const { rows } = await owner.query<{ points: number; inRollUps: number; alerts: number }>(
    `select (select count(*)::float8 from point) as points, (select coalesce(sum(n), 0)::float8 from hourly) as "inRollUps",
       (select count(*)::float8 from alert) as alerts`,
  )
  return rows[0]!
}

interface Results {
  points: Point[]
  devices: LoadDevice[]
  tenants: number
  rules: number
  bare: { one: number; two: number }
  stored: { points: number; inRollUps: number; alerts: number }
}

function print({ points, devices, tenants, rules, bare, stored }: Results): void {
  const total = (of: (totals: LoadTotals) => number) => points.reduce((sum, { totals }) => sum + of(totals), 0)
  const counts = {
    sent: total(({ sent }) => sent),
    acknowledged: total(({ acknowledged }) => acknowledged),
    values: total(({ readings }) => readings) * valuesPerReading,
    states: total(({ acknowledged, readings }) => acknowledged - readings),
  }
  const faults = [
    ...points.flatMap(({ window, intervals }) => faultsOf(intervals).map((fault) => `window ${window}: ${fault}`)),
    ...lossesOf({ ...counts, stored }),
    ...(counts.states && !stored.alerts ? ['the worker opened no alert'] : []),
  ]
  const curve = points.map(({ window, latency, intervals, totals, ...point }) => {
    const rate = point.messages / point.seconds
    const rows = rate * valuesPerReading * (totals.readings / totals.acknowledged)
    return {
      window,
      messagesPerSecond: Math.round(rate),
      slowestSecond: point.slowestSecond,
      acknowledgedAfterMs: { p50: latencyPercentile(latency, 0.5), p99: latencyPercentile(latency, 0.99) },
      idle: point.idle,
      serverCores: point.serverCores,
      rowsPerSecond: Math.round(rows),
      ofBareInsert: { one: rounded(rows / bare.one, 2), two: rounded(rows / bare.two, 2) },
      generatorMB: point.generatorMB,
      intervals,
    }
  })
  const result = {
    bench: 'ingest',
    connections: devices.length,
    devices: devices.reduce((sum, { children }) => sum + 1 + children.length, 0),
    ...{ tenants, rulesOfTenant: rules, valuesPerReading, curve },
    bareRowsPerSecond: { one: Math.round(bare.one), two: Math.round(bare.two) },
    ...{ ...counts, stored, faults },
  }
  console.log(JSON.stringify(result, null, 2))
  if (faults.length) process.exitCode = 1
  const shares = (idle: IdleTime | null) =>
    idle ? `, machine ${Math.round((idle.idle + idle.disk) * 100)} % idle` : ''
  for (const { window, messagesPerSecond, acknowledgedAfterMs, idle, ofBareInsert } of curve)
    console.log(
      `ingest: ${window} in flight × ${devices.length}: ${messagesPerSecond} msg/s, p50 ${acknowledgedAfterMs.p50} ms, p99 ${acknowledgedAfterMs.p99} ms${shares(idle)}, ${ofBareInsert.one} of a bare insert with one connection, ${ofBareInsert.two} with two`,
    )
  console.log(
    `ingest: ${counts.acknowledged} messages acknowledged, ${counts.values} values of them stored: ${stored.points}; ${faults.join('; ') || 'nothing is lost, nothing grows'}`,
  )
}
