import { instantOfLog } from '@caretaker/rules/logs/logs.ts'
import { dateTimeText } from '../../ui/age.ts'

/** The time of a log entry, which is given in UTC, by local clocks: DD/MM/YYYY HH:mm. What is no time stays as it is. */
export function logTimeText(timestamp: string, zone: string): string {
  const at = instantOfLog(timestamp)
  return Number.isNaN(at) ? timestamp : dateTimeText(at, zone)
}
