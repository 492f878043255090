import { sql } from 'kysely'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { countsAsInstalled } from '@caretaker/rules/devices/status.ts'
import { clockText } from '@caretaker/rules/calendar/days.ts'
import { supplyOf } from '@caretaker/rules/lighting/supply.ts'
import { catchUp, endExpected, endGrace, holdOff } from '@caretaker/rules/lighting/runs.ts'
import { minutesOf, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { LightMove } from '../../test-runs/progress.ts'
import { interruptLights, missLights, moveLights } from '../../test-runs/progress.ts'
import { queueCommands } from '../commands/store.ts'
import { batteryPutIn, batteryPutInTime, putInAt } from '../devices/battery.ts'

/** Maximum number of lights advanced in one transaction. */
const atOnce = 1000
/**
 * Commands due within this many ms are queued now, each with its own time, because the job runs every half minute.
 */
const horizon = 60_000

export const serverWasDown = 'The server was not running.'

/** Marks lights as missed if their command was not sent in time because no worker was running. */
export async function missLate(tx: TenantTx, now: Date) {
  const dueBefore = new Date(+now - catchUp)
  return { moved: await missLights(tx, { dueBefore, reason: serverWasDown, now }), more: false }
}

/** Queues the start command for lights whose turn it is, unless known facts rule the test out. */
export async function sendDue(tx: TenantTx, now: Date) {
  const due = await tx
    .selectFrom('test_run_light as light')
    .innerJoin('test_run as run', (join) =>
      join.on('run.tenant_id', '=', tx.tenant).onRef('run.id', '=', 'light.run_id'),
    )
    .select(['light.run_id', 'light.device_id', 'light.due_at', 'run.test_type'])
    .where('light.tenant_id', '=', tx.tenant)
    .where('light.state', '=', 'waiting')
    .where('light.due_at', '<=', new Date(+now + horizon))
    .orderBy('light.due_at')
    .orderBy('light.device_id')
    .limit(atOnce)
    .forUpdate('light')
    .skipLocked()
    .execute()
  if (!due.length) return { moved: 0, more: false }
  const zone = await zoneOf(tx)
  const known = await lightsBefore(
    tx,
    due.map((row) => row.device_id),
    zone,
  )
  const at = { now: +now, time: (instant: number) => clockText(instant, zone).slice(0, -3) }
  const moved: LightMove[] = []
  const fit = due.filter((row) => {
    const reason = holdOff(row.test_type, known.get(row.device_id) ?? { isInstalled: false }, at)
    if (reason) moved.push({ runId: row.run_id, deviceId: row.device_id, state: 'notStarted', reason })
    return !reason
  })
  for (const [runId, rows] of Map.groupBy(fit, (row) => row.run_id)) {
    const commands = await queueCommands(tx, {
      deviceIds: rows.map((row) => row.device_id),
      name: 'runTest',
      args: { testType: rows[0]!.test_type, runId },
      createdBy: null,
      dueAt: new Map(rows.map((row) => [row.device_id, row.due_at])),
    })
    for (const [deviceId, commandId] of commands) moved.push({ runId, deviceId, state: 'sent', commandId })
  }
  await moveLights(tx, moved, now)
  return { moved: moved.length, more: due.length === atOnce }
}

/** The facts about lights on which a test depends. */
export async function lightsBefore(tx: TenantTx, deviceIds: readonly string[], zone: string) {
  const { rows } = await sql<{
    id: string
    status: DeviceStatus
    reported: Record<string, unknown>
    installed: string | null
    time: string | null
    drained: Date | null
  }>`
    select device.id, device.status, device.reported, ${batteryPutIn(tx)} as installed,
      ${batteryPutInTime(tx)} as time, (
        select max(test.started_at + case test.test_type when 'T60' then interval '1 hour' else interval '3 hours' end)
        from emergency_test as test
        where test.tenant_id = ${tx.tenant} and test.device_id = device.id and test.test_type in ('T60', 'T180')
      ) as drained
    from device left join emergency_equipment as equipment
      on equipment.tenant_id = ${tx.tenant} and equipment.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.id = any(${deviceIds}::uuid[])`.execute(tx)
  return new Map(
    rows.map(({ id, status, reported, installed, time, drained }) => [
      id,
      {
        isInstalled: countsAsInstalled(status),
        ...supplyOf(reported),
        drainedAt: drained ? +drained : undefined,
        batteryInstalledAt: installed ? putInAt(installed, time, zone) : undefined,
      },
    ]),
  )
}

/** Applies the lights' answers to their start commands, and the absence of answers. */
export async function applyAnswers(tx: TenantTx, now: Date) {
  const { rows } = await sql<{
    run_id: string
    device_id: string
    status: string | null
    message: string | null
    answered_at: Date | null
    late_answer: string | null
    connection_status: string
    connection_at: Date | null
  }>`
    select light.run_id, light.device_id, command.status, command.message, command.answered_at, command.late_answer,
      device.connection_status, device.connection_at
    from test_run_light as light
    join device on device.tenant_id = ${tx.tenant} and device.id = light.device_id
    left join command on command.tenant_id = ${tx.tenant} and command.id = light.command_id
    where light.tenant_id = ${tx.tenant} and light.state = 'sent'
      and (command.id is null or command.status not in ('queued', 'sent') or command.expires_at <= ${now})
    order by light.device_id limit ${atOnce}
    for update of light skip locked`.execute(tx)
  if (!rows.length) return { moved: 0, more: false }
  const zone = await zoneOf(tx)
  const moved = rows.map((row): LightMove => {
    const ours = { runId: row.run_id, deviceId: row.device_id }
    const confirmed = row.status === 'confirmed' || row.late_answer === 'confirmed'
    if (confirmed) return { ...ours, state: 'running', syncedAt: row.answered_at }
    if (row.status === 'failed' || row.late_answer === 'failed')
      return { ...ours, state: 'notStarted', reason: row.message ?? 'The light refused the command.' }
    if (row.status === null) return { ...ours, state: 'notStarted', reason: 'The light was uninstalled.' }
    if (row.status === 'withdrawn') return { ...ours, state: 'notStarted', reason: 'The test was withdrawn.' }
    return { ...ours, state: 'missed', reason: silence(row, zone) }
  })
  await moveLights(tx, moved, now)
  return { moved: moved.length, more: rows.length === atOnce }
}

function silence(
  { connection_status, connection_at }: { connection_status: string; connection_at: Date | null },
  zone: string,
) {
  if (connection_status === connectionStates.neverconnected) return 'Never connected.'
  if (connection_status !== connectionStates.offline) return 'The light did not answer.'
  return connection_at ? `Offline since ${clockText(+connection_at, zone).slice(0, -3)}.` : 'Offline.'
}

/** Ends tests that began and whose end was never reported. */
export async function endOverdue(tx: TenantTx, now: Date) {
  const ends = testTypes.map((testType) => ({
    testType,
    startedBefore: new Date(+now - endExpected(testType, 0)).toISOString(),
    reason: `The light did not report the end of the test within ${minutesOf[testType] + endGrace / 60_000} min.`,
  }))
  return { moved: await interruptLights(tx, ends, now), more: false }
}
