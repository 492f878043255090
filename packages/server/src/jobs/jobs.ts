import { setTimeout as sleep } from 'node:timers/promises'
import { SpanKind } from '@opentelemetry/api'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { Counter, Histogram } from 'prom-client'
import { figureText, isOverBound } from '@caretaker/rules/system/figures.ts'
import { forgetReads } from '../audit/reads-retention.ts'
import { forgetAudit } from '../audit/retention.ts'
import { openFeed } from '../changes/feed.ts'
import { forgetChanges } from '../changes/forget.ts'
import type { Context } from '../context.ts'
import { watchDue } from '../features/alerts/watch.ts'
import { forgetAlerts } from '../features/alerts/retention.ts'
import { doBulkActions } from '../features/actions/job.ts'
import { forgetBulkActions } from '../bulk/retention.ts'
import { bulkActionWaiting } from '../bulk/store.ts'
import { forgetDrafts } from '../features/compliance/drafts.ts'
import { recomputeUnmonitored, turnCompliance } from '../features/compliance/compliance-states.ts'
import { importWaiting, runImports } from '../features/imports/job.ts'
import { rewriteReasons } from '../features/conditions/reasons.ts'
import { endConditions } from '../features/conditions/store.ts'
import { expireCommands } from '../features/commands/store.ts'
import { assessDamp } from '../features/damp/assess.ts'
import { sweepConnections } from '../features/devices/ingest.ts'
import { watchCharge } from '../features/lighting/charge.ts'
import { judgeStoredTests } from '../features/lighting/judge-stored.ts'
import { watchLights } from '../features/lighting/watch.ts'
import { runTests } from '../features/lighting/engine.ts'
import { forgetEvents } from '../features/devices/retention.ts'
import { forgetMessages } from '../features/messages/retention.ts'
import { forgetClientErrors } from '../features/session/store.ts'
import { planTests } from '../features/groups/plan.ts'
import { releaseReports, writeReports } from '../features/reports/job.ts'
import { reportWaiting } from '../features/reports/store.ts'
import { knownHere } from '../features/system/processes.ts'
import { exportTenants, releaseExports } from '../features/tenants/export/job.ts'
import { exportWaiting } from '../features/tenants/export/store.ts'
import { checkDomains } from '../features/single-sign-on/check-domains.ts'
import { countDueDays, refreshHomeStatuses } from '../features/properties/refresh-statuses.ts'
import { lookAtTags } from '../features/properties/tags.ts'
import { keepVoid } from '../features/void/keep.ts'
import { packPoints } from '../features/telemetry/pack.ts'
import { rollUpDays } from '../features/telemetry/days.ts'
import { packRollUps } from '../features/telemetry/roll-ups.ts'
import { eraseReadings } from '../features/telemetry/erase.ts'
import { forgetTelemetry } from '../features/telemetry/retention.ts'
import { forgetFiles } from '../files/retention.ts'
import { endExpiredViews } from '../features/people/viewing-ends.ts'
import { forgetIdempotencyKeys } from '../idempotency/retention.ts'
import { forgetSignIns } from '../idp/retention.ts'
import { deliverMails, releaseMails } from '../mail/deliver.ts'
import { forgetMails } from '../mail/retention.ts'
import { forgetBadMessages } from '../mqtt/retention.ts'
import type { Bulletin } from '../postgres/bulletin.ts'
import { openBulletin } from '../postgres/bulletin.ts'
import { nextDueAnywhere } from '../postgres/due.ts'
import { ensurePartitions } from '../postgres/partitions.ts'
import type { Work } from '../postgres/work.ts'
import { forgetThrottles } from '../postgres/throttle.ts'
import { databaseClock, followDatabaseClock, steadyClock, wasClockSet } from './clock.ts'
import type { RunLeases } from './run-leases.ts'
import { lostRuns, openRunLeases } from './run-leases.ts'
import { deliverWebhooks, releaseWebhooks } from '../webhooks/deliver.ts'
import { webhookWaiting } from '../projections/outbox.ts'
import { forgetWebhooks } from '../webhooks/retention.ts'
import { forgetSensorMessages } from '../connectors/retention.ts'
import { storeWaitingMessages } from '../connectors/waiting.ts'
import { traced } from '../tracing/traced.ts'

