import { sql } from 'kysely'
import type { LightRunState } from '@caretaker/rules/lighting/runs.ts'
import type { LitTime } from '@caretaker/rules/lighting/verdict.ts'
import type { ComponentStates, TestBits, TestPoint, TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { ReportedLight } from '../../test-runs/progress.ts'
import { setReportedLights } from '../../test-runs/progress.ts'

/** A test as its light reported it, with the verdict of the rule. */
export interface JudgedTest {
  eventId: string
  deviceId: string
  testType: TestType
  startedAt: Date
  /** The start by the light's clock, if that clock was wrong; `startedAt` is then the time of receipt. */
  reportedStart: Date | null
  result: TestResult
  reason: string
  componentStates: ComponentStates
  series: TestPoint[]
  lit: LitTime | null
  word: TestResult | null
  bits: TestBits | null
  runId: string | null
  /** Why there was no test; it then has no result. */
  missed: string | null
}

/** Tolerance in ms around the command time for a test that names no run: the clock of a light may be slow. */
const [early, late] = [2 * 60_000, 30 * 60_000]

/**
 * Applies tests to the runs of groups. A light may name the run in its test; otherwise the test belongs to the run
 * whose command was sent about that time.
 */
export async function applyToRuns(tx: TenantTx, tests: readonly JudgedTest[]): Promise<void> {
  if (!tests.length) return
  const { rows } = await sql<TestedLight>`
    select light.run_id as "runId", light.device_id as "deviceId", light.due_at as "dueAt", light.event_id as "eventId",
      light.state, run.test_type as "testType"
    from test_run_light as light join test_run as run on run.tenant_id = ${tx.tenant} and run.id = light.run_id
    where light.tenant_id = ${tx.tenant} and light.state not in ('waiting', 'finished')
      and light.device_id in (select unnest(${tests.map(({ deviceId }) => deviceId)}::uuid[]))
    order by light.due_at desc`.execute(tx)
  if (!rows.length) return
  const ofDevice = Map.groupBy(rows, (light) => light.deviceId)
  const updates = tests.flatMap((test): ReportedLight[] => {
    const light = ofDevice.get(test.deviceId)?.find((one) => isTestOf(one, test))
    const end = endOf(test)
    // A light that failed to start is not started again, but a finished test still counts.
    const isUpdate = light && (light.state === 'sent' || light.state === 'running' || end.state === 'finished')
    if (!isUpdate) return []
    const wasHeld = end.state !== 'missed'
    return [
      {
        ...{ runId: light.runId, deviceId: light.deviceId, ...end },
        eventId: wasHeld ? test.eventId : null,
        startedAt: wasHeld ? test.startedAt : null,
      },
    ]
  })
  await setReportedLights(tx, updates)
}

interface TestedLight {
  runId: string
  deviceId: string
  dueAt: Date
  eventId: string | null
  state: LightRunState
  testType: TestType
}

function isTestOf(light: TestedLight, test: JudgedTest): boolean {
  if (light.testType !== test.testType) return false
  if (light.eventId !== null) return light.eventId === test.eventId
  if (test.runId !== null) return light.runId === test.runId
  const after = +test.startedAt - +light.dueAt
  return after >= -early && after < late
}

/** The state of a light in its run that follows from its test. */
function endOf({ missed, result, word }: JudgedTest): { state: LightRunState; reason: string | null } {
  if (missed !== null) return { state: 'missed', reason: missed }
  if (result === 'AwaitingAnalysis') return { state: 'running', reason: null }
  // The light's own report: it ended the test itself without a result.
  if (word === 'Indeterminate') return { state: 'interrupted', reason: 'The light ended the test without a result.' }
  return { state: 'finished', reason: null }
}
