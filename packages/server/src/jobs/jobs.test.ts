import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, onTestFinished, test, vi } from 'vitest'
import type pg from 'pg'
import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { openStore } from '../files/store.ts'
import { postMail } from '../mail/mail.ts'
import { makeAllDue, makeDue } from '../postgres/due.ts'
import { openDb, openPool } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { mailServer } from '../testing/mail-server.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'
import { messageOf, post } from '../projections/outbox.ts'
import type { Job } from './jobs.ts'
import { jobs, startJobs } from './jobs.ts'

const day = 86_400_000
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * day)

let database: TestDatabase
let context: Context
beforeAll(async () => {
  database = await testDatabase()
  const { db, owner, idp } = database
  const config = readConfig({ CARETAKER_DATA: '/nonexistent' })
  const files = openStore(config)
  context = { config, db, anonymousDb: db, owner, idp, files, log: pino({ level: 'silent' }), metrics: new Registry() }
  await owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
  for (const tenant of ['north', 'south']) await makeAllDue(owner, tenant)
})
const pools: pg.Pool[] = []
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

const collectGarbage = () => jobs.find((job) => job.name === 'tidy')!.run(context, new AbortController().signal)

test('bad messages, browser errors and leftovers of sign-ins are deleted when they expire', async () => {
  const device = crypto.randomUUID()
  await inTenant(database.db, 'south', (tx) =>
    tx
      .insertInto('device')
      .values({ tenant_id: 'south', id: device, serial: 'MD1', product: 'MD', name: 'Dot', status: 'Ok', severity: 2 })
      .execute(),
  )
  const bad = (at: Date) => ({
    tenant_id: 'south',
    device_id: device,
    at,
    channel: 'telemetry',
    reason: 'not JSON',
    detail: '',
    payload: '{',
  })
  await inTenant(database.db, 'south', (tx) =>
    tx
      .insertInto('bad_message')
      .values([bad(ago(0.9)), bad(ago(1.1)), bad(ago(3))])
      .execute(),
  )
  const { owner } = database
  await owner.query(
    `insert into client_error (at, message, stack, component_stack) values ($1, 'new', '', ''), ($2, 'old', '', '')`,
    [ago(29), ago(31)],
  )
  await owner.query(
    `insert into idp.payload (model, id, payload, expires_at)
     values ('Session', 'lasts', '{}', $1), ('Session', 'over', '{}', $2), ('Client', 'forever', '{}', null)`,
    [ago(-1), ago(0.01)],
  )
  await owner.query(`insert into idp.failed_attempt (key, at) values ('new', $1), ('old', $2)`, [ago(0.5), ago(2)])

  await owner.query(`insert into throttle values ('new', 1, $1), ('old', 1, $2)`, [ago(0.9), ago(1.1)])

  assert.equal(await collectGarbage(), 6)
  assert.equal((await owner.query('select from bad_message')).rowCount, 1)
  const texts = async (query: string) => (await owner.query<{ it: string }>(query)).rows.map((row) => row.it)
  assert.deepEqual(await texts('select message as it from client_error'), ['new'])
  assert.deepEqual(await texts('select id as it from idp.payload order by 1'), ['forever', 'lasts'])
  assert.deepEqual(await texts('select key as it from idp.failed_attempt'), ['new'])
  assert.deepEqual(await texts('select key as it from throttle'), ['new'])
  assert.equal(await collectGarbage(), 0)
})

