import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from './pool.ts'
import type { TenantTx } from './tenant.ts'
import { databaseOf, inTenant } from './tenant.ts'
import type { Work } from './work.ts'
import { works } from './work.ts'
import { prepared } from './prepared.ts'

/**
 * Marks the tenant's work as due from a time on, in the caller's transaction. Code that creates work must call it.
 * Callers do not wait for each other, and only briefly for a worker that is about to record that nothing is left.
 * Resolves with whether the work was already due by then.
 */
export async function makeDue(tx: TenantTx, work: Work, at = new Date()): Promise<boolean> {
  // Held until the transaction ends: a worker that checks for remaining work waits for it and then sees the new work.
  const { rows } = await sql`
    select from due where work = ${work} and tenant_id = ${tx.tenant} and due_at <= ${at} for share ${prepared}`.execute(
    tx,
  )
  if (rows.length) return true
  await sql`
    insert into due (work, tenant_id, due_at) values (${work}, ${tx.tenant}, ${at})
    on conflict (work, tenant_id) do update set due_at = least(due.due_at, excluded.due_at)`.execute(tx)
  return false
}

/**
 * Makes work due in `after` ms, unless this process has known for less than `knownFor` ms that it is. A query with
 * every batch of readings would cost more than writing them.
 */
export function makeDueSeldom(work: Work, { after, knownFor }: { after: number; knownFor: number }) {
  const knownIn = new WeakMap<Db, Map<string, number>>()
  return async (tx: TenantTx): Promise<void> => {
    const now = Date.now()
    const db = databaseOf(tx)
    const known = (db && knownIn.get(db)) ?? new Map<string, number>()
    if (now - (known.get(tx.tenant) ?? 0) < knownFor) return
    // Only a committed row is certain: this transaction may still be rolled back.
    if (!(await makeDue(tx, work, new Date(now + after))) || !db) return
    knownIn.set(db, known.set(tx.tenant, now))
  }
}

/** Makes all kinds of work due for a tenant whose rows were written in bulk, for example by a restore. */
export async function makeAllDue(client: pg.ClientBase | pg.Pool, tenant: string): Promise<void> {
  await client.query(
    `insert into due (work, tenant_id, due_at) select work, $1, $2 from unnest($3::text[]) as work
      on conflict (work, tenant_id) do update set due_at = excluded.due_at`,
    [tenant, new Date(0), works],
  )
}

/** Makes work due that the clock would reach only later because it was set back. */
export async function makeFutureWorkDue(client: pg.ClientBase, now: Date): Promise<void> {
  await client.query('update due set due_at = $1 where due_at > $1', [now])
}

/** Makes work due at a time for all tenants for which it is not due yet. */
export async function makeDueEverywhere(db: Db, work: Work, at: Date): Promise<void> {
  await sql`
    insert into due (work, tenant_id, due_at) select ${work}, id, ${at}::timestamptz from tenant
    on conflict do nothing`.execute(db)
}

/** The tenants with such work due now, in a single query. */
export async function tenantsDue(db: Db, work: Work, now = new Date()): Promise<string[]> {
  const rows = await db
    .selectFrom('due')
    .select('tenant_id')
    .where('work', '=', work)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('tenant_id')
    .execute()
  return rows.map((row) => row.tenant_id)
}

/** When such work is next due in any tenant; null if in none. */
export async function nextDueAnywhere(db: Db, work: Work): Promise<Date | null> {
  const { at } = await db
    .selectFrom('due')
    .select((eb) => eb.fn.min('due_at').as('at'))
    .where('work', '=', work)
    .executeTakeFirstOrThrow()
  return at
}

/** Returns when the tenant's work is next due according to its rows; null if nothing is left. */
type Next = (tx: TenantTx) => Promise<Date | null>

/** Stores when the tenant's work is next due. */
export async function updateDue(db: Db, tenant: string, work: Work, next: Next): Promise<void> {
  await inTenant(db, tenant, async (tx) => {
    const ours = tx.selectFrom('due').select('due_at').where('work', '=', work).where('tenant_id', '=', tenant)
    if (!(await ours.forUpdate().executeTakeFirst())) return
    const at = await next(tx)
    if (at)
      await tx.updateTable('due').set({ due_at: at }).where('work', '=', work).where('tenant_id', '=', tenant).execute()
    else await tx.deleteFrom('due').where('work', '=', work).where('tenant_id', '=', tenant).execute()
  })
}

interface DueWork {
  work: Work
  now: Date
  /** Does the due work of a tenant; returns how many items. It must be repeatable after a failure. */
  run(tenant: string): Promise<number>
  next: Next
}

/**
 * Does the due work, tenant by tenant. A tenant that fails stays due and does not delay the others. Returns the
 * number of items.
 */
export async function doDue(db: Db, { work, now, run, next }: DueWork): Promise<number> {
  let done = 0
  const failures: unknown[] = []
  for (const tenant of await tenantsDue(db, work, now))
    try {
      done += await run(tenant)
      await updateDue(db, tenant, work, next)
    } catch (error) {
      failures.push(error)
    }
  if (failures.length) throw new AggregateError(failures, `failed in ${failures.length} tenants: ${work}`)
  return done
}

/** The maximum number of rows deleted per transaction, so that others do not wait long for one. */
export const deletedAtOnce = 5000

/** Repeats `doSome` until it handles fewer than `atOnce` items. Returns the total. */
export async function inBatches(doSome: () => Promise<number>, atOnce = deletedAtOnce): Promise<number> {
  let done = 0
  for (;;) {
    const count = await doSome()
    done += count
    if (count < atOnce) return done
  }
}
