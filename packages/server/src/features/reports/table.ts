import { Writable } from 'node:stream'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import type { ColumnOf, ReportCell } from '@caretaker/rules/reports/columns.ts'
import { chartOf } from '@caretaker/rules/reports/columns.ts'
import type { ReportFormat, ReportType } from '@caretaker/rules/reports/kinds.ts'
import { reports } from '@caretaker/rules/reports/kinds.ts'
import { monthText, monthWords } from '@caretaker/rules/reports/months.ts'
import { csvTable } from '../../spreadsheets/csv.ts'
import type { Cell, Row, Table } from '../../spreadsheets/table.ts'
import { xlsxWorkbook } from '../../spreadsheets/xlsx.ts'
import type { KnownMonth } from './months.ts'
import { isLate } from './months.ts'
import type { Counted } from './rows.ts'

/** The heading of a report. */
export interface About {
  type: ReportType
  client: string
  zone: string
  /** Undefined if the month was never closed; null if the report has no month. */
  known: KnownMonth | undefined | null
  month: { year: number; month: number } | null
  tags: readonly string[]
  writtenBy: string
  writtenAt: Date
  isLimited: boolean
  hidesPersonal: boolean
  /** For the whole current month: visible devices without a property or building, by status group. */
  unplaced?: ReadonlyMap<string, number>
}

/** The columns that the reader may have. */
export const columnsOf = ({ type, hidesPersonal }: Pick<About, 'type' | 'hidesPersonal'>) =>
  reports[type].columns.filter(({ isPersonal }) => !isPersonal || !hidesPersonal)

const cellOf = (cell: ReportCell): Cell =>
  typeof cell === 'object' && cell !== null && 'at' in cell ? new Date(cell.at) : cell

export const heading = (columns: readonly ColumnOf<never>[]): Row => columns.map(({ label }) => label)
export const dataRow = (columns: readonly ColumnOf<never>[], row: never): Row =>
  columns.map((column) => cellOf(column.cell(row)))

/** A part of a report: rows of data, or at the end its summary. */
export type Piece = { data: Row[] } | { summary: Row[] }

/** The number of summary rows before the chart's counts; the last of them is their heading. */
const chartFrom = 11

/** A writer for a report: takes pieces, returns bytes. CSV omits the summary; in a workbook it is the first sheet. */
export function reportTable(about: About, format: ReportFormat): Table {
  const columns = columnsOf(about).length
  if (format === 'csv') {
    const { rows, bytes } = csvTable(about.zone)
    return {
      rows: into(
        (piece, done) => ('data' in piece ? rows.write(piece.data, done) : done()),
        () => rows.end(),
      ),
      bytes,
    }
  }
  const { title, words } = chartOf[about.type]
  const chart = { title, from: chartFrom, to: chartFrom + words.length - 1 }
  const {
    sheets: [data, summary],
    bytes,
  } = xlsxWorkbook(
    [
      { name: 'Data', columns },
      { name: 'Summary', columns: 4, isFirst: true, chart },
    ],
    about.zone,
  )
  return {
    rows: into(
      (piece, done) => {
        if ('data' in piece) return data!.write(piece.data, done)
        data!.end()
        return summary!.write(piece.summary, done)
      },
      () => summary!.end(),
    ),
    bytes,
  }
}

type Done = (error?: Error | null) => void

function into(write: (piece: Piece, done: Done) => void, end: () => void): Writable {
  return new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (pieces: readonly Piece[], _encoding, done) => {
      const rest = [...pieces]
      const next: Done = (error) => {
        const piece = rest.shift()
        if (error || !piece) return done(error)
        write(piece, next)
      }
      next()
    },
    final: (done) => {
      end()
      done()
    },
  })
}

/** A report in pieces: first its data, then the summary. `onRows` is called with the number of rows. */
export async function* reportPieces(
  about: About,
  rows: AsyncIterable<readonly Counted<never>[]>,
  onRows: (count: number) => void = () => {},
): AsyncGenerator<Piece[]> {
  const columns = columnsOf(about)
  const counts = new Map<string, number>(chartOf[about.type].words.map((word) => [word, 0]))
  let count = 0
  yield [{ data: [heading(columns)] }]
  for await (const some of rows) {
    for (const one of some) for (const [word, more] of one.counts) counts.set(word, (counts.get(word) ?? 0) + more)
    count += some.length
    yield [{ data: some.map(({ row }) => dataRow(columns, row)) }]
    onRows(count)
  }
  yield [{ summary: summaryRows(about, columns, count, counts) }]
}

function summaryRows(
  about: About,
  columns: readonly ColumnOf<never>[],
  count: number,
  counts: ReadonlyMap<string, number>,
): Row[] {
  const { label, description } = reports[about.type]
  const head: Row[] = [
    ['Report', label],
    ['Meaning', description],
    ['Client', about.client],
    ['Month', about.month ? monthWords(about.month) : 'None: current state'],
    ['As at', about.known === null ? about.writtenAt : (about.known?.asAt ?? 'unknown')],
    ['Tags', about.tags.length ? about.tags.join(', ') : 'All'],
    ['Rows', count],
    ['Written', about.writtenAt],
    ['By', about.writtenBy],
    [chartOf[about.type].title, 'Count'],
  ]
  return [
    ...head,
    ...[...counts].map(([word, number]): Row => [word, number]),
    [],
    ['Column', 'Method', 'Source', 'If data is missing'],
    ...columns.map(({ label: name, formula, source, tooFew }): Row => [name, formula, source, tooFew]),
    [],
    ...notes(about).map((note): Row => ['Note', note]),
  ]
}

/** The devices that an overview leaves out, so that its figures can be compared with the dashboard's. */
export function unplacedNote(unplaced: ReadonlyMap<string, number> | undefined): string {
  if (!unplaced)
    return 'Devices without a property or building are left out. The dashboard counts all devices in their current state.'
  const count = [...unplaced.values()].reduce((sum, one) => sum + one, 0)
  if (count === 0) return 'Its devices are those of the dashboard at the time above.'
  const groups = [...unplaced].map(([word, number]) => `${number} ${word}`).join(', ')
  const [devices, stand] = count === 1 ? ['1 device', 'stands'] : [`${count} devices`, 'stand']
  return `Left out: ${devices} that ${stand} not in a property or building (${groups}). The dashboard counts ${count === 1 ? 'it' : 'them'} too.`
}

function notes({ type, known, month, isLimited, hidesPersonal, zone, unplaced }: About): string[] {
  const all = [`Times are those of ${zone}.`]
  if (type === 'Overview') all.push(unplacedNote(unplaced))
  if (month && known === undefined)
    all.push('The devices and places at the end of this month were not recorded, so there is no data.')
  if (known?.isRunning) all.push('The month has not ended: these are the figures so far.')
  else if (known) all.push(lateness(known, zone))
  if (isLimited) all.push('It contains only what the user who requested it can see.')
  if (hidesPersonal) all.push('Addresses and postcodes are left out, as set for this client.')
  return all
}

function lateness(known: KnownMonth, zone: string): string {
  const { month, asAt } = known
  const ended = `the end of the month that began on ${dayText(`${monthText(month)}-01`)}`
  return isLate(known, zone)
    ? `The state at the end of this month was recorded late, on ${dayText(dayAt(+asAt, zone))}. Places, tags, status and connection are those of that day, and items removed before are missing. Hours, faults and tests are those of the month itself, as far as they were still stored.`
    : `Devices, properties and tags are as recorded at the time above, after ${ended}; later moves and tags are not included.`
}
