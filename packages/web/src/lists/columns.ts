import { useMemo } from 'react'
import type { Column } from '../ui/table/props.ts'
import type { ListField, Look } from './list-source.ts'

/** The columns of these fields, in this order. */
export function columnsOf<Row>(
  ids: readonly string[],
  known: readonly ListField[],
  looks: Readonly<Record<string, Look<Row>>>,
): Column<Row>[] {
  return ids.flatMap((id) => {
    const field = known.find(({ fieldId }) => fieldId === id)
    const look = looks[id]
    return field && look ? [{ id, header: field.label, sortable: field.sortable, ...look }] : []
  })
}

/** The same, memoised, because new columns re-render all rows. */
export function useColumns<Row>(
  ids: readonly string[],
  known: readonly ListField[],
  looks: Readonly<Record<string, Look<Row>>>,
): Column<Row>[] {
  return useMemo(() => columnsOf(ids, known, looks), [ids, known, looks])
}
