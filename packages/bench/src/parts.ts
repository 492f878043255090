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
import { sql } from 'kysely'
import { getBulkAction, startBulkAction } from '@caretaker/contract/actions.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { addWebhook } from '@caretaker/contract/webhooks.ts'
import { atATime } from '@caretaker/rules/webhooks/webhooks.ts'
import type { Config } from '@caretaker/server/config.ts'
import { readConfig, SettingError } from '@caretaker/server/config.ts'
import { postMails } from '@caretaker/server/mail/mail.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import { mailServer } from '@caretaker/server/testing/mail-server.ts'
import { startReceiver } from '@caretaker/server/testing/webhook-receiver.ts'
import { tell } from '@caretaker/server/webhooks/outbox.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { eventually, hashKey, queueFlickTest } from '@caretaker/server/testing/device-link.ts'
import { startMosquitto } from '@caretaker/server/testing/mosquitto.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { makeAccount, signInAs } from '@caretaker/server/testing/sign-in.ts'
import { embeddedProcess } from './cpu.ts'
import { rounded, shuffled } from './figures.ts'

const tenant = 'north'
const manager = { email: 'manager@north.test', password: 'a long enough password' }
const parts = ['api', 'ingest', 'worker'] as const
type PartName = (typeof parts)[number]
/** What is killed: one of the processes of a part, the database, or the broker. */
export const kinds = [...parts, 'database', 'broker'] as const
export type Kind = (typeof kinds)[number]
/** How many processes there are of each part. */
const wanted: Record<PartName, number> = { api: 3, ingest: 3, worker: 2 }
/** Lights that a bulk action is done to: more than a page does, so that a worker does it. */
const stock = 1500
/** Mails and messages of a webhook that are under way when something is killed, and messages that come after it. */
const underWay = { mails: 2, messages: 40 }
const after = { messages: 5 }
/** Seconds until the others have taken over. */
const most = 10
/** ms before its end of which a broker keeps nothing that it has acknowledged: it writes down what it holds once a second. */
const unwritten = 2500
/** ms for which the embedded provider's access tokens are good. */
const tokenLasts = 600_000
/** ms after which a light connects anew. */
const reconnectAfter = 200
/** Of MQTT 5: taken, and there is nobody to give it to. */
const nobodySubscribed = 0x10
const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export interface PartsFigures {
  kills: Record<Kind, number>
  /** ms from the kill until the others have done what came after it; the longest. */
  takenOver: Record<Kind, number>
  /** ms until the commands that were under way at that moment were confirmed; the longest. */
  inHand: Record<Kind, number>
  readings: number
  commands: number
  bulkActions: number
  mails: number
  webhooks: number
  calls: number
  /** What came a second time under one and the same id, because who sent it died before it wrote that down. */
  again: { commands: number; mails: number; webhooks: number }
  /** Readings that the broker had acknowledged and that went with it. */
  lostByBroker: number
}

/**
 * Three api, three ingest and two worker on one broker and one database, as they run on machines of their own, which are killed
 * under load in an order that nobody knows. `--kills N` says how often for each kind (100); `--kinds api,broker` kills these alone.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { kills: { type: 'string', default: '100' }, kinds: { type: 'string', default: kinds.join() } },
  })
  const chosen = values.kinds.split(',')
  const strange = chosen.filter((kind) => !kinds.includes(kind as Kind))
  if (strange.length) throw new SettingError(`--kinds knows ${kinds.join(', ')}, not ${strange.join(', ')}`)
  const figures = await killParts(Object.fromEntries(chosen.map((kind) => [kind, Number(values.kills)])))
  console.log(JSON.stringify(figures, null, 2))
  const worst = Math.max(...Object.values(figures.takenOver)) / 1000
  if (worst > most) process.exitCode = 1
  console.log(
    `parts: ${kinds.map((kind) => `${figures.kills[kind]} ${kind}`).join(', ')} killed; nothing lost or doubled; taken over within ${rounded(worst)} s (must be at most ${most})`,
  )
}

/** Each kind so often as is wanted, in a random order. */
const inAnyOrder = (wished: Partial<Record<Kind, number>>) =>
  shuffled(kinds.flatMap((kind) => Array.from({ length: wished[kind] ?? 0 }, () => kind)))

