import type { Condition } from '@caretaker/contract/conditions.ts'
import { conditionRules, mayEndBy } from '@caretaker/rules/conditions/conditions.ts'
import type { StoredCondition } from './store.ts'

/** A condition as the calls return it. */
export function asCondition(condition: StoredCondition, maySet: boolean): Condition {
  const { evidence, endEvidence, ended } = condition
  return {
    conditionId: condition.id,
    kind: condition.kind,
    key: condition.key,
    status: conditionRules[condition.kind].status,
    beganAt: new Date(condition.began).toISOString(),
    states: condition.states ?? null,
    description: evidence.description ?? null,
    testEventId: evidence.eventId ?? null,
    by: evidence.by?.name ?? null,
    note: evidence.note ?? null,
    interimMeasure: condition.interimMeasure ?? null,
    repairedBy: evidence.repairedBy ?? null,
    repairedOn: evidence.repairedOn ?? null,
    until: evidence.until?.day ?? null,
    carriedOver: evidence.carriedOver ?? false,
    endedAt: ended === null ? null : new Date(ended).toISOString(),
    ending: condition.ending,
    endedBy: endEvidence?.by?.name ?? null,
    endNote: endEvidence?.note ?? null,
    mayBeEnded: maySet && ended === null && mayEndBy(condition, 'ended by a person'),
  }
}
