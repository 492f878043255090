import { Transform } from 'node:stream'
import type { Table } from './table.ts'

export const csvType = 'text/csv; charset=utf-8'

/** Without it Excel takes UTF-8 for an older encoding. */
const byteOrderMark = '\uFEFF'

/** Rows as CSV: with a byte-order mark, every field quoted, lines ended by CRLF. */
export function csvTable(): Table {
  const table = new Transform({
    writableObjectMode: true,
    writableHighWaterMark: 1,
    transform: (rows: readonly (readonly string[])[], _encoding, done) => done(null, rows.map(csvLine).join('')),
  })
  table.push(byteOrderMark)
  return { rows: table, bytes: table }
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${harmless(cell).replaceAll('"', '""')}"`).join(',')}\r\n`
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe, which says that it is none. */
const harmless = (cell: string) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)