test("events, sign-ins and audit entries without a person are deleted after years; people's changes stay", async () => {
  const { owner, db } = database
  const device = crypto.randomUUID()
  const [person] = (
    await owner.query<{ id: string }>(
      `insert into person (id, issuer, subject, email, name) values (gen_random_uuid(), 'i', 's', 'e', 'n') returning id`,
    )
  ).rows
  const audited = { tenant_id: 'north', subject_type: 'device', subject_id: device, subject_name: 'MD2' } as const
  const noChanges = { before: null, after: null } as const
  await inTenant(db, 'north', async (tx) => {
    await tx
      .insertInto('device')
      .values({ tenant_id: 'north', id: device, serial: 'MD2', product: 'MD', name: 'Dot', status: 'Ok', severity: 2 })
      .execute()
    for (const [days, description] of [
      [1101, 'old'],
      [1099, 'young'],
    ] as const)
      await tx
        .insertInto('event')
        .values({
          ...{ tenant_id: 'north', id: crypto.randomUUID(), device_id: device, start_at: ago(days), end_at: null },
          ...{ severity: 'Low', category: 'A', description },
        })
        .execute()
    for (const [days, personId, name, action] of [
      [1101, null, 'old machine', 'device added'],
      [1099, null, 'young machine', 'device added'],
      [1101, person!.id, 'old person', 'device added'],
      [1101, person!.id, 'old sign-in', 'signed in'],
      [1101, person!.id, 'old refusal', 'call refused'],
      [1099, person!.id, 'young sign-in', 'signed in'],
    ] as const)
      await tx
        .insertInto('audit_entry')
        .values({ ...audited, ...noChanges, action, at: ago(days), person_id: personId, person_name: name })
        .execute()
  })
  await makeAllDue(owner, 'north')
  assert.equal(await collectGarbage(), 4)
  const texts = async (query: string) => (await owner.query<{ it: string }>(query)).rows.map((row) => row.it)
  assert.deepEqual(await texts('select description as it from event'), ['young'])
  assert.deepEqual(await texts('select person_name as it from audit_entry order by 1'), [
    'old person',
    'young machine',
    'young sign-in',
  ])
  const due = `select work as it from due where tenant_id = 'north' and work in ('forget events', 'forget audit') order by 1`
  assert.deepEqual(await texts(due), ['forget audit', 'forget events'])
  assert.equal(await collectGarbage(), 0)
  await owner.query(`delete from due; delete from event; delete from audit_entry`)
})

test('of two hundred tenants a job visits only the one with due work, in a handful of statements', async () => {
  const { owner } = database
  await owner.query(`insert into tenant (id, display_name) select 'tenant-' || n, n from generate_series(1, 200) n`)
  for (const job of jobs) await job.run(context, new AbortController().signal)
  const { counted, counting } = counter()
  const cost = async (job: Job) => {
    counted.clear()
    await job.run(counting, new AbortController().signal)
    return counted
  }
  for (const job of jobs) {
    const { size } = await cost(job)
    assert.ok(size <= 15, `${job.name} without work: ${size}`)
  }
  await makeAllDue(owner, 'tenant-77')
  for (const job of jobs) {
    const statements = [...(await cost(job))]
    // Check, do and reschedule, for each of up to nine kinds of work.
    assert.ok(statements.length <= 140, `${job.name}: ${statements.length}`)
    const visited = statements.flatMap((text) => /app\.tenant = '(.*)'/.exec(text)?.[1] ?? [])
    if (!['commands', 'mails', 'partitions'].includes(job.name))
      assert.deepEqual([...new Set(visited)], ['tenant-77'], job.name)
  }
  // A month ends again, and so does a day on which a test becomes overdue. The sessions of brokers belong to the intake, not to a job.
  assert.deepEqual((await owner.query(`select work from due where tenant_id = 'tenant-77' order by work`)).rows, [
    { work: 'keep broker sessions' },
    { work: 'watch lights' },
    { work: 'write reports' },
  ])
})

test('every job can be run at any time, and twice at once', async () => {
  const { signal } = new AbortController()
  for (const job of jobs) await Promise.all([job.run(context, signal), job.run(context, signal)])
})

test('one of several processes does a run, which also works after a restart', async () => {
  const runs: string[] = []
  const job = (process: string): Job => ({
    name: 'probe',
    cron: '0 0 1 1 *',
    patience: 60,
    poll: 0.5,
    run: async () => runs.push(process),
  })
  const order = () =>
    database.owner.query(
      `insert into pgboss.job (name, policy) select name, policy from pgboss.queue where name = 'probe'`,
    )
  const first = await Promise.all(['a', 'b', 'c'].map((name) => startJobs(separate(), [job(name)])))
  for (let n = 1; n <= 4; n++) {
    await order()
    await until(() => runs.length >= n)
    assert.equal(runs.length, n)
  }
  await Promise.all(first.map((one) => one.stop()))
  await order()
  const again = await startJobs(separate(), [job('d')])
  await until(() => runs.length >= 5)
  await again.stop()
  assert.equal(runs.length, 5)
  assert.equal(runs[4], 'd')
  const { rows } = await database.owner.query<{ state: string; n: number }>(
    `select state, count(*) as n from pgboss.job where name = 'probe' group by 1`,
  )
  assert.deepEqual(rows, [{ state: 'completed', n: 5 }])
})

