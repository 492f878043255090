import { minuteText } from '@caretaker/rules/calendar/days.ts'

/** What stands in a cell of a file; a text is in the words of the screen, null is nothing. */
export type Cell = string | number | boolean | Date | null

/** A cell as text: an instant as the minute in the tenant's zone. */
export function cellText(cell: Cell, zone: string): string {
  if (cell === null) return ''
  if (cell instanceof Date) return minuteText(+cell, zone)
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  return String(cell)
}
