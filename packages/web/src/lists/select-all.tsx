import classes from './list.module.css'

interface SelectAllProps {
  /** The number of selected rows. */
  count: number
  total: number
  onSelectAll: () => void
}

/** After the first selected row, a button to select all rows of the list; in the footer, so that no row moves. */
export function SelectAll({ count, total, onSelectAll }: SelectAllProps) {
  if (count === 0 || count >= total) return undefined
  return (
    <button type="button" className={classes.all} onClick={onSelectAll}>
      Select all {total.toLocaleString('en-GB')}
    </button>
  )
}
