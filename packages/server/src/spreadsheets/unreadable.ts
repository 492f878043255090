import type { Unreadable } from '@caretaker/rules/imports/cells.ts'
import { unreadable } from '@caretaker/rules/imports/cells.ts'

/** The file cannot be read, and why; where one row is the reason, which. */
export class UnreadableFile extends Error {
  readonly reason: Unreadable
  constructor(reason: Unreadable, { row }: { row?: number } = {}) {
    super(row === undefined ? unreadable[reason] : `Row ${row}: ${unreadable[reason]}`)
    this.reason = reason
  }
}
