import assert from 'node:assert/strict'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import type { PartChecks } from '../part-checks.ts'
import { openPartChecks } from '../part-checks.ts'
import type { Db } from '../postgres/pool.ts'
import { openDb, openPool } from '../postgres/pool.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { HealthServer } from './health-server.ts'
import { startHealthServer } from './health-server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

async function healthOn(
  db: Db,
  { env = {}, partChecks }: { env?: Record<string, string>; partChecks?: PartChecks } = {},
): Promise<HealthServer> {
  const { owner, idp } = database
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', HEALTH_PORT: '0', ...env }, ['worker'])
  const [files, log] = [openStore(config), pino({ level: 'silent' })]
  const metrics = new Registry()
  const health = await startHealthServer({
    config,
    db,
    anonymousDb: db,
    owner,
    idp,
    files,
    log,
    metrics,
    ...(partChecks && { partChecks }),
  })
  onTestFinished(() => health.stop())
  return health
}

async function readiness(health: HealthServer) {
  const answer = await fetch(`http://127.0.0.1:${health.port}/readyz`)
  return [answer.status, await answer.json()]
}

test('a part is live before it is ready, ready once started, and not ready while it stops', async () => {
  const health = await healthOn(database.db)
  const known = { database: true, writable: true }
  const not = [503, { status: 'not ready', ...known, reasons: ['starting or stopping'] }]
  assert.equal((await fetch(`http://127.0.0.1:${health.port}/livez`)).status, 200)
  assert.deepEqual(await readiness(health), not)
  const unready = health.ready()
  assert.deepEqual(await readiness(health), [200, { status: 'ready', ...known, reasons: [] }])
  unready()
  assert.deepEqual(await readiness(health), not)
})

test('an installation that sends nothing reports it', async () => {
  const health = await healthOn(database.db, { env: { CARETAKER_OUTBOUND: 'off' } })
  health.ready()
  const state = { status: 'ready', database: true, writable: true, outbound: false, reasons: [] }
  assert.deepEqual(await readiness(health), [200, state])
})

test('a process is live but not ready while one of its parts fails; it names the part and the reason', async () => {
  const partChecks = openPartChecks(['ingest', 'worker'])
  const health = await healthOn(database.db, { partChecks })
  health.ready()
  const known = { database: true, writable: true }
  assert.deepEqual(await readiness(health), [
    503,
    {
      ...{ status: 'not ready', ...known, ingest: false, worker: false },
      reasons: ['ingest: not running', 'worker: not running'],
    },
  ])
  let fault: string | undefined
  partChecks.started('ingest', () => fault)
  const stopped = partChecks.started('worker', async () => undefined)
  const ready = [200, { status: 'ready', ...known, ingest: true, worker: true, reasons: [] }]
  assert.deepEqual(await readiness(health), ready)
  fault = 'no session with the MQTT broker'
  assert.deepEqual(await readiness(health), [
    503,
    {
      ...{ status: 'not ready', ...known, ingest: false, worker: true },
      reasons: ['ingest: no session with the MQTT broker'],
    },
  ])
  assert.equal((await fetch(`http://127.0.0.1:${health.port}/livez`)).status, 200)
  fault = undefined
  assert.deepEqual(await readiness(health), ready)
  stopped()
  assert.equal((await readiness(health))[0], 503)
})

test('a part whose database is unreachable stays live and is not ready', async () => {
  const nowhere = openPool('postgres://nobody@127.0.0.1:9/none', 'app', 1)
  onTestFinished(() => nowhere.end())
  const health = await healthOn(openDb(nowhere))
  health.ready()
  assert.deepEqual(await readiness(health), [
    503,
    { status: 'not ready', database: false, writable: false, reasons: ['the database does not respond'] },
  ])
  assert.equal((await fetch(`http://127.0.0.1:${health.port}/livez`)).status, 200)
})

test('metrics on their own port need no token unless one is set', async () => {
  const ask = async (health: HealthServer, authorization = '') => {
    const answer = await fetch(`http://127.0.0.1:${health.port}/metrics`, { headers: { authorization } })
    return [answer.status, (await answer.text()).includes('caretaker_http_seconds')]
  }
  const open = await healthOn(database.db)
  assert.deepEqual(await ask(open), [200, true])
  const closed = await healthOn(database.db, { env: { CARETAKER_METRICS_TOKEN: 'a token of the figures' } })
  assert.deepEqual(await ask(closed), [401, false])
  assert.deepEqual(await ask(closed, 'Bearer a token of the figures'), [200, true])
})
