import { useEffect, useRef } from 'react'
import type { FocusEvent, KeyboardEvent, RefObject } from 'react'

const usable = ['a[href]', 'button', 'input', 'select', 'textarea'].map((one) => `${one}:not(:disabled)`).join()
/** Elements that use the arrow keys themselves. */
const takesKeys = 'select, textarea, input:not([type="checkbox"], [type="radio"])'

/** A form in place of a row has normal Tab order. */
const ownKeys = '[data-own-keys]'

type Cell = HTMLTableCellElement

const usableIn = (cell: Cell): HTMLElement[] => [...cell.querySelectorAll<HTMLElement>(usable)]

/** The focus target of a cell: its only control, otherwise the cell itself. */
function stopOf(cell: Cell): HTMLElement {
  const [only, ...more] = usableIn(cell)
  return only && more.length === 0 ? only : cell
}

/** Whether the target is in a cell that was entered by keyboard and is left by Escape. */
export function isInsideCell(target: EventTarget | null): boolean {
  const cell = target instanceof Element ? target.closest<Cell>('[role=grid] :is(td, th)') : null
  return cell !== null && target !== stopOf(cell)
}

/** The rows reached by arrow keys: the header and all data rows, without group headings. */
function rowsOf(table: HTMLTableElement): HTMLTableRowElement[] {
  return [...table.rows].filter((row) => row.dataset['row'] !== undefined || row.parentElement === table.tHead)
}

/** The cells of a row without fillers. */
const cellsOf = (row: HTMLTableRowElement): Cell[] =>
  [...row.cells].filter((cell) => cell.getAttribute('aria-hidden') !== 'true')

/** Row actions for keys that no element in the cell handles. */
interface RowKeys {
  onOpen(target: EventTarget, elsewhere: boolean): void
  /** Returns false if rows cannot be selected. */
  onSelect(target: EventTarget, reaches: boolean): boolean
}

/**
 * A table as one Tab stop with arrow keys inside (WAI-ARIA authoring practices, grid pattern). The Tab stop is kept
 * only in the DOM, so rows are not re-rendered when the focus moves.
 */
