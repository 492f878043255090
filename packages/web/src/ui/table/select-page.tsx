import { useEffect, useRef } from 'react'
import type { DataTableProps } from './props.ts'
import check from '../check.module.css'
import classes from '../data-table.module.css'

/** The checkbox that selects all selectable rows of the page, or none. */
export function SelectPage<Row>({
  rows,
  rowId,
  selection,
  label,
}: Required<Pick<DataTableProps<Row>, 'rows' | 'rowId' | 'selection'>> & { label?: string }) {
  const box = useRef<HTMLInputElement>(null)
  const selectable = rows.filter((one) => selection.fault(one) === undefined)
  const count = selectable.filter((one) => selection.has(rowId(one))).length
  const all = count > 0 && count === selectable.length
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && !all
  }, [count, all])
  return (
    <label className={classes.select}>
      <input
        ref={box}
        type="checkbox"
        className={check.box}
        aria-label="Select page"
        title="Select page"
        checked={all}
        disabled={selectable.length === 0}
        onChange={() => selection.onSelect(selectable, !all)}
      />
      {label}
    </label>
  )
}
