import type { LightRun } from '@caretaker/contract/lighting.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { againOf } from '../groups/again.ts'

/** Planned tests listed for one light, in each direction of time. */
const mostRuns = 100

/** The planned tests of a light without a result: future, running, and failed to take place. */
export async function runsOf(tx: TenantTx, deviceId: string): Promise<LightRun[]> {
  const begun = await tx
    .selectFrom('test_run_light as light')
    .innerJoin('test_run as run', (join) =>
      join.on('run.tenant_id', '=', tx.tenant).onRef('run.id', '=', 'light.run_id'),
    )
    .select([
      'run.id',
      'run.group_name',
      'run.test_type',
      'run.starts_at',
      'run.group_id',
      'light.state',
      'light.reason',
      'light.ended_at',
      'run.repeats',
      'run.state as run_state',
    ])
    .where('light.tenant_id', '=', tx.tenant)
    .where('light.device_id', '=', deviceId)
    .where('light.state', '<>', 'finished')
    .orderBy('light.due_at', 'desc')
    .limit(mostRuns)
    .execute()
  const planned = await tx
    .selectFrom('light_group_member as member')
    .innerJoin('test_run as run', (join) =>
      join.on('run.tenant_id', '=', tx.tenant).onRef('run.group_id', '=', 'member.group_id'),
    )
    .select(['run.id', 'run.group_name', 'run.test_type', 'run.starts_at', 'run.group_id', 'run.repeats'])
    .where('member.tenant_id', '=', tx.tenant)
    .where('member.device_id', '=', deviceId)
    .where('run.state', '=', 'planned')
    .orderBy('run.starts_at')
    .limit(mostRuns)
    .execute()
  const asRun = begun.map((run) => ({ ...run, state: run.run_state, light: run }))
  const asPlanned = planned.map((run) => ({ ...run, state: 'planned' as const, light: undefined }))
  const again = await againOf(tx, [...asPlanned, ...asRun], new Set([deviceId]))
  // A repeated run concerns only the lights that missed it.
  const toCome = asPlanned.filter((run) => run.repeats === null || again.lights(run).length > 0)
  return [...toCome.toReversed(), ...asRun].map((run) => ({
    runId: run.id,
    groupName: run.group_name,
    testType: run.test_type,
    startsAt: run.starts_at.toISOString(),
    state: run.light?.state ?? 'planned',
    reason: run.light?.reason ?? null,
    endedAt: run.light?.ended_at?.toISOString() ?? null,
    again: again.at(run)?.toISOString() ?? null,
  }))
}
