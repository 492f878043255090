import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { connectAsync } from 'mqtt'
import pino from 'pino'
import { getClientSettings } from '@caretaker/contract/session.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { getTenantInfo } from '@caretaker/contract/tenants.ts'
import { getSystemStatus } from '@caretaker/contract/system.ts'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import { deliverMails } from '../mail/deliver.ts'
import { postMail } from '../mail/mail.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Server } from '../server.ts'
import { startServer } from '../server.ts'
import { messageOf, post } from '../projections/outbox.ts'
import { makeAccount, signInAs } from '../testing/sign-in.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { eventually, hashKey } from '../testing/device-link.ts'
import type { ReceivedSpan } from '../testing/otlp-receiver.ts'
import { startOtlpReceiver } from '../testing/otlp-receiver.ts'
import { mailServer } from '../testing/mail-server.ts'
import { freePort } from '../testing/ports.ts'
import { startS3 } from '../testing/s3-server.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-tracing-'))
const device = { id: crypto.randomUUID(), key: 'the key of the device' }
let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>
let database: TestDatabase
let server: Server
let port: number
let mqttPort: number
let accessToken: string
const person = 'ann.mill@north.test'

beforeAll(async () => {
  receiver = await startOtlpReceiver()
  database = await testDatabase()
  const { owner } = database
  await owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, status, severity, reporting_interval)
     values ('north', $1, 'ED1', 'ED', 'A device', 'Ok', 2, 900)`,
    [device.id],
  )
  await owner.query(
    `insert into device_route (device_id, tenant_id, key_hash, reporting_interval) values ($1, 'north', $2, 900)`,
    [device.id, hashKey(device.key)],
  )
  port = await freePort('localhost')
  mqttPort = await freePort()
  const env = {
    DATABASE_URL: database.url,
    CARETAKER_DATA: folder,
    CARETAKER_LOG: 'silent',
    PORT: String(port),
    HOST: 'localhost',
    MQTT_HOST: '127.0.0.1',
    MQTT_PORT: String(mqttPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=housing%20west',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
    CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1/32',
  }
  server = await startServer(readConfig(env)).started
  const password = 'a long pass phrase'
  await makeAccount(database, person, password)
  accessToken = (await signInAs(`http://localhost:${port}`, { email: person, password })).tokens.access_token
})
afterAll(async () => {
  await server.stop()
  await receiver.stop()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const seen = (holds: (span: ReceivedSpan) => boolean) =>
  eventually(
    async () => receiver.spans.find(holds),
    (span) => span !== undefined,
  ) as Promise<ReceivedSpan>
const children = ({ traceId }: ReceivedSpan) => receiver.spans.filter((span) => span.traceId === traceId)

test('a call is a trace with its route and its statements, without their values', async () => {
  const answer = await fetch(`http://localhost:${port}${getSystemStatus.path}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  assert.equal(answer.status, 403)
  const call = await seen(({ name }) => name === `GET ${getSystemStatus.path}`)
  assert.equal(call.kind, 2)
  assert.deepEqual(
    [
      call.attributes['http.request.method'],
      call.attributes['http.route'],
      call.attributes['http.response.status_code'],
    ],
    ['GET', getSystemStatus.path, 403],
  )
  const statements = await eventually(
    async () => children(call).filter(({ kind }) => kind === 3),
    ({ length }) => length > 0,
  )
  for (const { parentId, attributes } of statements) {
    assert.equal(parentId, call.spanId)
    assert.equal(attributes['db.system.name'], 'postgresql')
    assert.match(String(attributes['db.query.text']), /\S/)
  }
  assert.ok(statements.some(({ attributes }) => /from "membership"/.test(String(attributes['db.query.text']))))
  assert.ok(!JSON.stringify(receiver.spans).includes(person))
})

test('code after the body of a call belongs to its trace too', async () => {
  const answer = await fetch(`http://localhost:${port}${getTenantInfo.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tenant: 'north' }),
  })
  assert.equal(answer.status, 404)
  const call = await seen(({ name }) => name === `POST ${getTenantInfo.path}`)
  await eventually(
    async () => children(call).filter(({ kind }) => kind === 3),
    ({ length }) => length > 0,
  )
})

test('a trace starts with the call, whatever the caller sends', async () => {
  const traceId = 'a'.repeat(32)
  const headers = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` }
  await fetch(`http://localhost:${port}${getClientSettings.path}`, { headers })
  const call = await seen(({ name }) => name === `GET ${getClientSettings.path}`)
  assert.notEqual(call.traceId, traceId)
  assert.equal(call.parentId, '')
})

test('a batch of messages is a trace with the statements that store it', async () => {
  const client = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
    clientId: device.id,
    username: device.id,
    password: device.key,
  })
  const reading = { ts: Date.now(), values: { temperature: 20.5 } }
  await client.publishAsync(topic(device.id, 'telemetry'), JSON.stringify(reading), { qos: 1 })
  client.end(true)
  const batch = await seen(({ name }) => name === 'process devices')
  assert.deepEqual([batch.kind, batch.attributes['messaging.system']], [5, 'mqtt'])
  assert.equal(batch.attributes['messaging.batch.message_count'], 1)
  const statements = await eventually(
    async () => children(batch).filter(({ kind }) => kind === 3),
    ({ length }) => length > 2,
  )
  assert.ok(statements.some(({ attributes }) => attributes['db.operation.name'] === 'COMMIT'))
})