export interface Job {
  name: string
  /** In UTC, with minute resolution. */
  cron: string
  /** Runs again half a minute after each time of `cron`. */
  halfway?: boolean
  /** Runs once after a downtime during which it was due. */
  catchUp?: boolean
  /** After this many seconds a run counts as lost with its process, and the next may start. */
  patience: number
  /** Polling interval in seconds. */
  poll: number
  /** The channel on which work is announced: it triggers a run immediately. */
  wake?: string
  /** Work with due times to the second: after each run, the next one is scheduled for the next due time. */
  punctual?: Work
  /** Several processes may run it at once; otherwise only one does. */
  shared?: boolean
  /** `stopping` is aborted when the process is about to end: a long run must then finish early. */
  run(context: Context, stopping: AbortSignal): Promise<unknown>
  /** Makes claims of dead processes due; returns how many. Jobs without it claim nothing beyond a run. */
  release?(context: Context, claimants: readonly number[]): Promise<number>
}

/**
 * All scheduled work. Each job may be run at any time and repeatedly. The work itself is in the module that it
 * belongs to; work done per tenant only visits tenants in which it is due.
 */
export const jobs: readonly Job[] = [
  {
    name: 'connections',
    cron: '* * * * *',
    halfway: true,
    patience: 120,
    poll: 5,
    run: ({ db }) => sweepConnections(db),
  },
  {
    name: 'alerts',
    // Every minute, for missed notifications; received ones are handled within a second (`startAlertWatch`).
    cron: '* * * * *',
    patience: 300,
    poll: 15,
    run: (context) => watchDue(context, openFeed()),
  },
  {
    name: 'charge',
    cron: '*/5 * * * *',
    catchUp: true,
    patience: 300,
    poll: 60,
    run: ({ db }) => watchCharge(db),
  },
  {
    name: 'lights',
    cron: '*/5 * * * *',
    catchUp: true,
    patience: 600,
    poll: 60,
    run: ({ db }) => watchLights(db),
  },
  {
    name: 'stored-tests',
    cron: '*/5 * * * *',
    catchUp: true,
    patience: 3600,
    poll: 60,
    run: ({ db }) => judgeStoredTests(db),
  },
  {
    name: 'conditions',
    cron: '* * * * *',
    catchUp: true,
    patience: 120,
    poll: 15,
    run: ({ db }) => allOf([() => endConditions(db), () => rewriteReasons(db)]),
  },
  {
    name: 'compliance',
    cron: '*/5 * * * *',
    catchUp: true,
    patience: 300,
    poll: 30,
    run: ({ db }) => allOf([() => turnCompliance(db), () => recomputeUnmonitored(db)]),
  },
  {
    name: 'test-plans',
    cron: '20 * * * *',
    catchUp: true,
    patience: 900,
    poll: 60,
    run: ({ db }) => planTests(db),
  },
  {
    name: 'tests',
    cron: '* * * * *',
    halfway: true,
    catchUp: true,
    patience: 300,
    poll: 5,
    run: ({ db }) => runTests(db),
  },
  {
    name: 'void-mode',
    cron: '* * * * *',
    catchUp: true,
    patience: 300,
    poll: 5,
    run: ({ db }) => keepVoid(db),
  },
  {
    name: 'damp',
    // Each tenant is due once an hour; a new one within the minute.
    cron: '* * * * *',
    catchUp: true,
    patience: 3600,
    poll: 30,
    run: ({ db }) => assessDamp(db),
  },
  {
    name: 'homes',
    cron: '* * * * *',
    halfway: true,
    patience: 300,
    poll: 15,
    run: ({ db }) => allOf([() => lookAtTags(db), () => refreshHomeStatuses(db), () => countDueDays(db)]),
  },
  {
    name: 'commands',
    cron: '* * * * *',
    patience: 120,
    poll: 10,
    run: ({ db }) => allOf([() => expireCommands(db), () => storeWaitingMessages(db)]),
  },
  {
    name: 'mails',
    cron: '* * * * *',
    halfway: true,
    patience: 300,
    poll: 5,
    run: async (context, stopping) => deliverMails(context, stopping, await databaseClock(context.owner)),
    release: releaseMails,
  },
  {
    name: 'partitions',
    cron: '10 2 * * *',
    catchUp: true,
    patience: 600,
    poll: 60,
    run: ({ owner }) => allOf([() => ensurePartitions(owner, new Date()).then(() => 0), () => forgetReads({ owner })]),
  },
  {
    name: 'bulk-actions',
    cron: '* * * * *',
    wake: bulkActionWaiting,
    shared: true,
    patience: 3600,
    poll: 10,
    run: doBulkActions,
  },
  { name: 'imports', cron: '* * * * *', wake: importWaiting, patience: 3600, poll: 10, run: runImports },
  {
    name: 'reports',
    cron: '* * * * *',
    catchUp: true,
    wake: reportWaiting,
    shared: true,
    patience: 3600,
    poll: 10,
    run: async (context, stopping) => writeReports(context, stopping, await databaseClock(context.owner)),
    release: releaseReports,
  },
  {
    name: 'tenant-exports',
    cron: '* * * * *',
    wake: exportWaiting,
    shared: true,
    patience: 3600,
    poll: 10,
    run: async (context, stopping) => exportTenants(context, stopping, await databaseClock(context.owner)),
    release: releaseExports,
  },
  {
    name: 'webhooks',
    cron: '* * * * *',
    wake: webhookWaiting,
    punctual: 'deliver webhooks',
    shared: true,
    patience: 3600,
    poll: 5,
    run: deliverWebhooks,
    release: releaseWebhooks,
  },
  { name: 'erasure', cron: '* * * * *', patience: 900, poll: 15, run: ({ db }) => eraseReadings(db) },
  {
    name: 'changes',
    cron: '*/10 * * * *',
    patience: 300,
    poll: 60,
    run: ({ db }) => allOf([() => forgetChanges(db), () => forgetIdempotencyKeys(db), () => endExpiredViews(db)]),
  },
  {
    name: 'tidy',
    cron: '25 * * * *',
    catchUp: true,
    patience: 900,
    poll: 60,
    // Deletes expired data; a failure in one part does not stop the others.
    run: ({ config, db, owner, idp }) =>
      allOf([
        () => forgetBadMessages(db),
        () => forgetMessages(db),
        () => forgetEvents({ config, db }),
        () => forgetAlerts(db),
        () => forgetAudit({ config, owner }),
        () => forgetDrafts(db),
        () => forgetMails(db),
        () => forgetWebhooks(db),
        () => forgetSensorMessages(db),
        () => forgetBulkActions(db),
        () => forgetClientErrors(owner),
        () => forgetSignIns(idp),
        () => forgetThrottles(db),
      ]),
  },
  { name: 'points', cron: '25 1 * * *', catchUp: true, patience: 7200, poll: 60, run: ({ db }) => packPoints(db) },
  { name: 'days', cron: '55 2 * * *', catchUp: true, patience: 7200, poll: 60, run: ({ db }) => rollUpDays(db) },
  { name: 'roll-ups', cron: '25 4 * * *', catchUp: true, patience: 7200, poll: 60, run: ({ db }) => packRollUps(db) },
  {
    name: 'files',
    cron: '35 * * * *',
    catchUp: true,
    patience: 900,
    poll: 60,
    run: (context) => forgetFiles(context),
  },
  // Each verified domain is due once a day, or after an hour if its name servers did not respond.
  {
    name: 'domains',
    cron: '50 * * * *',
    catchUp: true,
    patience: 3600,
    poll: 60,
    run: (context) => checkDomains(context),
  },
  {
    name: 'telemetry-retention',
    cron: '40 3 * * *',
    catchUp: true,
    patience: 7200,
    poll: 60,
    run: (context) => forgetTelemetry(context),
  },
]

