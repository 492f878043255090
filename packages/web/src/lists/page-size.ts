import type { List } from '@caretaker/rules/lists/list.ts'

const keyOf = ({ name }: List) => `caretaker.pageSize.${name}`

/** Rows a page of a list as last chosen in this browser; the list's own number until somebody does. */
export function keptPageSize(list: List): number {
  const kept = Number(localStorage.getItem(keyOf(list)))
  return list.pageSizes.includes(kept) ? kept : list.pageSizes[0]!
}

export function keepPageSize(list: List, size: number): void {
  localStorage.setItem(keyOf(list), String(size))
}