const ofEachKind = (): Record<Kind, number> => ({ api: 0, ingest: 0, worker: 0, database: 0, broker: 0 })

/** Kills so often, and fails where anything was lost or doubled. */
export async function killParts(wished: Partial<Record<Kind, number>>): Promise<PartsFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-parts-'))
  // The database may run as another user.
  chmodSync(folder, 0o755)
  // Each process has up to 28 connections.
  const server = await startEmbedded(folder, { max_connections: '300' })
  const database = openPools(server.url)
  const broker = await startMosquitto()
  const post = await mailServer()
  const receiver = await startReceiver()
  const running: Part[] = []
  try {
    await migrate(database.owner)
    const stored = await furnish(database)
    const ports = await Promise.all(Array.from({ length: wanted.api }, () => freePort('localhost')))
    const origin = `http://localhost:${ports[0]}`
    const start = (kind: PartName, number: number) =>
      startPart(kind, number, {
        DATABASE_URL: server.url,
        MQTT_URL: broker.url,
        SMTP_URL: post.url,
        CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1',
        CARETAKER_ORIGIN: origin,
        CARETAKER_DATA: path.join(folder, `${kind}-${number}`),
        CARETAKER_DEMO: 'off',
        // One light says as much as many: what a client's devices may say is not what is tried here.
        CARETAKER_DEVICE_MESSAGES: '1000000',
        CARETAKER_DEVICE_MB: '1000',
        ...(kind === 'api' && { PORT: String(ports[number]), HOST: 'localhost' }),
      })
    for (const kind of parts)
      for (let number = 0; number < wanted[kind]; number++) running.push(await start(kind, number))

    const signIn = async () => (await signInAs(origin, manager)).tokens.access_token
    const token = await signIn()
    const callers = caller(ports, token, signIn)
    const added = await fetch(origin + addWebhook.path.replace('{tenant}', tenant), {
      method: addWebhook.method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'Sink', url: `${receiver.url}/sink`, events: ['test.finished'] }),
    })
    assert.equal(added.status, 201, await added.text())
    const lights = await Promise.all(Array.from({ length: 6 }, () => addLight(database, broker.url)))
    const config = readConfig({ CARETAKER_DEMO: 'off', CARETAKER_DATA: folder })
    const figures: PartsFigures = {
      kills: ofEachKind(),
      takenOver: ofEachKind(),
      inHand: ofEachKind(),
      ...{ readings: 0, commands: 0, bulkActions: 0, mails: 0, webhooks: 0, calls: 0, lostByBroker: 0 },
      again: { commands: 0, mails: 0, webhooks: 0 },
    }
    const commands: string[] = []
    const taggings: string[] = []
    const mails: string[] = []
    const uncertain = new Map<Light, number[]>()
    const arrived = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']!))
    const order = () => Promise.all(lights.map(({ device }) => queueFlickTest(database, device)))
    for (const [at, kind] of inAnyOrder(wished).entries()) {
      await callers.renew()
      // What is under way when it dies.
      taggings.push(await startTagging(callers, stored, `kill${at}`))
      const before = await order()
      commands.push(...before)
      mails.push(...(await postSome(database, config, underWay.mails)))
      await tellOf(database, lights[0]!, underWay.messages)
      await sleep(Math.random() * 500)
      figures.kills[kind]++
      const restart = await kill(kind)
      const killed = performance.now()
      const since = () => Math.round(performance.now() - killed)
      // What comes after it.
      const later = await soon(order)
      commands.push(...later)
      const told = await soon(() => tellOf(database, lights[1]!, after.messages))
      await Promise.all([
        allStored(database, lights),
        allConfirmed(database, later),
        eventually(
          async () => arrived(),
          (ids) => told.every((id) => ids.has(id)),
          120_000,
        ),
        finished(callers, taggings.at(-1)!),
      ]).catch((error: unknown) => {
        throw new Error(`${kind} was killed, and after that something did not come`, { cause: error })
      })
      figures.takenOver[kind] = Math.max(figures.takenOver[kind], since())
      await allConfirmed(database, before)
      figures.inHand[kind] = Math.max(figures.inHand[kind], since())
      checkArrivals(kind, lights, [...before, ...later])
      await restart()
    }
    async function kill(kind: Kind): Promise<() => Promise<void>> {
      if (kind === 'database') {
        // It is started again by whoever started it (`startEmbedded`), as a service manager does.
        process.kill(embeddedProcess(folder), 'SIGKILL')
        return async () => {}
      }
      if (kind === 'broker') {
        const killed = performance.now()
        await broker.kill()
        // What it acknowledged last is read a moment later, and nobody connects anew before.
        const isOfDead = (one: Light['acknowledged'][number]) => one.at < killed + reconnectAfter / 2
        for (const light of lights) {
          const first = light.acknowledged.findIndex((one) => !isOfDead(one))
          const ofDead = light.acknowledged.splice(0, first === -1 ? Infinity : first)
          const lost = uncertain.get(light) ?? []
          for (const { ts, at } of ofDead) (at < killed - unwritten ? light.certain : lost).push(ts)
          uncertain.set(light, lost)
        }
        return async () => {}
      }
      const candidates = running.filter((part) => part.kind === kind)
      const victim = candidates[Math.floor(Math.random() * candidates.length)]!
      victim.child.kill('SIGKILL')
      await victim.ended
      return async () => {
        running[running.indexOf(victim)] = await start(victim.kind, victim.number)
      }
    }
    await Promise.all(lights.map((light) => light.stop()))
    await allStored(database, lights)
    figures.lostByBroker = await countLost(database, uncertain)
    await checkReadings(database, lights)
    await checkCommands(database, lights, commands)
    await checkTaggings(database, taggings)
    figures.again.mails = await checkMails(database, post.received, mails)
    await checkWebhooks(database, arrived)
    figures.again.webhooks = receiver.received.length - arrived().size
    // Who dies with something in hand had so much of it at most.
    const ends = figures.kills.worker + figures.kills.database
    assert.ok(figures.again.mails <= ends, 'mails were sent twice')
    assert.ok(figures.again.webhooks <= ends * atATime, 'messages of webhooks were sent twice')
    const came = lights.flatMap(({ received }) => received)
    figures.again.commands = came.length - new Set(came).size
    figures.readings = lights.reduce((sum, { certain, acknowledged }) => sum + certain.length + acknowledged.length, 0)
    figures.commands = commands.length
    figures.bulkActions = taggings.length
    figures.mails = mails.length
    figures.webhooks = arrived().size
    figures.calls = callers.answered()
    return figures
  } finally {
    for (const { child } of running) child.kill('SIGTERM')
    await Promise.all(running.map(({ ended }) => ended))
    await database.drop()
    await broker.stop()
    await post.close()
    await receiver.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Does something as soon as the database is there; what failed may have been done in part. */
async function soon<T>(work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + 60_000; ;)
    try {
      return await work()
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(100)
    }
}

