import type { Day } from '../calendar/days.ts'
import { clockText, dayText, withClockName } from '../calendar/days.ts'

/** Without this mark, spreadsheets read UTF-8 in an older encoding. */
const byteOrderMark = '\uFEFF'
/**
 * Fields that contain a time, in any format; they are written in display format (estate specification, section 7.6).
 */
const dateFields: readonly string[] = ['testDate', 'date', 't180StartDate']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Rows as CSV: arrays of cells, or objects whose fields become columns in order of first appearance. Every value is
 * quoted; times are in the given zone.
 */
export function csvOf(data: unknown, zone: string): string {
  return (
    byteOrderMark +
    linesOf(data, zone)
      .map((cells) => `${cells.map(quoted).join(',')}\r\n`)
      .join('')
  )
}

function linesOf(data: unknown, zone: string): string[][] {
  if (!Array.isArray(data)) throw badData()
  const rows = data as unknown[]
  if (rows.every(Array.isArray)) return rows.map((cells) => (cells as unknown[]).map(textOf))
  if (!rows.every(isRecord)) throw badData()
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (row: Record<string, unknown>, name: string) =>
    dateFields.includes(name) ? timeText(row[name], zone) : textOf(row[name])
  return [names, ...rows.map((row) => names.map((name) => cell(row, name)))]
}

const badData = () => new TypeError('Data should be a "Array of arrays" OR "Array of objects"')
const isRecord = (row: unknown): row is Record<string, unknown> =>
  typeof row === 'object' && row !== null && !Array.isArray(row)

const textOf = (value: unknown) =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean)

/** An instant or local time as `21/11/2026 01:30`; other values unchanged. */
function timeText(value: unknown, zone: string): string {
  const text = textOf(value instanceof Date ? value.toISOString() : value)
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2})?$/.exec(text) ?? []
  if (day && time) return `${dayText(day)} ${time}`
  const at =
    typeof value === 'number' ? value : /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? text : withClockName(clockText(at, zone).slice(0, -3), at, zone)
}

const quoted = (text: string) => `"${withoutFormula(text).replaceAll('"', '""')}"`

/** Characters that spreadsheets skip before a formula: whitespace and invisible characters. */
const unseen = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`
/** Characters that start a formula, including full-width and small forms, which some programs normalise. */
const signs = '=+\\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20'
const formula = new RegExp(`^(?:[\\t\\r\\n]|${unseen}[${signs}])`, 'u')

/**
 * A text for a CSV cell: a text that a spreadsheet would read as a formula gets an apostrophe in front; negative
 * numbers do not. A text that already begins with such an apostrophe gets another, so that `withoutGuard` restores
 * every text exactly.
 */
export function withoutFormula(text: string): string {
  const bare = text.replace(/^'+/, '')
  return formula.test(bare) && !/^-\d+(\.\d+)?$/.test(bare) ? `'${text}` : text
}

/** Reverses `withoutFormula`; returns any other text unchanged. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && withoutFormula(cell.slice(1)) === cell ? cell.slice(1) : cell

/** The name of a dated file: '05-Jan-2025-tests.csv'. */
export function datedName(day: Day, name = 'report.csv'): string {
  const [year, month, date] = day.split('-')
  return `${date}-${months[Number(month) - 1]}-${year}-${name}`
}
