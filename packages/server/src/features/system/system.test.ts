import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { Registry } from 'prom-client'
import { getSystemStatus } from '@caretaker/contract/system.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { systemFigureNames, systemFigures } from '@caretaker/rules/system/figures.ts'
import { storeBackupRecord } from '../../backup/record.ts'
import { readConfig } from '../../config.ts'
import { startJobs } from '../../jobs/jobs.ts'
import { postMail } from '../../mail/mail.ts'
import { startDeviceLink } from '../../mqtt/device-link.ts'
import { openPool } from '../../postgres/pool.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { watchBroker, watchWaiting } from '../../mqtt/metrics.ts'
import { testApp } from '../../testing/app.ts'
import { certificates } from '../../testing/certificates.ts'
import { testDatabase } from '../../testing/database.ts'
import { eventually } from '../../testing/device-link.ts'
import type { PartChecks } from '../../part-checks.ts'
import { openPartChecks } from '../../part-checks.ts'
import { lastSeen, reportProcess } from './processes.ts'
import { watchSystem } from './watch.ts'

/** An app with nothing pending that reports its figures like a started server. */
async function watchedApp(): Promise<TestApp> {
  const app = await testApp({ CARETAKER_DATA: tmpdir(), CARETAKER_DEMO: 'off' })
  watchSystem(app.context)
  await app.addTenant('home')
  for (const role of roles) await app.addMember('home', `${role}@home.test`.toLowerCase(), role)
  return app
}

let app: TestApp
beforeAll(async () => {
  app = await watchedApp()
})
afterAll(() => app.close())

const status = async (of = app) => (await of.send(getSystemStatus, {}, 'developer@home.test')).body
const figure = async (name: (typeof systemFigureNames)[number], of = app) =>
  (await status(of)).figures.find((one) => one.name === name)!.value

test('only developers see the state of the installation', async () => {
  for (const role of roles) {
    const { status } = await app.send(getSystemStatus, {}, `${role}@home.test`.toLowerCase())
    assert.equal(status, role === 'Developer' ? 200 : 403, role)
  }
  assert.equal((await app.send(getSystemStatus, {})).status, 401)
})

test('every figure is listed once; figures of other parts, or unknown ones, are listed as unknown', async () => {
  const { figures, jobs, parts } = await status()
  assert.deepEqual(
    figures.map(({ name }) => name),
    systemFigureNames,
  )
  // Parts that were never seen have been absent for at least as long as this process runs.
  const seen = ['apiSeen', 'ingestSeen', 'workerSeen'] as const
  const known = figures.filter(({ value }) => value !== null).map(({ name }) => name)
  assert.deepEqual(known, [
    'database',
    ...seen,
    'feedLag',
    'mails',
    'lateMails',
    'mailTries',
    'diskFree',
    'databaseSize',
  ])
  assert.deepEqual([jobs, parts], [[], ['api', 'ingest', 'worker']])
  const free = await figure('diskFree')
  assert.ok(free! > 0 && free! <= 1, `${free}`)
  assert.ok((await figure('databaseSize'))! > 1_000_000)
})

test('/metrics reports a pending e-mail as the page does', async () => {
  const own = await watchedApp()
  onTestFinished(() => own.close())
  const { db } = own.database
  await inTenant(db, 'home', (tx) =>
    postMail(tx, own.context.config, { to: 'ann@home.test', subject: 'Hello', text: 'Hello', html: 'Hello' }),
  )
  await db
    .updateTable('mail_outbox')
    .set({ due_at: new Date(Date.now() - 1_000_000), attempts: 5 })
    .execute()
  assert.deepEqual([await figure('mails', own), await figure('mailTries', own)], [1, 5])
  const late = (await figure('lateMails', own))!
  assert.ok(late >= 1000 && late < 1100, `${late}`)
  const text = await own.context.metrics.metrics()
  assert.match(text, new RegExp(`^${systemFigures.mails.metric} 1$`, 'm'))
  assert.match(text, new RegExp(`^${systemFigures.mailTries.metric} 5$`, 'm'))
})

