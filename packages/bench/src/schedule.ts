import { performance } from 'node:perf_hooks'
import { getEmeredGroups, getTenantEmeredTestShedules } from '@caretaker/contract/groups.ts'
import { makeDue } from '@caretaker/server/postgres/due.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import { planTests } from '@caretaker/server/features/groups/plan.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'

const [groups, lightsEach, buildings] = [500, 100, 50]
const mostSeconds = 10
const tenant = 'north'
const reader = 'guest@north.test'

/**
 * A year's plan of 50,000 lights in 500 groups, all of which ask for every kind of test, and what the page of the groups asks
 * for then.
 */
export async function run(): Promise<void> {
  const test = await testApp()
  try {
    await test.addTenant(tenant)
    await test.addMember(tenant, reader, 'Guest')
    await fill(test)
    const { db, owner } = test.database
    await inTenant(db, tenant, (tx) => makeDue(tx, 'plan tests'))
    const planning = await timed(() => planTests(db))
    const { rows } = await owner.query<{ runs: number; groups: number }>(
      'select count(*)::int as runs, count(distinct group_id)::int as groups from test_run',
    )
    const month = 31 * 86_400_000
    const span = { from: Date.now(), to: Date.now() + month }
    // The first call signs the person in.
    await test.send(getEmeredGroups, { body: { tenant } }, reader)
    const asked = {
      groups: await timed(() => test.send(getEmeredGroups, { body: { tenant } }, reader)),
      month: await timed(() => test.send(getTenantEmeredTestShedules, { body: { tenant, ...span } }, reader)),
    }
    console.log(JSON.stringify({ ...rows[0], lights: groups * lightsEach, seconds: planning, calls: asked }))
    if (planning > mostSeconds) process.exitCode = 1
    console.log(
      `schedule: ${rows[0]!.runs} runs of ${groups * lightsEach} lights in ${groups} groups planned in ${planning.toFixed(2)} s (must be at most ${mostSeconds})`,
    )
  } finally {
    await test.close()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

/** Buildings, and in each groups whose starts are spread over a year. */
async function fill({ database: { owner } }: TestApp): Promise<void> {
  const values = [tenant, buildings, groups, groups * lightsEach]
  await owner.query(`insert into building (tenant_id, id, name)
    select '${tenant}', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Building ' || n
    from generate_series(0, ${buildings - 1}) as n`)
  await owner.query(
    `insert into light_group (tenant_id, id, name, name_key, building_id, t180_start, also_types, created_at)
     select $1, ('00000000-0000-4000-8001-' || lpad(n::text, 12, '0'))::uuid, 'Group ' || n, 'group ' || n,
       ('00000000-0000-4000-8000-' || lpad((n % $2)::text, 12, '0'))::uuid,
       timestamp '2026-01-01 01:30' + n * interval '17 hours', '{T5,T60}', now()
     from generate_series(0, $3 - 1) as n where $4::int > 0`,
    values,
  )
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity, building_id)
     select $1, ('00000000-0000-4000-8002-' || lpad(n::text, 12, '0'))::uuid, 'EM1' || n, 'EM', 'Light ' || n,
       'EmergencyLights', 'Ok', 2, ('00000000-0000-4000-8000-' || lpad((n % $3 % $2)::text, 12, '0'))::uuid
     from generate_series(0, $4 - 1) as n`,
    values,
  )
  await owner.query(
    `insert into light_group_member (tenant_id, device_id, group_id, added_at)
     select $1, ('00000000-0000-4000-8002-' || lpad(n::text, 12, '0'))::uuid,
       ('00000000-0000-4000-8001-' || lpad((n % $2)::text, 12, '0'))::uuid, now()
     from generate_series(0, $3 - 1) as n`,
    [tenant, groups, groups * lightsEach],
  )
  await owner.query('analyze device, light_group, light_group_member')
}
