import { sql } from 'kysely'
import { catchUp, turnsOf } from '@caretaker/rules/lighting/runs.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import { eachOf } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { beginRun, endFinishedRuns } from '../../test-runs/progress.ts'
import { planAgain } from '../groups/again.ts'
import { lightsAgain } from '../groups/wanting.ts'
import { endOverdue, missLate, sendDue, serverWasDown, applyAnswers } from './engine-lights.ts'
import { warnOfMissed } from './missed.ts'

/**
 * The life of group tests. Each step is a transaction that moves runs or lights from one state to the next, so that a
 * worker resumes after a stop where it was: nothing is done twice or left out.
 */
const steps = [beginRuns, missLate, sendDue, applyAnswers, endOverdue, warnOfMissed, endRuns, repeatMissed] as const

/** Maximum number of repetitions of one step: a state that fails to change must not block the worker. */
const most = 1000

/** Advances the tests of all tenants with planned or running ones; returns the number of changes. */
export async function runTests(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'run tests',
    now,
    run: async (tenant) => {
      let done = 0
      for (const step of steps)
        for (let again = 0; again < most; again++) {
          const { moved, more } = await inTenant(db, tenant, (tx) => step(tx, now))
          done += moved
          if (!more) break
        }
      return done
    },
    next: (tx) => nextRun(tx, now),
  })
}

/** While a run is active there is always something to check: answers, ends, lights whose turn it is. */
async function nextRun(tx: TenantTx, now: Date): Promise<Date | null> {
  const runs = tx.selectFrom('test_run').where('tenant_id', '=', tx.tenant)
  if (await runs.where('state', '=', 'running').select('id').limit(1).executeTakeFirst()) return now
  const first = runs.where('state', '=', 'planned').select(({ fn }) => fn.min('starts_at').as('at'))
  return (await first.executeTakeFirst())?.at ?? null
}

const lights = productsOfFamily('emered')

/**
 * Starts one due run with the lights now in its group; a repeated run with those that still need it. A run that is
 * long overdue, because no worker ran, ends at once: its lights have missed it.
 */
async function beginRuns(tx: TenantTx, now: Date) {
  // Serialised before any lock is taken: each run must see the turns that a gateway has already given.
  await sql`select pg_advisory_xact_lock(hashtext('begin tests'), hashtext(${tx.tenant}))`.execute(tx)
  const run = await tx
    .selectFrom('test_run')
    .select(['id', 'group_id', 'starts_at', 'repeats'])
    .where('tenant_id', '=', tx.tenant)
    .where('state', '=', 'planned')
    .where('starts_at', '<=', now)
    .orderBy('starts_at')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!run) return { moved: 0, more: false }
  const wanted = run.repeats && ((await lightsAgain(tx, [run.repeats])).get(run.repeats) ?? [])
  const members = await tx
    .selectFrom('light_group_member as member')
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'member.device_id'),
    )
    .select('device.id')
    .where('member.tenant_id', '=', tx.tenant)
    .where('member.group_id', '=', run.group_id)
    .where('device.product', 'in', lights)
    .$if(wanted !== null, (all) => all.where(sql<boolean>`device.id = any(${wanted}::uuid[])`))
    .orderBy('device.id')
    .execute()
  const isLate = +now - +run.starts_at > catchUp
  const gateways = await gatewaysOf(
    tx,
    members.map(({ id }) => id),
  )
  const behind = members.map(({ id }) => ({ id, gatewayId: gateways.get(id) ?? null }))
  const turns = isLate
    ? turnsOf(behind, +run.starts_at)
    : turnsOf(behind, +now, await busyUntil(tx, [...new Set(gateways.values())]))
  await beginRun(
    tx,
    run,
    turns.map(({ light, at }) => ({
      deviceId: light.id,
      dueAt: new Date(at).toISOString(),
      gatewayId: light.gatewayId,
    })),
    { missed: isLate ? serverWasDown : null, now },
  )
  return { moved: 1, more: true }
}

/** How many levels a light may be behind a gateway: there may be extenders between them. */
const deepest = 4

/** The gateways at the end of each light's path; directly connected lights have none. */
async function gatewaysOf(tx: TenantTx, lightIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ light: string; gateway: string }>`
    with recursive above as (
      select wanted.id as light, device.parent_id as id, 1 as step from ${eachOf(lightIds)} cross join lateral (
        select parent_id from device where tenant_id = ${tx.tenant} and id = wanted.id and parent_id is not null offset 0
      ) as device
      union all
      select above.light, device.parent_id, step + 1 from above cross join lateral (
        select parent_id from device where tenant_id = ${tx.tenant} and id = above.id and parent_id is not null offset 0
      ) as device
      where step < ${deepest}
    )
    select distinct on (light) light, id as gateway from above order by light, step desc`.execute(tx)
  return new Map(rows.map(({ light, gateway }) => [light, gateway]))
}

/** When each gateway sends the last command of the active runs, in ms. */
async function busyUntil(tx: TenantTx, gatewayIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('test_run_light')
    .select(['gateway_id', ({ fn }) => fn.max('due_at').as('last')])
    .where('tenant_id', '=', tx.tenant)
    .where('state', 'in', ['waiting', 'sent'])
    .where(sql<boolean>`gateway_id = any(${gatewayIds}::uuid[])`)
    .groupBy('gateway_id')
    .execute()
  return new Map(rows.map(({ gateway_id, last }) => [gateway_id!, +last]))
}

/** Ends a run when none of its lights is active. */
async function endRuns(tx: TenantTx, now: Date) {
  return { moved: await endFinishedRuns(tx, now), more: false }
}

/** Plans another run for lights that missed a yearly test, once the run has ended. */
async function repeatMissed(tx: TenantTx, now: Date) {
  return { moved: await planAgain(tx, now), more: false }
}
