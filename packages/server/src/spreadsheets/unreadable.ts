import type { Unreadable } from '@caretaker/rules/imports/cells.ts'
import { unreadable } from '@caretaker/rules/imports/cells.ts'

/** The file cannot be read, with the reason and, if a row causes it, its number. */
export class UnreadableFile extends Error {
  readonly reason: Unreadable
  constructor(reason: Unreadable, { row }: { row?: number } = {}) {
    super(row === undefined ? unreadable[reason] : `Row ${row}: ${unreadable[reason]}`)
    this.reason = reason
  }
}
