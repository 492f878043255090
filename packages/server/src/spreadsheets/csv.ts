import { Transform } from 'node:stream'
import { isoTime } from '@caretaker/rules/calendar/days.ts'
import { withoutFormula } from '@caretaker/rules/files/csv.ts'
import type { Cell, Row, Table } from './table.ts'
import { dayIn } from './table.ts'

export const csvType = 'text/csv; charset=utf-8'

/** Without it Excel reads UTF-8 as an older encoding. */
const byteOrderMark = '\uFEFF'

/** Rows as CSV: with a byte-order mark, all fields quoted, CRLF line ends, times in ISO 8601. */
export function csvTable(zone: string): Table {
  const table = new Transform({
    writableObjectMode: true,
    writableHighWaterMark: 1,
    transform: (rows: readonly Row[], _encoding, done) =>
      done(null, rows.map((cells) => csvLine(cells, zone)).join('')),
  })
  table.push(byteOrderMark)
  return { rows: table, bytes: table }
}

function csvLine(cells: Row, zone: string): string {
  return `${cells.map((cell) => `"${csvText(cell, zone).replaceAll('"', '""')}"`).join(',')}\r\n`
}

function csvText(cell: Cell, zone: string): string {
  if (typeof cell === 'string') return withoutFormula(cell)
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  if (cell === null || Number.isNaN(cell)) return ''
  if (typeof cell === 'number') return String(cell)
  return cell instanceof Date ? isoTime(+cell, zone) : dayIn(cell, zone)
}
