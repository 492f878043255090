import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { runTests } from '@caretaker/server/features/lighting/engine.ts'
import { ingestTests } from '@caretaker/server/features/lighting/ingest.ts'
import { makeDue } from '@caretaker/server/postgres/due.ts'
import type { Db } from '@caretaker/server/postgres/pool.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'

const tenant = 'north'
/** Messages that the door writes in one transaction at most. */
const batch = 5000
/** Lights for each statement at least. */
const fewest = 40

/**
 * A night in which all lights of one group are tested: how long they are told to begin, and their results stored, and by how many
 * statements. `--lights N`, 20,000 unless given.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { lights: { type: 'string', default: '20000' } } })
  const lights = Number(values.lights)
  const test = await testApp()
  test.database.unwatch()
  try {
    await test.addTenant(tenant)
    const { ids, runId } = await fill(test, lights)
    const telling = await measured(test.database.db, (db) => runTests(db))
    const storing = await measured(test.database.db, async (db) => {
      for (let from = 0; from < ids.length; from += batch)
        await inTenant(db, tenant, (tx) =>
          ingestTests(
            tx,
            ids.slice(from, from + batch).map((id) => passed(id, runId)),
          ),
        )
    })
    const ending = await measured(test.database.db, (db) => runTests(db))
    const { rows } = await test.database.owner.query<{ count: number }>(
      "select count(*)::int as count from test_run_light where state = 'finished'",
    )
    console.log(JSON.stringify({ lights, telling, storing, ending, finished: rows[0]!.count }, null, 2))
    const statements = telling.statements + storing.statements + ending.statements
    const seconds = telling.seconds + storing.seconds + ending.seconds
    console.log(
      `night: ${lights} lights told and stored in ${seconds.toFixed(1)} s by ${statements} statements, ${rows[0]!.count} of them to their end (must be all, and a statement for ${fewest} lights at least)`,
    )
    if (rows[0]!.count !== lights || statements * fewest > lights) process.exitCode = 1
  } finally {
    await test.close()
  }
}

const passed = (deviceId: string, runId: string) => ({
  ...{ deviceId, tenant, receivedAt: new Date() },
  payload: {
    ...{ eventId: randomUUID(), testType: 'T0' as const, start: Date.now(), runId, result: 'Passed' as const },
    componentStates: { Battery: 'Ok' as const, Inverter: 'Ok' as const, Lamp: 'Ok' as const, Emered: 'Ok' as const },
    series: Array.from({ length: 10 }, (_, seconds) => ({ seconds, batteryVoltage: 4 })),
  },
})

async function measured(db: Db, work: (db: Db) => Promise<unknown>) {
  let statements = 0
  const counting = db.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  })
  const start = performance.now()
  await work(counting)
  return { seconds: (performance.now() - start) / 1000, statements }
}

async function fill({ database: { owner, db } }: TestApp, lights: number) {
  const [building, group, runId] = [randomUUID(), randomUUID(), randomUUID()]
  const { rows } = await owner.query<{ id: string }>(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     select $1, gen_random_uuid(), 'EMN' || n || 'X', 'EM', 'Light ' || n, 'EmergencyLights', 'Ok', 2
     from generate_series(1, $2::int) as n returning id`,
    [tenant, lights],
  )
  const ids = rows.map((row) => row.id)
  await owner.query(`insert into building (tenant_id, id, name, address) values ($1, $2, 'Court', '1 Mill Lane')`, [
    tenant,
    building,
  ])
  await owner.query(
    `insert into light_group (tenant_id, id, name, name_key, building_id, t180_start, created_at)
     values ($1, $2, 'Night', 'night', $3, '2026-01-01 02:00:00', $4)`,
    [tenant, group, building, new Date()],
  )
  await owner.query(
    `insert into light_group_member (tenant_id, device_id, group_id, added_at)
     select $1, id, $2, $3 from unnest($4::uuid[]) as id`,
    [tenant, group, new Date(), ids],
  )
  await owner.query(
    `insert into test_run (tenant_id, id, group_id, group_name, building_id, test_type, starts_at)
     values ($1, $2, $3, 'Night', $4, 'T0', $5)`,
    [tenant, runId, group, building, new Date()],
  )
  await owner.query('analyze device, light_group_member')
  await inTenant(db, tenant, (tx) => makeDue(tx, 'run tests'))
  return { ids, runId }
}
