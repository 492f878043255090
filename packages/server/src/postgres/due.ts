import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from './pool.ts'
import type { TenantTx } from './tenant.ts'
import { databaseOf, inTenant } from './tenant.ts'
import type { Work } from './work.ts'
import { works } from './work.ts'
import { prepared } from './prepared.ts'

/**
 * Says, with the caller's transaction, that the tenant has such work from a time on; whoever makes work says so. Callers do
 * not wait for each other, and only for a moment for a worker that is about to say that nothing is left. Resolves with whether
 * it was said before.
 */
export async function makeDue(tx: TenantTx, work: Work, at = new Date()): Promise<boolean> {
  // Held until the transaction ends: a worker that looks what is left waits for it, and then sees its work.
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
 * Makes work due `after` so many ms, unless this process has known for less than `knownFor` ms that it is. Asked with every batch of
 * readings it would cost more than they do.
 */
export function makeDueSeldom(work: Work, { after, knownFor }: { after: number; knownFor: number }) {
  const knownIn = new WeakMap<Db, Map<string, number>>()
  return async (tx: TenantTx): Promise<void> => {
    const now = Date.now()
    const db = databaseOf(tx)
    const known = (db && knownIn.get(db)) ?? new Map<string, number>()
    if (now - (known.get(tx.tenant) ?? 0) < knownFor) return
    // Only what another transaction has committed is sure: this one may yet be rolled back.
    if (!(await makeDue(tx, work, new Date(now + after))) || !db) return
    knownIn.set(db, known.set(tx.tenant, now))
  }
}

/** Says that a tenant may have work of any kind: its rows were written in another way than they come. */
export async function makeAllDue(client: pg.ClientBase | pg.Pool, tenant: string): Promise<void> {
  await client.query(
    `insert into due (work, tenant_id, due_at) select work, $1, $2 from unnest($3::text[]) as work
      on conflict (work, tenant_id) do update set due_at = excluded.due_at`,
    [tenant, new Date(0), works],
  )
}

/** The tenants that have such work by now, in one question whatever their number. */
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

/** When any tenant has such work the next time; null where none has. */
export async function nextDueAnywhere(db: Db, work: Work): Promise<Date | null> {
  const { at } = await db
    .selectFrom('due')
    .select((eb) => eb.fn.min('due_at').as('at'))
    .where('work', '=', work)
    .executeTakeFirstOrThrow()
  return at
}

/** When the tenant has such work the next time, as its rows say; null when nothing is left. */
type Next = (tx: TenantTx) => Promise<Date | null>

/** Writes down when the tenant's work is due the next time. */
export async function settleDue(db: Db, tenant: string, work: Work, next: Next): Promise<void> {
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
  /** Does what is due in a tenant; returns how many things. It may be done again when it fails. */
  run(tenant: string): Promise<number>
  next: Next
}

/** Does what is due, tenant by tenant. One that fails stays due and keeps the others from nothing. Returns how many things. */
export async function doDue(db: Db, { work, now, run, next }: DueWork): Promise<number> {
  let done = 0
  const failures: unknown[] = []
  for (const tenant of await tenantsDue(db, work, now))
    try {
      done += await run(tenant)
      await settleDue(db, tenant, work, next)
    } catch (error) {
      failures.push(error)
    }
  if (failures.length) throw new AggregateError(failures, `failed in ${failures.length} tenants: ${work}`)
  return done
}

/** Rows deleted in one transaction at most, so that nobody waits long for one. */
export const deletedAtOnce = 5000

/** Deletes or settles some, again and again, until there were fewer than so many at once. Returns how many in all. */
export async function inBatches(doSome: () => Promise<number>, atOnce = deletedAtOnce): Promise<number> {
  let done = 0
  for (;;) {
    const count = await doSome()
    done += count
    if (count < atOnce) return done
  }
}
