import type { Readable, Writable } from 'node:stream'

/** A file in the making: takes rows, several at a time and the first being the heading, and gives bytes. */
export interface Table {
  /** In object mode: each piece written is a list of rows, each row a list of texts. */
  rows: Writable
  bytes: Readable
}
