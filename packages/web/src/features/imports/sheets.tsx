import { useState } from 'react'
import { Checkbox, NativeSelect } from '@mantine/core'
import { IconTable } from '../../icons/index.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { columnLetters } from '@caretaker/rules/imports/cells.ts'
import { columnsWith, kindsOf, mappingAt } from '@caretaker/rules/imports/columns.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import { fieldIds, fieldOf } from '@caretaker/rules/imports/fields.ts'
import { Card } from '../../ui/card.tsx'
import type { Acts } from './use-import.ts'
import { counted, sheetText } from './words.ts'
import classes from './imports.module.css'

type Sheet = NonNullable<Import['found']>['sheets'][number]
type Mapping = NonNullable<Sheet['mapping']>

/** Each sheet with its column mapping, which can be changed. */
export function SheetsCards({ list, acts }: { list: Import; acts: Acts }) {
  return list.found!.sheets.map((sheet) => <SheetCard key={sheet.name} sheet={sheet} list={list} acts={acts} />)
}

const leave = ''

function SheetCard({ sheet, list, acts }: { sheet: Sheet; list: Import; acts: Acts }) {
  const { name, head, hidden, hiddenColumns, rows } = sheet
  // The draft mapping, until the list has been read again with it.
  const stored = sheet.mapping ?? sheet.draft
  const [draft, setDraft] = useState<Mapping | null>(stored)
  const [read, setRead] = useState(stored)
  if (read !== stored) {
    setRead(stored)
    setDraft(stored)
  }
  const setMapping = (next: Mapping | null) => {
    setDraft(next)
    const others = acts.wishes.sheets.filter((one) => one.sheet !== name)
    const { headerRow = null, columns = [], buildingFromName = false } = next ?? {}
    void acts.wish({ sheets: [...others, { sheet: name, headerRow, columns: [...columns], buildingFromName }] })
  }
  const headAt = (value: string) => {
    const row = head.find((one) => String(one.row) === value)
    if (!row) return setMapping(null)
    const cells = row.cells.map((text) => (text === '' ? undefined : { kind: 'text' as const, text }))
    const mapping = mappingAt({ name, hidden: false, hiddenColumns }, { row: row.row, cells }, () => false)
    setMapping({ ...mapping, headers: [...mapping.headers], columns: [...mapping.columns] })
  }
  const columnAs = (at: number, id: FieldId | null) => {
    if (!draft) return
    setMapping({ ...draft, columns: columnsWith(draft, { at, id, hidden: hiddenColumns }) })
  }
  const kinds = draft ? kindsOf(draft.columns) : []
  const isRead = draft !== null && kinds.length > 0
  const title = sheetText(name, list)
  return (
    <Card
      title={title}
      icon={<IconTable aria-hidden />}
      aside={
        <span className={classes.hint}>
          {sheet.mapping ? counted(rows, 'row') : 'Left'}
          {hidden && ', hidden in the file'}
        </span>
      }
    >
      {sheet.isKept && <p className={classes.hint}>Uses the mapping of an earlier list with the same headings.</p>}
      {head.length > 0 && (
        <NativeSelect
          className={classes.headRow}
          label="Header row"
          value={draft ? String(draft.headerRow) : leave}
          onChange={(event) => headAt(event.currentTarget.value)}
          data={[
            { value: leave, label: 'None: skip this sheet' },
            ...head.map(({ row, cells }) => ({
              value: String(row),
              label: `Row ${row}: ${cells.filter(Boolean).join(', ').slice(0, 80) || 'empty'}`,
            })),
          ]}
        />
      )}
      {draft && !isRead && (
        <p className={classes.missing} role="alert">
          Row {draft.headerRow} is the header row. Choose the column with the property reference, the device serial
          number or the building name: without one of these, the sheet is skipped.
        </p>
      )}
      {draft && (
        <table className={classes.table} aria-label={`Columns of ${title}`}>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Examples</th>
              <th scope="col">Field</th>
            </tr>
          </thead>
          <tbody>
            {draft.headers.map((header, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- columns have their places, and may have no names
              <tr key={at} data-left={!draft.columns[at] || undefined}>
                <th scope="row">
                  <span className={classes.letters}>{columnLetters(at)}</span> {header || 'No heading'}
                  {hiddenColumns.includes(at) && <span className={classes.quiet}> hidden in the file</span>}
                </th>
                <td data-label="Examples" className={classes.examples}>
                  {examples(head, draft.headerRow, at) || <span className={classes.quiet}>empty</span>}
                </td>
                <td data-label="Field">
                  <NativeSelect
                    aria-label={`${header || columnLetters(at)} is`}
                    value={draft.columns[at] ?? leave}
                    onChange={(event) => columnAs(at, (event.currentTarget.value || null) as FieldId | null)}
                    data={choices}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {draft && kinds.includes('device') && (
        <Checkbox
          className={classes.option}
          label={`All devices of this sheet are in the building ${title}`}
          checked={draft.buildingFromName}
          onChange={(event) => setMapping({ ...draft, buildingFromName: event.currentTarget.checked })}
        />
      )}
    </Card>
  )
}

/** The first values of a column. */
function examples(head: Sheet['head'], headerRow: number, at: number): string {
  const below = head.filter(({ row }) => row > headerRow).map(({ cells }) => cells[at])
  return [...new Set(below.filter(Boolean))].slice(0, 3).join(', ')
}

const choice = (id: FieldId) => ({ value: id, label: fieldOf(id).label })
const ofHomes = fieldIds.filter((id) => fieldOf(id).kinds.includes('property'))
const ofDevices = fieldIds.filter((id) => !ofHomes.includes(id) && fieldOf(id).kinds.every((kind) => kind === 'device'))
const ofBuildings = fieldIds.filter((id) => !ofHomes.includes(id) && !ofDevices.includes(id))

const choices = [
  { value: leave, label: 'None: skip this column' },
  { group: 'Properties', items: ofHomes.map(choice) },
  { group: 'Buildings and floors', items: ofBuildings.map(choice) },
  { group: 'Devices', items: ofDevices.map(choice) },
]
