import type { Readable, Writable } from 'node:stream'

/** A file in the making: takes rows, several at a time and the first being the heading, and gives bytes. */
export interface Table {
  /** In object mode: each piece written is a list of rows, each row a list of cells. */
  rows: Writable
  bytes: Readable
}

/**
 * What a cell holds: nothing, a text in the words of the screen, a number, yes or no, a day (`2026-11-21`), or an instant, which a
 * file tells by the clocks of its zone.
 */
export type Cell = null | string | number | boolean | { day: string } | Date

export type Row = readonly Cell[]
