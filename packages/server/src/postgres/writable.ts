import { sql } from 'kysely'
import { isFullDisk } from './full-disk.ts'
import type { Db } from './pool.ts'
import { inTransaction } from './tenant.ts'

/** The state of the database: whether it responds, and whether it can write. */
export interface Health {
  database: boolean
  writable: boolean
  /** Set if it cannot write because a disk is full. */
  diskFull?: true
}

/**
 * Checks whether the database responds and can write, at most once per `every` ms. The check leaves nothing behind:
 * it writes a temporary file of 300 kB, like a sort that exceeds its memory, and a commit record. A full disk makes
 * one of them fail.
 */
export function openHealthCheck(db: Db, every = 3000): () => Promise<Health> {
  let asked: { at: number; health: Promise<Health> } | undefined
  return () => {
    const now = performance.now()
    if (!asked || now - asked.at >= every) asked = { at: now, health: look(db) }
    return asked.health
  }
}

async function look(db: Db): Promise<Health> {
  const answers = await sql`select`.execute(db).then(
    () => true,
    () => false,
  )
  if (!answers) return { database: false, writable: false }
  return writes(db).then(
    (writable) => ({ database: true, writable }),
    (error: unknown) => ({ database: true, writable: false, ...(isFullDisk(error) && { diskFull: true }) }),
  )
}

function writes(db: Db): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await sql`set local work_mem = '64kB'`.execute(tx)
    const { rows } = await sql<{ only_read: string }>`
      select current_setting('transaction_read_only') as only_read, pg_current_xact_id(), (
        select count(*) from (
          select md5(n::text) || md5((n + 1)::text) as line from generate_series(1, 4000) as n order by line offset 1
        ) as lines
      )`.execute(tx)
    return rows[0]!.only_read === 'off'
  })
}
