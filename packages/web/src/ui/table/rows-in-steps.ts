import { useDeferredValue } from 'react'

/** Pixels of the lowest row: more rows than these never fit on the screen. */
const lowestRow = 38

/**
 * The rows to draw now. When other rows replace them, such as those of the next page, only as many as fit on the screen
 * are drawn at once; the others follow right after the screen is painted, and a further change interrupts them.
 */
export function useRowsInSteps<Row>(rows: Row[], rowId: (row: Row) => string): Row[] {
  const ids = rows.map(rowId).join('\n')
  const drawnIds = useDeferredValue(ids)
  if (drawnIds === ids || drawnIds === '') return rows
  const drawn = new Set(drawnIds.split('\n'))
  const first = Math.ceil(window.innerHeight / lowestRow)
  return rows.filter((row, index) => index < first || drawn.has(rowId(row)))
}