/** Runs all parts in order even if some fail; returns the total count. */
async function allOf(parts: readonly (() => Promise<number>)[]): Promise<number> {
  let done = 0
  const failures: unknown[] = []
  for (const part of parts)
    try {
      done += await part()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length) throw new AggregateError(failures, 'some of it failed')
  return done
}

/** Marks a run as the second of its minute. */
interface Order {
  second?: boolean
}

/** The interval between checks for dead processes, in ms. */
const pause = 2000

export interface Jobs {
  /** Why this process does not run jobs at the moment; undefined if it does. */
  fault(): Promise<string | undefined>
  stop(): Promise<void>
}

/**
 * Runs the jobs until stopped, scheduling due ones every `cronEvery` seconds. Any number of processes may do so: a
 * run is an entry in the database that one of them takes, and no job runs twice at a time. Runs of a killed process
 * are restarted by another within seconds. `stop` waits for running jobs.
 */
export async function startJobs(
  given: Context,
  wanted: readonly Job[] = jobs,
  { cronEvery = 30 }: { cronEvery?: number } = {},
): Promise<Jobs> {
  const leases = openRunLeases()
  const context = { ...given, claimant: leases.claimant }
  const { owner, log } = context
  await ensurePartitions(owner, new Date())
  const boss = new PgBoss({
    schema: 'pgboss',
    db: { executeSql: (text, values) => owner.query(text, values) },
    application_name: 'caretaker-jobs',
    persistWarnings: false,
    clock: steadyClock,
    cronMonitorIntervalSeconds: cronEvery,
  })
  boss.on('error', (error) => log.error({ err: error }, 'jobs'))
  boss.on('warning', (warning) => {
    // The queue compares the database clock with its own, which does not follow the system clock.
    if (!(warning.message.includes('Clock skew') && wasClockSet())) log.warn({ warning }, 'jobs')
  })
  const stopping = new AbortController()
  const alarms = openAlarms(context)
  let bulletin: Bulletin | undefined
  let looking: Promise<void> | undefined
  const stop = async () => {
    stopping.abort()
    alarms.stop()
    await looking
    await boss.stop({ graceful: true, timeout: 10_000, close: false })
    await leases.leave()
    await bulletin?.stop()
  }
  const observe = observer(context)
  try {
    await oneAtATime(owner, () => boss.start())
    const employed = wanted.map(async (job): Promise<[string, Waker]> => {
      const order = await employ(boss, job, leases, async () => {
        const done = await observe(job, () => job.run(context, stopping.signal))
        await alarms.set(job, order, done)
      })
      return [job.name, order]
    })
    const wakers = new Map(await Promise.all(employed))
    bulletin = await listen(context, wanted, wakers, leases)
    looking = look(stopping.signal, async () => {
      await allOf([
        () => releaseClaims(context, wanted, leases, wakers),
        () => takeOver(boss, context, leases, wakers),
        () => followClock(context),
      ]).catch((error: unknown) => log.error({ err: error }, 'jobs'))
    })
  } catch (error) {
    await stop()
    throw error
  }
  const begun = performance.now()
  const fault = async () => {
    const late = longestUnpolled(boss, wanted)
    if (late > mostUnpolled) return `no work was looked for in ${Math.round(late)} seconds`
    // A new process has as much time as any other to finish its first job.
    const since = Math.min((await knownHere(context.metrics, 'lastJob')) ?? 0, (performance.now() - begun) / 1000)
    return isOverBound('lastJob', since) ? `no background job has ended for ${figureText('seconds', since)}` : undefined
  }
  return { stop, fault }
}

