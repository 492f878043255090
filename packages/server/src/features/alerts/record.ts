import type { AlertDefinition } from '@caretaker/contract/alerts.ts'
import { ruleWords } from '@caretaker/rules/alerts/words.ts'
import type { Changed } from '@caretaker/rules/audit/audit.ts'

/** The name of a rule in the audit. */
export const subjectOf = (rule: AlertDefinition) =>
  ({ type: 'alert', id: rule.alertId, name: `${rule.covers}: ${ruleWords(rule)}` }) as const

/** The fields of a rule that the audit records. */
export const recordOf = (rule: AlertDefinition): Changed => ({
  ...{ covers: rule.covers, enabled: rule.enabled, trigger: rule.triggerType, condition: rule.triggerCondition },
  ...{ delay: rule.delayDisplay, notification: rule.notificationType, target: rule.notificationTarget },
})