/** Posts mails by the product, to addresses that nobody else has. */
const postSome = ({ db }: TestDatabase, config: Config, count: number): Promise<string[]> =>
  inTenant(db, tenant, (tx) =>
    postMails(
      tx,
      config,
      Array.from({ length: count }, () => ({
        to: `${randomUUID()}@north.test`,
        ...{ subject: 'A word', text: 'A word.', html: '<p>A word.</p>' },
      })),
    ),
  )

/** Tells the webhook of tests that are over; the ids of the messages. */
const tellOf = ({ db }: TestDatabase, { device }: Light, count: number): Promise<string[]> =>
  inTenant(db, tenant, async (tx) => {
    const at = new Date()
    await tell(
      tx,
      Array.from({ length: count }, () => ({
        ...{ event: 'test.finished' as const, deviceId: device.id, at },
        data: { test: { result: 'Passed', reason: '', componentStates: { Battery: 'Ok', Lamp: 'Ok' } } },
      })),
    )
    const { rows } = await sql<{ id: string }>`
      select id from webhook_message where tenant_id = ${tenant} and xmin = pg_current_xact_id()::xid`.execute(tx)
    return rows.map(({ id }) => id)
  })

interface Part {
  kind: PartName
  number: number
  child: ChildProcess
  ended: Promise<unknown>
}

