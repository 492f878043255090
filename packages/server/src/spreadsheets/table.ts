import type { Readable, Writable } from 'node:stream'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'

/** A file in the making: takes rows, several at a time and the first being the heading, and gives bytes. */
export interface Table {
  /** In object mode: each piece written is a list of rows, each row a list of cells. */
  rows: Writable
  bytes: Readable
}

/**
 * What a cell holds: nothing, a text in the words of the screen, a number, yes or no, a day (`2026-11-21`), the day on which an
 * instant lies, or an instant; both by the clocks of the file's zone.
 */
export type Cell = null | string | number | boolean | { day: Day } | { dayOf: Date } | Date

/** The day of a cell in the zone of its file. */
export const dayIn = (cell: { day: Day } | { dayOf: Date }, zone: string): Day =>
  'day' in cell ? cell.day : dayAt(+cell.dayOf, zone)

export type Row = readonly Cell[]
