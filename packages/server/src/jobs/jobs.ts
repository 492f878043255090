import { setTimeout as sleep } from 'node:timers/promises'
import { SpanKind } from '@opentelemetry/api'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { Counter, Histogram } from 'prom-client'
import { figureText, isOverBound } from '@caretaker/rules/system/figures.ts'
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
import { settleUnwatched, turnCompliance } from '../features/compliance/standing.ts'
import { importWaiting, runImports } from '../features/imports/job.ts'
import { settleReasons } from '../features/conditions/reasons.ts'
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
import { countDueDays, settleHomes } from '../features/properties/settle.ts'
import { lookAtTags } from '../features/properties/tags.ts'
import { keepVoid } from '../features/void/keep.ts'
import { packPoints } from '../features/telemetry/pack.ts'
import { rollUpDays } from '../features/telemetry/days.ts'
import { packRollUps } from '../features/telemetry/roll-ups.ts'
import { eraseReadings } from '../features/telemetry/erase.ts'
import { forgetTelemetry } from '../features/telemetry/retention.ts'
import { forgetFiles } from '../files/retention.ts'
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
import type { RunsInHand } from './in-hand.ts'
import { lostRuns, runsInHand } from './in-hand.ts'
import { deliverWebhooks, releaseWebhooks } from '../webhooks/deliver.ts'
import { webhookWaiting } from '../projections/outbox.ts'
import { forgetWebhooks } from '../webhooks/retention.ts'
import { forgetSensorMessages } from '../connectors/retention.ts'
import { traced } from '../tracing/traced.ts'

export interface Job {
  name: string
  /** In UTC, to the minute. */
  cron: string
  /** Runs again half a minute after each time that `cron` names. */
  halfway?: boolean
  /** Runs once after a standstill during which it was due. */
  catchUp?: boolean
  /** Seconds after which a run counts as lost with its process, and the next may begin. */
  patience: number
  /** Seconds between two looks for work: what waiting costs while there is none. */
  poll: number
  /** The channel on which work is announced: it is looked for at once, not only by the clock. */
  wake?: string
  /** Work with times of its own, to the second: after each run the next one waits for the time when that is due. */
  punctual?: Work
  /** Several processes share the work; otherwise one run at a time. */
  shared?: boolean
  /** `stopping` is aborted when the process is about to end: a long run ends by itself then. */
  run(context: Context, stopping: AbortSignal): Promise<unknown>
  /** Makes due what processes had claimed that are gone; returns how many things. Without it nothing is claimed for longer than a run. */
  release?(context: Context, claimants: readonly number[]): Promise<number>
}

