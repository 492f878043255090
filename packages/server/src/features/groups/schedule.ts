import { sql } from 'kysely'
import type { ScheduleEntry } from '@caretaker/contract/groups.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { outcomeOf } from '@caretaker/rules/lighting/run-outcome.ts'
import type { LightRunState, RunState } from '@caretaker/rules/lighting/runs.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { groupKey } from '@caretaker/rules/lighting/groups.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'
import type { Again } from './again.ts'
import { againOf } from './again.ts'
import { lightProducts } from './store.ts'

const notDone: readonly LightRunState[] = ['missed', 'notStarted', 'interrupted']
const open: readonly LightRunState[] = ['waiting', 'sent', 'running']

/** The counts of a run's lights `l` with their tests `t`. */
const counts = sql`
  count(l.device_id) as commanded,
  count(l.synced_at) as synced,
  count(*) filter (where t.result = 'Passed') as passed,
  count(*) filter (where t.result = 'Degraded') as degraded,
  count(*) filter (where t.result = 'Failed') as failed,
  count(*) filter (where l.state = any(${notDone}::text[])) as missed,
  count(*) filter (where l.state = any(${open}::text[])) as open`

interface Row {
  id: string
  group_id: string
  group_name: string
  building_id: string
  test_type: TestType
  starts_at: Date
  state: RunState
  /** The run that it repeats, and when that began. */
  repeats: string | null
  first_at: Date | null
  /** The present lights of the group, which a planned run would test. */
  members: string
  commanded: string | null
  synced: string | null
  passed: string | null
  degraded: string | null
  failed: string | null
  missed: string | null
  open: string | null
}

const entryOf = (row: Row, again?: Again): ScheduleEntry => {
  const number = (text: string | null) => Number(text ?? 0)
  const planned = row.repeats === null ? number(row.members) : (again?.lights(row).length ?? 0)
  const lights = row.state === 'planned' ? planned : number(row.commanded)
  const fared = {
    passed: number(row.passed),
    degraded: number(row.degraded),
    failed: number(row.failed),
    missed: number(row.missed),
  }
  return {
    testDate: row.starts_at.toISOString(),
    duration: minutesOf[row.test_type],
    isSynced: lights > 0 && number(row.synced) === lights,
    testType: row.test_type,
    groupId: row.group_id,
    groupName: row.group_name,
    building: row.building_id,
    state: row.state,
    outcome: outcomeOf(row.state, { ...fared, open: number(row.open) }),
    lights,
    ...fared,
    again: again?.at(row)?.toISOString() ?? null,
    repeats: row.first_at?.toISOString() ?? null,
  }
}

interface Asked {
  from: Date
  to: Date
  groupName?: string | undefined
  products?: readonly Product[] | undefined
}

/** The tests of groups that begin in [from, to), earliest first. */
export async function schedules(tx: TenantTx, { from, to, groupName, products }: Asked): Promise<ScheduleEntry[]> {
  const ofName = groupName === undefined ? sql`` : sql`and lower(run.group_name) = ${groupKey(groupName)}`
  const ofProducts =
    products === undefined
      ? sql``
      : sql`and exists (
          select from light_group_member as member
          join device on device.tenant_id = ${tx.tenant} and device.id = member.device_id
          where member.tenant_id = ${tx.tenant} and member.group_id = run.group_id
            and device.product = any(${products}::text[]))`
  const { rows } = await sql<Row>`
    with runs as (
      select id, group_id, group_name, building_id, test_type, starts_at, state, repeats, (
        select first.starts_at from test_run as first
        where first.tenant_id = ${tx.tenant} and first.id = run.repeats) as first_at
      from test_run as run
      where run.tenant_id = ${tx.tenant} and run.starts_at >= ${from} and run.starts_at < ${to}
        and run.state <> 'cancelled' ${ofName} ${ofProducts}
    ), fared as (
      select l.run_id, ${counts} from test_run_light as l
      left join emergency_test as t on t.tenant_id = ${tx.tenant} and t.event_id = l.event_id
      where l.tenant_id = ${tx.tenant} and l.run_id in (select id from runs where state <> 'planned')
      group by l.run_id
    ), sizes as (
      select member.group_id, count(*) as members from light_group_member as member
      where member.tenant_id = ${tx.tenant} group by member.group_id
    )
    select runs.*, coalesce(sizes.members, 0) as members, commanded, synced, passed, degraded, failed, missed, open
    from runs left join fared on fared.run_id = runs.id left join sizes on sizes.group_id = runs.group_id
    order by starts_at, group_name, test_type`.execute(tx)
  const again = await againOf(tx, rows)
  return rows.map((row) => entryOf(row, again))
}

/** The number of past and coming tests on the page of a device. */
const shown = 12
/** How far to look back if there are many lights. */
const lookBack = 400 * 86_400_000

