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

/** A value as the pages of properties and devices show it; undefined if empty. */
export function valueText(field: FieldId, value: Value): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (Array.isArray(value)) return value.join(', ')
  if (field === 'voidStatus') return voidWords[value as VoidFlag] ?? String(value)
  return isDay(value) ? dayText(value) : String(value)
}

/** The changed fields of an item with old and new value; its name is shown separately. */
export const fieldsOfItem = ({ name, values, old }: ImportItem) =>
  fieldIds
    .filter((id) => id in values && values[id] !== name)
    .map((id) => ({
      id,
      label: fieldOf(id).label,
      next: valueText(id, values[id]),
      before: valueText(id, old[id]),
    }))

/** The name of a sheet; a text file has one unnamed sheet. */
export const sheetText = (name: string, { name: file }: Pick<Import, 'name'>) => name || file

/** The rows of a fault, with the first ones named individually. */
export function placesText({ sheet, rows, firstRows }: { sheet: string; rows: number; firstRows: readonly number[] }) {
  const [first, ...others] = firstRows
  if (first !== undefined && others.length === 0) return placeText({ sheet, row: first })
  const more = rows - firstRows.length
  const last = more > 0 ? `${more.toLocaleString('en-GB')} more` : others.at(-1)
  const named = more > 0 ? firstRows : firstRows.slice(0, -1)
  return `${sheet ? `${sheet}, rows` : 'Rows'} ${named.join(', ')} and ${last}`
}

/** The location of a value in the file. */
export const placeText = ({ sheet, row }: { sheet: string; row: number }) =>
  sheet ? `${sheet}, row ${row}` : `Row ${row}`
