/** Maximum number of positions; up to this many pages all numbers are shown (devices specification, 2). */
export const pagerPlaces = 11
/** Pages shown on either side of the current one if there are more. */
export const pagerSiblings = 3

/** The number of pages; an empty table has one. */
export function pageCount(total: number, pageSize: number): number {
  return Math.max(1, Math.ceil(total / pageSize))
}

/** A page number limited to 1 … last page. */
export function clampPage(page: number, pages: number): number {
  return Math.min(Math.max(1, Math.trunc(page) || 1), Math.max(1, pages))
}

/**
 * The positions of a pager, in order: page numbers and gaps. Up to eleven pages all of them; else the first, the
 * current one with three on either side, and the last. There are always eleven positions, so that buttons do not move
 * under the pointer: near an end, adjacent numbers replace the gap.
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
 * The pager of a generic table: at most eleven consecutive pages, with the current one in the middle where possible.
 * First and last page have separate controls (devices gaps A14).
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

/** The range text of a table, 'x - y of n'; '0 - 0 of 0' if empty. */
export function rangeText(page: number, pageSize: number, total: number): string {
  return `${spanText(page, pageSize, total)} of ${figure(total)}`
}

/** The row numbers of a page: '101 - 200'. */
export function spanText(page: number, pageSize: number, total: number): string {
  const last = Math.min(page * pageSize, total)
  const first = total === 0 ? 0 : Math.min((page - 1) * pageSize + 1, last)
  return `${figure(first)} - ${figure(last)}`
}

function figure(value: number): string {
  return value.toLocaleString('en-GB')
}
