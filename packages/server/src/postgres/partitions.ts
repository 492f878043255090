import type pg from 'pg'
import { oldestSensorReading } from '@caretaker/rules/connectors/types.ts'

const week = 7 * 86_400_000
/** A Monday; weeks are counted from it, so that every process uses the same bounds. */
const epoch = Date.UTC(2024, 0, 1)
/** The age of the oldest partition, in ms: the oldest reading that is accepted, and a week for the time until the next run. */
const lateReach = Math.ceil(oldestSensorReading / week) * week + week

/** The weekly partition of points for an instant: its table name and bounds. */
export function partitionOf(at: Date): { name: string; from: Date; to: Date } {
  const from = new Date(epoch + Math.floor((at.getTime() - epoch) / week) * week)
  return {
    name: `point_${from.toISOString().slice(0, 10).replaceAll('-', '')}`,
    from,
    to: new Date(from.getTime() + week),
  }
}

/**
 * Creates the partitions of points from `since` (default: the oldest that a late reading may need) to two weeks
 * ahead, so that the worker may be stopped for a fortnight.
 */
export async function ensurePartitions(
  owner: pg.Pool,
  now: Date,
  since = new Date(now.getTime() - lateReach),
): Promise<void> {
  const existing = new Set((await partitionsOf(owner)).map(({ name }) => name))
  for (let at = since.getTime(); at < now.getTime() + 3 * week; at += week) {
    const { name, from, to } = partitionOf(new Date(at))
    if (existing.has(name)) continue
    await createOnce(
      owner,
      `create table if not exists ${name} partition of point for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
    )
  }
}

/** The partitions of points, oldest first, and whether they have row-level security of their own. */
async function partitionsOf(owner: pg.Pool): Promise<{ name: string; walled: boolean }[]> {
  const { rows } = await owner.query<{ name: string; walled: boolean }>(
    `select child.relname as name, child.relrowsecurity as walled from pg_inherits
     join pg_class child on child.oid = inhrelid
     where inhparent = 'point'::regclass order by 1`,
  )
  return rows
}

/** Two processes may create the same table at the same time: the second one finds it. */
async function createOnce(owner: pg.Pool, statement: string): Promise<void> {
  try {
    await owner.query(statement)
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code !== '42P07' && code !== '23505') throw error
  }
}

/**
 * Deletes the points of partitions that end before `before`. Partitions that no late reading can need any more are
 * dropped; so are those whose points are all packed. Returns the names of partitions whose points were deleted or that
 * were dropped.
 */
export async function dropPartitions(owner: pg.Pool, before: Date, now: Date): Promise<string[]> {
  const last = partitionOf(before).name
  // A reading of a week that has no partition would stop the intake of all tenants.
  const needed = partitionOf(new Date(now.getTime() - lateReach)).name
  const dropped: string[] = []
  for (const { name, walled } of await partitionsOf(owner)) {
    const [isNeeded, isExpired] = [name >= needed, name < last]
    if (isNeeded && !isExpired) continue
    // A partition with row-level security of its own would seem empty.
    const holdsPoints = async () => walled || !(await isEmpty(owner, name))
    if (isNeeded ? !(await holdsPoints()) : !isExpired && (await holdsPoints())) continue
    await owner.query(isNeeded ? `truncate ${name}` : `drop table ${name}`)
    dropped.push(name)
  }
  return dropped
}

async function isEmpty(owner: pg.Pool, name: string): Promise<boolean> {
  const { rowCount } = await owner.query(`select from ${name} limit 1`)
  return rowCount === 0
}
