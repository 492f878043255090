import { sql } from 'kysely'
import type { TestedGroup } from '@caretaker/rules/lighting/collisions.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import type { PlannedRun } from '@caretaker/rules/lighting/plan.ts'
import { leastAhead, planAhead, planned, plannedNow, replanned } from '@caretaker/rules/lighting/plan.ts'
import { zoneOf } from '../../lists/read.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { record } from '../../projections/record.ts'
import { deletePlannedRuns, deleteRepeatedRuns, planRuns } from '../../test-runs/plan.ts'
import { planAgain } from './again.ts'
import { testedGroups } from './store.ts'

/** Writes the plan of a saved group; a new schedule replaces everything that has not begun. */
export async function replanGroup(tx: TenantTx, group: TestedGroup, now: Date): Promise<void> {
  await deletePlannedRuns(tx, [group.id], now)
  const to = +now + planAhead
  await write(tx, [{ group, runs: plannedNow(group, { zone: await zoneOf(tx), now: +now, to }) }], to)
  await deleteRepeatedRuns(tx, group.building, now)
  await planAgain(tx, now)
}

/** The tenant's time zone changed: the job plans its groups again, however many there are. */
export async function planByNewClocks(tx: TenantTx, now = new Date()): Promise<void> {
  await tx.updateTable('light_group').set({ planned_until: null }).where('tenant_id', '=', tx.tenant).execute()
  record(tx, [{ type: 'GroupPlansOutdated', at: now }])
}

interface Plan {
  group: TestedGroup
  runs: readonly PlannedRun[]
}

/** Stores the planned runs of groups, and until when their tests are planned. */
async function write(tx: TenantTx, plans: readonly Plan[], to: number): Promise<void> {
  await planRuns(
    tx,
    plans.flatMap(({ group, runs }) => runs.map((run) => ({ ...run, group }))),
  )
  const ids = plans.map(({ group }) => group.id)
  await tx
    .updateTable('light_group')
    .set({ planned_until: new Date(to) })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const extendAt = new Date(to - leastAhead)
  record(
    tx,
    ids.map((groupId) => ({ type: 'GroupPlanned', groupId, extendAt })),
  )
}

/** Groups planned in one transaction. */
const batch = 200

/** Extends every plan of less than a year; returns how many groups. */
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
  const dueGroups = await tx
    .selectFrom('light_group')
    .select(['id', 'planned_until'])
    .where('tenant_id', '=', tx.tenant)
    .where((row) => row.or([row('planned_until', 'is', null), row('planned_until', '<', new Date(+now + leastAhead))]))
    .orderBy('id')
    .limit(batch)
    .forUpdate()
    .execute()
  if (!dueGroups.length) return 0
  const zone = await zoneOf(tx)
  const groups = await testedGroups(tx, { ids: dueGroups.map(({ id }) => id) })
  const until = new Map(dueGroups.flatMap((row) => (row.planned_until ? [[row.id, +row.planned_until]] : [])))
  const unplanned = groups.filter(({ id }) => !until.has(id))
  const formerRuns = await takePlans(tx, unplanned, now)
  const plans = groups.map((group) => {
    const from = until.get(group.id)
    const runs =
      from === undefined
        ? replanned(group, { zone, now: +now, to }, formerRuns.get(group.id) ?? { begun: [], standing: [] })
        : planned(group, { zone, from: Math.max(+now, from), to })
    return { group, runs }
  })
  await write(tx, plans, to)
  if (unplanned.length) await planAgain(tx, now)
  return dueGroups.length
}

/** Deletes the plans of groups; returns the deleted runs and those that have begun recently. */
async function takePlans(tx: TenantTx, groups: readonly TestedGroup[], now: Date) {
  if (!groups.length) return new Map<string, { begun: PlannedRun[]; standing: PlannedRun[] }>()
  const ids = groups.map(({ id }) => id)
  const taken = await deletePlannedRuns(tx, ids, now)
  const begun = await tx
    .selectFrom('test_run')
    .select(['group_id', 'test_type', 'starts_at'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`group_id = any(${ids}::uuid[])`)
    .where('repeats', 'is', null)
    .where('starts_at', '>', new Date(+now - lately))
    .where('starts_at', '<=', now)
    .execute()
  const asPlanned = (rows: { group_id: string; test_type: TestType; starts_at: Date }[], id: string) =>
    rows
      .filter((row) => row.group_id === id)
      .map((row): PlannedRun => ({ testType: row.test_type, startsAt: +row.starts_at }))
  const standing = taken.filter((row) => row.repeats === null && +row.starts_at < +now + lately)
  return new Map(ids.map((id) => [id, { begun: asPlanned(begun, id), standing: asPlanned(standing, id) }]))
}

/** A time zone change cannot repeat older runs. */
const lately = 3 * 86_400_000

async function nextPlanning(tx: TenantTx): Promise<Date | null> {
  const { first } = await tx
    .selectFrom('light_group')
    .select(sql<Date | null>`min(coalesce(planned_until, to_timestamp(0)))`.as('first'))
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return first && new Date(+first - leastAhead)
}
