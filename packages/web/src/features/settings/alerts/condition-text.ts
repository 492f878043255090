import type { TriggerType } from '@caretaker/rules/alerts/delay.ts'
import { conditionWords } from '@caretaker/rules/alerts/triggers.ts'

/** A condition as an option: statuses by their documented names, the empty one blank. */
export const conditionText = (trigger: TriggerType, condition: string) =>
  trigger === 'DEVICESTATUS' ? condition : conditionWords(trigger, condition)
