import type { Readable } from 'node:stream'
import { fieldIds, fieldOf } from '@caretaker/rules/imports/fields.ts'
import type { FieldId, Kind } from '@caretaker/rules/imports/fields.ts'
import { xlsxWorkbook } from '../../spreadsheets/xlsx.ts'

const sheets: readonly { name: string; kind: Kind }[] = [
  { name: 'Properties', kind: 'property' },
  { name: 'Buildings', kind: 'building' },
  { name: 'Floors', kind: 'floor' },
  { name: 'Devices', kind: 'device' },
]

const columnsFor = (kind: Kind): FieldId[] => fieldIds.filter((id) => fieldOf(id).kinds.includes(kind))

/** A workbook to fill in; its headings are those that the import recognises. */
export function template(): Readable {
  const columns = sheets.map(({ kind }) => columnsFor(kind))
  const wanted = [
    { name: 'Read me', columns: 1 },
    ...sheets.map(({ name }, at) => ({ name, columns: columns[at]!.length })),
  ]
  const { sheets: writers, bytes } = xlsxWorkbook(wanted, 'UTC')
  const [readMe, ...others] = writers
  // In one column, so that no cell is mistaken for a header.
  const rows = [
    ['Caretaker import template'],
    ['One row for each property, building, floor or device. Leave sheets that you do not need empty.'],
    ['Columns may be left out or moved, but not renamed. Dates: day, month, year.'],
    ['A row with an existing reference, name or serial number updates that record; empty cells change nothing.'],
    ...sheets.flatMap(({ name }, at) =>
      columns[at]!.map(fieldOf).flatMap(({ label, hint }) => (hint ? [[`${name}, ${label}: ${hint}`]] : [])),
    ),
  ]
  // Each sheet ends before the next begins.
  const next = (at: number) => {
    const writer = others[at]
    writer?.end([columns[at]!.map((id) => fieldOf(id).label)], () => next(at + 1))
  }
  readMe!.end(rows, () => next(0))
  return bytes
}
