/** Up to this many pages a pager shows every number, and never more places than this (devices specification, 2). */
export const pagerPlaces = 11
/** Pages shown on either side of the current one when there are more. */
export const pagerSiblings = 3

/** How many pages the rows fill; an empty table still has one. */
export function pageCount(total: number, pageSize: number): number {
  return Math.max(1, Math.ceil(total / pageSize))
}

/** A page number brought between 1 and the last page. */
export function clampPage(page: number, pages: number): number {
  return Math.min(Math.max(1, Math.trunc(page) || 1), Math.max(1, pages))
}

/**
 * What a pager shows, in order: page numbers and gaps. Up to eleven pages all of them; else the first, the current one
 * with three on either side, and the last. It then always has eleven places, so that no button moves away from under the
 * pointer: near an end the numbers beside that end take the place of its gap.
 */
export function pagerWindow(page: number, pages: number): (number | 'gap')[] {
  if (pages <= pagerPlaces) return run(1, pages)
  const current = clampPage(page, pages)
  const side = pagerPlaces - 2
  if (current <= pagerSiblings + 3) return [...run(1, side), 'gap', pages]
  if (current >= pages - pagerSiblings - 2) return [1, 'gap', ...run(pages - side + 1, pages)]
  return [1, 'gap', ...run(current - pagerSiblings, current + pagerSiblings), 'gap', pages]
}

/**
 * What the pager of a generic table shows: at most eleven pages in a row, which slide so that the current one stands in
 * their middle where it can. The first and the last page have controls of their own (devices gaps A14).
 */
export function slidingWindow(page: number, pages: number): number[] {
  const places = Math.min(pagerPlaces, Math.max(1, pages))
  const from = clampPage(page, pages) - Math.floor(places / 2)
  const first = Math.min(Math.max(1, from), Math.max(1, pages) - places + 1)
  return run(first, first + places - 1)
}

function run(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** The range text of a table, 'x - y of n'; '0 - 0 of 0' for an empty one. */
export function rangeText(page: number, pageSize: number, total: number): string {
  return `${spanText(page, pageSize, total)} of ${figure(total)}`
}

/** The rows of a page by their places: '101 - 200'. */
export function spanText(page: number, pageSize: number, total: number): string {
  const last = Math.min(page * pageSize, total)
  const first = total === 0 ? 0 : Math.min((page - 1) * pageSize + 1, last)
  return `${figure(first)} - ${figure(last)}`
}

function figure(value: number): string {
  return value.toLocaleString('en-GB')
}
