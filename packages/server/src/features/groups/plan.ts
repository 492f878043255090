import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { TestedGroup } from '@caretaker/rules/lighting/collisions.ts'
import type { PlannedRun } from '@caretaker/rules/lighting/plan.ts'
import { leastAhead, planAhead, planned, plannedNow } from '@caretaker/rules/lighting/plan.ts'
import { changed } from '../../changes/changed.ts'
import { zoneOf } from '../../lists/read.ts'
import { doDue, makeDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { testedGroups } from './store.ts'

/** Writes the plan of a group that was saved, and with a new rhythm in place of what had not begun. */
export async function planAnew(tx: TenantTx, group: TestedGroup, now: Date): Promise<void> {
  await tx
    .deleteFrom('test_run')
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', group.id)
    .where('state', '=', 'planned')
    .where('starts_at', '>', now)
    .execute()
  const to = +now + planAhead
  await write(tx, [{ group, runs: plannedNow(group, { zone: await zoneOf(tx), now: +now, to }) }], to)
}

/** Takes away what was planned for a group; what has begun stays. */
export async function planNothing(tx: TenantTx, groupId: string): Promise<void> {
  await tx
    .deleteFrom('test_run')
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', groupId)
    .where('state', '=', 'planned')
    .execute()
}

interface Plan {
  group: TestedGroup
  runs: readonly PlannedRun[]
}

/** One statement for the runs of all groups: a run that stands already, whatever became of it, is not written again. */
async function write(tx: TenantTx, plans: readonly Plan[], to: number): Promise<void> {
  const rows = plans.flatMap(({ group, runs }) => runs.map((run) => ({ ...run, group })))
  await sql`
    insert into test_run (tenant_id, id, group_id, group_name, building_id, test_type, starts_at)
    select ${tx.tenant}, id, group_id, group_name, building_id, test_type, starts_at
    from unnest(
      ${rows.map(() => randomUUID())}::uuid[], ${rows.map(({ group }) => group.id)}::uuid[],
      ${rows.map(({ group }) => group.name)}::text[], ${rows.map(({ group }) => group.building)}::uuid[],
      ${rows.map(({ testType }) => testType)}::text[],
      ${rows.map(({ startsAt }) => new Date(startsAt).toISOString())}::timestamptz[]
    ) as run (id, group_id, group_name, building_id, test_type, starts_at)
    on conflict do nothing`.execute(tx)
  const ids = plans.map(({ group }) => group.id)
  await tx
    .updateTable('light_group')
    .set({ planned_until: new Date(to) })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  await makeDue(tx, 'plan tests', new Date(to - leastAhead))
  if (rows.length) await makeDue(tx, 'run tests', new Date(Math.min(...rows.map(({ startsAt }) => startsAt))))
}

/** Groups planned in one transaction. */
const batch = 200

/** Plans on wherever less than a year is planned ahead; returns how many groups. */
export async function planTests(db: Db, now = new Date()): Promise<number> {
  const to = +now + planAhead
  return doDue(db, {
    work: 'plan tests',
    now,
    run: async (tenant) => {
      let done = 0
      for (;;) {
        const some = await inTenant(db, tenant, (tx) => planSome(tx, now, to))
        done += some
        if (some < batch) return done
      }
    },
    next: nextPlanning,
  })
}

async function planSome(tx: TenantTx, now: Date, to: number): Promise<number> {
  const ripe = await tx
    .selectFrom('light_group')
    .select(['id', 'planned_until'])
    .where('tenant_id', '=', tx.tenant)
    .where((row) => row.or([row('planned_until', 'is', null), row('planned_until', '<', new Date(+now + leastAhead))]))
    .orderBy('id')
    .limit(batch)
    .forUpdate()
    .execute()
  if (!ripe.length) return 0
  const zone = await zoneOf(tx)
  const groups = await testedGroups(tx, { ids: ripe.map(({ id }) => id) })
  const until = new Map(ripe.map((row) => [row.id, row.planned_until]))
  const plans = groups.map((group) => {
    const from = Math.max(+now, +(until.get(group.id) ?? now))
    return { group, runs: planned(group, { zone, from, to }) }
  })
  await write(tx, plans, to)
  await changed(
    tx,
    'group',
    ripe.map(({ id }) => id),
  )
  return ripe.length
}

async function nextPlanning(tx: TenantTx): Promise<Date | null> {
  const { first } = await tx
    .selectFrom('light_group')
    .select(sql<Date | null>`min(coalesce(planned_until, to_timestamp(0)))`.as('first'))
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return first && new Date(+first - leastAhead)
}
