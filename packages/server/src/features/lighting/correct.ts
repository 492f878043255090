import type { decideTestDispute, EmergencyTest, updateTestResult } from '@caretaker/contract/lighting.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Received } from '@caretaker/contract/route.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { ResultChange } from '@caretaker/rules/lighting/decisions.ts'
import {
  contradiction,
  isDisputable,
  ownWords,
  reasonMissing,
  ruledOutBy,
} from '@caretaker/rules/lighting/decisions.ts'
import type { Judged, TestResult } from '@caretaker/rules/lighting/tests.ts'
import { components, correctedResult, isPending } from '@caretaker/rules/lighting/tests.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { enqueueMessages } from '../../projections/outbox.ts'
import { recomputeTestConditions } from '../conditions/store.ts'
import { keepLastTests } from './ingest.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'
import { testsById } from './store.ts'

type Form = Received<typeof updateTestResult>['form']
type Decision = Received<typeof decideTestDispute>['body']['decision']

/** The user who decides about a test. */
interface Caller {
  actor: Actor
  person: Recorded
}

/** Locks the given test, or the newest test of the light. */
async function holdTest(tx: TenantTx, deviceId: string, eventId: string | undefined) {
  const test = await tx
    .selectFrom('emergency_test')
    .select(['event_id', 'test_type', 'result', 'reason', 'component_states', 'judged', 'series', 'status_bits'])
    .select(['changes', 'disputed', 'corrected_at', 'corrected_by'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .$if(eventId !== undefined, (query) => query.where('event_id', '=', eventId!))
    .orderBy('started_at', 'desc')
    .orderBy('event_id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  if (!test) throw refuse('not found')
  return test
}
type HeldTest = Awaited<ReturnType<typeof holdTest>>

const judgedOf = (test: HeldTest): Judged => ({
  result: test.result,
  reason: test.reason,
  componentStates: test.component_states,
})

/** The result after a correction; without states only the reason changes. */
function corrected(before: Judged, form: Omit<Form, 'tenant' | 'deviceId' | 'eventId'>): Judged {
  const states = Object.fromEntries(components.flatMap((part) => (form[part] ? [[part, form[part]]] : [])))
  const hasStates = Object.keys(states).length > 0
  if (!hasStates && !form.otherState) return { ...before, reason: form.reason }
  const componentStates = { ...before.componentStates, ...states }
  const result: TestResult = correctedResult({ componentStates, other: form.otherState })
  return { result, componentStates, reason: form.reason }
}

const invalid = (field: string, message: string) => refuse('invalid', message, [{ field, message }])

/** What the evidence of a locked test rules out. */
async function ruledOutOf(tx: TenantTx, deviceId: string, test: HeldTest) {
  const equipment = await tx
    .selectFrom('emergency_equipment')
    .select('battery_voltage')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  return ruledOutBy({
    ...{ testType: test.test_type, series: test.series, bits: test.status_bits },
    nominalVoltage: equipment?.battery_voltage ?? null,
  })
}

/**
 * Corrects a test of a locked light. The verdict of the rule is kept beside it, the light's conditions follow, and
 * later reports of the light do not change it.
 */
export async function correctTest(
  tx: TenantTx,
  caller: Caller,
  device: HeldDevice,
  { eventId, ...form }: Form,
): Promise<EmergencyTest> {
  const test = await holdTest(tx, device.deviceId, eventId)
  const before = judgedOf(test)
  const judged = test.judged ?? test.disputed ?? before
  const after = corrected(before, form)
  const own = ownWords(form.reason, { componentStates: after.componentStates, other: form.otherState }, judged)
  if (!own) throw invalid('reason', reasonMissing)
  const counted = test.disputed ?? before
  const against = contradiction(await ruledOutOf(tx, device.deviceId, test), counted, after)
  if (against) throw refuse('refused', against)
  // Until the review is decided, a test counts as before.
  if (isPending(after.result) && isDisputable(counted.result)) {
    const open = { kind: 'disputed', reason: own, now: after.result } as const
    return decide(tx, caller, device, { test, action: 'test result corrected', ...open, after, disputed: counted })
  }
  return decide(tx, caller, device, {
    ...{ test, action: 'test result corrected', kind: 'corrected', reason: own, now: after.result, after },
    ...{ disputed: null, judged },
  })
}

/**
 * Disputes the result of a test of a locked light: it awaits review, and counts as before until an administrator
 * decides.
 */
export async function disputeTest(
  tx: TenantTx,
  caller: Caller,
  device: HeldDevice,
  { eventId, reason }: { eventId: string; reason: string },
): Promise<EmergencyTest> {
  const test = await holdTest(tx, device.deviceId, eventId)
  if (test.disputed) throw refuse('conflict', 'This result is already disputed.')
  const before = judgedOf(test)
  if (!isDisputable(before.result)) throw refuse('refused', 'Only a failed or degraded result can be disputed.')
  const now = 'AwaitingReview'
  return decide(tx, caller, device, {
    ...{ test, action: 'test result disputed', kind: 'disputed', reason, now },
    ...{ after: { ...before, result: now }, disputed: before },
  })
}

/** Decides a disputed test of a locked light: the result is confirmed or becomes indeterminate. */
export async function decideDispute(
  tx: TenantTx,
  caller: Caller,
  device: HeldDevice,
  { eventId, decision, reason }: { eventId: string; decision: Decision; reason: string },
): Promise<EmergencyTest> {
  const test = await holdTest(tx, device.deviceId, eventId)
  if (!test.disputed) throw refuse('refused', 'This result is not disputed.')
  const known = { test, action: 'test dispute decided', reason, disputed: null } as const
  if (decision === 'keep')
    return decide(tx, caller, device, { ...known, kind: 'kept', now: test.disputed.result, after: test.disputed })
  const after: Judged = { ...test.disputed, result: 'Indeterminate', reason }
  const judged = test.judged ?? test.disputed
  return decide(tx, caller, device, { ...known, kind: 'corrected', now: 'Indeterminate', after, judged })
}

interface Decided extends Pick<ResultChange, 'kind' | 'reason' | 'now'> {
  test: HeldTest
  action: AuditAction
  after: Judged
  /** The result it counts as until the dispute is decided. */
  disputed: Judged | null
  /** The verdict of the rule, if the test is corrected now. */
  judged?: Judged
}

/** Stores a decision with the result, records it, and notifies webhooks; the light's conditions follow. */
async function decide(tx: TenantTx, { actor, person }: Caller, device: HeldDevice, decided: Decided) {
  const { test, action, kind, reason, now, after, disputed, judged } = decided
  const [at, before] = [new Date(), judgedOf(test)]
  const change: ResultChange = { kind, at: at.toISOString(), by: person.name, reason, was: before.result, now }
  await tx
    .updateTable('emergency_test')
    .set({
      result: after.result,
      reason: after.reason,
      component_states: JSON.stringify(after.componentStates),
      changes: JSON.stringify([...(test.changes ?? []), change]),
      disputed: disputed && JSON.stringify(disputed),
      ...(judged && { judged: JSON.stringify(judged), corrected_at: at, corrected_by: person.name }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('event_id', '=', test.event_id)
    .execute()
  const which = { eventId: test.event_id, testType: test.test_type }
  const flat = ({ componentStates, ...rest }: Judged) => ({ ...rest, ...componentStates })
  const difference = differences(flat(before), flat(after)) ?? { before: {}, after: {} }
  await audit(tx, {
    ...{ person, action, subject: deviceSubject(device) },
    before: { ...which, ...difference.before },
    after: { ...which, ...difference.after, decision: reason },
  })
  await enqueueMessages(tx, [
    {
      ...{ event: 'test.corrected', deviceId: device.deviceId, at },
      data: { test: { id: test.event_id, testType: test.test_type, ...after }, former: before },
    },
  ])
  await keepLastTests(tx, [device])
  await recomputeTestConditions(tx, [device.deviceId], { by: { id: person.id, name: person.name }, note: reason })
  await changed(tx, 'device tests', [device.deviceId])
  return (await testsById(tx, actor, [test.event_id], true))[0]!
}
