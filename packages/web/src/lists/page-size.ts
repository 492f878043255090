import type { List } from '@caretaker/rules/lists/list.ts'

/** What has pages of rows. */
type Sized = Pick<List, 'pageSizes'> & { name: string }

const keyOf = ({ name }: Sized) => `caretaker.pageSize.${name}`

/** Rows a page of a list as last chosen in this browser; the list's own number until somebody does. */
export function keptPageSize(list: Sized): number {
  const kept = Number(localStorage.getItem(keyOf(list)))
  return list.pageSizes.includes(kept) ? kept : list.pageSizes[0]!
}

export function keepPageSize(list: Sized, size: number): void {
  localStorage.setItem(keyOf(list), String(size))
}
