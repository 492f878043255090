import { instantOfLog } from '@caretaker/rules/logs/logs.ts'
import { dateTimeText } from '../../ui/age.ts'

/** The time of a log entry, given in UTC, in local time: DD/MM/YYYY HH:mm. Invalid times are returned unchanged. */
export function logTimeText(timestamp: string, zone: string): string {
  const at = instantOfLog(timestamp)
  return Number.isNaN(at) ? timestamp : dateTimeText(at, zone)
}
