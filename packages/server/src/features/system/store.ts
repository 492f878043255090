import type pg from 'pg'
import type { SystemStatus } from '@caretaker/contract/system.ts'

interface Row {
  name: string
  ended: Date | null
  seconds: number | null
  done: number
  failed: number
}

/** The job runs of the last day, from the worker's queue; empty before a worker has ever started. */
export async function jobRuns(owner: pg.Pool): Promise<SystemStatus['jobs']> {
  const { rows: queue } = await owner.query(`select where to_regclass('pgboss.job') is not null`)
  if (!queue.length) return []
  const { rows } = await owner.query<Row>(
    // Names with two underscores belong to the queue itself.
    `select name, max(completed_on) as ended,
       (array_agg(extract(epoch from completed_on - started_on)::float8 order by completed_on desc)
         filter (where state = 'completed'))[1] as seconds,
       (count(*) filter (where state = 'completed'))::int as done,
       (count(*) filter (where state = 'failed' or state = 'retry'))::int as failed
     from pgboss.job where name not like '\\_\\_%' and (completed_on > now() - interval '1 day' or state = 'retry')
     group by name order by name`,
  )
  return rows.map(({ ended, ...row }) => ({ ...row, lastEndedAt: ended?.toISOString() ?? null }))
}
