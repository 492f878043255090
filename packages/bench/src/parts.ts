import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connectAsync } from 'mqtt'
import { getBulkAction, startBulkAction } from '@caretaker/contract/actions.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { eventually, hashKey, queueFlickTest } from '@caretaker/server/testing/device-link.ts'
import { startMosquitto } from '@caretaker/server/testing/mosquitto.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { makeAccount, signInAs } from '@caretaker/server/testing/sign-in.ts'
import { rounded } from './figures.ts'

const tenant = 'north'
const manager = { email: 'manager@north.test', password: 'a long enough password' }
const kinds = ['api', 'ingest', 'worker'] as const
type Kind = (typeof kinds)[number]
/** How many processes there are of each part. */
const wanted: Record<Kind, number> = { api: 3, ingest: 3, worker: 2 }
/** Lights that a bulk action is done to: more than a page does, so that a worker does it. */
const stock = 1500
const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export interface PartsFigures {
  kills: Record<Kind, number>
  /** ms from the kill until the others have done what came then; the longest. */
  takenOver: Record<Kind, number>
  readings: number
  commands: number
  bulkActions: number
  calls: number
}

/**
 * Three api, three ingest and two worker on one broker and one database, as they run on machines of their own, of which one
 * after the other is killed under load. `--kills N` says how often (100).
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { kills: { type: 'string', default: '100' } } })
  const figures = await killParts(Number(values.kills))
  console.log(JSON.stringify(figures, null, 2))
  const worst = Math.max(...Object.values(figures.takenOver))
  console.log(`parts: nothing lost or doubled, taken over within ${rounded(worst / 1000)} s (must be at most 10)`)
}

/** Kills parts so often and fails where anything was lost or doubled. */
export async function killParts(kills: number): Promise<PartsFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-parts-'))
  // The database may run as another user.
  chmodSync(folder, 0o755)
  // Each process has up to 28 connections.
  const server = await startEmbedded(folder, { max_connections: '300' })
  const database = openPools(server.url)
  const broker = await startMosquitto()
  const running: Part[] = []
  try {
    await migrate(database.owner)
    const stored = await furnish(database)
    const ports = await Promise.all(Array.from({ length: wanted.api }, () => freePort('localhost')))
    const origin = `http://localhost:${ports[0]}`
    const start = (kind: Kind, number: number) =>
      startPart(kind, number, {
        DATABASE_URL: server.url,
        MQTT_URL: broker.url,
        CARETAKER_ORIGIN: origin,
        CARETAKER_DATA: path.join(folder, `${kind}-${number}`),
        CARETAKER_DEMO: 'off',
        ...(kind === 'api' && { PORT: String(ports[number]), HOST: 'localhost' }),
      })
    for (const kind of kinds)
      for (let number = 0; number < wanted[kind]; number++) running.push(await start(kind, number))

    const { tokens } = await signInAs(origin, manager)
    const callers = caller(ports, tokens.access_token)
    const lights = await Promise.all(Array.from({ length: 6 }, () => addLight(database, broker.url)))
    const figures: PartsFigures = {
      kills: { api: 0, ingest: 0, worker: 0 },
      takenOver: { api: 0, ingest: 0, worker: 0 },
      readings: 0,
      commands: 0,
      bulkActions: 0,
      calls: 0,
    }
    const commands: string[] = []
    const taggings: string[] = []
    for (let kill = 0; kill < kills; kill++) {
      const candidates = running.filter(({ kind }) => kind === kinds[kill % kinds.length])
      const victim = candidates[Math.floor(Math.random() * candidates.length)]!
      // What is under way when it dies.
      taggings.push(await startTagging(callers, stored, `kill${kill}`))
      commands.push(...(await Promise.all(lights.map(({ device }) => queueFlickTest(database, device)))))
      await sleep(Math.random() * 500)
      victim.child.kill('SIGKILL')
      await victim.ended
      const at = performance.now()
      figures.kills[victim.kind]++
      await Promise.all([
        allStored(database, lights),
        allConfirmed(database, commands),
        finished(callers, taggings.at(-1)!),
      ])
      figures.takenOver[victim.kind] = Math.max(figures.takenOver[victim.kind], Math.round(performance.now() - at))
      running[running.indexOf(victim)] = await start(victim.kind, victim.number)
    }
    await Promise.all(lights.map((light) => light.stop()))
    await allStored(database, lights)
    await checkReadings(database, lights)
    await checkCommands(database, lights, commands)
    await checkTaggings(database, taggings)
    figures.readings = lights.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)
    figures.commands = commands.length
    figures.bulkActions = taggings.length
    figures.calls = callers.answered()
    return figures
  } finally {
    for (const { child } of running) child.kill('SIGTERM')
    await Promise.all(running.map(({ ended }) => ended))
    await database.drop()
    await broker.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Part {
  kind: Kind
  number: number
  child: ChildProcess
  ended: Promise<unknown>
}

async function startPart(kind: Kind, number: number, env: Record<string, string>): Promise<Part> {
  const child = spawn(process.execPath, [program, kind], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let complaint = ''
  child.stderr.on('data', (chunk) => (complaint += String(chunk)))
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('is ready') && resolve())
    void ended.then(() => reject(new Error(`${kind} did not start: ${complaint}`)))
  })
  return { kind, number, child, ended }
}

