import { Fragment, useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import {
  columnResizingFeature,
  columnSizingFeature,
  rowPinningFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { Failed } from './states.tsx'
import { useGridKeys } from './table/grid-keys.ts'
import { Head, leadColumn, type Sizing } from './table/head.tsx'
import { MoreColumns } from './table/more-columns.tsx'
import { PhoneSelection } from './table/phone-selection.tsx'
import type { Column, DataTableProps } from './table/props.ts'
import { pinLimit, useRowEvents } from './table/row-events.ts'
import { useRowsInSteps } from './table/rows-in-steps.ts'
import { GroupRow, RowView, WaitingRows, WholeRow, type PinState, type RowCells } from './table/rows.tsx'
import classes from './data-table.module.css'

/** The limits for resizing a column in pixels (devices specification, 2). */
const [narrowest, widest] = [60, 1200]
const usualWidth = 160
const noPins: string[] = []

const features = tableFeatures({ columnSizingFeature, columnResizingFeature, rowPinningFeature })

/** A table that is sorted, paged and filtered by its caller. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, status, pinned = noPins, footer } = props
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  const definitions = useMemo(
    () =>
      columns.map((column) => ({
        id: column.id,
        size: column.width ?? usualWidth,
        minSize: narrowest,
        maxSize: widest,
      })),
    [columns],
  )
  const shown = status === 'failed' ? noRows : rows
  const table = useTable({
    features,
    columns: definitions,
    data: shown as object[],
    getRowId: (row) => rowId(row as Row),
    columnResizeMode: 'onChange',
    state: { rowPinning: { top: pinned, bottom: noPins } },
  })
  const top = table.getTopRows().map((row) => row.original as Row)
  const centre = table.getCenterRows().map((row) => row.original as Row)
  const ordered = [...top, ...centre]
  const drawn = useRowsInSteps(ordered, rowId)
  const waiting = status === 'loading' && ordered.length === 0
  const body = useRowEvents(props, ordered)
  const grid = useRef<HTMLTableElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const keys = useGridKeys(grid, body.keys)
  const { rowHref, phoneRow, rowActions, selection } = props
  const cells = { columns, isPhone, isResized: isResized(), rowId, rowHref, phoneRow, rowActions }
  const leading = selection ? selectColumnWidth : props.onPin ? pinColumnWidth : 0
  const span = isPhone ? 1 : columns.length + [leading > 0, isResized(), rowActions].filter(Boolean).length
  return (
    <div
      className={classes.root}
      data-phone={isPhone || undefined}
      data-selects={selection ? true : undefined}
      data-selecting={selection && selection.count > 0 ? true : undefined}
      data-wraps={props.wraps}
      data-fills={props.rowsOfPage ? true : undefined}
    >
      {isPhone && selection && <PhoneSelection {...{ rows: shown, rowId, selection }} {...body.range} />}
      {!isPhone && <MoreColumns scroller={scroller} />}
      <div
        ref={scroller}
        className={classes.scroll}
        data-waiting={waiting || undefined}
        data-scroll-restoration-id={label}
      >
        <table
          ref={grid}
          role="grid"
          className={classes.table}
          aria-label={label}
          aria-busy={status === 'loading' || drawn.length < ordered.length}
          aria-readonly
          aria-multiselectable={selection ? true : undefined}
          style={tableStyle()}
          {...keys}
        >
          {!isPhone && (
            <colgroup>
              {leading > 0 && <col style={{ width: table.state.columnSizing[leadColumn] ?? leading }} />}
              {columns.map((column) => (
                <col key={column.id} style={{ width: widthOf(column) }} />
              ))}
              {isResized() && <col />}
              {rowActions && <col style={{ width: actionColumnWidth }} />}
            </colgroup>
          )}
          {!isPhone && <Head {...props} rows={ordered} sizing={sizing()} />}
          <tbody {...body.handlers}>
            {props.newRow && <WholeRow span={span}>{props.newRow}</WholeRow>}
            {drawn.map((row, index) => (
              <Fragment key={rowId(row)}>
                {groupAt(index)}
                {rowInPlace(row) ?? (
                  <RowView
                    {...(cells as RowCells<unknown>)}
                    row={row}
                    pinnedAt={index < top.length ? index : undefined}
                    pinButton={pinButton(row)}
                    selected={selection?.has(rowId(row))}
                    fault={selection?.fault(row)}
                    name={selection?.name(row)}
                    isCurrent={rowId(row) === props.current}
                  />
                )}
              </Fragment>
            ))}
            {waiting && (
              <WaitingRows columns={columns} isPhone={isPhone} leads={leading > 0} acts={rowActions !== undefined} />
            )}
          </tbody>
        </table>
        {waiting && (
          <span className="visually-hidden" role="status">
            Loading {label}
          </span>
        )}
        {status === 'failed' && (
          <div className={classes.instead}>
            <Failed onRetry={props.onRetry} />
          </div>
        )}
        {status === 'ready' && ordered.length === 0 && !props.newRow && (
          <div className={classes.instead}>{props.empty}</div>
        )}
      </div>
      {footer && (
        <div className={classes.footer} data-foot>
          {footer}
        </div>
      )}
    </div>
  )

  /** The group header before this row, if any. */
  function groupAt(index: number): ReactNode {
    const row = drawn[index]
    if (!props.groupOf || row === undefined || index < top.length) return undefined
    const name = props.groupOf(row)
    if (index > top.length && props.groupOf(drawn[index - 1] as Row) === name) return undefined
    const size = centre.filter((one) => props.groupOf?.(one) === name).length
    return <GroupRow name={name} size={size} span={span} />
  }

  function rowInPlace(row: Row): ReactNode {
    const content = props.inPlace?.(row)
    return content ? <WholeRow span={span}>{content}</WholeRow> : undefined
  }

  function isResized(): boolean {
    return Object.keys(table.state.columnSizing).length > 0
  }

  function tableStyle() {
    return isPhone ? undefined : ({ minWidth: totalWidth(), '--rows-of-page': props.rowsOfPage } as object)
  }

  function totalWidth(): number {
    return table.getTotalSize() + leading + (rowActions ? actionColumnWidth : 0)
  }

  function widthOf({ id, upTo }: Column<Row>): number | string {
    const width = table.getColumn(id)?.getSize() ?? usualWidth
    return upTo === undefined || isResized()
      ? width
      : `clamp(${width}px, 100cqi - ${totalWidth() - width}px, ${upTo}px)`
  }

  function sizing(): Sizing {
    return {
      isResized: isResized(),
      width: (id) => table.getColumn(id)?.getSize() ?? usualWidth,
      fix: (widths) => {
        if (!isResized()) table.setColumnSizing(widths)
      },
      set: (id, width) => table.setColumnSizing((old) => ({ ...old, [id]: clampWidth(width) })),
      startDrag: (id, event) => {
        const header = table.getFlatHeaders().find((one) => one.column.id === id)
        header?.getResizeHandler()(event)
      },
      dragged: table.state.columnResizing.isResizingColumn || undefined,
    }
  }

  function pinButton(row: Row): PinState | undefined {
    if (!props.onPin) return undefined
    if (pinned.includes(rowId(row))) return 'pinned'
    return pinned.length >= pinLimit ? 'full' : 'free'
  }
}

const noRows: never[] = []
/** Pixels; the pin column is in the margin of the page. */
const [pinColumnWidth, selectColumnWidth, actionColumnWidth] = [24, 50, 68]

function clampWidth(width: number): number {
  return Math.min(widest, Math.max(narrowest, Math.round(width)))
}