test('punctual work is done when it is due, without unnecessary runs', async () => {
  const { owner } = database
  const due = (ms: number) => {
    const at = Date.now() + ms
    planned.push(at)
    return owner.query(
      `insert into due (work, tenant_id, due_at) values ('deliver webhooks', 'north', $1)
       on conflict (work, tenant_id) do update set due_at = excluded.due_at`,
      [new Date(at)],
    )
  }
  const [planned, runs]: [number[], number[]] = [[], []]
  const pauses = [400, 900, 600]
  const probe: Job = {
    ...{ name: 'punctual', cron: '0 0 1 1 *', patience: 60, poll: 60, wake: 'punctual_probe' },
    punctual: 'deliver webhooks',
    run: async () => {
      runs.push(Date.now())
      const pause = pauses.shift()
      if (pause === undefined) return 0
      await due(pause)
      return 1
    },
  }
  // The first run is the one at the start.
  const worker = await startJobs(separate(), [probe])
  onTestFinished(async () => void (await owner.query('delete from due')))
  onTestFinished(() => worker.stop())
  await until(() => runs.length === 4)
  for (const [at, time] of planned.entries()) {
    const late = runs[at + 1]! - time
    assert.ok(late >= 0 && late < 2000, `${late} ms`)
  }
  // The last run left its work undone: it is not restarted over and over.
  await delay(1500)
  assert.equal(runs.length, 4)
})

test('a failed webhook is retried after five seconds', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const times: number[] = []
  receiver.on('/fails-once', (_, response) => {
    times.push(Date.now())
    response.writeHead(times.length === 1 ? 500 : 204).end()
  })
  const id = crypto.randomUUID()
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1/32' })
  await inTenant(database.db, 'north', async (tx) => {
    const hook = { id, name: 'Fails once', url: `${receiver.url}/fails-once`, events: ['webhook.trial' as const] }
    await tx
      .insertInto('webhook_endpoint')
      .values({ ...hook, tenant_id: 'north', secret: 'whsec_c2VjcmV0', created_at: new Date(), created_by: 'Ann' })
      .execute()
    const message = messageOf('north', 'webhook.trial', new Date(), {})
    await post(tx, [message], [{ id, messages: [message] }])
  })
  const worker = await startJobs(
    { ...separate(), config },
    jobs.filter(({ name }) => name === 'webhooks'),
  )
  onTestFinished(async () => {
    await worker.stop()
    await database.owner.query('delete from webhook_endpoint')
    await database.owner.query('delete from webhook_message')
  })
  await until(() => times.length === 2)
  const pause = times[1]! - times[0]!
  assert.ok(pause >= 5000 && pause < 7000, `${pause} ms`)
})

test('the run of a killed process is restarted by another within ten seconds, and a long live run is left alone', async () => {
  const job = (run: Job['run']): Job => ({ name: 'long', cron: '0 0 1 1 *', patience: 3600, poll: 60, run })
  const killed = fork(new URL('../testing/worker.ts', import.meta.url), [database.url, 'long'])
  await once(killed, 'message')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const begun = Date.now()
  let runs = 0
  const end = Promise.withResolvers<void>()
  const survivor = await startJobs(separate(), [job(async () => (runs++, end.promise))])
  await until(() => runs === 1)
  assert.ok(Date.now() - begun < 10_000)
  // Others check for long enough to consider it lost, and find that it is live.
  const other = await startJobs(separate(), [job(async () => runs++)])
  await delay(6000)
  assert.equal(runs, 1)
  end.resolve()
  await Promise.all([survivor.stop(), other.stop()])
})

