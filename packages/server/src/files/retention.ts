import { sql } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import { doDue } from '../postgres/due.ts'
import { locks, shareLock } from '../postgres/locks.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant, inTransaction } from '../postgres/tenant.ts'
import { grace, keyOf } from './keys.ts'
import type { FileStore } from '../context.ts'

interface Store {
  db: Db
  files: FileStore
  log: FastifyBaseLogger
}

/** Files handled per transaction: each needs a request to the store. */
const batch = 50

/**
 * Deletes unneeded files: those that no row refers to any more, and those of abandoned uploads. Several processes may
 * do so at once. Returns how many were deleted from the store.
 */
export async function forgetFiles(context: Store, now = new Date()): Promise<number> {
  const { db } = context
  await doDue(db, {
    work: 'forget files',
    now,
    run: (tenant) => inTenant(db, tenant, (tx) => deleteUnreferredRows(tx, now)),
    // Rows that refer to files are deleted in many places, so every tenant with files is checked daily.
    next: async (tx) => {
      const file = await tx
        .selectFrom('file')
        .select('id')
        .where('tenant_id', '=', tx.tenant)
        .limit(1)
        .executeTakeFirst()
      return file ? new Date(now.getTime() + grace) : null
    },
  })
  let deleted = 0
  for (;;) {
    const { taken, gone } = await deleteSome(context, now)
    deleted += gone
    if (taken < batch) return deleted
  }
}

/** Deletes the rows of files that no row refers to; `deleteSome` then deletes from the store. Returns how many. */
async function deleteUnreferredRows(tx: TenantTx, now: Date): Promise<number> {
  const { rows: keys } = await sql<{ referrer: string; column: string }>`
    select conrelid::regclass::text as referrer, attname as column
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[2]
    where contype = 'f' and confrelid = 'file'::regclass and conparentid = 0 order by 1, 2`.execute(tx)
  const referrers = [...new Set(keys.map((key) => key.referrer))]
  let given = 0
  for (const referrer of referrers) {
    const unreferred = keys
      .filter((key) => key.referrer === referrer)
      .map(
        ({ column }) => sql`not exists (select from ${sql.table(referrer)} as other
          where other.tenant_id = ${tx.tenant} and other.${sql.ref(column)} = file.id)`,
      )
    const { rows } = await sql<{ id: string }>`
      delete from file
      where tenant_id = ${tx.tenant} and referrer = ${referrer} and created_at < ${new Date(now.getTime() - grace)}
        and ${sql.join(unreferred, sql` and `)}
      returning id`.execute(tx)
    if (rows.length)
      await tx
        .insertInto('loose_file')
        .values(rows.map(({ id }) => ({ file_id: id, tenant_id: tx.tenant, due_at: now })))
        .execute()
    given += rows.length
  }
  return given
}

async function deleteSome({ db, files, log }: Store, now: Date): Promise<{ taken: number; gone: number }> {
  return inTransaction(db, async (transaction) => {
    // A backup is running: try again later.
    if (!(await shareLock(transaction, locks.files))) return { taken: 0, gone: 0 }
    // Skips files that another transaction is about to keep, because it has locked their row.
    const taken = await transaction
      .selectFrom('loose_file')
      .select(['file_id', 'tenant_id'])
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .limit(batch)
      .forUpdate()
      .skipLocked()
      .execute()
    const [gone, left]: [string[], string[]] = [[], []]
    for (const { file_id: id, tenant_id: tenant } of taken)
      try {
        await files.delete(keyOf(tenant, id))
        gone.push(id)
      } catch (error) {
        log.error({ err: error, file: id }, 'a file could not be deleted')
        left.push(id)
      }
    const among = (ids: string[]) => sql<boolean>`file_id = any(${ids}::uuid[])`
    if (gone.length) await transaction.deleteFrom('loose_file').where(among(gone)).execute()
    const later = new Date(now.getTime() + grace)
    if (left.length) await transaction.updateTable('loose_file').set({ due_at: later }).where(among(left)).execute()
    return { taken: taken.length, gone: gone.length }
  })
}
