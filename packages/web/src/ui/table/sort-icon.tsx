import { IconChevronDown, IconChevronUp, IconSelector } from '../../icons/index.ts'
import type { Sort } from './props.ts'
import classes from '../data-table.module.css'

export type SortState = 'ascending' | 'descending' | 'none'

/** The sort state of a column. */
export function sortStateOf(id: string, sorts: readonly Sort[]): SortState {
  const sort = sorts.find((one) => one.id === id)
  if (!sort) return 'none'
  return sort.descending ? 'descending' : 'ascending'
}

/** The icon of a sort state in the column header. */
export function SortIcon({ state }: { state: SortState | undefined }) {
  if (state === 'ascending') return <IconChevronUp size={14} stroke={2.2} aria-hidden />
  if (state === 'descending') return <IconChevronDown size={14} stroke={2.2} aria-hidden />
  return <IconSelector size={14} className={classes.sortable} aria-hidden />
}
