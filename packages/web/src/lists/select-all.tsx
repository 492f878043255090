import classes from './list.module.css'

interface SelectAllProps {
  /** Selected rows. */
  count: number
  total: number
  onSelectAll: () => void
}

/** From the first selected row on, the way to all of the list; stands in the foot, so that no row moves for it. */
export function SelectAll({ count, total, onSelectAll }: SelectAllProps) {
  if (count === 0 || count >= total) return undefined
  return (
    <button type="button" className={classes.all} onClick={onSelectAll}>
      Select all {total.toLocaleString('en-GB')}
    </button>
  )
}
