import { useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { clampPage, pageCount } from '@caretaker/rules/lists/pager.ts'
import type { Column, DataTableProps } from './table/props.ts'
import { DataTable } from './data-table.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Pager } from './pager.tsx'
import { Empty } from './states.tsx'
import { turned, useTablePlace } from './table-place.ts'
import type { CellValue } from './table-rows.ts'
import { filteredRows, sortedRows } from './table-rows.ts'

/** Rows per page of every table outside the device listings (devices specification, section 2). */
export const genericPageSize = 10

export interface GenericColumn<Row> extends Column<Row> {
  /** The sort and filter value of the column; if absent, neither is possible. */
  value?(row: Row): CellValue
}

interface GenericTableProps<Row> extends Pick<
  DataTableProps<Row>,
  | 'label'
  | 'rowId'
  | 'rowHref'
  | 'onOpen'
  | 'onHover'
  | 'current'
  | 'status'
  | 'onRetry'
  | 'phoneRow'
  | 'rowActions'
  | 'newRow'
  | 'inPlace'
  | 'selection'
> {
  /** Keep the array stable between renders. */
  columns: GenericColumn<Row>[]
  /** All rows: the table filters, sorts and pages them. */
  rows: Row[]
  /** Shown if there are no rows at all. */
  empty?: ReactNode
  /** Controls beside the filter. */
  actions?: ReactNode
  /** A new row: its page opens, whatever filter was set. */
  reveal?: string | undefined
  /** Content below the table, for the shown rows. */
  below?(shown: Row[]): ReactNode
}

/** The generic paged table: all rows loaded at once, ten per page; its state is in the address. */
export function GenericTable<Row>(props: GenericTableProps<Row>) {
  const { label, columns, rows, rowId, status, empty, actions, reveal } = props
  const [place, show] = useTablePlace()
  const [pinned, setPinned] = useState<string[]>([])
  const sortable = useMemo(
    () => columns.map((column) => ({ ...column, sortable: column.value !== undefined })),
    [columns],
  )
  const matching = useMemo(() => {
    const found = filteredRows(rows, place.filter, (row) => columns.map((column) => column.value?.(row)))
    return sortedRows(found, place.sort, (row, id) => columns.find((column) => column.id === id)?.value?.(row))
    // oxlint-disable-next-line react/exhaustive-deps -- the order is the same while its parts are
  }, [rows, columns, place.filter, place.sort?.id, place.sort?.descending])
  const page = clampPage(place.page, pageCount(matching.length, genericPageSize))
  const shown = useMemo(() => {
    const here = matching.slice((page - 1) * genericPageSize, page * genericPageSize)
    // Pinned rows stay visible on every page.
    const elsewhere = rows.filter((row) => pinned.includes(rowId(row)) && !here.includes(row))
    return [...elsewhere, ...here]
    // oxlint-disable-next-line react/exhaustive-deps -- the id of a row does not depend on the identity of the function
  }, [matching, page, rows, pinned])
  const pinnedHere = useMemo(
    () => pinned.filter((id) => rows.some((row) => rowId(row) === id)),
    // oxlint-disable-next-line react/exhaustive-deps -- as above
    [pinned, rows],
  )
  useReveal(reveal, () => {
    const all = sortedRows(rows, place.sort, (row, id) => columns.find((column) => column.id === id)?.value?.(row))
    const at = all.findIndex((row) => rowId(row) === reveal)
    if (at < 0) return false
    show({ ...place, filter: '', page: Math.floor(at / genericPageSize) + 1 })
    return true
  })

  return (
    <>
      <FilterBar
        label={label}
        value={place.filter}
        onChange={(filter) => show({ ...place, filter, page: 1 })}
        actions={actions}
      />
      <DataTable
        label={label}
        columns={sortable}
        rows={shown}
        rowId={rowId}
        {...(props.rowHref ? { rowHref: props.rowHref } : {})}
        {...(props.onOpen ? { onOpen: props.onOpen } : {})}
        {...(props.onHover ? { onHover: props.onHover } : {})}
        current={props.current}
        {...(place.sort ? { sorts: [place.sort] } : {})}
        onSort={(id) => show({ ...place, sort: turned(place.sort, id), page: 1 })}
        status={status}
        {...(props.onRetry ? { onRetry: props.onRetry } : {})}
        empty={
          rows.length > 0 ? (
            <Empty text="No data available" hint={`No matches in ${label.toLowerCase()}.`} />
          ) : (
            (empty ?? <Empty text="No data available" />)
          )
        }
        phoneRow={props.phoneRow}
        {...(props.rowActions ? { rowActions: props.rowActions } : {})}
        newRow={props.newRow}
        {...(props.selection ? { selection: props.selection } : {})}
        {...(props.inPlace ? { inPlace: props.inPlace } : {})}
        pinned={pinnedHere}
        onPin={setPinned}
        rowsOfPage={genericPageSize}
        footer={
          status !== 'failed' &&
          matching.length > 0 && (
            <Pager
              ends
              page={page}
              pageSize={genericPageSize}
              total={matching.length}
              onPage={(next) => show({ ...place, page: next })}
            />
          )
        }
      />
      {props.below?.(shown)}
    </>
  )
}

/** Calls `open` for a new row until `open` returns that the row is there. */
function useReveal(id: string | undefined, open: () => boolean): void {
  const revealed = useRef(id)
  useEffect(() => {
    if (id !== undefined && revealed.current !== id && open()) revealed.current = id
  })
}
