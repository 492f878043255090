import type { Readable, Writable } from 'node:stream'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'

/** A file being written: takes lists of rows, the first one being the header, and produces bytes. */
export interface Table {
  /** In object mode: each chunk is a list of rows, each row a list of cells. */
  rows: Writable
  bytes: Readable
}

/**
 * The content of a cell: nothing, a text as displayed, a number, a boolean, a day (`2026-11-21`), the day of an
 * instant, or an instant; the last two in the time zone of the file.
 */
export type Cell = null | string | number | boolean | { day: Day } | { dayOf: Date } | Date

/** The day of a cell in the time zone of its file. */
export const dayIn = (cell: { day: Day } | { dayOf: Date }, zone: string): Day =>
  'day' in cell ? cell.day : dayAt(+cell.dayOf, zone)

export type Row = readonly Cell[]
