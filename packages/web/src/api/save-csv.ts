import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { csvOf, datedName } from '@caretaker/rules/files/csv.ts'
import { saveFile } from './save-file.ts'

/** Saves loaded rows as CSV without a call (estate specification, section 7.6). */
export function saveCsv(data: unknown, { zone, name }: { zone: string; name?: string }): void {
  const file = datedName(dayAt(Date.now(), zone), name)
  saveFile(new File([csvOf(data, zone)], file, { type: 'text/csv;charset=utf-8' }))
}
