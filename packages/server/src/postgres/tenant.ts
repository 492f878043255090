import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Db } from './pool.ts'
import type { Database } from './database.ts'
import { withinTransaction } from './scope.ts'

declare const tenantScope: unique symbol
/** A transaction that sees only one tenant's rows. Only `inTenant` and `enter` create one. */
export type TenantTx = Transaction<Database> & { readonly tenant: string; readonly [tenantScope]: true }

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Whether each query sees what was committed before it, or all see what was committed before the first one. */
export type Isolation = 'read committed' | 'repeatable read'

/** Runs `work` in one transaction, which is the only connection that it gets. */
export function inTransaction<T>(
  db: Db,
  work: (transaction: Transaction<Database>) => Promise<T>,
  isolation: Isolation = 'read committed',
): Promise<T> {
  const begun =
    isolation === 'repeatable read' ? db.transaction().setIsolationLevel('repeatable read') : db.transaction()
  return begun.execute((transaction) => {
    databases.set(transaction, db)
    pending.set(transaction, [])
    return withinTransaction(async () => {
      const result = await work(transaction)
      await complete(transaction)
      return result
    })
  })
}

/** The pending writes of each open transaction for its current tenant. */
const pending = new WeakMap<object, (() => Promise<void>)[]>()

/**
 * Runs `work` once in the transaction before it commits or enters another tenant. Nothing runs if the transaction
 * fails. Work that adds more work is a programming error.
 */
export function beforeCommit(tx: TenantTx, work: () => Promise<void>): void {
  const works = pending.get(tx)
  if (!works) throw new Error('Only a transaction opened by postgres/tenant.ts runs work before its commit.')
  works.push(work)
}

async function complete(transaction: Transaction<Database>): Promise<void> {
  const works = pending.get(transaction)
  if (!works?.length) return
  const count = works.length
  for (const work of works.slice()) await work()
  if (works.length > count) throw new Error('Work was added while the transaction was completed.')
  works.length = 0
}

const databases = new WeakMap<Transaction<Database>, Db>()

/** The database of a transaction: the key for anything that a process caches from a tenant's rows. */
export const databaseOf = (tx: TenantTx): Db | undefined => databases.get(tx)

/**
 * Runs `work` in one transaction limited to a tenant. SET LOCAL instead of set_config: only a statement reaches the
 * other machines of a distributed database; elsewhere the first line is a harmless placeholder.
 */
export async function inTenant<T>(
  db: Db,
  tenant: string,
  work: (tx: TenantTx) => Promise<T>,
  isolation: Isolation = 'read committed',
): Promise<T> {
  return inTransaction(db, async (transaction) => work(await enter(transaction, tenant)), isolation)
}

/** Switches the tenant of a transaction that visits several tenants in turn, as the device link does. */
export async function enter(transaction: Transaction<Database>, tenant: string): Promise<TenantTx> {
  await complete(transaction)
  await sql
    .raw(`set local citus.propagate_set_commands = 'local'; set local app.tenant = ${literal(tenant)}`)
    .execute(transaction)
  return Object.assign(transaction, { tenant }) as unknown as TenantTx
}

/** Runs `work` with access to a person's own memberships in all tenants, and to no other tenant rows. */
export async function asPerson<T>(
  db: Db,
  personId: string,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (transaction) => {
    await sql
      .raw(`set local citus.propagate_set_commands = 'local'; set local app.person = ${literal(personId)}`)
      .execute(transaction)
    return work(transaction)
  })
}
