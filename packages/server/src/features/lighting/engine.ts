import { sql } from 'kysely'
import { catchUp, turnsOf } from '@caretaker/rules/lighting/runs.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import { changed } from '../../changes/changed.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import { eachOf } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { planAgain } from '../groups/again.ts'
import { lightsAgain } from '../groups/wanting.ts'
import { endOverdue, missLate, sendDue, serverWasDown, settleSent } from './engine-lights.ts'
import { warnOfMissed } from './missed.ts'

/**
 * Tests of groups, from their time to their end. Each step is a transaction that moves runs or lights from one state to the next,
 * so that whoever begins again after a standstill goes on where it was: nothing is done twice and nothing left out.
 */
const steps = [beginRuns, missLate, sendDue, settleSent, endOverdue, warnOfMissed, endRuns, repeatMissed] as const

/** Steps of one kind in a row at most; a state that would not change must not keep the worker for ever. */
const most = 1000

/** Brings the tests of all tenants in which some are planned or under way as far as they have come; returns how many things. */
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

/** While a run is under way there is always something to look for: answers, ends, lights whose turn it is. */
async function nextRun(tx: TenantTx, now: Date): Promise<Date | null> {
  const runs = tx.selectFrom('test_run').where('tenant_id', '=', tx.tenant)
  if (await runs.where('state', '=', 'running').select('id').limit(1).executeTakeFirst()) return now
  const first = runs.where('state', '=', 'planned').select(({ fn }) => fn.min('starts_at').as('at'))
  return (await first.executeTakeFirst())?.at ?? null
}

const lights = productsOfFamily('emered')

/**
 * Begins one run whose time has come, with the lights that are in its group now; one that repeats a missed test, with those of
 * them that want it still. One whose time is long past, because nobody was
 * there to begin it, is over at once: its lights have missed it.
 */
async function beginRuns(tx: TenantTx, now: Date) {
  // One at a time, before anything is held: which turns a gateway has given already, each must see.
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
  const ids = turns.map(({ light }) => light.id)
  await sql`
    insert into test_run_light (tenant_id, run_id, device_id, due_at, gateway_id, state, reason, ended_at)
    select ${tx.tenant}, ${run.id}::uuid, light.id, light.due_at, light.gateway_id, ${isLate ? 'missed' : 'waiting'},
      ${isLate ? serverWasDown : null}, ${isLate ? now : null}::timestamptz
    from unnest(
      ${ids}::uuid[], ${turns.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
      ${turns.map(({ light }) => light.gatewayId)}::uuid[]
    ) as light (id, due_at, gateway_id)
    on conflict do nothing`.execute(tx)
  await tx
    .updateTable('test_run')
    // Nobody wants it any more: its lights were tested meanwhile, or left their group.
    .set(
      run.repeats && !ids.length
        ? { state: 'cancelled', ended_at: now }
        : isLate
          ? { state: 'over', ended_at: now }
          : { state: 'running' },
    )
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', run.id)
    .execute()
  await changed(tx, 'device tests', ids)
  await changed(tx, 'group', [run.group_id])
  return { moved: 1, more: true }
}

/** How far a light may be behind a gateway: extenders may stand between them. */
const deepest = 4

/** The gateways that lights speak through in the end; those that speak for themselves have none. */
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

/** When each of these gateways has the last light to tell of the runs that are under way, ms. */
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

/** A run is over when none of its lights is still at it. */
async function endRuns(tx: TenantTx, now: Date) {
  const { rows } = await sql<{ group_id: string }>`
    update test_run as run set state = 'over', ended_at = ${now}
    where run.tenant_id = ${tx.tenant} and run.state = 'running' and not exists (
      select from test_run_light as light
      where light.tenant_id = ${tx.tenant} and light.run_id = run.id and light.state in ('waiting', 'sent', 'running'))
    returning run.group_id`.execute(tx)
  await changed(
    tx,
    'group',
    rows.map((row) => row.group_id),
  )
  return { moved: rows.length, more: false }
}

/** Lights that missed a yearly test are tested again, as soon as the run is over. */
async function repeatMissed(tx: TenantTx, now: Date) {
  return { moved: await planAgain(tx, now), more: false }
}
