import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'
import { isFound, searchWords } from '@caretaker/rules/texts/search-form.ts'
import type { Sort } from './table/props.ts'

/** The value of a row in a column, for sorting and filtering. */
export type CellValue = string | number | null | undefined

/** The rows in which some value contains each word of the filter. */
export function filteredRows<Row>(rows: readonly Row[], filter: string, valuesOf: (row: Row) => CellValue[]): Row[] {
  if (searchWords(filter).length === 0) return [...rows]
  return rows.filter((row) =>
    isFound(
      filter,
      valuesOf(row).map((value) => String(value ?? '')),
    ),
  )
}

/** The rows sorted by a column; equal ones keep their order, and missing values are last. */
export function sortedRows<Row>(
  rows: readonly Row[],
  sort: Sort | undefined,
  valueOf: (row: Row, id: string) => CellValue,
): Row[] {
  if (!sort) return [...rows]
  const sign = sort.descending ? -1 : 1
  return [...rows].sort((a, b) => {
    const [one, other] = [valueOf(a, sort.id), valueOf(b, sort.id)]
    const missing = Number(isMissing(one)) - Number(isMissing(other))
    return missing === 0 ? sign * compare(one, other) : missing
  })
}

const isMissing = (value: CellValue) => value === null || value === undefined || value === ''

function compare(a: CellValue, b: CellValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return inNaturalOrder(String(a ?? ''), String(b ?? ''))
}