test('/metrics shows files, backups, webhooks, the certificate and whether messages leave the installation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'caretaker-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = await testDatabase()
  onTestFinished(() => database.drop())
  const { db, owner } = database
  mkdirSync(join(folder, 'files'))
  const [certificate] = certificates
  writeFileSync(join(folder, 'cert.pem'), certificate.cert)
  writeFileSync(join(folder, 'key.pem'), certificate.key)
  const read = async (env: Record<string, string> = {}) => {
    const metrics = new Registry()
    const config = readConfig({ CARETAKER_DATA: folder, ...env })
    watchSystem({ config, db, owner, metrics })
    const text = await metrics.metrics()
    return (name: string) => {
      const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
      return found === undefined ? undefined : Number(found)
    }
  }
  const before = await read()
  assert.equal(before('caretaker_files_bytes'), 0)
  assert.equal(before('caretaker_oldest_webhook_due_seconds'), 0)
  assert.equal(before('caretaker_outbound_enabled'), 1)
  for (const unknown of [
    'backup_timestamp_seconds',
    'backup_missing_files',
    'backup_verified_timestamp_seconds',
    'certificate_expiry_timestamp_seconds',
  ])
    assert.equal(before(`caretaker_${unknown}`), undefined)

  await owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  await owner.query(`
    insert into file (tenant_id, id, referrer, name, content_type, size, sha256, created_at)
    values ('north', gen_random_uuid(), 'document', 'plan.pdf', 'application/pdf', 12345, sha256('x'), now())`)
  await owner.query(
    `insert into due (work, tenant_id, due_at) values ('deliver webhooks', 'north', now() - interval '20 minutes')`,
  )
  await storeBackupRecord(owner, { madeAt: '2026-11-28T02:30:00.000Z', bytes: 5000, missing: 2 })
  await storeBackupRecord(owner, { verifiedAt: '2026-11-29T04:00:00.000Z', fault: null })
  const tls = { MQTT_TLS_CERT: join(folder, 'cert.pem'), MQTT_TLS_KEY: join(folder, 'key.pem') }
  const after = await read({ ...tls, CARETAKER_OUTBOUND: 'off' })
  assert.equal(after('caretaker_files_bytes'), 12345)
  assert.ok(after('caretaker_files_free_bytes')! > 0)
  const late = after('caretaker_oldest_webhook_due_seconds')!
  assert.ok(late >= 1200 && late < 1300, String(late))
  assert.equal(after('caretaker_backup_timestamp_seconds'), Date.UTC(2026, 10, 28, 2, 30) / 1000)
  assert.equal(after('caretaker_backup_size_bytes'), 5000)
  assert.equal(after('caretaker_backup_verified_timestamp_seconds'), Date.UTC(2026, 10, 29, 4) / 1000)
  assert.equal(after('caretaker_backup_missing_files'), 2)
  assert.equal(after('caretaker_backup_verification_failed'), 0)
  // The certificate of the tests is valid for a hundred years.
  assert.ok(after('caretaker_certificate_expiry_timestamp_seconds')! > Date.UTC(2120, 0) / 1000)
  assert.equal(after('caretaker_outbound_enabled'), 0)
  await storeBackupRecord(owner, { fault: 'damaged' })
  assert.equal((await read())('caretaker_backup_verification_failed'), 1)
})

test('jobs show when they ended and which failed', async () => {
  const own = await watchedApp()
  onTestFinished(() => own.close())
  const bad = async () => {
    throw new Error('on purpose')
  }
  const usual = { cron: '0 0 1 1 *', patience: 60, poll: 0.5, shared: true }
  // The queue's own statements stay on one machine, and are not counted.
  const jobs = await startJobs({ ...own.context, owner: own.database.owner }, [
    { ...usual, name: 'good', wake: 'wake_good', run: async () => {} },
    { ...usual, name: 'bad', wake: 'wake_bad', run: bad },
  ])
  try {
    const { jobs: runs } = await eventually(
      () => status(own),
      ({ jobs: [bad, good] }) => bad?.failed === 1 && good?.done === 1,
    )
    assert.deepEqual(
      runs.map(({ name, done, failed, seconds }) => [name, done, failed, seconds === null]),
      [
        ['bad', 0, 1, true],
        ['good', 1, 0, false],
      ],
    )
    // Recent answers of the database are cached for a while.
    assert.equal(await eventually(() => figure('failedJobs', own), Boolean), 1)
    assert.ok((await figure('lastJob', own))! < 60)
  } finally {
    await jobs.stop()
  }
})

test('a device link reports how long its oldest message has been waiting, and none once it is stored', async () => {
  const own = await watchedApp()
  onTestFinished(() => own.close())
  const link = await startDeviceLink({
    ...own.context,
    config: { ...own.context.config, mqtt: { ...own.context.config.mqtt, port: 0 } },
  })
  assert.deepEqual([await figure('unacknowledged', own), await figure('waiting', own)], [0, 0])
  await link.stop()
})

