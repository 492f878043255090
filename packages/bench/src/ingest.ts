import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { changed } from '@caretaker/server/changes/changed.ts'
import { openFeed, positionOf } from '@caretaker/server/changes/feed.ts'
import { readConfig } from '@caretaker/server/config.ts'
import type { Context } from '@caretaker/server/context.ts'
import { openStore } from '@caretaker/server/files/store.ts'
import { startDeviceLink } from '@caretaker/server/mqtt/device-link.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { openDb, openPool } from '@caretaker/server/postgres/pool.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import { embeddedProcess } from './cpu.ts'
import type { LoadOrder, LoadReport } from './load.ts'
import { treeMemory } from './memory.ts'
import { inDatabase, ownServer } from './own-server.ts'

/** Devices that speak; more where there are more tenants. */
const fewestConnections = 160
const childrenOf = (n: number) => (n % 8 === 0 ? 2 : 0)
const valuesPerMessage = 3
const warmUp = 4
/** Seconds of a window; of a short run a sixth. */
const longestWindow = 60
/** Seconds between two looks at how late the change feed is. */
const feedEvery = 5
/** Windows from which on it can be said whether something grows. */
const enoughToCompare = 6

/**
 * Measures the device link from the socket to the acknowledgement after the commit, with its load generator and the database
 * on the same machine, and then a bare batched insert into a table of the same shape, to compare with.
 *
 * `--seconds 20`, or `--minutes 10` for a soak: each window tells the rate, how long acknowledgements take, how late storing and the change
 * feed are, and the memory of the server and the database. Ends with 1 where a figure is beyond the bound of its alert, or where between the first
 * third and the last the rate falls or the memory or one of the times grows. `--window 16` messages on their way for each device;
 * `--tenants 4` of which the devices are, any number. `--server URL` makes its database on a Postgres of your own, spread over its machines
 * where Citus knows some, of which `--machines N` takes so many.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string' },
      minutes: { type: 'string' },
      window: { type: 'string', default: '16' },
      tenants: { type: 'string', default: '4' },
      ...ownServer,
    },
  })
  const seconds = values.minutes ? Number(values.minutes) * 60 : Number(values.seconds ?? 20)
  const tenants = Array.from({ length: Number(values.tenants) }, (_, at) => `tenant-${at + 1}`)
  await inDatabase(values, ({ url, folder }) =>
    measure({
      ...{ url, tenants, seconds, window: Number(values.window) },
      database: values.server ? undefined : embeddedProcess(folder),
    }),
  )
}

interface Measuring {
  url: string
  tenants: string[]
  seconds: number
  window: number
  /** The database's first process, where it is one of this machine. */
  database: number | undefined
}

async function measure({ url, tenants, seconds, window, database }: Measuring): Promise<void> {
  const owner = openPool(url, 'owner', 4)
  await migrate(owner)
  const app = openPool(url, 'app', 16)
  // More than any one device may say.
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
  const devices = await provision(owner, tenants)
  const link = await startDeviceLink(context)
  const load = fork(new URL('load.ts', import.meta.url))
  try {
    load.send({ port: link.port!, window, devices } satisfies LoadOrder)
    const feed = probeFeed(context.db, tenants[0]!)
    const loaded = await observe(load, seconds, {
      connections: devices.length,
      late: async () => ({
        unacknowledged: await figure(context.metrics, 'unacknowledged'),
        waiting: await figure(context.metrics, 'waiting'),
        feed: feed.lag(),
      }),
      memory: () => {
        const own = treeMemory(process.pid).shared - treeMemory(load.pid!).shared
        return { server: own, database: database ? treeMemory(database).shared : null }
      },
    })
    await feed.stop()
    load.send('stop')
    await once(load, 'message')
    load.kill()
    await link.stop()
    // Once nothing is being stored: a distributed database counts the two at different moments.
    const stored = await storedPoints(owner)
    const bareRows = await bareInsert(owner, 5)
    print(loaded, { tenants: tenants.length, bareRows, stored })
  } finally {
    load.kill()
    await Promise.all([owner.end(), app.end()])
  }
}

