import type { EmergencyTest, updateTestResult } from '@caretaker/contract/lighting.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Received } from '@caretaker/contract/route.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Judged, TestResult } from '@caretaker/rules/lighting/tests.ts'
import { components, correctedResult } from '@caretaker/rules/lighting/tests.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { tell } from '../../webhooks/outbox.ts'
import { testsWereTold } from '../conditions/store.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'
import { testsById } from './store.ts'

type Form = Received<typeof updateTestResult>['form']

/** Holds the test that is meant: that of the id, or the newest of the light. */
async function holdTest(tx: TenantTx, deviceId: string, eventId: string | undefined) {
  const test = await tx
    .selectFrom('emergency_test')
    .select(['event_id', 'test_type', 'result', 'reason', 'component_states', 'judged'])
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

/** What a form says of a test that was so before: without states only the reason changes. */
export function corrected(before: Judged, form: Omit<Form, 'tenant' | 'deviceId' | 'eventId'>): Judged {
  const states = Object.fromEntries(components.flatMap((part) => (form[part] ? [[part, form[part]]] : [])))
  const hasStates = Object.keys(states).length > 0
  const reason = form.reason || '-'
  if (!hasStates && !form.otherState) return { ...before, reason }
  const componentStates = { ...before.componentStates, ...states }
  const result: TestResult = correctedResult({ componentStates, other: form.otherState })
  return { result, componentStates, reason }
}

/**
 * Corrects a test of a held light. What the rule said is kept beside it, the light's conditions follow, and a later word of
 * the light changes it no more.
 */
export async function correctTest(
  tx: TenantTx,
  { actor, person }: { actor: Actor; person: Recorded },
  device: HeldDevice,
  { eventId, ...form }: Form,
): Promise<EmergencyTest> {
  const test = await holdTest(tx, device.deviceId, eventId)
  const before: Judged = { result: test.result, reason: test.reason, componentStates: test.component_states }
  const after = corrected(before, form)
  await tx
    .updateTable('emergency_test')
    .set({
      result: after.result,
      reason: after.reason,
      component_states: JSON.stringify(after.componentStates),
      judged: JSON.stringify(test.judged ?? before),
      corrected_at: new Date(),
      corrected_by: person.name,
    })
    .where('tenant_id', '=', tx.tenant)
    .where('event_id', '=', test.event_id)
    .execute()
  const flat = ({ componentStates, ...rest }: Judged) => ({ ...rest, ...componentStates })
  const difference = differences(flat(before), flat(after))
  if (difference) {
    const which = { eventId: test.event_id, testType: test.test_type }
    const change = { before: { ...which, ...difference.before }, after: { ...which, ...difference.after } }
    await audit(tx, { person, action: 'test result corrected', subject: deviceSubject(device), ...change })
  }
  if (difference)
    await tell(tx, [
      {
        ...{ event: 'test.corrected', deviceId: device.deviceId, at: new Date() },
        data: {
          test: { id: test.event_id, testType: test.test_type, ...after },
          former: before,
        },
      },
    ])
  await testsWereTold(tx, [device.deviceId])
  await changed(tx, 'device tests', [device.deviceId])
  return (await testsById(tx, actor, [test.event_id], true))[0]!
}