/** One client with its manager and a stock of lights, whose ids it gives. */
async function furnish(database: TestDatabase): Promise<string[]> {
  const app = await testApp({}, database)
  await app.addTenant(tenant)
  await app.addMember(tenant, manager.email, 'Manager')
  await app.app.close()
  await makeAccount(database, manager.email, manager.password)
  const { rows } = await database.owner.query<{ id: string }>(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     select $1, gen_random_uuid(), 'EM9' || n, 'EM', 'Light ' || n, 'EmergencyLights', 'Ok', 2
     from generate_series(1, $2::int) n returning id`,
    [tenant, stock],
  )
  return rows.map(({ id }) => id)
}

/** Calls whichever api answers, as browsers behind a balancer do. */
function caller(ports: readonly number[], token: string) {
  let answered = 0
  const call = async <T>({ path }: { path: string }, body: unknown): Promise<T> => {
    const from = Math.floor(Math.random() * ports.length)
    for (let tried = 0; ; tried++)
      try {
        const response = await fetch(`http://localhost:${ports[(from + tried) % ports.length]}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        })
        const answer = (await response.json()) as { data: T }
        assert.equal(response.status, 200, JSON.stringify(answer))
        answered++
        return answer.data
      } catch (error) {
        // Connections that are refused or cut belong to what was killed; one of the others is always there.
        if (!(error instanceof TypeError) || tried >= ports.length) throw error
      }
  }
  return { call, answered: () => answered }
}
type Caller = ReturnType<typeof caller>

/** Starts to give all lights of the stock a new tag; the id of the run. */
async function startTagging({ call }: Caller, deviceIds: readonly string[], name: string): Promise<string> {
  const tag = await call<{ id: string }>(tenantCreateTag, { tenant, name })
  const asked = { tenant, action: 'add tags', selection: { deviceIds }, tags: [tag.id] }
  return (await call<{ bulkActionId: string }>(startBulkAction, asked)).bulkActionId
}

const finished = ({ call }: Caller, bulkActionId: string) =>
  eventually(
    async () => (await call<{ run: { finishedAt: string | null } }>(getBulkAction, { tenant, bulkActionId })).run,
    ({ finishedAt }) => finishedAt !== null,
    60_000,
  )

interface Light {
  device: { id: string; tenant: string }
  /** Times of readings that the broker has acknowledged. */
  acknowledged: number[]
  /** Ids of the commands that came, each time that they came. */
  received: string[]
  stop(): Promise<void>
}