test('requests to mail servers, stores and webhook receivers are in the trace, without recipients', async () => {
  const [mails, hooks, bucket] = [await mailServer(), await startReceiver(), await startS3()]
  try {
    hooks.on('/secret-path', (_, response) => void response.writeHead(503).end())
    const config = readConfig({ CARETAKER_DATA: folder, SMTP_URL: mails.url, FILES_URL: bucket.url })
    const files = openStore(config)
    await files.put('north/some-key', new Blob(['words']))
    const context = { config, db: database.db, idp: database.idp, files, log: pino({ level: 'silent' }) }
    await inTenant(database.db, 'north', async (tx) => {
      await postMail(tx, config, { to: person, subject: 'Hello', text: 'words', html: '<p>words</p>' })
      const endpoint = { id: crypto.randomUUID(), url: `${hooks.url}/secret-path`, secret: 'whsec_c2VjcmV0' }
      const events = ['webhook.trial' as const]
      const at = new Date()
      await tx
        .insertInto('webhook_endpoint')
        .values({ ...endpoint, tenant_id: 'north', name: 'Hook', events, created_at: at, created_by: 'Ann' })
        .execute()
      const message = messageOf('north', 'webhook.trial', at, {})
      await post(tx, [message], [{ id: endpoint.id, messages: [message] }])
    })
    await deliverMails(context)
    const mail = await seen(({ name }) => name === 'send mail')
    assert.deepEqual([mail.kind, mail.status, mail.attributes['server.address']], [3, 0, '127.0.0.1'])
    const hook = await seen(({ name }) => name === 'POST webhook')
    assert.deepEqual([hook.kind, hook.status, hook.attributes['http.response.status_code']], [3, 2, 503])
    const stored = await seen(({ name }) => name === 'S3/PutObject')
    assert.deepEqual([stored.kind, stored.status, stored.attributes['aws.s3.bucket']], [3, 0, 'caretaker'])
    for (const secret of [person, 'secret-path', 'some-key'])
      assert.ok(!JSON.stringify([mail, hook, stored]).includes(secret))
  } finally {
    await Promise.all([mails.close(), hooks.close(), bucket.stop()])
  }
})

test('metrics have their standard names, the configured service name and the configured headers', async () => {
  const names = [
    'http.server.request.duration',
    'db.client.operation.duration',
    'db.client.connection.count',
    'messaging.process.duration',
    'caretaker_database_up',
    'caretaker_oldest_unacknowledged_seconds',
  ]
  await eventually(
    async () => names.filter((name) => !receiver.metrics.has(name)),
    ({ length }) => length === 0,
  )
  const calls = receiver.metrics.get('http.server.request.duration')!
  assert.equal(calls.unit, 's')
  assert.ok(
    calls.points.some(
      (point) => point['http.route'] === getSystemStatus.path && point['http.response.status_code'] === 403,
    ),
  )
  assert.equal(receiver.resources[0]!['service.name'], 'caretaker')
  assert.equal(receiver.headers[0]!['x-team'], 'housing west')
})

test('a server that exports nothing loads none of the packages for it', () => {
  const loaded = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { registerHooks } from 'node:module'
       const found = new Set()
       registerHooks({ resolve(name, context, next) {
         const { url } = next(name, context)
         const of = /@opentelemetry\\/([\\w-]+)\\//.exec(url)
         if (of) found.add(of[1])
         return next(name, context)
       } })
       await import(${JSON.stringify(new URL('../server.ts', import.meta.url).href)})
       console.log([...found].join())`,
    ],
    { encoding: 'utf8' },
  )
  assert.equal(loaded.stdout.trim(), 'api', loaded.stderr)
})
