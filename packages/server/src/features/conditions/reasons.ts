import { sql } from 'kysely'
import { setStatusReasons } from '../../devices/statuses.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { reasonsOf, rewriteStatuses } from './store.ts'

/** Devices processed, and locked, in one transaction. */
const atOnce = 1000
const anHour = 3_600_000

/**
 * Writes the missing or outdated reasons of device statuses, left by a version that changed statuses without reasons.
 * Such a version may still be running: until a run finds nothing, another one follows after an hour. Returns how many
 * devices.
 */
export async function rewriteReasons(db: Db, now = new Date()): Promise<number> {
  let rewritten = 0
  return doDue(db, {
    work: 'settle reasons',
    now,
    run: async (tenant) => {
      rewritten = 0
      for (let after: string | undefined = beforeAll; after !== undefined;) {
        const from: string = after
        const some = await inTenant(db, tenant, (tx) => recomputeSome(tx, from))
        rewritten += some.rewritten
        after = some.last
      }
      return rewritten
    },
    next: () => Promise.resolve(rewritten ? new Date(+now + anHour) : null),
  })
}
const beforeAll = '00000000-0000-0000-0000-000000000000'

async function recomputeSome(tx: TenantTx, after: string): Promise<{ rewritten: number; last: string | undefined }> {
  const { rows } = await sql<{ id: string; status: string; reason: string | null }>`
    select id, status, status_reason as reason from device where tenant_id = ${tx.tenant} and id > ${after}
    order by id limit ${atOnce} for no key update`.execute(tx)
  // Before version 0252 a Disabled status outranked a failure.
  const isolated = rows.filter(({ status }) => status.startsWith('Disabled')).map(({ id }) => id)
  const turned = isolated.length ? await rewriteStatuses(tx, isolated) : 0
  const reasons = await reasonsOf(
    tx,
    rows.map(({ id }) => id),
  )
  const others = rows.flatMap(({ id, reason }) => {
    const now = reasons.get(id) ?? null
    return now === reason || isolated.includes(id) ? [] : [{ id, reason: now }]
  })
  await setStatusReasons(tx, others)
  return { rewritten: others.length + turned, last: rows.length === atOnce ? rows.at(-1)!.id : undefined }
}
