import type { List } from '@caretaker/rules/lists/list.ts'

/** A list with pages. */
type Sized = Pick<List, 'pageSizes'> & { name: string }

const keyOf = ({ name }: Sized) => `caretaker.pageSize.${name}`

/** The page size last chosen in this browser; the list's default otherwise. */
export function keptPageSize(list: Sized): number {
  const kept = Number(localStorage.getItem(keyOf(list)))
  return list.pageSizes.includes(kept) ? kept : list.pageSizes[0]!
}

export function keepPageSize(list: Sized, size: number): void {
  localStorage.setItem(keyOf(list), String(size))
}
