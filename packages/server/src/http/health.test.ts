import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import type { Db } from '../postgres/pool.ts'
import { openDb, openPool } from '../postgres/pool.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { HealthServer } from './health-server.ts'
import { startHealthServer } from './health-server.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

function healthOn(db: Db, env: Record<string, string> = {}): Promise<HealthServer> {
  const { owner, idp } = database
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', HEALTH_PORT: '0', ...env }, ['worker'])
  const [files, log] = [openStore(config), pino({ level: 'silent' })]
  return startHealthServer({ config, db, anonymousDb: db, owner, idp, files, log, metrics: new Registry() })
}

async function readiness(health: HealthServer) {
  const answer = await fetch(`http://127.0.0.1:${health.port}/readyz`)
  return [answer.status, await answer.json()]
}

test('a part is alive before it is ready, ready once it is started, and not while it stops', async () => {
  const health = await healthOn(database.db)
  assert.equal((await fetch(`http://127.0.0.1:${health.port}/livez`)).status, 200)
  assert.deepEqual(await readiness(health), [503, { status: 'not ready', database: true, writable: true }])
  const unready = health.ready()
  assert.deepEqual(await readiness(health), [200, { status: 'ready', database: true, writable: true }])
  unready()
  assert.deepEqual(await readiness(health), [503, { status: 'not ready', database: true, writable: true }])
  await health.stop()
})

test('a part whose database is away lives on, and is not ready', async () => {
  const nowhere = openPool('postgres://nobody@127.0.0.1:9/none', 'app', 1)
  const health = await healthOn(openDb(nowhere))
  health.ready()
  assert.deepEqual(await readiness(health), [503, { status: 'not ready', database: false, writable: false }])
  assert.equal((await fetch(`http://127.0.0.1:${health.port}/livez`)).status, 200)
  await health.stop()
  await nowhere.end()
})

test('figures are open on a port of their own, until there is a token for them', async () => {
  const ask = async (health: HealthServer, authorization = '') => {
    const answer = await fetch(`http://127.0.0.1:${health.port}/metrics`, { headers: { authorization } })
    return [answer.status, (await answer.text()).includes('caretaker_http_seconds')]
  }
  const open = await healthOn(database.db)
  assert.deepEqual(await ask(open), [200, true])
  await open.stop()
  const closed = await healthOn(database.db, { CARETAKER_METRICS_TOKEN: 'a token of the figures' })
  assert.deepEqual(await ask(closed), [401, false])
  assert.deepEqual(await ask(closed, 'Bearer a token of the figures'), [200, true])
  await closed.stop()
})