export function useGridKeys(table: RefObject<HTMLTableElement | null>, { onOpen, onSelect }: RowKeys) {
  /** The last focused element; undefined at first, or once it is removed. */
  const active = useRef<HTMLElement>(undefined)
  useEffect(() => {
    const grid = table.current!
    const update = () => {
      if (active.current && !grid.contains(active.current)) active.current = undefined
      updateTabStops(grid, active.current ?? firstStop(grid))
    }
    update()
    const observer = new MutationObserver(update)
    observer.observe(grid, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => observer.disconnect()
  }, [table])

  function onFocus({ currentTarget, target }: FocusEvent<HTMLTableElement>): void {
    if (!currentTarget.contains(target) || (target as HTMLElement).closest(ownKeys)) return
    active.current = target as HTMLElement
    updateTabStops(currentTarget, active.current)
  }

  function onKeyDown(event: KeyboardEvent<HTMLTableElement>): void {
    const target = event.target as HTMLElement
    // The menu of a row is a portal, whose key events bubble to here.
    if (event.defaultPrevented || !event.currentTarget.contains(target) || target.matches(takesKeys)) return
    if (target.closest(ownKeys)) return
    const cell = target.closest<Cell>('td, th')
    if (!cell) return
    const goal = goalOf(event, target, cell)
    if (goal) focus(goal)
    else if (!actOnRow(event, target, cell)) return
    event.preventDefault()
  }

  function actOnRow(event: KeyboardEvent, target: HTMLElement, cell: Cell): boolean {
    const isPlain = target === cell
    const elsewhere = event.ctrlKey || event.metaKey
    // A link opens itself; for a new tab it is opened like any other cell.
    if (event.key === 'Enter' && (isPlain || (elsewhere && target.matches('[data-row-link]'))))
      onOpen(target, elsewhere)
    else if (event.key === ' ' && (isPlain || target.matches('a'))) return onSelect(target, event.shiftKey)
    else return false
    return true
  }

  return { onFocus, onKeyDown }
}

/** The target of a key; undefined if none. */
function goalOf(event: KeyboardEvent<HTMLTableElement>, target: HTMLElement, cell: Cell): HTMLElement | undefined {
  const { key, ctrlKey, shiftKey, altKey, metaKey } = event
  if (altKey || metaKey) return undefined
  const inside = usableIn(cell)
  const isInside = target !== stopOf(cell)
  if (!ctrlKey && !shiftKey && (key === 'F2' || (key === 'Enter' && target === cell)) && !isInside && inside.length > 1)
    return inside[0]
  if (isInside && (key === 'Escape' || key === 'F2')) return cell
  if (shiftKey) return undefined
  if (isInside && (key === 'ArrowLeft' || key === 'ArrowRight'))
    return inside[inside.indexOf(target) + (key === 'ArrowLeft' ? -1 : 1)] ?? target
  const there = cellAt(event.currentTarget, cell, key, ctrlKey)
  return there && stopOf(there)
}

function cellAt(table: HTMLTableElement, cell: Cell, key: string, isFar: boolean): Cell | undefined {
  const rows = rowsOf(table)
  const row = cell.parentElement as HTMLTableRowElement
  const cells = cellsOf(row)
  const [y, x] = [rows.indexOf(row), cells.indexOf(cell)]
  if (isFar) return { Home: cellsOf(rows[0]!)[0], End: cellsOf(rows.at(-1)!).at(-1) }[key]
  const above = rows.findIndex(({ dataset }) => dataset['row'] !== undefined)
  const page = rowsInSight(row)
  const line = {
    ArrowDown: y + 1,
    ArrowUp: y - 1,
    PageDown: Math.min(y + page, rows.length - 1),
    PageUp: Math.max(y - page, Math.min(y, above)),
  }[key]
  if (line !== undefined) return rows[line] && (cellsOf(rows[line])[x] ?? cellsOf(rows[line]).at(-1))
  const place = { ArrowLeft: x - 1, ArrowRight: x + 1, Home: 0, End: cells.length - 1 }[key]
  return place === undefined ? undefined : cells[place]
}

/** The number of rows that fit below the header, for Page Up and Page Down. */
function rowsInSight(row: HTMLElement): number {
  const sight = row.closest('table')?.parentElement?.clientHeight ?? 0
  return Math.max(1, Math.floor(sight / Math.max(1, row.offsetHeight)) - 2)
}

function focus(goal: HTMLElement): void {
  // Only an element with a tabindex can take the focus; `onFocus` makes it the Tab stop.
  if (!goal.hasAttribute('tabindex')) goal.tabIndex = -1
  goal.focus()
}

/** The first Tab stop: the name of the first row, otherwise its first cell, or the header. */
function firstStop(table: HTMLTableElement): HTMLElement | undefined {
  const first = table.querySelector<HTMLTableRowElement>('tbody tr[data-row]')
  const cell = first
    ? (first.querySelector('[data-row-link]')?.closest<Cell>('td') ?? cellsOf(first)[0])
    : (table.querySelector<Cell>('thead :is(th, td)') ?? undefined)
  return cell && stopOf(cell)
}

/** Removes all Tab stops of the table except one. */
function updateTabStops(table: HTMLTableElement, active: HTMLElement | undefined): void {
  for (const one of table.querySelectorAll<HTMLElement>(`${usable}, [tabindex]`)) {
    if (one.closest(ownKeys)) continue
    const wanted = one === active ? 0 : -1
    if (one.tabIndex !== wanted || !one.hasAttribute('tabindex')) one.tabIndex = wanted
  }
  if (active && active.tabIndex !== 0) active.tabIndex = 0
}
