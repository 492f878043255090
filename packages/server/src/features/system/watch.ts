import { X509Certificate } from 'node:crypto'
import { readFile, statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import { Gauge } from 'prom-client'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { storedBackupRecord } from '../../backup/record.ts'
import { parts as allParts } from '../../config.ts'
import type { Context } from '../../context.ts'
import { folderIn } from '../../files/store.ts'
import type { Db } from '../../postgres/pool.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { version } from '../../version.ts'
import { lastSeen } from './processes.ts'

type Needs = Pick<Context, 'config' | 'db' | 'owner' | 'metrics'>

/** Minimum time between queries for figures, in ms, however many requests there are. */
const fresh = 5000
/** The size is counted file by file, and changes slowly. */
const sizeFresh = 60_000
/** Summed over all clients. */
const filesFresh = 600_000
/** In ms; a database that takes longer counts as unavailable. */
const patience = 3000

/**
 * Registers the figures of the whole installation, each read when /metrics is requested: pending work in the
 * database, and the disk. Unknown ones are left out. Figures of a process, such as its messages, are registered where
 * they arise.
 */
export function watchSystem({ config, db, owner, metrics }: Needs): void {
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
  const files = remembered(filesFresh, () => filesSize(db))
  show('caretaker_files_bytes', 'Size of all uploaded files.', async () => ((await asked()) ? files() : undefined))
  show('caretaker_files_free_bytes', 'Free space of the disk with the folder of uploaded files.', async () =>
    config.filesUrl ? undefined : (await diskOf(folderIn(config.dataDir)))?.free,
  )
  show(
    'caretaker_oldest_webhook_due_seconds',
    'How long the oldest webhook message has been due.',
    async () => (await asked())?.late_webhooks,
  )
  const backups = remembered(sizeFresh, () => storedBackupRecord(owner, patience).catch(() => undefined))
  show('caretaker_backup_timestamp_seconds', 'Unix time of the last backup of everything.', async () =>
    secondsOf((await backups())?.madeAt),
  )
  show('caretaker_backup_size_bytes', 'Size of the last backup of everything.', async () => (await backups())?.bytes)
  show('caretaker_backup_verified_timestamp_seconds', 'Unix time of the last trial restore that succeeded.', async () =>
    secondsOf((await backups())?.verifiedAt),
  )
  show(
    'caretaker_backup_missing_files',
    'Files that the last backup of everything lacks, because they are missing in the file store.',
    async () => (await backups())?.missing,
  )
  show('caretaker_backup_verification_failed', 'Whether the last trial restore failed.', async () => {
    const record = await backups()
    return record?.fault === undefined ? undefined : Number(record.fault !== null)
  })
  const certificate = config.mqtt.tls?.cert
  show(
    'caretaker_certificate_expiry_timestamp_seconds',
    'Unix time at which the certificate of the embedded broker expires.',
    remembered(sizeFresh, async () => (certificate === undefined ? undefined : expiryOf(certificate))),
  )
  show('caretaker_outbound_enabled', 'Whether messages leave the installation (CARETAKER_OUTBOUND).', async () =>
    Number(config.outbound),
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
  late_webhooks: number
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
       coalesce(max(attempts), 0)::int as mail_tries,
       (select coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8
          from due where work = 'deliver webhooks') as late_webhooks, ${jobs} from mail_outbox`,
  )
}

/** Row-level security limits a statement to one client: their sizes are added. */
async function filesSize(db: Db): Promise<number | undefined> {
  try {
    let size = 0
    for (const { id } of await db.selectFrom('tenant').select('id').execute())
      size += await inTenant(db, id, async (tx) => {
        const { total } = await tx
          .selectFrom('file')
          .select(sql<number>`coalesce(sum(size), 0)::float8`.as('total'))
          .where('tenant_id', '=', tx.tenant)
          .executeTakeFirstOrThrow()
        return total
      })
    return size
  } catch {
    return undefined
  }
}

const secondsOf = (instant: string | undefined) => (instant === undefined ? undefined : Date.parse(instant) / 1000)

/** When a certificate (PEM) expires, in seconds since 1970; undefined if it cannot be read. */
async function expiryOf(file: string): Promise<number | undefined> {
  try {
    return new X509Certificate(await readFile(file)).validToDate.getTime() / 1000
  } catch {
    return undefined
  }
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
