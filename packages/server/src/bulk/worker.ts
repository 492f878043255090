import { Refusal, refusals } from '@caretaker/contract/refusal.ts'
import type { Context } from '../context.ts'
import { actorOf } from '../http/access.ts'
import { updateDue, tenantsDue } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { StoredRun } from './subject.ts'
import type { BulkSubject, BulkSubjects, Outcome } from './subject.ts'
import { failedWith } from './subject.ts'
import { nextRun, openRuns, storeOutcomes, takeWaiting } from './store.ts'

/** Items per transaction: completed work is committed with it, and a stop loses no more than one. */
const batch = 200

/**
 * Runs pending items of all bulk actions, some of each in turn, until none are left or it is stopped. Any number of
 * workers may do so: each takes items that no other has, and stores their results in the same transaction. Returns
 * how many.
 */
export async function runBulkActions(
  { db, log }: Pick<Context, 'db' | 'log'>,
  subjects: BulkSubjects,
  stopping?: AbortSignal,
): Promise<number> {
  let total = 0
  for (let found = 1; found;) {
    found = 0
    for (const tenant of await tenantsDue(db, 'run bulk actions')) {
      const done = await doSomeOfEach({ db, log }, subjects, tenant, stopping)
      found += done
      total += done
      if (stopping?.aborted) return total
      if (!done) await updateDue(db, tenant, 'run bulk actions', nextRun)
    }
  }
  return total
}

async function doSomeOfEach(
  { db, log }: Pick<Context, 'db' | 'log'>,
  subjects: BulkSubjects,
  tenant: string,
  stopping?: AbortSignal,
): Promise<number> {
  let done = 0
  for (const run of await inTenant(db, tenant, (tx) => openRuns(tx, new Date()))) {
    if (stopping?.aborted) break
    done += await doSome({ db, log }, subjects[run.subject], tenant, run)
  }
  return done
}

async function doSome(
  { db, log }: Pick<Context, 'db' | 'log'>,
  subject: BulkSubject,
  tenant: string,
  run: StoredRun,
): Promise<number> {
  try {
    return await inTenant(db, tenant, (tx) => doBatch(tx, subject, run, batch))
  } catch (error) {
    log.error({ err: error, bulkAction: run.id }, 'a batch of a bulk action failed; its items are retried one by one')
  }
  // One failing item must not block the others.
  for (let n = 0; n < batch; n++) {
    let item: string | undefined
    const known = (id: string) => void (item = id)
    try {
      if (!(await inTenant(db, tenant, (tx) => doBatch(tx, subject, run, 1, known)))) return n
    } catch (error) {
      log.error({ err: error, bulkAction: run.id, item }, 'an item of a bulk action failed')
      if (!item) throw error
      const outcomes = [failedWith(item, 'Something went wrong!')]
      await inTenant(db, tenant, (tx) => storeOutcomes(tx, run.id, outcomes))
    }
  }
  return batch
}

async function doBatch(
  tx: TenantTx,
  subject: BulkSubject,
  run: StoredRun,
  size: number,
  known?: (id: string) => void,
): Promise<number> {
  const itemIds = await takeWaiting(tx, run.id, size)
  if (!itemIds.length) return 0
  known?.(itemIds[0]!)
  await storeOutcomes(tx, run.id, await outcomesOf(tx, subject, run, itemIds))
  return itemIds.length
}

/** With the current rights of the person who started the action. */
async function outcomesOf(tx: TenantTx, subject: BulkSubject, run: StoredRun, itemIds: string[]): Promise<Outcome[]> {
  const person = { id: run.startedBy, name: run.startedByName }
  const actor = await actorOf(tx, person).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined
    throw error
  })
  if (!actor)
    return itemIds.map((id) => failedWith(id, 'The person who started this is no longer a user of this client.'))
  if (!subject.may(actor, run.action)) return itemIds.map((id) => failedWith(id, refusals.forbidden.text))
  return subject.perform(tx, { actor, person }, run, itemIds)
}
