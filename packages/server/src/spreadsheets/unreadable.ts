import type { Unreadable } from '@caretaker/rules/imports/cells.ts'
import { unreadable } from '@caretaker/rules/imports/cells.ts'

/** The file cannot be read, and why. */
export class UnreadableFile extends Error {
  readonly reason: Unreadable
  constructor(reason: Unreadable) {
    super(unreadable[reason])
    this.reason = reason
  }
}
