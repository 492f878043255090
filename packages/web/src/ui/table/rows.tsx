import { memo } from 'react'
import type { ReactNode } from 'react'
import { IconPin, IconPinFilled } from '../../icons/index.ts'
import type { Column } from './props.ts'
import { Bar } from '../states.tsx'
import { pinLimit } from './row-events.ts'
import check from '../check.module.css'
import classes from '../data-table.module.css'

export type PinState = 'free' | 'full' | 'pinned'

/** The data shared by all rows of a table. */
export interface RowCells<Row> {
  columns: Column<Row>[]
  isPhone: boolean
  /** Resized columns leave free space at the end, which needs a cell for its background. */
  isResized: boolean
  rowId(row: Row): string
  rowHref: ((row: Row) => string | undefined) | undefined
  phoneRow(row: Row): ReactNode
  rowActions: ((row: Row) => ReactNode) | undefined
}

interface RowViewProps extends RowCells<unknown> {
  row: unknown
  /** The index among the pinned rows. */
  pinnedAt: number | undefined
  pinButton: PinState | undefined
  /** Whether it is selected; undefined in a table without selection. */
  selected: boolean | undefined
  /** Why it cannot be selected. */
  fault: string | undefined
  name: string | undefined
  /** Whether it is shown beside the table. */
  isCurrent: boolean
}

/** Rendered again only when its row or the columns change, so that a refresh updates cells in place. */
export const RowView = memo(RowOnScreen, (before, after) => {
  return (
    before.row === after.row &&
    before.columns === after.columns &&
    before.isPhone === after.isPhone &&
    (before.phoneRow === after.phoneRow || !after.isPhone) &&
    before.isResized === after.isResized &&
    before.pinnedAt === after.pinnedAt &&
    before.pinButton === after.pinButton &&
    before.selected === after.selected &&
    before.fault === after.fault &&
    before.isCurrent === after.isCurrent &&
    before.rowActions === after.rowActions &&
    before.rowHref?.(before.row) === after.rowHref?.(after.row)
  )
})

function RowOnScreen(props: RowViewProps) {
  const { row, columns, isPhone, isResized, rowId, rowHref, phoneRow, rowActions, pinnedAt, pinButton } = props
  const { selected, fault, name, isCurrent } = props
  const href = rowHref?.(row)
  const linked = columns.find((column) => column.link) ?? columns[0]
  const leads = rowHref === undefined || href !== undefined
  const link = (content: ReactNode) => {
    if (href === undefined) return content
    return (
      <a href={href} data-row-link className={isPhone ? classes.phoneLink : classes.link}>
        {content}
      </a>
    )
  }
  return (
    <tr
      data-row={rowId(row)}
      data-leads={leads || undefined}
      data-pinned={pinnedAt === undefined ? undefined : true}
      aria-selected={selected}
      aria-current={isCurrent ? 'location' : undefined}
      style={pinnedAt === undefined ? undefined : ({ '--pinned-at': pinnedAt } as object)}
    >
      {selected !== undefined ? (
        <td className={classes.selectCell}>
          {pinButton && !isPhone && <PinButton state={pinButton} />}
          <SelectBox selected={selected} fault={fault} name={name} />
        </td>
      ) : (
        pinButton &&
        !isPhone && (
          <td className={classes.pinCell}>
            <PinButton state={pinButton} />
          </td>
        )
      )}
      {isPhone ? (
        <td className={classes.phoneCell}>{link(phoneRow(row))}</td>
      ) : (
        columns.map((column) => (
          <td key={column.id} data-align={column.align} data-named={column.link || undefined}>
            {column === linked ? link(column.cell(row)) : column.cell(row)}
          </td>
        ))
      )}
      {isResized && !isPhone && <td className={classes.filler} aria-hidden />}
      {rowActions && <td className={classes.actionCell}>{rowActions(row)}</td>}
    </tr>
  )
}

function SelectBox({ selected, fault, name }: Pick<RowViewProps, 'selected' | 'fault' | 'name'>) {
  return (
    <label className={classes.select} title={fault}>
      <input
        type="checkbox"
        data-select
        className={check.box}
        aria-label={`Select ${name}`}
        checked={selected ?? false}
        disabled={fault !== undefined}
        // The table handles every click, because it needs the Shift key.
        readOnly
      />
    </label>
  )
}

/** Content in place of a row, with its own keyboard handling. */
export function WholeRow({ span, children }: { span: number; children: ReactNode }) {
  return (
    <tr className={classes.whole} data-own-keys>
      <td colSpan={span}>{children}</td>
    </tr>
  )
}

/** The header of a row group: its name, and the number of rows shown. */
export function GroupRow({ name, size, span }: { name: string; size: number; span: number }) {
  return (
    <tr className={classes.group}>
      <th scope="rowgroup" colSpan={span}>
        {name} <span className={classes.groupSize}>{size.toLocaleString('en-GB')}</span>
      </th>
    </tr>
  )
}

function PinButton({ state }: { state: PinState }) {
  const [label, title] = {
    free: ['Pin row', 'Pin row'],
    full: ['Pin row', `${pinLimit} rows are pinned. Unpin one first.`],
    pinned: ['Unpin row', 'Unpin row'],
  }[state] as [string, string]
  const Icon = state === 'pinned' ? IconPinFilled : IconPin
  return (
    <button
      type="button"
      data-pin
      className={classes.pin}
      aria-label={label}
      aria-pressed={state === 'pinned'}
      aria-disabled={state === 'full' || undefined}
      title={title}
    >
      <Icon size={16} aria-hidden />
    </button>
  )
}

const waitingRows = 14

/** The layout of the rows with placeholder bars. */
export function WaitingRows<Row>({
  columns,
  isPhone,
  leads,
  acts,
}: {
  columns: Column<Row>[]
  isPhone: boolean
  /** Whether checkboxes or pins precede the columns, and actions follow them. */
  leads: boolean
  acts: boolean
}) {
  return Array.from({ length: waitingRows }, (_, row) => (
    <tr key={row} className={classes.waiting} aria-hidden>
      {leads && !isPhone && <td className={classes.pinCell} />}
      {isPhone ? (
        <td className={classes.phoneCell}>
          <div className={classes.phoneBars}>
            <Bar width={`${45 + ((row * 7) % 4) * 8}%`} />
            <Bar width={`${30 + ((row * 5) % 3) * 9}%`} />
          </div>
        </td>
      ) : (
        columns.map((column, index) => (
          <td key={column.id} data-align={column.align}>
            <Bar width={`${50 + ((row * 7 + index * 5) % 5) * 9}%`} />
          </td>
        ))
      )}
      {acts && !isPhone && <td className={classes.actionCell} />}
    </tr>
  ))
}
