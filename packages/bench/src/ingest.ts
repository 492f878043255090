import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '@caretaker/server/config.ts'
import type { Context } from '@caretaker/server/context.ts'
import { openStore } from '@caretaker/server/files/store.ts'
import { startDeviceLink } from '@caretaker/server/mqtt/device-link.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { openDb, openPool } from '@caretaker/server/postgres/pool.ts'
import type { LoadOrder, LoadReport } from './load.ts'
import { inDatabase, ownServer } from './own-server.ts'

const letters = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa', 'lambda', 'mu']
const connections = 160
const childrenOf = (n: number) => (n % 8 === 0 ? 2 : 0)
const valuesPerMessage = 3
const warmUp = 4

/**
 * Measures the device link from the socket to the acknowledgement after the commit, with its load generator and the database
 * on the same machine, and then a bare batched insert into a table of the same shape, to compare with.
 *
 * `--seconds 20`, or `--minutes 10` for a soak with samples of the memory; `--window 16` messages on their way for each device;
 * `--tenants 4` of which the devices are. `--server URL` makes its database on a Postgres of your own, spread over its machines
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
  const tenants = letters.slice(0, Number(values.tenants))
  await inDatabase(values, ({ url }) => measure({ url, tenants, seconds, window: Number(values.window) }))
}

interface Measuring {
  url: string
  tenants: string[]
  seconds: number
  window: number
}

async function measure({ url, tenants, seconds, window }: Measuring): Promise<void> {
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
    log: pino({ level: 'error' }),
    metrics: new Registry(),
  }
  const devices = await provision(owner, tenants)
  const link = await startDeviceLink(context)
  const load = fork(new URL('load.ts', import.meta.url))
  try {
    load.send({ port: link.port!, window, devices } satisfies LoadOrder)
    const loaded = await observe(load, seconds)
    load.send('stop')
    await once(load, 'message')
    const stored = await storedPoints(owner)
    load.kill()
    await link.stop()
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
  for (let n = 0; n < connections; n++) {
    const tenant = tenants[n % tenants.length]!
    const key = randomBytes(16).toString('hex')
    const deviceId = await add(tenant, null, key)
    const children: string[] = []
    for (let child = 0; child < childrenOf(n); child++) children.push(await add(tenant, deviceId, null))
    devices.push({ deviceId, key, children })
  }
  return devices
}

interface Loaded {
  messages: number
  seconds: number
  perSecond: number[]
  latency: number[]
  /** Of the server, in MB, evenly over the time. */
  memory: number[]
  loadMemory: number
  cpu: { server: number }
}

async function observe(load: ChildProcess, seconds: number): Promise<Loaded> {
  const loaded: Loaded = {
    messages: 0,
    seconds: 0,
    perSecond: [],
    latency: [],
    memory: [],
    loadMemory: 0,
    cpu: { server: 0 },
  }
  let from = 0
  let used = process.cpuUsage()
  const every = Math.max(1, Math.floor(seconds / 60))
  for (let second = -warmUp; second < seconds; second++) {
    const [report] = (await once(load, 'message')) as [LoadReport]
    if (report.connections < connections) throw new Error(`only ${report.connections} connections are left`)
    if (second < 0) {
      from = performance.now()
      used = process.cpuUsage()
      continue
    }
    loaded.messages += report.acknowledged
    loaded.perSecond.push(report.acknowledged)
    for (const [bucket, count] of report.latency.entries())
      loaded.latency[bucket] = (loaded.latency[bucket] ?? 0) + count
    if (second % every === 0) loaded.memory.push(megabytes(process.memoryUsage().rss))
    loaded.loadMemory = megabytes(report.memory)
  }
  loaded.seconds = (performance.now() - from) / 1000
  const { user, system } = process.cpuUsage(used)
  loaded.cpu.server = (user + system) / 1e6 / loaded.seconds
  return loaded
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
      [letters[0], `{${ids.join()}}`, `{${at.join()}}`, `{${value.join()}}`],
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
  const { memory } = loaded
  const result = {
    bench: 'ingest',
    connections,
    tenants,
    seconds: round(loaded.seconds),
    messagesPerSecond: Math.round(rate),
    slowestSecond: Math.min(...loaded.perSecond),
    valuesPerMessage,
    rowsPerSecond: Math.round(rows),
    bareRowsPerSecond: Math.round(bareRows),
    ratio: round(ratio),
    acknowledgedAfterMs: { p50: percentile(loaded.latency, 0.5), p99: percentile(loaded.latency, 0.99) },
    memoryMB: { first: memory[0], last: memory.at(-1), highest: Math.max(...memory), samples: memory },
    loadMemoryMB: loaded.loadMemory,
    serverCores: round(loaded.cpu.server),
    pointsStored: stored.points,
    pointsInRollUps: stored.inRollUps,
  }
  console.log(JSON.stringify(result, null, 2))
  console.log(
    `ingest: ${Math.round(rate)} msg/s × ${valuesPerMessage} values acknowledged after commit, ${round(ratio)} of a bare batched insert`,
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
