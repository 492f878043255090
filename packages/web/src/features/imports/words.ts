import type { Import, ImportItem } from '@caretaker/contract/imports.ts'
import { dayText, isDay } from '@caretaker/rules/calendar/days.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import { fieldIds, fieldOf } from '@caretaker/rules/imports/fields.ts'
import type { ImportState } from '@caretaker/rules/imports/life.ts'
import type { VoidFlag } from '@caretaker/rules/properties/dwelling.ts'
import { voidWords } from '@caretaker/rules/properties/dwelling.ts'

export const stateWords: Record<ImportState, string> = {
  planning: 'Being read',
  unreadable: 'Cannot be read',
  planned: 'Not imported yet',
  importing: 'Being imported',
  done: 'Imported',
  undoing: 'Being undone',
  undone: 'Undone',
}

/** 1,204 rows; 1 row. */
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`

type Value = ImportItem['values'][FieldId]

/** A value as the pages of homes and devices show it; nothing where there is none. */
export function valueText(field: FieldId, value: Value): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (Array.isArray(value)) return value.join(', ')
  if (field === 'voidStatus') return voidWords[value as VoidFlag] ?? String(value)
  return isDay(value) ? dayText(value) : String(value)
}

/** What of a thing is set, field by field, with what stands there now; what it is called by stands beside. */
export const fieldsOfItem = ({ name, values, old }: ImportItem) =>
  fieldIds
    .filter((id) => id in values && values[id] !== name)
    .map((id) => ({
      id,
      label: fieldOf(id).label,
      next: valueText(id, values[id]),
      before: valueText(id, old[id]),
    }))

/** How a sheet is called; a text file has one without a name. */
export const sheetText = (name: string, { name: file }: Pick<Import, 'name'>) => name || file

/** In which rows of the file something stands, of which the first are named. */
export function placesText({ sheet, rows, firstRows }: { sheet: string; rows: number; firstRows: readonly number[] }) {
  const [first, ...others] = firstRows
  if (first !== undefined && others.length === 0) return placeText({ sheet, row: first })
  const more = rows - firstRows.length
  const last = more > 0 ? `${more.toLocaleString('en-GB')} more` : others.at(-1)
  const named = more > 0 ? firstRows : firstRows.slice(0, -1)
  return `${sheet ? `${sheet}, rows` : 'Rows'} ${named.join(', ')} and ${last}`
}

/** Where in the file something stands. */
export const placeText = ({ sheet, row }: { sheet: string; row: number }) =>
  sheet ? `${sheet}, row ${row}` : `Row ${row}`