/** Devices of several tenants, every eighth a gateway with children that it speaks for. */
async function provision(owner: pg.Pool, tenants: string[]): Promise<LoadOrder['devices']> {
  for (const tenant of tenants)
    await owner.query('insert into tenant (id, display_name) values ($1, $1) on conflict do nothing', [tenant])
  const add = async (tenant: string, parentId: string | null, key: string | null) => {
    const id = randomUUID()
    await owner.query(
      `insert into device (tenant_id, id, serial, product, name, status, severity, parent_id, reporting_interval)
       values ($1, $2, $3, 'ED', 'Bench', 'Ok', 2, $4, 60)`,
      [tenant, id, `ED${id}`, parentId],
    )
    const hash = key && createHash('sha256').update(key).digest()
    await owner.query(
      'insert into device_route (device_id, tenant_id, parent_id, key_hash, reporting_interval) values ($1, $2, $3, $4, 60)',
      [id, tenant, parentId, hash],
    )
    return id
  }
  const devices: LoadOrder['devices'] = []
  for (let n = 0; n < Math.max(fewestConnections, tenants.length); n++) {
    const tenant = tenants[n % tenants.length]!
    const key = randomBytes(16).toString('hex')
    const deviceId = await add(tenant, null, key)
    const children: string[] = []
    for (let child = 0; child < childrenOf(n); child++) children.push(await add(tenant, deviceId, null))
    devices.push({ deviceId, key, children })
  }
  return devices
}

/** How a minute, or a part of a short run, went: the most of what was seen in it, of memory what there was at its end. */
interface Window {
  messagesPerSecond: number
  p95: number
  p99: number
  /** Seconds that the oldest message waited to be stored, and messages that waited. */
  unacknowledged: number
  waiting: number
  /** Seconds until a change that was committed could be read from the feed. */
  feedLag: number
  /** MB, pages that processes share divided among them. */
  memory: Memory
}
interface Memory {
  server: number
  database: number | null
}

interface Loaded {
  connections: number
  messages: number
  seconds: number
  perSecond: number[]
  latency: number[]
  windows: Window[]
  loadMemory: number
  cpu: { server: number }
}

interface Looks {
  connections: number
  late(): Promise<{ unacknowledged: number; waiting: number; feed: number }>
  memory(): Memory
}

async function observe(load: ChildProcess, seconds: number, { connections, late, memory }: Looks): Promise<Loaded> {
  const loaded: Loaded = {
    ...{ connections, messages: 0, seconds: 0, perSecond: [], latency: [], windows: [], loadMemory: 0 },
    cpu: { server: 0 },
  }
  const every = Math.min(longestWindow, Math.max(1, Math.floor(seconds / enoughToCompare)))
  const begin = () => ({
    messages: 0,
    latency: [] as number[],
    unacknowledged: 0,
    waiting: 0,
    feedLag: 0,
    from: performance.now(),
  })
  const add = (latency: number[], report: LoadReport) => {
    for (const [bucket, count] of report.latency.entries()) latency[bucket] = (latency[bucket] ?? 0) + count
  }
  let current = begin()
  let from = 0
  let used = process.cpuUsage()
  for (let second = -warmUp; second < seconds; second++) {
    const [report] = (await once(load, 'message')) as [LoadReport]
    if (report.connections < connections) throw new Error(`only ${report.connections} connections are left`)
    if (second < 0) {
      from = performance.now()
      used = process.cpuUsage()
      current = begin()
      continue
    }
    loaded.messages += report.acknowledged
    loaded.perSecond.push(report.acknowledged)
    add(loaded.latency, report)
    loaded.loadMemory = megabytes(report.memory)
    const { unacknowledged, waiting, feed } = await late()
    current.messages += report.acknowledged
    add(current.latency, report)
    current.unacknowledged = Math.max(current.unacknowledged, unacknowledged)
    current.waiting = Math.max(current.waiting, waiting)
    current.feedLag = Math.max(current.feedLag, feed)
    if ((second + 1) % every) continue
    loaded.windows.push({
      messagesPerSecond: Math.round((current.messages / (performance.now() - current.from)) * 1000),
      p95: percentile(current.latency, 0.95),
      p99: percentile(current.latency, 0.99),
      unacknowledged: round(current.unacknowledged),
      waiting: current.waiting,
      feedLag: round(current.feedLag),
      memory: memory(),
    })
    current = begin()
  }
  loaded.seconds = (performance.now() - from) / 1000
  const { user, system } = process.cpuUsage(used)
  loaded.cpu.server = (user + system) / 1e6 / loaded.seconds
  return loaded
}

