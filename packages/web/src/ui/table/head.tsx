import { useRef } from 'react'
import type { KeyboardEvent } from 'react'
import type { DataTableProps, Sort } from './props.ts'
import { SelectPage } from './select-page.tsx'
import { SortIcon, sortStateOf } from './sort-icon.tsx'
import classes from '../data-table.module.css'

const keyboardStep = 16
/** The key of the checkbox and pin column among the widths; cannot collide with a column id. */
export const leadColumn = ':lead'

/** The operations of a header on column widths. */
export interface Sizing {
  isResized: boolean
  width(id: string): number
  /** Fixes the current widths, so that only the dragged column changes. */
  fix(widths: Record<string, number>): void
  set(id: string, width: number): void
  startDrag(id: string, event: unknown): void
  dragged: string | undefined
}

export function Head<Row>(props: DataTableProps<Row> & { sizing: Sizing }) {
  const { columns, sorts = none, onSort, onPin, selection, rowActions, sizing } = props
  const row = useRef<HTMLTableRowElement>(null)

  function fix(): void {
    const heads = [...(row.current?.querySelectorAll<HTMLElement>('th[data-column]') ?? [])]
    sizing.fix(Object.fromEntries(heads.map((head) => [head.dataset['column']!, head.offsetWidth])))
  }

  function fit(id: string): void {
    const index = [...(row.current?.cells ?? [])].findIndex((cell) => cell.dataset['column'] === id)
    const cells = [...(row.current?.closest('table')?.rows ?? [])].flatMap((one) => one.cells[index] ?? [])
    fix()
    sizing.set(id, Math.max(...cells.map(naturalWidth)))
  }

  function onKey(event: KeyboardEvent, id: string): void {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!event.shiftKey || direction === undefined) return
    event.preventDefault()
    fix()
    sizing.set(id, sizing.width(id) + direction * keyboardStep)
  }

  return (
    <thead>
      <tr ref={row}>
        {selection ? (
          <th scope="col" className={classes.selectCell} data-column={leadColumn}>
            <SelectPage rows={props.rows} rowId={props.rowId} selection={selection} />
          </th>
        ) : (
          onPin && (
            <th scope="col" className={classes.pinCell} data-column={leadColumn}>
              <span className="visually-hidden">Pin</span>
            </th>
          )
        )}
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            data-column={column.id}
            data-align={column.align}
            data-dragged={sizing.dragged === column.id || undefined}
            aria-sort={stateOf(column, sorts)}
          >
            {column.sortable && onSort ? (
              <button
                type="button"
                className={classes.sort}
                title="Shift+click sorts by several columns; Shift+arrow keys change the width"
                aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
                onClick={(event) => onSort(column.id, event.shiftKey)}
                onKeyDown={(event) => onKey(event, column.id)}
              >
                <span>{column.header}</span>
                <SortIcon state={stateOf(column, sorts)} />
                {sorts.length > 1 && sorts.some(({ id }) => id === column.id) && (
                  <span className={classes.sortOrder}>{sorts.findIndex(({ id }) => id === column.id) + 1}</span>
                )}
              </button>
            ) : (
              <span className={classes.sort}>
                <span>{column.header}</span>
              </span>
            )}
            {/* A double click fits the column to its content, as an alternative to dragging. */}
            <span
              className={classes.handle}
              aria-hidden
              onMouseDown={(event) => {
                fix()
                sizing.startDrag(column.id, event)
              }}
              onTouchStart={(event) => {
                fix()
                sizing.startDrag(column.id, event)
              }}
              onDoubleClick={() => fit(column.id)}
            />
          </th>
        ))}
        {sizing.isResized && <td className={classes.filler} aria-hidden />}
        {rowActions && (
          <th scope="col" className={classes.actionCell}>
            Actions
          </th>
        )}
      </tr>
    </thead>
  )
}

/** The width that a cell needs for its content. */
function naturalWidth(cell: HTMLTableCellElement): number {
  const range = document.createRange()
  range.selectNodeContents(cell.querySelector('button, [data-row-link]') ?? cell)
  const style = getComputedStyle(cell)
  const padding = Number.parseFloat(style.paddingInlineStart) + Number.parseFloat(style.paddingInlineEnd)
  return Math.ceil(
    Math.max(
      range.getBoundingClientRect().width,
      cell.scrollWidth > cell.clientWidth ? cell.scrollWidth - padding : 0,
    ) +
      padding +
      2,
  )
}

const none: readonly Sort[] = []

const stateOf = ({ id, sortable }: { id: string; sortable?: boolean }, sorts: readonly Sort[]) =>
  sortable ? sortStateOf(id, sorts) : undefined
