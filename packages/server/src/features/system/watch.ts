import { statfs } from 'node:fs/promises'
import { Gauge } from 'prom-client'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { parts as allParts } from '../../config.ts'
import type { Context } from '../../context.ts'
import { version } from '../../version.ts'
import { lastSeen } from './processes.ts'

type Needs = Pick<Context, 'config' | 'owner' | 'metrics'>

/** Minimum time between queries for figures, in ms, however many requests there are. */
const fresh = 5000
/** The size is counted file by file, and changes slowly. */
const sizeFresh = 60_000
/** In ms; a database that takes longer counts as unavailable. */
const patience = 3000

/**
 * Registers the figures of the whole installation, each read when /metrics is requested: pending work in the
 * database, and the disk. Unknown ones are left out. Figures of a process, such as its messages, are registered where
 * they arise.
 */
export function watchSystem({ config, owner, metrics }: Needs): void {
  const asked = remembered(fresh, () => inDatabase(owner))
  const size = remembered(sizeFresh, () => databaseSize(owner))
  const seen = remembered(fresh, () => lastSeen(owner, patience))
  const disk = remembered(fresh, () => diskOf(config.dataDir))

  const show = (name: string, help: string, look: () => Promise<number | undefined>) => {
    metrics.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        async collect() {
          const value = await look()
          if (value === undefined) this.remove()
          else this.set(value)
        },
      }),
    )
  }
  const figure = (name: SystemFigure, look: () => Promise<number | undefined>) =>
    show(systemFigures[name].metric, systemFigures[name].meaning, look)

  figure('database', async () => ((await asked()) ? 1 : 0))
  figure('lastJob', async () => (await asked())?.last_job ?? undefined)
  figure('failedJobs', async () => (await asked())?.failed_jobs ?? undefined)
  figure('mails', async () => (await asked())?.mails)
  figure('lateMails', async () => (await asked())?.late_mails)
  figure('mailTries', async () => (await asked())?.mail_tries)
  figure('databaseSize', size)
  figure('diskFree', async () => {
    const found = await disk()
    return found && found.free / found.size
  })
  show(
    'caretaker_disk_free_bytes',
    'Free and total space of the disk with the data folder.',
    async () => (await disk())?.free,
  )
  metrics.registerMetric(
    new Gauge({
      name: systemFigures.apiSeen.metric,
      help: 'Seconds since a process last did the work of a part.',
      labelNames: ['part'],
      registers: [],
      async collect() {
        const known = await seen()
        this.reset()
        // A part never seen has been absent for at least as long as this process runs.
        if (known) for (const part of allParts) this.set({ part }, known.get(part) ?? performance.now() / 1000)
      },
    }),
  )
  metrics.registerMetric(
    new Gauge({
      name: 'caretaker_build_info',
      help: 'Always 1; the label contains the version.',
      labelNames: ['version'],
      registers: [],
      collect() {
        this.set({ version }, 1)
      },
    }),
  )
}

interface InDatabase {
  mails: number
  late_mails: number
  mail_tries: number
  last_job: number | null
  failed_jobs: number | null
}

/** Undefined while the database does not answer. */
async function inDatabase(owner: Needs['owner']): Promise<InDatabase | undefined> {
  // The worker's queue creates its own schema at its first start.
  const queue = await asks<{ there: boolean }>(owner, `select to_regclass('pgboss.job') is not null as there`)
  if (!queue) return undefined
  const jobs = queue.there
    ? `(select extract(epoch from now() - max(completed_on))::float8 from pgboss.job where state = 'completed') as last_job,
       (select count(*)::int from pgboss.job
          where state = 'retry' or (state = 'failed' and completed_on > now() - interval '1 hour')) as failed_jobs`
    : `null::float8 as last_job, null::int as failed_jobs`
  return asks<InDatabase>(
    owner,
    `select count(*)::int as mails,
       coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8 as late_mails,
       coalesce(max(attempts), 0)::int as mail_tries, ${jobs} from mail_outbox`,
  )
}

async function databaseSize(owner: Needs['owner']): Promise<number | undefined> {
  return (await asks<{ size: number }>(owner, 'select pg_database_size(current_database()) as size'))?.size
}

/** The only row of a query; undefined if it is not answered in time. */
async function asks<Row extends object>(owner: Needs['owner'], text: string): Promise<Row | undefined> {
  const question = { text, query_timeout: patience }
  return owner.query<Row>(question).then(
    ({ rows }) => rows[0],
    () => undefined,
  )
}

/** The disk of a folder; undefined while the folder does not exist. */
async function diskOf(folder: string): Promise<{ free: number; size: number } | undefined> {
  return statfs(folder).then(
    ({ bavail, blocks, bsize }) => ({ free: bavail * bsize, size: blocks * bsize }),
    () => undefined,
  )
}

/** Caches a result for a time, and shares a running call among its callers. */
function remembered<T>(ms: number, look: () => Promise<T>): () => Promise<T> {
  let last: { at: number; found: Promise<T> } | undefined
  return () => {
    const now = performance.now()
    if (!last || now - last.at > ms) last = { at: now, found: look() }
    return last.found
  }
}