async function figure(metrics: Registry, name: SystemFigure): Promise<number> {
  const told = await metrics.getSingleMetric(systemFigures[name].metric)!.get()
  return told.values[0]!.value
}

/** Writes a change every few seconds and looks for it as open pages do: how long that takes is how late the feed is. */
function probeFeed(db: Context['db'], tenant: string): { lag(): number; stop(): Promise<void> } {
  const feed = openFeed()
  let [last, begun, stopped] = [0, undefined as number | undefined, false]
  const probe = async () => {
    while (!stopped) {
      const id = randomUUID()
      const seen = positionOf(await inTenant(db, tenant, (tx) => feed.now(tx)))
      begun = performance.now()
      await inTenant(db, tenant, (tx) => changed(tx, 'mail', [id]))
      for (let found = false; !found;) {
        const { rows, everything } = await inTenant(db, tenant, (tx) =>
          feed.since(tx, { position: seen }, { subjects: ['mail'] }),
        )
        found = everything || rows.some(({ ids }) => ids?.includes(id))
      }
      last = (performance.now() - begun) / 1000
      begun = undefined
      await sleep(feedEvery * 1000)
    }
  }
  const probing = probe()
  return {
    // One that is still looked for counts as long as it has been.
    lag: () => Math.max(last, begun === undefined ? 0 : (performance.now() - begun) / 1000),
    stop: async () => {
      stopped = true
      await probing
    },
  }
}

/** What speaks against it: a figure beyond the bound of its alert, or one that gets worse from the first third to the last. */
export function faultsOf(windows: readonly Window[]): string[] {
  const faults: string[] = []
  const most = (of: (window: Window) => number, some = windows) => Math.max(...some.map(of))
  const bounds = { unacknowledged: systemFigures.unacknowledged.most, feedLag: systemFigures.feedLag.most }
  for (const [name, bound] of Object.entries(bounds) as [keyof typeof bounds, number][])
    if (most((window) => window[name]) > bound)
      faults.push(`${name} ${most((window) => window[name])} s (at most ${bound})`)
  if (windows.length < enoughToCompare) return faults
  const third = Math.floor(windows.length / 3)
  // Of the first third its first window still fills caches.
  const [early, late] = [windows.slice(1, 1 + third), windows.slice(-third)]
  const mean = (of: (window: Window) => number, some: readonly Window[]) =>
    some.reduce((sum, window) => sum + of(window), 0) / some.length
  /** What may be gained in all, beside a share of what there was. */
  const grows = (name: string, of: (window: Window) => number, { share, more }: { share: number; more: number }) => {
    const [was, is] = [mean(of, early), mean(of, late)]
    if (is > was * (1 + share) + more) faults.push(`${name} grows from ${round(was)} to ${round(is)}`)
  }
  grows('the time of an acknowledgement (p95, ms)', ({ p95 }) => p95, { share: 0.5, more: 20 })
  grows('the wait of the oldest message (s)', ({ unacknowledged }) => unacknowledged, { share: 0.5, more: 1 })
  grows('what waits', ({ waiting }) => waiting, { share: 0.5, more: 500 })
  grows('the lag of the feed (s)', ({ feedLag }) => feedLag, { share: 0.5, more: 1 })
  grows("the server's memory (MB)", ({ memory }) => memory.server, { share: 0.1, more: 15 })
  // Its cache fills up to a fixed size.
  grows("the database's memory (MB)", ({ memory }) => memory.database ?? 0, { share: 0.15, more: 100 })
  const rate = ({ messagesPerSecond }: Window) => messagesPerSecond
  if (mean(rate, late) < mean(rate, early) * 0.8)
    faults.push(`the rate falls from ${Math.round(mean(rate, early))} to ${Math.round(mean(rate, late))} a second`)
  return faults
}