async function startPart(kind: PartName, number: number, env: Record<string, string>): Promise<Part> {
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
function caller(ports: readonly number[], firstToken: string, signIn: () => Promise<string>) {
  let answered = 0
  let [token, since] = [firstToken, performance.now()]
  /** To be called while nothing is dead: signs in again before the token ends. */
  const renew = async () => {
    if (performance.now() < since + tokenLasts / 2) return
    ;[token, since] = [await soon(signIn), performance.now()]
  }
  const call = async <T>({ path }: { path: string }, body: unknown): Promise<T> => {
    const from = Math.floor(Math.random() * ports.length)
    const patientUntil = performance.now() + 60_000
    for (let tried = 0; ; tried++)
      try {
        const response = await fetch(`http://localhost:${ports[(from + tried) % ports.length]}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        })
        const answer = (await response.json()) as { data: T }
        // The database is away: asked again, as a page does.
        if (response.status === 503 && performance.now() < patientUntil) {
          await sleep(100)
          continue
        }
        assert.equal(response.status, 200, JSON.stringify(answer))
        answered++
        return answer.data
      } catch (error) {
        // Connections that are refused or cut belong to what was killed; one of the others is always there.
        if (!(error instanceof TypeError) || tried >= ports.length) throw error
      }
  }
  return { call, renew, answered: () => answered }
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
  /** Readings that the broker has acknowledged, and when it did. */
  acknowledged: { ts: number; at: number }[]
  /** Times of those that it has also written down. */
  certain: number[]
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
  const client = await connectAsync(url, {
    clientId: id,
    username: id,
    password: key,
    reconnectPeriod: reconnectAfter,
    protocolVersion: 5,
  })
  const received: string[] = []
  client.on('message', (_, payload) => {
    const { commandId } = JSON.parse(payload.toString()) as { commandId: string }
    received.push(commandId)
    void client.publishAsync(topic(id, 'replies'), JSON.stringify({ commandId, status: 'confirmed' }), { qos: 1 })
  })
  await client.subscribeAsync(topic(id, 'commands'), { qos: 1 })
  const base = Date.now() - 3_600_000
  const acknowledged: Light['acknowledged'] = []
  let [going, said] = [true, 0]
  // A broker that has begun anew says so of a reading as long as nobody has subscribed again: it is said once more then. The client
  // takes that for an acknowledgement, and leaves the code out of what it answers with.
  const unheard = new Set<number>()
  client.on('packetreceive', (packet) => {
    if (packet.cmd === 'puback' && packet.reasonCode === nobodySubscribed) unheard.add(packet.messageId!)
  })
  const say = async (reading: string): Promise<void> => {
    const sent = await client.publishAsync(topic(id, 'telemetry'), reading, { qos: 1 })
    if (!unheard.delete(sent!.messageId!)) return
    await sleep(50)
    await say(reading)
  }
  const talk = async () => {
    while (going) {
      const ts = base + said++
      const reading = JSON.stringify({ ts, values: { batteryVoltage: 3.6 } })
      await say(reading)
      acknowledged.push({ ts, at: performance.now() })
      await sleep(20)
    }
  }
  const talks = Promise.all(Array.from({ length: 4 }, talk))
  return {
    device: { id, tenant },
    acknowledged,
    certain: [],
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
  const said = lights.map(({ device, acknowledged }) => ({
    id: device.id,
    at: acknowledged.slice(-500).map(({ ts }) => ts),
  }))
  const missing = async () => {
    const { rows } = await owner.query<{ n: number }>(
      `select count(*)::int as n from unnest($1::uuid[], $2::float8[]) as said (device_id, ms)
       where not exists (select from point join series on series.tenant_id = point.tenant_id and series.id = series_id
         where series.device_id = said.device_id and point.at = to_timestamp(said.ms / 1000))`,
      [said.flatMap(({ id, at }) => at.map(() => id)), said.flatMap(({ at }) => at)],
    )
    return rows[0]!.n
  }
  await eventually(
    () => soon(missing),
    (n) => n === 0,
    120_000,
  )
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
  await eventually(
    () => soon(open),
    (n) => n === 0,
    120_000,
  )
}

/** Each acknowledged reading is there, and counted once in its hour. */
async function checkReadings({ owner }: TestDatabase, lights: readonly Light[]): Promise<void> {
  for (const { device, acknowledged, certain } of lights) {
    const said = [...certain, ...acknowledged.map(({ ts }) => ts)]
    const { rows } = await owner.query<{ points: number; summed: number; found: number }>(
      `select (select count(*)::int from point where series_id = series.id) as points,
         (select sum(n)::int from hourly where series_id = series.id) as summed,
         (select count(*)::int from point join unnest($2::float8[]) ms on point.at = to_timestamp(ms / 1000)
           where series_id = series.id) as found
       from series where device_id = $1`,
      [device.id, said],
    )
    const { points, summed, found } = rows[0]!
    assert.equal(found, said.length, 'acknowledged and not there')
    assert.equal(summed, points, 'counted twice')
  }
}

/**
 * How often a command reached its device: once, where neither who sends nor what it sends by was killed; otherwise once more at most, when
 * who had claimed it died before the answer was stored.
 */
function checkArrivals(kind: Kind, lights: readonly Light[], commands: readonly string[]): void {
  const times = new Map<string, number>()
  for (const id of lights.flatMap(({ received }) => received)) times.set(id, (times.get(id) ?? 0) + 1)
  const allowed = kind === 'api' || kind === 'worker' ? 1 : 2
  for (const id of commands)
    assert.ok(times.get(id)! <= allowed, `a command came ${times.get(id)} times after the end of ${kind}`)
}

/** How many of these readings are not there. */
async function countLost({ owner }: TestDatabase, readings: ReadonlyMap<Light, readonly number[]>): Promise<number> {
  let lost = 0
  for (const [{ device }, said] of readings) {
    const { rows } = await owner.query<{ n: number }>(
      `select count(*)::int as n from unnest($2::float8[]) ms where not exists (
         select from point join series on series.id = series_id where device_id = $1 and point.at = to_timestamp(ms / 1000))`,
      [device.id, said],
    )
    lost += rows[0]!.n
  }
  return lost
}

/** Each mail went out; how many came again under their own id. */
async function checkMails({ owner }: TestDatabase, received: readonly string[], ids: readonly string[]) {
  const waiting = async (condition: string) =>
    (await owner.query<{ n: number }>(`select count(*)::int as n from mail_outbox where ${condition}`)).rows[0]!.n
  await eventually(
    () => waiting('due_at <= now()'),
    (n) => n === 0,
    120_000,
  )
  // What a process that died had in hand is due minutes later: that time is over now.
  await owner.query('update mail_outbox set due_at = now()')
  await eventually(
    () => waiting('true'),
    (n) => n === 0,
    120_000,
  )
  const came = received.map((text) => /^message-id: <([^@]+)@/im.exec(text)![1]!)
  assert.deepEqual(
    ids.filter((id) => !came.includes(id)),
    [],
    'mails were lost',
  )
  return came.length - new Set(came).size
}

/** Each message of the webhook was taken, and nothing else came. */
async function checkWebhooks({ owner }: TestDatabase, arrived: () => Set<string>): Promise<void> {
  // A claim of a process that died holds for a minute and a half.
  await eventually(
    async () =>
      (await owner.query<{ n: number }>('select count(*)::int as n from webhook_delivery where due_at is not null'))
        .rows[0]!.n,
    (n) => n === 0,
    180_000,
  )
  const { rows } = await owner.query<{ id: string }>('select id from webhook_message')
  assert.deepEqual([...arrived()].toSorted(), rows.map(({ id }) => id).toSorted())
}

/**
 * Each command reached its device, and no other did. Some may be more than were told of: those that were stored when the database
 * was killed before it could say so.
 */
async function checkCommands(
  { owner }: TestDatabase,
  lights: readonly Light[],
  commands: readonly string[],
): Promise<void> {
  const received = new Set(lights.flatMap((light) => light.received))
  const { rows: stored } = await owner.query<{ id: string }>('select id from command')
  assert.deepEqual([...received].toSorted(), stored.map(({ id }) => id).toSorted())
  assert.deepEqual(
    commands.filter((id) => !received.has(id)),
    [],
    'commands were lost',
  )
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