test('in a split installation the page combines the figures of all processes while they report', async () => {
  const own = await watchedApp()
  onTestFinished(() => own.close())
  const { owner } = own.database
  /** Another process, with message figures only. */
  const process = (unacknowledged: number, waiting: number) => {
    const metrics = new Registry()
    watchWaiting(metrics, { messages: () => waiting, bytes: () => 0, oldest: () => unacknowledged })
    watchBroker(metrics, () => waiting === 12)
    return reportProcess({ owner, metrics, log: own.context.log }, 20)
  }
  assert.deepEqual([await figure('unacknowledged', own), await figure('waiting', own)], [null, null])
  const processes = [process(2, 30), process(40, 12)]
  const both = async () => [await figure('unacknowledged', own), await figure('waiting', own)]
  await eventually(both, ([oldest, waiting]) => oldest === 40 && waiting === 42)
  // One of the two has no session with the broker.
  assert.equal(await figure('broker', own), 0)
  // A process that stops removes its figures; those of a killed one expire after a while.
  await processes[1]!.stop()
  assert.deepEqual(await both(), [2, 30])
  await processes[0]!.stop()
  await owner.query(
    `insert into process_figure values (gen_random_uuid(), 'waiting', 7, now() - interval '1 minute'), (gen_random_uuid(), 'waiting', 9, now() - interval '2 hours')`,
  )
  assert.deepEqual(await both(), [null, null])
  const last = process(1, 5)
  const known = async () => (await owner.query('select from process_figure')).rowCount
  assert.equal(await eventually(known, (rows) => rows === 4), 4)
  assert.deepEqual(await both(), [1, 5])
  await last.stop()
})

test('each process reports when each part last worked in any of them', async () => {
  const own = await watchedApp()
  onTestFinished(() => own.close())
  const { owner } = own.database
  const checks = openPartChecks(['api', 'ingest'])
  let fault: string | undefined
  checks.started('api')
  checks.started('ingest', () => fault)
  const reporting = (partChecks: PartChecks) =>
    reportProcess({ owner, metrics: new Registry(), log: own.context.log, partChecks }, 20)
  const [first, second] = [reporting(checks), reporting(openPartChecks(['worker']))]
  const age = async (part: string) => (await lastSeen(owner, 3000))!.get(part)
  await eventually(
    () => age('ingest'),
    (seconds) => seconds !== undefined,
  )
  // A worker that runs but does nothing does not count.
  assert.equal(await age('worker'), undefined)
  const setBack = (by: string) => owner.query(`update process_figure set told_at = told_at - $1::interval`, [by])
  fault = 'no session with the MQTT broker'
  // From here on its process reports only api.
  await eventually(
    async () => (await age('ingest'))! - (await age('api'))!,
    (behind) => behind > 0.1,
  )
  await setBack('2 hours')
  await eventually(
    () => age('api'),
    (seconds) => seconds! < 60,
  )
  assert.ok((await age('ingest'))! >= 7200)
  // Its process ends, and its last report stays.
  await Promise.all([first.stop(), second.stop()])
  await setBack('90 days')
  assert.ok((await age('api'))! >= 90 * 86_400)
  // The database clock is set back: working parts are reported again.
  await setBack('-180 days')
  const third = reporting(checks)
  await eventually(
    () => age('ingest'),
    (seconds) => seconds === undefined,
  )
  assert.ok((await age('api'))! < 60)
  await third.stop()
  const metrics = new Registry()
  watchSystem({ ...own.context, metrics })
  const text = await metrics.metrics()
  assert.match(text, /^caretaker_part_seen_seconds\{part="api"\} [\d.e-]+$/m)
  assert.match(text, /^caretaker_part_seen_seconds\{part="worker"\} [\d.]+$/m)
})

test('while the database is unavailable that is shown, and its figures are unknown', async () => {
  const database = await testDatabase()
  const data = join(tmpdir(), crypto.randomUUID())
  const own = await testApp({ CARETAKER_DATA: data }, database)
  const nowhere = openPool('postgres://nobody@127.0.0.1:9/none', 'owner', 1)
  watchSystem({ ...own.context, owner: nowhere })
  const text = await own.context.metrics.metrics()
  assert.match(text, /^caretaker_database_up 0$/m)
  assert.match(text, /^caretaker_build_info\{version="\d+\.\d+\.\d+"\} 1$/m)
  for (const name of ['mails', 'lateMails', 'lastJob', 'databaseSize'] as const)
    assert.doesNotMatch(text, new RegExp(`^${systemFigures[name].metric} `, 'm'), name)
  assert.equal(existsSync(data), false)
  assert.doesNotMatch(text, /^caretaker_disk_free_ratio /m)
  await nowhere.end()
  await own.close()
})
