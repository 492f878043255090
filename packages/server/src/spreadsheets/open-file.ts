import type { SheetInfo, SheetRow, TextFormat } from '@caretaker/rules/imports/cells.ts'

/** A file that is open for reading: its sheets, and the rows of each, as often as they are wanted and some at a time. */
export interface OpenFile {
  sheets: readonly SheetInfo[]
  /** How a text file is written; null of a workbook. */
  format: TextFormat | null
  rows: (sheet: SheetInfo) => AsyncIterable<readonly SheetRow[]>
}
