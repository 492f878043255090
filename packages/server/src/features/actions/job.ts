import { Refusal, refusals } from '@caretaker/contract/refusal.ts'
import { mayDoInBulk } from '@caretaker/rules/actions/actions.ts'
import type { Context } from '../../context.ts'
import { actorOf } from '../../http/access.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { Outcome } from './batch.ts'
import { perform } from './batch.ts'
import type { StoredRun } from './store.ts'
import { openRuns, settleRun, takeWaiting } from './store.ts'

/** Devices of one transaction: what is done is done when it commits, and a stop loses no more than one. */
const batch = 200

/**
 * Does what waits of all bulk actions, some devices of each in turn, until nothing waits or it is told to stop. Any number of
 * workers may do so: each takes devices that no other has, and a device is done in the transaction that says so.
 * Returns how many devices.
 */
export async function runBulkActions(
  { db, log }: Pick<Context, 'db' | 'log'>,
  stopping?: AbortSignal,
): Promise<number> {
  const tenants = await db.selectFrom('tenant').select('id').orderBy('id').execute()
  let settled = 0
  let left = tenants.map((tenant) => tenant.id)
  while (left.length) {
    const more: string[] = []
    for (const tenant of left) {
      let found = 0
      for (const run of await inTenant(db, tenant, openRuns)) {
        if (stopping?.aborted) return settled
        found += await doSome({ db, log }, tenant, run)
      }
      if (found) more.push(tenant)
      settled += found
    }
    left = more
  }
  return settled
}

async function doSome({ db, log }: Pick<Context, 'db' | 'log'>, tenant: string, run: StoredRun): Promise<number> {
  try {
    return await inTenant(db, tenant, (tx) => doBatch(tx, run, batch))
  } catch (error) {
    log.error({ err: error, bulkAction: run.id }, 'a batch of a bulk action failed; its devices are done one by one')
  }
  // One device must not keep the others from being done.
  for (let n = 0; n < batch; n++) {
    let device: string | undefined
    const known = (id: string) => void (device = id)
    try {
      if (!(await inTenant(db, tenant, (tx) => doBatch(tx, run, 1, known)))) return n
    } catch (error) {
      log.error({ err: error, bulkAction: run.id, device }, 'a device of a bulk action failed')
      if (!device) throw error
      const outcomes = [failedWith(device, 'Something went wrong!')]
      await inTenant(db, tenant, (tx) => settleRun(tx, run.id, outcomes))
    }
  }
  return batch
}

async function doBatch(tx: TenantTx, run: StoredRun, size: number, known?: (id: string) => void): Promise<number> {
  const deviceIds = await takeWaiting(tx, run.id, size)
  if (!deviceIds.length) return 0
  known?.(deviceIds[0]!)
  await settleRun(tx, run.id, await outcomesOf(tx, run, deviceIds))
  return deviceIds.length
}

/** By the rights that the person who started it has now. */
async function outcomesOf(tx: TenantTx, run: StoredRun, deviceIds: string[]): Promise<Outcome[]> {
  const person = { id: run.startedBy, name: run.startedByName }
  const actor = await actorOf(tx, person).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined
    throw error
  })
  if (!actor) return deviceIds.map((id) => failedWith(id, 'Whoever started this is no user here any more.'))
  if (!mayDoInBulk(actor, run.action)) return deviceIds.map((id) => failedWith(id, refusals.forbidden.text))
  return perform(tx, { actor, person }, run, deviceIds)
}

const failedWith = (deviceId: string, message: string): Outcome => ({
  deviceId,
  state: 'failed',
  message,
  changed: false,
  changedTagIds: [],
})