const megabytes = (bytes: number) => Math.round(bytes / 1_048_576)

async function storedPoints(owner: pg.Pool): Promise<{ points: number; inRollUps: number }> {
  const { rows } = await owner.query<{ points: number; inRollUps: number }>(
    `select (select count(*) from point) as points, (select coalesce(sum(n), 0) from hourly)::bigint as "inRollUps"`,
  )
  return rows[0]!
}

/** Rows a second of one connection that inserts full batches, each committed, into a table of the same shape with its key. */
async function bareInsert(owner: pg.Pool, seconds: number): Promise<number> {
  await owner.query(`create table bare (tenant_id text not null, series_id bigint not null, at timestamptz not null,
    value double precision not null, primary key (tenant_id, series_id, at))`)
  const client = await owner.connect()
  const series = 600
  const perSeries = 8
  let rows = 0
  let clock = Date.now()
  const from = performance.now()
  while (performance.now() - from < seconds * 1000) {
    const [ids, at, value]: [number[], number[], number[]] = [[], [], []]
    for (let id = 1; id <= series; id++)
      for (let n = 0; n < perSeries; n++) {
        ids.push(id)
        at.push(clock + n)
        value.push(18 + (n % 7) / 10)
      }
    clock += perSeries
    await client.query(
      `insert into bare select $1, id, to_timestamp(ms / 1000), value
       from unnest($2::bigint[], $3::float8[], $4::float8[]) as reading (id, ms, value)`,
      ['tenant-1', `{${ids.join()}}`, `{${at.join()}}`, `{${value.join()}}`],
    )
    rows += ids.length
  }
  const taken = (performance.now() - from) / 1000
  client.release()
  await owner.query('drop table bare')
  return rows / taken
}

interface Besides {
  tenants: number
  bareRows: number
  stored: { points: number; inRollUps: number }
}

function print(loaded: Loaded, { tenants, bareRows, stored }: Besides): void {
  const rate = loaded.messages / loaded.seconds
  const rows = rate * valuesPerMessage
  const ratio = rows / bareRows
  const faults = faultsOf(loaded.windows)
  const result = {
    bench: 'ingest',
    connections: loaded.connections,
    tenants,
    seconds: round(loaded.seconds),
    messagesPerSecond: Math.round(rate),
    slowestSecond: Math.min(...loaded.perSecond),
    valuesPerMessage,
    rowsPerSecond: Math.round(rows),
    bareRowsPerSecond: Math.round(bareRows),
    ratio: round(ratio),
    acknowledgedAfterMs: { p50: percentile(loaded.latency, 0.5), p99: percentile(loaded.latency, 0.99) },
    windows: loaded.windows,
    faults,
    loadMemoryMB: loaded.loadMemory,
    serverCores: round(loaded.cpu.server),
    pointsStored: stored.points,
    pointsInRollUps: stored.inRollUps,
  }
  console.log(JSON.stringify(result, null, 2))
  if (faults.length) process.exitCode = 1
  const last = loaded.windows.at(-1)!
  console.log(
    `ingest: ${Math.round(rate)} msg/s × ${valuesPerMessage} values acknowledged after commit, ${round(ratio)} of a bare batched insert; in the end p95 ${last.p95} ms, the oldest message ${last.unacknowledged} s, the feed ${last.feedLag} s late, ${last.memory.server} MB; ${faults.join('; ') || 'nothing grows'}`,
  )
}

const round = (value: number) => Math.round(value * 100) / 100

function percentile(latency: number[], share: number): number {
  const total = latency.reduce((sum, count) => sum + count, 0)
  let seen = 0
  for (const [ms, count] of latency.entries()) {
    seen += count
    if (seen >= total * share) return ms
  }
  return latency.length
}
