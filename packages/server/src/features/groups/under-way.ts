import { sql } from 'kysely'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { moveLights } from '../../test-runs/progress.ts'
import { queueCommands, takeBackUnsent } from '../commands/store.ts'

/** A test of a group that is running. */
export interface UnderWay {
  runId: string
  testType: TestType
  startedAt: Date
  /** Lights that have not finished it. */
  lights: number
}

/** The running tests of a group, the longest first. */
export async function testsUnderWay(tx: TenantTx, groupId: string): Promise<UnderWay[]> {
  const { rows } = await sql<{ id: string; test_type: TestType; starts_at: Date; lights: number }>`
    select run.id, run.test_type, run.starts_at, count(*)::int as lights
    from test_run as run
    join test_run_light as light on light.tenant_id = ${tx.tenant} and light.run_id = run.id
    where run.tenant_id = ${tx.tenant} and run.group_id = ${groupId}::uuid and run.state = 'running'
      and light.state in ('waiting', 'sent', 'running')
    group by run.id, run.test_type, run.starts_at
    order by run.test_type desc, run.starts_at`.execute(tx)
  return rows.map((row) => ({ runId: row.id, testType: row.test_type, startedAt: row.starts_at, lights: row.lights }))
}

interface Which {
  groupId: string
  /** Only these lights; otherwise all lights of the group. */
  deviceIds?: readonly string[]
  testType?: TestType
}

interface Light {
  run_id: string
  device_id: string
  state: 'waiting' | 'sent' | 'running'
  command_id: string | null
}

/**
 * Locks the lights that have not finished a test of the group, before their commands: the engine uses the same order.
 */
async function holdLights(tx: TenantTx, { groupId, deviceIds, testType }: Which): Promise<Light[]> {
  const ofDevices = deviceIds === undefined ? sql`` : sql`and light.device_id = any(${deviceIds}::uuid[])`
  const ofType = testType === undefined ? sql`` : sql`and run.test_type = ${testType}`
  const { rows } = await sql<Light>`
    select light.run_id, light.device_id, light.state, light.command_id
    from test_run_light as light
    join test_run as run on run.tenant_id = ${tx.tenant} and run.id = light.run_id
    where light.tenant_id = ${tx.tenant} and run.group_id = ${groupId}::uuid and run.state = 'running'
      and light.state in ('waiting', 'sent', 'running') ${ofDevices} ${ofType}
    order by light.device_id, light.run_id for update of light`.execute(tx)
  return rows
}

/**
 * Withdraws a test from the lights that have not received it: their commands are not sent any more. Returns their
 * number, and the lights that have received it.
 */
export async function takeBackTests(
  tx: TenantTx,
  which: Which,
  { reason, personId, now }: { reason: string; personId: string; now: Date },
): Promise<{ withdrawn: number; started: Light[] }> {
  const lights = await holdLights(tx, which)
  const sent = lights.filter(({ state }) => state === 'sent').flatMap((light) => light.command_id ?? [])
  const withdrawn = await takeBackUnsent(tx, sent, personId)
  const isUnsent = (light: Light) => light.state === 'waiting' || withdrawn.has(light.command_id ?? '')
  const unsent = lights.filter(isUnsent)
  await moveLights(
    tx,
    unsent.map((light) => ({ runId: light.run_id, deviceId: light.device_id, state: 'notStarted', reason })),
    now,
  )
  return { withdrawn: unsent.length, started: lights.filter((light) => !isUnsent(light)) }
}

/** Stops the tests of a group: unsent commands are withdrawn, and lights under test are sent a stop command. */
export async function stopTests(
  tx: TenantTx,
  which: Which,
  { person, now }: { person: { id: string; name: string }; now: Date },
): Promise<{ withdrawn: number; stopped: number }> {
  const reason = `${person.name} stopped the test before it was sent.`
  const { withdrawn, started } = await takeBackTests(tx, which, { reason, personId: person.id, now })
  for (const [runId, lights] of Map.groupBy(started, (light) => light.run_id)) {
    const deviceIds = lights.map((light) => light.device_id)
    await queueCommands(tx, { deviceIds, name: 'stopTest', args: { runId }, createdBy: person.id })
  }
  return { withdrawn, stopped: started.length }
}
