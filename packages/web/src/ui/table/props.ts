import type { ReactNode } from 'react'

export interface Column<Row> {
  id: string
  header: string
  /** Pixels until somebody drags the edge; columns share what is left in proportion. 160 if not given. */
  width?: number
  /** Pixels that it takes of what is left before the columns share. */
  upTo?: number
  /** Figures and dates stand right. */
  align?: 'end'
  sortable?: boolean
  /** The cell that names the row and carries its link; the first column if none says so. */
  link?: boolean
  cell(row: Row): ReactNode
}

export interface Sort {
  id: string
  descending: boolean
}

export interface DataTableProps<Row> {
  /** What the rows are, e.g. 'Emergency lights'. */
  label: string
  /** Keep the array the same between renders: rows draw anew when it changes. */
  columns: Column<Row>[]
  /** A row object that stays the same is not drawn again, so refreshed data should keep unchanged rows. */
  rows: Row[]
  rowId(row: Row): string
  /** Where a row leads; undefined for one that leads nowhere. */
  rowHref?(row: Row): string | undefined
  /** Called in place of going to the address of the row. */
  onOpen?(row: Row): void
  /** The pointer or the focus rests on a row: the time to prefetch it. */
  onHover?(row: Row): void
  /** Of several orders the first decides first. */
  sorts?: readonly Sort[]
  /** The head of a column was pressed; with Shift it joins the orders that are there. */
  onSort?(id: string, joins: boolean): void
  /** While 'loading' given rows stay on screen; bars are shown only when there are none. 'failed' hides the rows. */
  status: 'loading' | 'ready' | 'failed'
  onRetry?(): void
  empty: ReactNode
  /** The two lines of a row below 48em, within a link if the row has one. */
  phoneRow(row: Row): ReactNode
  /** The name of the group that a row belongs to. Rows of a group follow each other; pinned rows stand before all groups. */
  groupOf?(row: Row): string
  pinned?: string[]
  onPin?(ids: string[]): void
  selection?: RowSelection<Row>
  /** What stands at the end of a row, e.g. the menu of its actions. Keep the function the same between renders. */
  rowActions?(row: Row): ReactNode
  /** The row that is shown beside the table, by its id. */
  current?: string | undefined
  footer?: ReactNode
  /** Texts go on in a further line instead of being cut: for tables that are read rather than scanned. */
  wraps?: true
  /** Rows of a whole page, where they are few: on a page of fixed height they share it. */
  rowsOfPage?: number
  /** What stands before all rows, over the whole width: the form of a new one. */
  newRow?: ReactNode
  /** What stands in place of a row, over the whole width, while it is edited. */
  inPlace?(row: Row): ReactNode
}

/** Which rows are selected, and which can be. */
export interface RowSelection<Row> {
  /** How many are, on whatever page. */
  count: number
  has(id: string): boolean
  /** Why a row cannot be selected; undefined when it can. */
  fault(row: Row): string | undefined
  /** What a row is called by the box that selects it. */
  name(row: Row): string
  onSelect(rows: Row[], selected: boolean): void
}