/** A light that keeps four readings on their way, logs what is acknowledged, and does what it is told. */
async function addLight({ owner }: TestDatabase, url: string): Promise<Light> {
  const [id, key] = [randomUUID(), randomBytes(12).toString('hex')]
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     values ($1, $2, $3, 'EM', 'Light', 'EmergencyLights', 'Ok', 2)`,
    [tenant, id, `EM1${id}`],
  )
  await owner.query('insert into device_route (device_id, tenant_id, key_hash) values ($1, $2, $3)', [
    id,
    tenant,
    hashKey(key),
  ])
  const client = await connectAsync(url, { clientId: id, username: id, password: key })
  const received: string[] = []
  client.on('message', (_, payload) => {
    const { commandId } = JSON.parse(payload.toString()) as { commandId: string }
    received.push(commandId)
    void client.publishAsync(topic(id, 'replies'), JSON.stringify({ commandId, status: 'confirmed' }), { qos: 1 })
  })
  await client.subscribeAsync(topic(id, 'commands'), { qos: 1 })
  const base = Date.now() - 3_600_000
  const acknowledged: number[] = []
  let [going, said] = [true, 0]
  const talk = async () => {
    while (going) {
      const ts = base + said++
      await client.publishAsync(topic(id, 'telemetry'), JSON.stringify({ ts, values: { batteryVoltage: 3.6 } }), {
        qos: 1,
      })
      acknowledged.push(ts)
      await sleep(20)
    }
  }
  const talks = Promise.all(Array.from({ length: 4 }, talk))
  return {
    device: { id, tenant },
    acknowledged,
    received,
    stop: async () => {
      going = false
      await talks
      // Its answers to what it was told last are on their way yet.
      await sleep(500)
      await client.endAsync()
    },
  }
}

/** Waits until whatever has been acknowledged by now is stored. */
async function allStored({ owner }: TestDatabase, lights: readonly Light[]): Promise<void> {
  const said = lights.map(({ device, acknowledged }) => ({ id: device.id, at: [...acknowledged] }))
  const missing = async () => {
    const { rows } = await owner.query<{ n: number }>(
      `select count(*)::int as n from unnest($1::uuid[], $2::float8[]) as said (device_id, ms)
       where not exists (select from point join series on series.tenant_id = point.tenant_id and series.id = series_id
         where series.device_id = said.device_id and point.at = to_timestamp(said.ms / 1000))`,
      [said.flatMap(({ id, at }) => at.slice(-500).map(() => id)), said.flatMap(({ at }) => at.slice(-500))],
    )
    return rows[0]!.n
  }
  await eventually(missing, (n) => n === 0, 60_000)
}

/** Waits until all of these commands are confirmed by their devices. */
async function allConfirmed({ owner }: TestDatabase, commands: readonly string[]): Promise<void> {
  const open = async () => {
    const { rows } = await owner.query<{ n: number }>(
      `select count(*)::int as n from command where id = any($1::uuid[]) and status <> 'confirmed'`,
      [commands],
    )
    return rows[0]!.n
  }
  await eventually(open, (n) => n === 0, 60_000)
}

/** Each acknowledged reading is there, and counted once in its hour. */
async function checkReadings({ owner }: TestDatabase, lights: readonly Light[]): Promise<void> {
  for (const { device, acknowledged } of lights) {
    const { rows } = await owner.query<{ points: number; summed: number; found: number }>(
      `select (select count(*)::int from point where series_id = series.id) as points,
         (select sum(n)::int from hourly where series_id = series.id) as summed,
         (select count(*)::int from point join unnest($2::float8[]) ms on point.at = to_timestamp(ms / 1000)
           where series_id = series.id) as found
       from series where device_id = $1`,
      [device.id, acknowledged],
    )
    const { points, summed, found } = rows[0]!
    assert.equal(found, acknowledged.length, 'acknowledged and not there')
    assert.equal(summed, points, 'counted twice')
  }
}

/** Each command reached its device, and no other did. */
async function checkCommands(
  { owner }: TestDatabase,
  lights: readonly Light[],
  commands: readonly string[],
): Promise<void> {
  const received = new Set(lights.flatMap((light) => light.received))
  assert.deepEqual([...received].toSorted(), commands.toSorted())
  const { rows } = await owner.query<{ n: number }>('select count(*)::int as n from command_outbox')
  assert.equal(rows[0]!.n, 0, 'commands that wait to be sent again')
}

/** Each run was done to each light once. */
async function checkTaggings({ owner }: TestDatabase, runs: readonly string[]): Promise<void> {
  const { rows } = await owner.query<{ audited: number; tagged: number }>(
    `select (select count(*)::int from audit_entry where action = 'device tags changed') as audited,
       (select count(*)::int from device_tag) as tagged`,
  )
  assert.deepEqual(rows[0], { audited: runs.length * stock, tagged: runs.length * stock })
}