/**
 * Everything that happens by the clock. Each may be run at any time and any number of times. What it does stands in the
 * room that it belongs to, and where it goes tenant by tenant it goes only to those in which something is due.
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
    // By the minute for whatever was not heard; what is heard is looked at within a second (`startAlertWatch`).
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
    run: ({ db }) => allOf([() => endConditions(db), () => settleReasons(db)]),
  },
  {
    name: 'compliance',
    cron: '*/5 * * * *',
    catchUp: true,
    patience: 300,
    poll: 30,
    run: ({ db }) => allOf([() => turnCompliance(db), () => settleUnwatched(db)]),
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
    // Each tenant is due once an hour; one that is new within the minute.
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
    run: ({ db }) => allOf([() => lookAtTags(db), () => settleHomes(db), () => countDueDays(db)]),
  },
  {
    name: 'commands',
    cron: '* * * * *',
    patience: 120,
    poll: 10,
    run: ({ db }) => expireCommands(db),
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
    run: ({ owner }) => ensurePartitions(owner, new Date()),
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
  { name: 'changes', cron: '*/10 * * * *', patience: 300, poll: 60, run: ({ db }) => forgetChanges(db) },
  {
    name: 'tidy',
    cron: '25 * * * *',
    catchUp: true,
    patience: 900,
    poll: 60,
    // What is kept for a while only; what cannot be deleted keeps the rest from nothing.
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
  {
    name: 'telemetry-retention',
    cron: '40 3 * * *',
    catchUp: true,
    patience: 7200,
    poll: 60,
    run: (context) => forgetTelemetry(context),
  },
]

/** Does one after the other, all of them even when some fail; returns how many things in all. */
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

/** How a run is told that it is the second of its minute. */
interface Order {
  second?: boolean
}

/** Between two looks whether another has left something behind, in ms. */
const pause = 2000

export interface Jobs {
  /** Why this process does not run jobs just now; undefined where it does. */
  fault(): Promise<string | undefined>
  stop(): Promise<void>
}

/**
 * Runs the jobs until stopped, ordering what is due by the clock every `cronEvery` seconds. Any number of processes may do so: a run is an order in the database that one of them takes,
 * and no job runs twice at a time. What a process that was killed had in hand another begins anew within seconds. `stop` waits for
 * what is running.
 */
export async function startJobs(
  given: Context,
  wanted: readonly Job[] = jobs,
  { cronEvery = 30 }: { cronEvery?: number } = {},
): Promise<Jobs> {
  const inHand = runsInHand()
  const context = { ...given, claimant: inHand.claimant }
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
    // The queue compares the database's clock with its own, which does not follow the machine's.
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
    await inHand.leave()
    await bulletin?.stop()
  }
  const observe = observer(context)
  try {
    await oneAtATime(owner, () => boss.start())
    const employed = wanted.map(async (job): Promise<[string, Waker]> => {
      const order = await employ(boss, job, inHand, async () => {
        const done = await observe(job, () => job.run(context, stopping.signal))
        await alarms.set(job, order, done)
      })
      return [job.name, order]
    })
    const wakers = new Map(await Promise.all(employed))
    bulletin = await listen(context, wanted, wakers, inHand)
    looking = look(stopping.signal, async () => {
      await allOf([
        () => releaseClaims(context, wanted, inHand, wakers),
        () => takeOver(boss, context, inHand, wakers),
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
    // A process that has just started is given as long as any other to end its first one.
    const since = Math.min((await knownHere(context.metrics, 'lastJob')) ?? 0, (performance.now() - begun) / 1000)
    return isOverBound('lastJob', since) ? `no background job has ended for ${figureText('seconds', since)}` : undefined
  }
  return { stop, fault }
}

/** Seconds beyond the pause of a job after which looking for its work counts as stuck. */
const mostUnpolled = 60

/** For how many seconds the job that is worst off has not been looked for beyond its own pause; one that is running is not waited for. */
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
  log.warn("the database's clock was set back: what was due by it is done now")
  return 1
}

/** Orders a run of a job, now. */
type Waker = () => Promise<void>

/** The longest that a timer waits, in ms: by the minute the job runs anyway, in whichever process. */
const furthest = 60_000

/** Orders a run of a punctual job when its work is due. */
function openAlarms({ db, log }: Context) {
  const timers = new Map<string, NodeJS.Timeout>()
  let stopped = false
  const set = async (job: Job, order: Waker, done: unknown): Promise<void> => {
    if (!job.punctual) return
    const at = await nextDueAnywhere(db, job.punctual)
    clearTimeout(timers.get(job.name))
    const wait = at ? +at - Date.now() : Infinity
    // What is due and was not done by this run waits for the minute: it would fail again and again.
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

/** Looks for work as soon as it is announced, and for what was announced while nobody listened. */
function listen(
  { owner, log }: Context,
  wanted: readonly Job[],
  wakers: Map<string, Waker>,
  inHand: RunsInHand,
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
    onNews: (_, channel) => void wake(channel),
    onOpen: async (client) => {
      await inHand.onOpen(client)
      await Promise.all([...channels.keys()].map(wake))
    },
    onLost: inHand.onLost,
  })
}

/** One look after the other, however long one takes. */
async function look(stopping: AbortSignal, once: () => Promise<void>): Promise<void> {
  for (;;) {
    await sleep(pause, undefined, { signal: stopping }).catch(() => {})
    if (stopping.aborted) return
    await once()
  }
}

/** Begins anew what a process had in hand that is gone: each job may be run again at any time. */
async function takeOver(
  boss: PgBoss,
  { owner, log }: Context,
  inHand: RunsInHand,
  wakers: Map<string, Waker>,
): Promise<number> {
  const lost = await lostRuns(owner, inHand)
  for (const { id, name } of lost) {
    const order = wakers.get(name)
    if (!order) continue
    log.warn({ job: name }, 'a run lost its process and begins anew')
    await boss.cancel(name, id)
    await order()
  }
  return lost.length
}

/** Has done at once what a process had claimed that is gone: a mail, a message, a report. */
async function releaseClaims(
  context: Context,
  wanted: readonly Job[],
  inHand: RunsInHand,
  wakers: Map<string, Waker>,
): Promise<number> {
  const { owner, log } = context
  const gone = await inHand.gone(owner)
  if (!gone.length) return 0
  const released = await allOf(
    wanted.map(({ name, release }) => async () => {
      const many = (await release?.(context, gone)) ?? 0
      if (!many) return 0
      log.warn({ job: name, many }, 'what a process had claimed that is gone is done now')
      await wakers.get(name)?.()
      return many
    }),
  )
  // The times that their timers waited for are waited for here.
  for (const { name, punctual } of wanted) if (punctual) await wakers.get(name)?.()
  await inHand.forget(owner, gone)
  return released
}

/** Several processes may start at once on a new database, and the queue's own installation is not made for that. */
async function oneAtATime(owner: pg.Pool, work: () => Promise<unknown>): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('select pg_advisory_lock(4712)')
    await work()
    await client.query('select pg_advisory_unlock(4712)')
    client.release()
  } catch (error) {
    // The lock goes with the connection.
    client.release(true)
    throw error
  }
}

/** Takes orders for a job; gives what orders a run now. */
async function employ(boss: PgBoss, job: Job, inHand: RunsInHand, run: () => Promise<unknown>): Promise<Waker> {
  const options = {
    expireInSeconds: job.patience,
    // A run by the minute is not worth another try: the next one comes. One by the day is.
    retryLimit: job.catchUp ? 3 : 0,
    retryDelay: 300,
    // A run that found nobody to do it for so long is not worth doing any more.
    retentionSeconds: job.catchUp ? 86_400 : 300,
    deleteAfterSeconds: 86_400,
  }
  // One run at a time, whatever waits; of shared work one order waits, whatever runs.
  await boss.createQueue(job.name, { ...options, policy: job.shared ? 'short' : 'singleton' })
  await boss.updateQueue(job.name, options)
  const worker = await boss.work<Order>(job.name, { pollingIntervalSeconds: job.poll }, async ([order]) => {
    if (job.halfway && !order?.data?.second) await boss.sendAfter(job.name, { second: true }, null, 30)
    await inHand.hold(order!.id, async () => void (await run()))
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
