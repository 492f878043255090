import type { ReactNode } from 'react'

export interface Column<Row> {
  id: string
  header: string
  /** The initial width in pixels; columns share the remaining space in proportion. 160 by default. */
  width?: number
  /** The maximum width in pixels taken from the remaining space before the columns share it. */
  upTo?: number
  /** Figures and dates are right-aligned. */
  align?: 'end'
  sortable?: boolean
  /** The cell with the name and link of the row; the first column by default. */
  link?: boolean
  cell(row: Row): ReactNode
}

export interface Sort {
  id: string
  descending: boolean
}

export interface DataTableProps<Row> {
  /** The subject of the rows, for example 'Emergency lights'. */
  label: string
  /** Keep the array stable between renders: rows re-render when it changes. */
  columns: Column<Row>[]
  /** An identical row object is not rendered again, so refreshed data should keep unchanged rows. */
  rows: Row[]
  rowId(row: Row): string
  /** The link of a row; undefined for none. */
  rowHref?(row: Row): string | undefined
  /** Called instead of navigating to the row. */
  onOpen?(row: Row): void
  /** The pointer or focus rests on a row, which can be prefetched. */
  onHover?(row: Row): void
  /** With several columns, the first has precedence. */
  sorts?: readonly Sort[]
  /** A column header was clicked; with Shift it is added to the existing sort order. */
  onSort?(id: string, joins: boolean): void
  /** While 'loading' existing rows stay; placeholders appear only without rows. 'failed' hides the rows. */
  status: 'loading' | 'ready' | 'failed'
  onRetry?(): void
  empty: ReactNode
  /** The two lines of a row below 48em, within a link if the row has one. */
  phoneRow(row: Row): ReactNode
  /** The group name of a row. Rows of a group are consecutive; pinned rows come before all groups. */
  groupOf?(row: Row): string
  pinned?: string[]
  onPin?(ids: string[]): void
  selection?: RowSelection<Row>
  /** The end of a row, for example its action menu. Keep the function stable between renders. */
  rowActions?(row: Row): ReactNode
  /** The id of the row shown beside the table. */
  current?: string | undefined
  footer?: ReactNode
  /** Texts wrap instead of being cut off: for tables that are read rather than scanned. */
  wraps?: true
  /** The rows of a full page, if few: on a page of fixed height they share it. */
  rowsOfPage?: number
  /** Content before all rows over the full width: the form for a new row. */
  newRow?: ReactNode
  /** Content in place of a row, over the full width, while it is edited. */
  inPlace?(row: Row): ReactNode
}

/** The selected and selectable rows. */
export interface RowSelection<Row> {
  /** The number of selected rows on all pages. */
  count: number
  has(id: string): boolean
  /** Why a row cannot be selected; undefined if it can. */
  fault(row: Row): string | undefined
  /** The name of a row for its checkbox. */
  name(row: Row): string
  onSelect(rows: Row[], selected: boolean): void
}