/** Polling counts as stuck this many seconds after a job's interval. */
const mostUnpolled = 60

/** The longest time, in seconds, for which a job has not been polled beyond its interval; running jobs do not count. */
function longestUnpolled(boss: PgBoss, wanted: readonly Job[]): number {
  const now = steadyClock.now()
  const pauses = new Map(wanted.map(({ name, poll }) => [name, poll]))
  const late = boss
    .getWipData()
    .filter(({ count }) => count === 0)
    .map(({ name, createdOn, lastFetchedOn, lastJobEndedOn }) => {
      const last = Math.max(createdOn, lastFetchedOn ?? 0, lastJobEndedOn ?? 0)
      return (now - last) / 1000 - pauses.get(name)!
    })
  return Math.max(0, ...late)
}

async function followClock({ owner, log }: Context): Promise<number> {
  if (!(await followDatabaseClock(owner))) return 0
  log.warn('the database clock was set back: work due by it runs now')
  return 1
}

/** Schedules a run of a job now. */
type Waker = () => Promise<void>

/** The maximum wait of a timer, in ms: every minute the job runs anyway, in some process. */
const furthest = 60_000

/** Schedules a run of a punctual job when its work is due. */
function openAlarms({ db, log }: Context) {
  const timers = new Map<string, NodeJS.Timeout>()
  let stopped = false
  const set = async (job: Job, order: Waker, done: unknown): Promise<void> => {
    if (!job.punctual) return
    const at = await nextDueAnywhere(db, job.punctual)
    clearTimeout(timers.get(job.name))
    const wait = at ? +at - Date.now() : Infinity
    // Due work that this run did not complete waits for the next minute: otherwise it would fail over and over.
    if (stopped || wait > furthest || (wait <= 0 && !done)) return
    const ring = () => void order().catch((error: unknown) => log.error({ err: error, job: job.name }, 'jobs'))
    timers.set(job.name, setTimeout(ring, Math.max(0, wait) + 20).unref())
  }
  const stop = () => {
    stopped = true
    for (const timer of timers.values()) clearTimeout(timer)
  }
  return { set, stop }
}

/** Runs jobs as soon as work is announced, and after a reconnect for announcements that were missed. */
function listen(
  { owner, log }: Context,
  wanted: readonly Job[],
  wakers: Map<string, Waker>,
  leases: RunLeases,
): Promise<Bulletin> {
  const channels = new Map(wanted.flatMap(({ name, wake }) => (wake ? [[wake, wakers.get(name)!] as const] : [])))
  const wake = async (channel: string) => {
    try {
      await channels.get(channel)?.()
    } catch (error) {
      log.error({ err: error, channel }, 'jobs')
    }
  }
  return openBulletin({
    pool: owner,
    name: 'caretaker-jobs',
    channels: [...channels.keys()],
    onNotification: (_, channel) => void wake(channel),
    onOpen: async (client) => {
      await leases.onOpen(client)
      await Promise.all([...channels.keys()].map(wake))
    },
    onLost: leases.onLost,
  })
}

