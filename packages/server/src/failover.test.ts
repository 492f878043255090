import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished, test } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectAsync } from 'mqtt'
import { getBulkAction, startBulkAction } from '@caretaker/contract/actions.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { addWebhook } from '@caretaker/contract/webhooks.ts'
import type { Config } from './config.ts'
import { readConfig } from './config.ts'
import { postMails } from './mail/mail.ts'
import { startEmbedded } from './postgres/embedded.ts'
import { migrate } from './postgres/migrate.ts'
import { inTenant } from './postgres/tenant.ts'
import { testApp } from './testing/app.ts'
import type { TestDatabase } from './testing/database.ts'
import { openPools } from './testing/database.ts'
import { eventually, hashKey, queueFlickTest } from './testing/device-link.ts'
import { mailServer } from './testing/mail-server.ts'
import { startMosquitto, withoutMosquitto } from './testing/mosquitto.ts'
import { freePort } from './testing/ports.ts'
import { programUnderTest } from './testing/program.ts'
import { makeAccount, requireNoSecondFactor, signInAs } from './testing/sign-in.ts'
import { skipBecause } from './testing/skipping.ts'
import { startReceiver } from './testing/webhook-receiver.ts'
import { enqueueMessages } from './projections/outbox.ts'

const tenant = 'north'
const manager = { email: 'manager@north.test', password: 'a long enough password' }
const parts = ['api', 'ingest', 'worker'] as const
type PartName = (typeof parts)[number]
/** Processes of each part. */
const processes: Record<PartName, number> = { api: 3, ingest: 3, worker: 2 }
/** Lights of the bulk action: more than one call processes itself, so that a worker processes them. */
const stock = 1500
/** E-mails and webhook messages in progress at a kill, and messages after it. */
const inProgress = { mails: 2, messages: 40 }
const messagesAfter = 5
/** How long the other processes may take to do the work that follows a kill, in ms: less than the lease that they do not wait for. */
const longestTakeover = 80_000
/** Limit of each wait, in ms: longer than the lease of a delivery, which a killed process holds for a minute and a half. */
const patience = 180_000

const program = programUnderTest(new URL('./main.ts', import.meta.url))

test(
  'with three api, three ingest and two worker processes, any can be killed at any time: the others take over, and nothing is lost or duplicated',
  skipBecause(withoutMosquitto),
  async () => {
    const { folder } = program
    // The database may run as another user.
    chmodSync(folder, 0o755)
    // Each process has up to 28 connections.
    const server = await startEmbedded(folder, { max_connections: '300' })
    onTestFinished(() => server.stop())
    const database = openPools(server.url)
    onTestFinished(() => database.drop())
    const broker = await startMosquitto()
    onTestFinished(() => broker.stop())
    const mails = await mailServer()
    onTestFinished(() => mails.close())
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    await migrate(database.owner)
    const stored = await addClient(database)
    const ports = await Promise.all(Array.from({ length: processes.api }, () => freePort('localhost')))
    const origin = `http://localhost:${ports[0]}`
    const running = await Promise.all(
      parts.flatMap((part) =>
        Array.from({ length: processes[part] }, (_, number) =>
          startPart(part, {
            DATABASE_URL: server.url,
            MQTT_URL: broker.url,
            SMTP_URL: mails.url,
            CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1',
            CARETAKER_ORIGIN: origin,
            CARETAKER_DATA: path.join(folder, `${part}-${number}`),
            CARETAKER_DEMO: 'off',
            // The limits of a device are not the subject of this test.
            CARETAKER_DEVICE_MESSAGES: '1000000',
            CARETAKER_DEVICE_MB: '1000',
            ...(part === 'api' && { PORT: String(ports[number]), HOST: 'localhost' }),
          }),
        ),
      ),
    )
    // They end before the database and the broker do.
    onTestFinished(async () => {
      for (const { child } of running) child.kill('SIGTERM')
      await Promise.all(running.map(({ ended }) => ended))
    })

    const token = (await signInAs(origin, manager)).tokens.access_token
    const call = callAny(ports, token)
    const added = await fetch(origin + addWebhook.path.replace('{tenant}', tenant), {
      method: addWebhook.method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'Sink', url: `${receiver.url}/sink`, events: ['test.finished'] }),
    })
    assert.equal(added.status, 201, await added.text())
    const lights = await Promise.all(Array.from({ length: 6 }, () => connectLight(database, broker.url)))
    onTestFinished(() => lights.forEach((light) => light.disconnect()))
    const config = readConfig({ CARETAKER_DEMO: 'off', CARETAKER_DATA: folder })
    const received = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']!))
    const queueCommands = () => Promise.all(lights.map(({ device }) => queueFlickTest(database, device)))
    const commands: string[] = []
    const taggings: string[] = []
    const posted: string[] = []
    // In any order: what one kill leaves behind must not depend on the part that is killed next.
    for (const part of parts.toSorted(() => Math.random() - 0.5)) {
      taggings.push(await startTagging(call, stored, `${part}Killed`))
      const before = await queueCommands()
      posted.push(...(await postSome(database, config, inProgress.mails)))
      await insertMessages(database, lights[0]!, inProgress.messages)
      await sleep(Math.random() * 500)
      const victim = running.find((one) => one.part === part)!
      victim.child.kill('SIGKILL')
      await victim.ended
      const killed = performance.now()
      const later = await queueCommands()
      commands.push(...before, ...later)
      const enqueued = await insertMessages(database, lights[1]!, messagesAfter)
      await Promise.all([
        allStored(database, lights),
        allConfirmed(database, later),
        eventually(
          async () => received(),
          (ids) => enqueued.every((id) => ids.has(id)),
          patience,
        ),
        finished(call, taggings.at(-1)!),
      ]).catch((error: unknown) => {
        throw new Error(`${part} was killed, and work that followed was not done`, { cause: error })
      })
      const taken = performance.now() - killed
      assert.ok(taken < longestTakeover, `${part} after ${Math.round(taken)} ms`)
      await allConfirmed(database, before)
      checkArrivals(part, lights, [...before, ...later])
    }
    await Promise.all(lights.map((light) => light.stop()))
    await allStored(database, lights)
    await checkReadings(database, lights)
    await checkCommands(database, lights, commands)
    await checkTaggings(database, taggings)
    await checkMails(database, mails.received, posted)
    await checkWebhooks(database, received)
    // A worker stores the results of claimed deliveries together: after its end all messages in progress may be
    // delivered again.
    const repeated = receiver.received.length - received().size
    assert.ok(repeated <= inProgress.messages, `${repeated} webhook messages came twice`)
    const readings = lights.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)
    assert.ok(readings > 100 && posted.length > 0 && received().size > 100)
  },
)

