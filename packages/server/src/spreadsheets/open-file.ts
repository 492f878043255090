import type { SheetInfo, SheetRow, TextFormat } from '@caretaker/rules/imports/cells.ts'

/** A file that is open for reading: its sheets and their rows, which can be read repeatedly and in portions. */
export interface OpenFile {
  sheets: readonly SheetInfo[]
  /** The format of a text file; null for a workbook. */
  format: TextFormat | null
  rows: (sheet: SheetInfo) => AsyncIterable<readonly SheetRow[]>
}