/**
 * The next tests of a light, and the results of the group tests that it took part in; for a gateway or extender,
 * those of the lights connected through it. Lights that the actor does not see are neither listed nor counted.
 */
export async function deviceSchedule(tx: TenantTx, actor: Actor, device: { id: string; product: Product }) {
  const isLight = lightProducts.includes(device.product)
  const lights = isLight ? [device.id] : await lightsBehind(tx, actor, device.id)
  const groups = await tx
    .selectFrom('light_group_member as member')
    .innerJoin('light_group', (join) =>
      join.on('light_group.tenant_id', '=', tx.tenant).onRef('light_group.id', '=', 'member.group_id'),
    )
    .where('member.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`member.device_id = any(${lights}::uuid[])`)
    .groupBy(['light_group.id', 'light_group.name'])
    .select(['light_group.id', 'light_group.name', sql<string>`count(*)`.as('lights')])
    .execute()
  const group = isLight ? groups[0] : undefined
  const sizes = isLight ? await groupSizes(tx, actor, groups) : new Map(groups.map((one) => [one.id, one.lights]))
  // The next run of each type is included, however many come before it.
  const { rows: next } = await sql<Row>`
    with coming as (
      select id, group_id, group_name, building_id, test_type, starts_at, state, repeats,
        row_number() over (order by starts_at, group_name) as place,
        row_number() over (partition by test_type, repeats is null order by starts_at, group_name) as of_its_type
      from test_run as run
      where run.tenant_id = ${tx.tenant} and group_id = any(${groups.map(({ id }) => id)}::uuid[]) and state = 'planned'
    )
    select id, group_id, group_name, building_id, test_type, starts_at, state, '0' as members, repeats, (
        select first.starts_at from test_run as first
        where first.tenant_id = ${tx.tenant} and first.id = coming.repeats) as first_at,
      null as commanded, null as synced, null as passed, null as degraded, null as failed, null as missed, null as open
    from coming where place <= ${shown} or of_its_type = 1
    order by starts_at, group_name`.execute(tx)
  for (const row of next) row.members = sizes.get(row.group_id) ?? '0'
  const since = isLight ? new Date(0) : new Date(Date.now() - lookBack)
  const { rows: past } = await sql<Row & { reason: string | null }>`
    select run.id, run.group_id, run.group_name, run.building_id, run.test_type, run.starts_at, run.state, '1' as members,
      run.repeats, max(first.starts_at) as first_at,
      -- Null if the lights have different reasons.
      case when count(distinct l.reason) = 1 then max(l.reason) end as reason, ${counts}
    from test_run_light as l
    join test_run as run on run.tenant_id = ${tx.tenant} and run.id = l.run_id
    left join test_run as first on first.tenant_id = ${tx.tenant} and first.id = run.repeats
    left join emergency_test as t on t.tenant_id = ${tx.tenant} and t.event_id = l.event_id
    where l.tenant_id = ${tx.tenant} and l.device_id = any(${lights}::uuid[]) and l.due_at >= ${since}
    group by run.id, run.repeats, run.group_id, run.group_name, run.building_id, run.test_type, run.starts_at, run.state
    order by run.starts_at desc, run.group_name limit ${shown}`.execute(tx)
  const again = await againOf(tx, [...next, ...past], new Set(lights))
  return {
    group: group ? { groupName: group.name, lights: Number(sizes.get(group.id) ?? 0) } : null,
    // A repeated test concerns only the lights that missed it.
    next: next.filter((row) => row.repeats === null || again.lights(row).length > 0).map((row) => entryOf(row, again)),
    past: past.map((row) => ({ ...entryOf(row, again), reason: row.reason })),
  }
}

/** The emergency lights connected through a device; there may be an extender between a gateway and a light. */
async function lightsBehind(tx: TenantTx, actor: Actor, deviceId: string): Promise<string[]> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .where(sql<boolean>`device.product = any(${lightProducts}::text[])`)
    .where(
      sql<boolean>`(device.parent_id = ${deviceId}::uuid or device.parent_id in (
        select extender.id from device as extender
        where extender.tenant_id = ${tx.tenant} and extender.parent_id = ${deviceId}::uuid))`,
    )
    .select('device.id')
    .execute()
  return rows.map(({ id }) => id)
}

async function groupSizes(tx: TenantTx, actor: Actor, groups: readonly { id: string }[]): Promise<Map<string, string>> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .innerJoin('light_group_member as member', (join) =>
      join.on('member.tenant_id', '=', tx.tenant).onRef('member.device_id', '=', 'device.id'),
    )
    .where(sql<boolean>`member.group_id = any(${groups.map(({ id }) => id)}::uuid[])`)
    .groupBy('member.group_id')
    .select(['member.group_id', sql<string>`count(*)`.as('lights')])
    .execute()
  return new Map(rows.map((row) => [row.group_id, row.lights]))
}