test('claims of a killed process are sent by another within ten seconds; a slow live process keeps its claims', async () => {
  const { owner, db } = database
  const [mails, receiver] = [await mailServer(), await startReceiver()]
  onTestFinished(async () => void (await Promise.all([mails.close(), receiver.close()])))
  const answers: (() => void)[] = []
  receiver.on('/hook', (_, response) => void answers.push(() => void response.writeHead(204).end()))
  mails.atEnd = 'hang'
  const settings = {
    CARETAKER_DATA: '/nonexistent',
    SMTP_URL: mails.url,
    CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1/32',
  }
  const config = readConfig(settings)
  const mail = { to: 'ann@north.test', subject: 'Hello', text: 'words', html: '<p>words</p>' }
  await inTenant(db, 'north', async (tx) => {
    await postMail(tx, config, { ...mail, subject: 'Of a former version' })
    const hook = {
      id: crypto.randomUUID(),
      name: 'Hook',
      url: `${receiver.url}/hook`,
      events: ['webhook.trial' as const],
    }
    await tx
      .insertInto('webhook_endpoint')
      .values({ ...hook, tenant_id: 'north', secret: 'whsec_c2VjcmV0', created_at: now, created_by: 'Ann' })
      .execute()
    const message = messageOf('north', 'webhook.trial', now, {})
    await post(tx, [message], [{ id: hook.id, messages: [message] }])
  })
  // Claimed without a number: it stays claimed until its time is over.
  await owner.query(`update mail_outbox set due_at = now() + interval '5 minutes', attempts = 1`)
  await inTenant(db, 'north', (tx) => postMail(tx, config, mail))
  const killed = fork(new URL('../testing/worker.ts', import.meta.url), [
    database.url,
    'mails,webhooks',
    JSON.stringify(settings),
  ])
  const sent = () => [mails.received.length, receiver.received.length]
  await until(() => sent().every((count) => count === 1))
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const begun = Date.now()
  const sending = jobs.filter(({ name }) => name === 'mails' || name === 'webhooks')
  const others = await Promise.all([1, 2].map(() => startJobs({ ...separate(), config }, sending)))
  await until(() => sent().every((count) => count === 2))
  assert.ok(Date.now() - begun < 10_000)
  // Each checks for long enough to consider a process gone, and finds those that have reconnected.
  await owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'caretaker-jobs' and datname = current_database()`,
  )
  await delay(6000)
  assert.deepEqual(sent(), [2, 2])
  mails.goOn()
  for (const answer of answers) answer()
  const waiting = async () => [
    (await owner.query('select attempts from mail_outbox')).rows,
    (await owner.query('select state, claimant from webhook_delivery')).rows,
  ]
  await until(async () => JSON.stringify(await waiting()).includes('delivered') && (await waiting())[0]!.length === 1)
  assert.deepEqual(await waiting(), [[{ attempts: 1 }], [{ state: 'delivered', claimant: null }]])
  const ids = mails.received.map((text) => /^Message-ID: (.*)$/im.exec(text)?.[1])
  assert.equal(ids[0], ids[1])
  assert.equal((await owner.query('select from claimant')).rowCount, 2)
  await Promise.all(others.map((one) => one.stop()))
  assert.equal((await owner.query('select from claimant')).rowCount, 0)
})

test('setting the clock back stops no job: polling, scheduling and due work continue', async () => {
  const { owner } = database
  const own = separate()
  let runs = 0
  const tick: Job = { name: 'ticks', cron: '0 0 1 1 *', patience: 60, poll: 0.5, run: async () => void runs++ }
  const working = await startJobs(own, [tick], { cronEvery: 1 })
  onTestFinished(() => working.stop())
  const order = () =>
    owner.query(`insert into pgboss.job (name, policy) select name, policy from pgboss.queue where name = 'ticks'`)
  const rounds = async () => (await owner.query<{ at: Date }>('select cron_on as at from pgboss.version')).rows[0]!.at
  const goesOn = async () => {
    const [before, round] = [runs, +(await rounds())]
    await order()
    await until(() => runs > before)
    await until(async () => +(await rounds()) > round)
  }
  await goesOn()
  // The system clock. The clocks of the processes may differ from the database's.
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - day })
  await goesOn()
  vi.useRealTimers()
  assert.equal(await working.fault(), undefined)
  // The database clock: everything that it has written is then in the future.
  await inTenant(database.db, 'north', (tx) => makeDue(tx, 'forget mails', new Date(Date.now() + 90 * day)))
  await order()
  await owner.query(
    `update pgboss.version set cron_on = cron_on + interval '1 day';
     update pgboss.job set start_after = start_after + interval '1 day', singleton_on = singleton_on + interval '1 day',
       started_on = started_on + interval '1 day', completed_on = completed_on + interval '1 day'`,
  )
  await until(async () => +(await rounds()) < Date.now() + day / 2)
  await goesOn()
  const ahead = await owner.query(
    `select from pgboss.job where start_after > now() + interval '5 minutes' or started_on > now()
       or singleton_on > now() at time zone 'utc'`,
  )
  assert.equal(ahead.rowCount, 0)
  const later = await owner.query(`select from due where due_at > now() and tenant_id = 'north'`)
  assert.equal(later.rowCount, 0)
})

test('a worker whose queue is no longer polled reports it', async () => {
  const own = separate()
  const idle: Job = { name: 'idle', cron: '0 0 1 1 *', patience: 60, poll: 0.5, run: async () => {} }
  const working = await startJobs(own, [idle])
  onTestFinished(() => working.stop())
  assert.equal(await working.fault(), undefined)
  const { now: real } = performance
  const ahead = vi.spyOn(performance, 'now').mockImplementation(() => real.call(performance) + 100_000)
  onTestFinished(() => ahead.mockRestore())
  assert.match((await working.fault())!, /^no work was looked for in \d+ seconds$/)
})

test('a half-minute job schedules its second run, and a failing job is counted and does not stop the others', async () => {
  const { owner } = database
  const metrics = new Registry()
  const base = { cron: '0 0 1 1 *', patience: 60, poll: 0.5 }
  let halves = 0
  const working = await startJobs({ ...context, metrics }, [
    { ...base, name: 'halves', halfway: true, run: async () => void halves++ },
    { ...base, name: 'broken', run: async () => Promise.reject(new Error('broken')) },
  ])
  await owner.query(
    `insert into pgboss.job (name, policy, retry_limit) select name, policy, 0 from pgboss.queue where name in ('halves', 'broken')`,
  )
  const waiting = async () =>
    (
      await owner.query<{ data: unknown; seconds: number }>(
        `select data, round(extract(epoch from start_after - created_on))::int as seconds
         from pgboss.job where name = 'halves' and state = 'created' and start_after > now()`,
      )
    ).rows
  await until(async () => (await waiting()).length > 0)
  assert.deepEqual(await waiting(), [{ data: { second: true }, seconds: 30 }])
  await owner.query(`update pgboss.job set start_after = now() where name = 'halves' and state = 'created'`)
  await until(() => halves === 2)
  await until(async () => (await metrics.metrics()).includes('caretaker_job_failures_total{job="broken"} 1'))
  await working.stop()
  assert.deepEqual(await waiting(), [])
})

/** The context with its own pools; records every statement with the number of its pool. */
function counter(): { counted: Set<string>; counting: Context } {
  const counted = new Set<string>()
  const [owner, app, idp] = (['owner', 'app', 'idp'] as const).map((role) => {
    const pool = openPool(database.url, role, 3)
    pools.push(pool)
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      client.query = ((...given: [string | { text: string }]) => {
        counted.add(`${counted.size} ${typeof given[0] === 'string' ? given[0] : given[0].text}`)
        return query(...given)
      }) as typeof client.query
    })
    return pool
  })
  return { counted, counting: { ...context, db: openDb(app!), owner: owner!, idp: idp! } }
}

/** A context as in another process, with its own connections and metrics. */
function separate(): Context {
  const owner = openPool(database.url, 'owner', 3)
  pools.push(owner)
  return { ...context, owner, metrics: new Registry() }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never came true: ${String(condition)}`)
    await delay(20)
  }
}