/** One check at a time, however long it takes. */
async function look(stopping: AbortSignal, once: () => Promise<void>): Promise<void> {
  for (;;) {
    await sleep(pause, undefined, { signal: stopping }).catch(() => {})
    if (stopping.aborted) return
    await once()
  }
}

/** Restarts the runs of dead processes: each job may be repeated at any time. */
async function takeOver(
  boss: PgBoss,
  { owner, log }: Context,
  leases: RunLeases,
  wakers: Map<string, Waker>,
): Promise<number> {
  const lost = await lostRuns(owner, leases)
  for (const { id, name } of lost) {
    const order = wakers.get(name)
    if (!order) continue
    log.warn({ job: name }, 'a run lost its process and is restarted')
    await boss.cancel(name, id)
    await order()
  }
  return lost.length
}

/** Releases what dead processes had claimed: e-mails, messages, reports. */
async function releaseClaims(
  context: Context,
  wanted: readonly Job[],
  leases: RunLeases,
  wakers: Map<string, Waker>,
): Promise<number> {
  const { owner, log } = context
  const gone = await leases.gone(owner)
  if (!gone.length) return 0
  const released = await allOf(
    wanted.map(({ name, release }) => async () => {
      const many = (await release?.(context, gone)) ?? 0
      if (!many) return 0
      log.warn({ job: name, many }, 'claims of a dead process are released')
      await wakers.get(name)?.()
      return many
    }),
  )
  // Schedules the runs that their timers were waiting for.
  for (const { name, punctual } of wanted) if (punctual) await wakers.get(name)?.()
  await leases.forget(owner, gone)
  return released
}

/** Several processes may start at once on a new database, and the queue's own installation does not support that. */
async function oneAtATime(owner: pg.Pool, work: () => Promise<unknown>): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('select pg_advisory_lock(4712)')
    await work()
    await client.query('select pg_advisory_unlock(4712)')
    client.release()
  } catch (error) {
    // The lock ends with the connection.
    client.release(true)
    throw error
  }
}

/** Accepts scheduled runs of a job; returns the function that schedules one now. */
async function employ(boss: PgBoss, job: Job, leases: RunLeases, run: () => Promise<unknown>): Promise<Waker> {
  const options = {
    expireInSeconds: job.patience,
    // A job that runs every minute is not retried, because the next run follows. A daily one is.
    retryLimit: job.catchUp ? 3 : 0,
    retryDelay: 300,
    // A scheduled run that no process took for this long is dropped.
    retentionSeconds: job.catchUp ? 86_400 : 300,
    deleteAfterSeconds: 86_400,
  }
  // One run at a time, however many are scheduled; for shared jobs one run is queued, however many are active.
  await boss.createQueue(job.name, { ...options, policy: job.shared ? 'short' : 'singleton' })
  await boss.updateQueue(job.name, options)
  const worker = await boss.work<Order>(job.name, { pollingIntervalSeconds: job.poll }, async ([order]) => {
    if (job.halfway && !order?.data?.second) await boss.sendAfter(job.name, { second: true }, null, 30)
    await leases.hold(order!.id, async () => void (await run()))
  })
  await boss.schedule(job.name, job.cron, null, { missed: job.catchUp ? 'once' : 'skip' })
  return async () => {
    await boss.send(job.name)
    boss.notifyWorker(worker)
  }
}

function observer({ log, metrics }: Context) {
  const seconds = new Histogram({
    name: 'caretaker_job_seconds',
    help: 'Duration of background jobs.',
    labelNames: ['job'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers: [metrics],
  })
  const failures = new Counter({
    name: 'caretaker_job_failures_total',
    help: 'Background jobs that failed.',
    labelNames: ['job'],
    registers: [metrics],
  })
  return async (job: Job, run: () => Promise<unknown>): Promise<unknown> => {
    const end = seconds.startTimer({ job: job.name })
    try {
      const result = await traced(`job ${job.name}`, SpanKind.INTERNAL, { 'caretaker.job': job.name }, run)
      log.debug({ job: job.name, result }, 'job done')
      return result
    } catch (error) {
      failures.inc({ job: job.name })
      log.error({ err: error, job: job.name }, 'job failed')
      throw error
    } finally {
      end()
    }
  }
}
