import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import pg from 'pg'
import pino from 'pino'
import { tenantsDue } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { eventually } from '../testing/device-link.ts'
import { openAnnouncer } from './announce.ts'
import { changed, changedQuietly, keptFor, somethingChanged } from './changed.ts'

let database: TestDatabase
let listener: pg.Client
let heard: { tenant: string; at: number }[] = []
const log = pino({ level: 'silent' })
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
  listener = new pg.Client({ connectionString: database.url })
  await listener.connect()
  listener.on('notification', ({ payload }) => heard.push({ tenant: payload!, at: performance.now() }))
  await listener.query(`listen ${somethingChanged}`)
})
beforeEach(() => (heard = []))
afterAll(async () => {
  await listener.end()
  await database.drop()
})

const quietly = (tenant: string) =>
  inTenant(database.db, tenant, (tx) => changedQuietly(tx, 'device readings', [crypto.randomUUID()]))
const tenants = async () => heard.map(({ tenant }) => tenant).sort()
const isHeard = (...expected: string[]) => eventually(tenants, (those) => expected.every((one) => those.includes(one)))

test('quiet changes are announced only by the announcer, immediately if it was idle', async () => {
  await quietly('north')
  const announcer = openAnnouncer(database.db, log, 50)
  announcer.announce(['south'])
  await isHeard('south')
  assert.deepEqual(await tenants(), ['south'])
  await announcer.whenIdle()
})

test('many batches are announced together, each within the guaranteed delay, including the last', async () => {
  const every = 100
  const announcer = openAnnouncer(database.db, log, every)
  let batches = 0
  const begun = performance.now()
  const until = begun + 10 * every
  while (performance.now() < until) {
    await quietly('north')
    announcer.announce(['north'])
    batches++
  }
  const last = performance.now()
  await announcer.whenIdle()
  await eventually(
    async () => heard.at(-1)?.at ?? 0,
    (at) => at >= last - every,
  )
  // One immediately, then at most one per interval, however long the batches took.
  const most = 2 + Math.ceil((performance.now() - begun) / every)
  assert.ok(heard.length >= 2 && heard.length <= most, `${heard.length} announcements of ${batches} batches`)
})

test('an announcement is lost while the database is unreachable, and the next one is sent', async () => {
  let away = true
  const getExecutor = () => {
    if (away) throw new Error('away')
    return database.db.getExecutor()
  }
  const announcer = openAnnouncer({ getExecutor } as Db, log, 10)
  announcer.announce(['north'])
  await announcer.whenIdle()
  away = false
  announcer.announce(['south'])
  await isHeard('south')
})

test('rolled-back changes do not delay the deletion of later ones', async () => {
  const tenant = 'rolled-back'
  await database.owner.query('insert into tenant (id, display_name) values ($1, $1)', [tenant])
  const due = () => tenantsDue(database.db, 'forget changes', new Date(Date.now() + keptFor))
  const fails = inTenant(database.db, tenant, async (tx) => {
    await changed(tx, 'tag', null)
    await changed(tx, 'tag', null)
    throw new Error('rolled back')
  })
  await assert.rejects(fails, /rolled back/)
  assert.ok(!(await due()).includes(tenant))
  await inTenant(database.db, tenant, (tx) => changed(tx, 'tag', null))
  assert.ok((await due()).includes(tenant))
})
