import type { Definition } from './definition.ts'
import { wholeClient } from './scope.ts'
import type { AlertableEventName } from './triggers.ts'

const events = [
  'lightFailed',
  'testOverdue',
  'testMissed',
  'lightInhibited',
  'noContact',
  'lightUnstable',
] as const satisfies AlertableEventName[]

/**
 * The rules that a new client gets: one per event, for all emergency lights, portal only until a manager enters an
 * address.
 */
export const defaultRules: readonly Definition[] = events.map((triggerCondition) => ({
  ...{ tagId: '', scope: { ...wholeClient, families: ['emered'] }, delay: 0, delayUnit: 'mins' },
  ...{ notificationType: 'NONE', notificationTarget: '', triggerType: 'ALERTABLEEVENT', triggerCondition },
}))

/** The default rules that a client does not have. A default rule that was edited still counts. */
export const missingDefaults = (
  rules: readonly { definedByTenant: boolean; triggerType: string; triggerCondition: string }[],
): Definition[] => {
  const present = new Set(
    rules
      .filter(({ definedByTenant, triggerType }) => !definedByTenant && triggerType === 'ALERTABLEEVENT')
      .map(({ triggerCondition }) => triggerCondition),
  )
  return defaultRules.filter(({ triggerCondition }) => !present.has(triggerCondition))
}
