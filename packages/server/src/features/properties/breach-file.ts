import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import type { BreachState } from '@caretaker/rules/properties/breach-states.ts'
import { breachStateWords } from '@caretaker/rules/properties/awaabs-breaches.ts'
import type { Due } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { lateForTable, latenessOf } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { deadlineName } from '@caretaker/rules/properties/awaabs-words.ts'
import { csvTable, csvType } from '../../spreadsheets/csv.ts'
import type { Cell, Row, Table } from '../../spreadsheets/table.ts'
import { xlsxType, xlsxWorkbook } from '../../spreadsheets/xlsx.ts'
import type { Register } from './breaches.ts'
import { inState } from './breaches.ts'

const heading = [
  ...[
    'Property',
    'Address',
    'Case',
    'Patch',
    'Hazard',
    'Emergency',
    'Step',
    'Due',
    'Due by law',
    'Done',
    'State',
    'Late',
  ],
  ...['Closed', 'Reason'],
]

const cell = (due: Due | null): Cell => due && (due.at === null ? { day: due.on } : new Date(due.at))

function rowOf(one: Register['rows'][number], { zone, now }: Register): Row {
  const late = latenessOf(one, now, zone)
  return [
    ...[one.propertyReference, one.address, one.number, one.patch?.name ?? null, one.hazard, one.isEmergencyCase],
    ...[deadlineName(one), cell(one.due), cell(one.lawDue ?? one.due), cell(one.done), breachStateWords[one.state]],
    late ? `${lateForTable(late)}${one.done || one.ended ? '' : ' so far'}` : null,
    ...[one.closedOn && { day: one.closedOn }, one.closeReason ?? one.moved?.reason ?? null],
  ]
}

interface FileWanted {
  from: Day
  to: Day
  patch: string
  state: BreachState | undefined
  format: 'xlsx' | 'csv'
}

/** The register as a file: the rows of the screen, and in a workbook the summary on its own sheet. */
export function registerFile(register: Register, { from, to, patch, state, format }: FileWanted) {
  const rows: Row[] = [heading, ...register.rows.filter(inState(state)).map((one) => rowOf(one, register))]
  const count = rows.length - 1
  const file = { name: `breach-register-${from}-${to}.${format}`, type: format === 'csv' ? csvType : xlsxType }
  if (format === 'csv') return { file, table: csvTable(register.zone), pieces: inTurn(() => rows), count }
  const months = register.months.map(({ month }) => month)
  const summary: Row[] = [
    ["Awaab's Law deadlines", null],
    ['Period', `${dayText(from)} – ${dayText(to)}`],
    ['Patch', patch],
    ['Due', register.due],
    ['Met', register.met],
    ['Missed', register.missed],
    ['Cases', register.cases],
    ['Missed and still open', register.notDone],
    [],
    ['Missed by month', ...months, 'Total'],
    ['All patches', ...register.months.map(({ missed }) => missed), register.missed],
    ...register.patches.map((one): Row => [one.name, ...one.months, one.missed]),
    [],
    ['Each deadline counts in the month in which it was due. Days are working days in England.'],
    ['A deadline that was moved by a later correction stays in the register, but is not counted.'],
  ]
  const {
    sheets: [data, about],
    bytes,
  } = xlsxWorkbook(
    [
      { name: 'Breaches', columns: heading.length },
      { name: 'Summary', columns: months.length + 2, isFirst: true },
    ],
    register.zone,
  )
  const table: Table = { rows: about!, bytes }
  // Each sheet ends before the next begins.
  const pieces = inTurn(() => {
    data!.end(rows)
    return summary
  })
  return { file, table, pieces, count }
}

async function* inTurn(next: () => Row[]): AsyncGenerator<Row[]> {
  yield next()
}
