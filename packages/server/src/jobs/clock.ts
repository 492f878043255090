import type pg from 'pg'
import type { Clock } from 'pg-boss'
import { systemClock } from 'pg-boss'
import { makeFutureCommandsDue } from '../features/commands/store.ts'
import { makeFutureMailsDue } from '../mail/deliver.ts'
import { makeFutureWorkDue } from '../postgres/due.ts'

/** The system time at the start of the process, advancing steadily whatever the clock is set to. In ms since 1970. */
const steadyNow = (): number => performance.timeOrigin + performance.now()

/** The clock for the queue's pauses. With the system clock, it would sleep for as long as that clock was set back. */
export const steadyClock: Clock = { ...systemClock, now: steadyNow }

/** Whether the system clock was set by more than a minute since the process started. */
export const wasClockSet = (): boolean => Math.abs(Date.now() - steadyNow()) > 60_000

/** The database's time from now on: processes compare claims by it, however far the clocks of their machines differ. */
export async function databaseClock(owner: pg.Pool): Promise<() => Date> {
  const { rows } = await owner.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  )
  const ahead = rows[0]!.ms - performance.now()
  return () => new Date(ahead + performance.now())
}

/** The database clock counts as set back if it is this many seconds behind the times it has written. */
const noticed = 5

/**
 * Checks whether the database clock was set back. If so, resets future times that would block work until the clock
 * reaches them: the queue's last maintenance and cron runs, and due work. All of that may be repeated at any time.
 * Claims of live processes are not changed. Returns whether the clock was set back.
 */
export async function followDatabaseClock(owner: pg.Pool): Promise<boolean> {
  // Every process runs this every few seconds: it reads one row.
  const { rowCount } = await owner.query(
    'select from pgboss.version where cron_on > now() + make_interval(secs => $1)',
    [noticed],
  )
  if (!rowCount) return false
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query(
      `update pgboss.version set cron_on = least(cron_on, now()), bam_on = least(bam_on, now()),
         flow_on = least(flow_on, now()), reindex_on = least(reindex_on, now()),
         monitor_backoff_on = least(monitor_backoff_on, now())`,
    )
    await client.query(
      `update pgboss.queue set monitor_claim_on = least(monitor_claim_on, now()), monitor_on = least(monitor_on, now()),
         maintain_on = least(maintain_on, now())`,
    )
    await client.query(
      `update pgboss.job set started_on = least(started_on, now()), start_after = least(start_after, now()),
         completed_on = least(completed_on, now()),
         singleton_on = case when singleton_on <= now() at time zone 'utc' then singleton_on end
       where started_on > now() or start_after > now() or completed_on > now() or singleton_on > now() at time zone 'utc'`,
    )
    const now = new Date()
    await makeFutureWorkDue(client, now)
    await makeFutureMailsDue(client, now)
    await makeFutureCommandsDue(client, now)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
  return true
}