interface Part {
  part: PartName
  child: ChildProcess
  ended: Promise<unknown>
}

async function startPart(part: PartName, env: Record<string, string>): Promise<Part> {
  let child: ChildProcess | undefined
  const { startupOutput, errorOutput, ended } = await program.start(
    { ...process.env, ...env },
    [part],
    [],
    (one) => (child = one),
  )
  assert.match(startupOutput, /is ready/, `${part} did not start: ${errorOutput()}`)
  return { part, child: child!, ended }
}

/** E-mails of the product, each to an address of its own. */
const postSome = ({ db }: TestDatabase, config: Config, count: number): Promise<string[]> =>
  inTenant(db, tenant, (tx) =>
    postMails(
      tx,
      config,
      Array.from({ length: count }, () => ({
        to: `${randomUUID()}@north.test`,
        ...{ subject: 'Subject', text: 'Text.', html: '<p>Text.</p>' },
      })),
    ),
  )

/** Enqueues webhook messages about finished tests; returns their ids. */
const insertMessages = ({ db }: TestDatabase, { device }: Light, count: number): Promise<string[]> =>
  inTenant(db, tenant, async (tx) => {
    const at = new Date()
    await enqueueMessages(
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

/** One client with its manager and a stock of lights, whose ids it returns. */
async function addClient(database: TestDatabase): Promise<string[]> {
  const app = await testApp({}, database)
  await app.addTenant(tenant)
  await requireNoSecondFactor(database, tenant)
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

/** Calls any api that answers, as browsers behind a balancer do. */
function callAny(ports: readonly number[], token: string) {
  return async <T>({ path }: { path: string }, body: unknown): Promise<T> => {
    const first = Math.floor(Math.random() * ports.length)
    for (let attempt = 0; ; attempt++)
      try {
        const response = await fetch(`http://localhost:${ports[(first + attempt) % ports.length]}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        })
        const answer = (await response.json()) as { data: T }
        assert.equal(response.status, 200, JSON.stringify(answer))
        return answer.data
      } catch (error) {
        // The killed process refuses or cuts connections; the others respond.
        if (!(error instanceof TypeError) || attempt >= ports.length) throw error
      }
  }
}
type Call = ReturnType<typeof callAny>

/** Starts to add a new tag to all lights in the stock; returns the id of the run. */
async function startTagging(call: Call, deviceIds: readonly string[], name: string): Promise<string> {
  const tag = await call<{ id: string }>(tenantCreateTag, { tenant, name })
  const action = { tenant, action: 'add tags', selection: { deviceIds }, tags: [tag.id] }
  return (await call<{ bulkActionId: string }>(startBulkAction, action)).bulkActionId
}

const finished = (call: Call, bulkActionId: string) =>
  eventually(
    async () => (await call<{ run: { finishedAt: string | null } }>(getBulkAction, { tenant, bulkActionId })).run,
    ({ finishedAt }) => finishedAt !== null,
    patience,
  )

interface Light {
  device: { id: string; tenant: string }
  /** Times of the readings that the broker has acknowledged. */
  acknowledged: number[]
  /** The ids of received commands, once per arrival. */
  commands: string[]
  stop(): Promise<void>
  disconnect(): void
}

/** A light that keeps four readings in flight, records what is acknowledged, and confirms its commands. */
async function connectLight({ owner }: TestDatabase, url: string): Promise<Light> {
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
  const client = await connectAsync(url, { clientId: id, username: id, password: key, protocolVersion: 5 })
  const commands: string[] = []
  client.on('message', (_, payload) => {
    const { commandId } = JSON.parse(payload.toString()) as { commandId: string }
    commands.push(commandId)
    void client.publishAsync(topic(id, 'replies'), JSON.stringify({ commandId, status: 'confirmed' }), { qos: 1 })
  })
  await client.subscribeAsync(topic(id, 'commands'), { qos: 1 })
  const base = Date.now() - 3_600_000
  const acknowledged: number[] = []
  let [going, sent] = [true, 0]
  const send = async () => {
    while (going) {
      const ts = base + sent++
      await client.publishAsync(topic(id, 'telemetry'), JSON.stringify({ ts, values: { batteryVoltage: 3.6 } }), {
        qos: 1,
      })
      acknowledged.push(ts)
      await sleep(20)
    }
  }
  const sending = Promise.all(Array.from({ length: 4 }, send))
  return {
    device: { id, tenant },
    acknowledged,
    commands,
    stop: async () => {
      going = false
      await sending
      await client.endAsync()
    },
    disconnect: () => void client.end(true),
  }
}

/** Waits until every reading that is acknowledged by now is stored. */
async function allStored({ owner }: TestDatabase, lights: readonly Light[]): Promise<void> {
  const sent = lights.flatMap(({ device, acknowledged }) => acknowledged.slice(-500).map((at) => [device.id, at]))
  await eventually(
    async () => {
      const { rows } = await owner.query<{ n: number }>(
        `select count(*)::int as n from unnest($1::uuid[], $2::float8[]) as sent (device_id, ms)
         where not exists (select from point join series on series.tenant_id = point.tenant_id and series.id = series_id
           where series.device_id = sent.device_id and point.at = to_timestamp(sent.ms / 1000))`,
        [sent.map(([id]) => id), sent.map(([, at]) => at)],
      )
      return rows[0]!.n
    },
    (n) => n === 0,
    patience,
  )
}

/** Waits until their devices have confirmed all of these commands. */
async function allConfirmed(database: TestDatabase, commands: readonly string[]): Promise<void> {
  const where = `from command where id = any($1::uuid[]) and status <> 'confirmed'`
  await untilNone(database, where, [commands])
}

async function untilNone({ owner }: TestDatabase, where: string, values: unknown[] = []): Promise<void> {
  await eventually(
    async () => (await owner.query<{ n: number }>(`select count(*)::int as n ${where}`, values)).rows[0]!.n,
    (n) => n === 0,
    patience,
  )
}

/** Each acknowledged reading is stored, and counts once in its hour. */
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

/** A command reached its device once; if the ingest that sends it was killed, at most twice. */
function checkArrivals(killed: PartName, lights: readonly Light[], ids: readonly string[]): void {
  const times = new Map<string, number>()
  for (const id of lights.flatMap(({ commands }) => commands)) times.set(id, (times.get(id) ?? 0) + 1)
  const allowed = killed === 'ingest' ? 2 : 1
  for (const id of ids) assert.ok(times.get(id)! <= allowed, `a command came ${times.get(id)} times: ${killed}`)
}

/** Each e-mail was sent; at most one arrived twice: the one that the killed worker was sending. */
async function checkMails(database: TestDatabase, messages: readonly string[], ids: readonly string[]) {
  await untilNone(database, 'from mail_outbox where due_at <= now()')
  // The e-mails that the killed worker was sending are due minutes later: skip that time.
  await database.owner.query('update mail_outbox set due_at = now()')
  await untilNone(database, 'from mail_outbox')
  const sent = messages.map((text) => /^message-id: <([^@]+)@/im.exec(text)![1]!)
  const lost = ids.filter((id) => !sent.includes(id))
  assert.deepEqual(lost, [], 'e-mails were lost')
  assert.ok(sent.length - new Set(sent).size <= 1, 'e-mails came twice')
}

/** The receiver has each webhook message, and nothing else. */
async function checkWebhooks(database: TestDatabase, received: () => Set<string>): Promise<void> {
  await untilNone(database, 'from webhook_delivery where due_at is not null')
  const { rows } = await database.owner.query<{ id: string }>('select id from webhook_message')
  assert.deepEqual([...received()].toSorted(), rows.map(({ id }) => id).toSorted())
}

/** Each command reached its device, and no other did. */
async function checkCommands(database: TestDatabase, lights: readonly Light[], ids: readonly string[]): Promise<void> {
  const received = new Set(lights.flatMap(({ commands }) => commands))
  assert.deepEqual([...received].toSorted(), [...ids].toSorted())
  await untilNone(database, 'from command_outbox')
}

/** Each run tagged each light once. */
async function checkTaggings({ owner }: TestDatabase, runs: readonly string[]): Promise<void> {
  const { rows } = await owner.query<{ audited: number; tagged: number }>(
    `select (select count(*)::int from audit_entry where action = 'device tags changed') as audited,
       (select count(*)::int from device_tag) as tagged`,
  )
  assert.deepEqual(rows[0], { audited: runs.length * stock, tagged: runs.length * stock })
}
