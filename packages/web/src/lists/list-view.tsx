import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { useActor } from '../api/actor.ts'
import { DataTable } from '../ui/data-table.tsx'
import { useDialogIsOpen } from '../ui/open-dialogs.ts'
import { Pager } from '../ui/pager.tsx'
import { Empty } from '../ui/states.tsx'
import type { Column, RowSelection } from '../ui/table/props.ts'
import { columnsOf, useColumns } from './columns.ts'
import { ListHead, Narrowing } from './list-head.tsx'
import type { ChosenProps, ListField, ListSource } from './list-source.ts'
import type { ListState } from './list-state.ts'
import { pageOf, useListState } from './list-state.ts'
import { phoneColumns } from './phone-columns.ts'
import { usePins } from './pins.ts'
import { questionOf } from './queries.ts'
import { useRollBack } from './roll-back.ts'
import { SelectAll } from './select-all.tsx'
import { useSelection } from './selection.ts'
import { nextSorts } from './sorting.ts'
import { useRows } from './use-rows.ts'
import { ViewBar } from './views/view-bar.tsx'
import classes from './list.module.css'

interface ListViewProps<Row> {
  source: ListSource<Row>
  area: PlaceArea
  title: string
  view: View
  views: readonly View[]
}

/** The rows of a list as a table, according to a view and the changes in the address. */
export function ListView<Row>({ title, ...shown }: ListViewProps<Row>) {
  const { source, area, view } = shown
  const { list, selecting } = source
  const actor = useActor()
  const { tenant } = actor
  const state = useListState(shown as ListViewProps<unknown>)
  const key = `${tenant} ${area} ${view.viewId}`
  const { conditions, search } = state
  const question = questionOf(list.name, { filters: conditions, search })
  const selection = useSelection(key, { rowId: source.rowId, question })
  const held = useDialogIsOpen() || !selection.isEmpty
  const wanted = pageOf(state)
  const { data, place, isError, waiting, update } = useRows(tenant, source, wanted, held)
  useRollBack(place, JSON.stringify(wanted), isError)
  const rows = data?.rows ?? (noRows as Row[])
  const { shown: shownRows, pinned, pin } = usePins(key, tenant, source, rows)
  const chosen = useMemo(() => selection.chosenOf(shownRows), [selection, shownRows])
  const total = data?.total ?? 0
  // Loaded with the first selection and then kept, because its dialogs outlive the selection.
  const [hasSelected, setHasSelected] = useState(false)
  if (chosen && !hasSelected) setHasSelected(true)
  const frame = useScrollUp(place)
  useEffect(() => source.onShown?.(tenant, area, location.pathname + location.search))

  const columns = useColumns(state.columns, state.fields, source.looks)
  const facts = phoneColumns({ ...state, filters: conditions }, list.columns, source.phoneFields)
  const phoneRow = usePhoneRow(source, state.fields, facts.join())
  // Read-only rows are excluded from queries.
  const unfit = new Set(shownRows.filter((row) => selecting?.fault(row)).map(source.rowId))
  const rowSelection: RowSelection<Row> | undefined = selecting?.isOffered(actor)
    ? {
        count: selection.countOf(total),
        has: (id) => selection.has(id) && !unfit.has(id),
        fault: selecting.fault,
        name: source.rowName,
        onSelect: (some, isIn) => (isIn ? selection.add(some) : selection.remove(some)),
      }
    : undefined
  /** A query selection applies while the list shows the query, so the list is filtered with it. */
  const narrow: ChosenProps<Row>['onNarrow'] = (fits, filter) => {
    const present = new Map(shownRows.map((row) => [source.rowId(row), row]))
    const isKept = (row: Row) => fits(present.get(source.rowId(row)) ?? row)
    selection.narrow(isKept, questionOf(list.name, { filters: [...conditions, filter], search }))
    if (chosen && 'question' in chosen) state.set({ filters: [...state.filters, filter] })
  }
  const { rowHref, onHover } = source
  const client = useQueryClient()
  const hrefOf = rowHref && ((row: Row) => rowHref(actor, row))

  return (
    <div className={classes.page} ref={frame}>
      <ListHead title={title} state={state} data={data} waiting={waiting} onUpdate={update} />
      <ViewBar state={state} />
      <Narrowing state={state} />
      <DataTable
        label={title}
        columns={columns}
        rows={shownRows}
        rowId={source.rowId}
        {...(hrefOf ? { rowHref: hrefOf } : {})}
        {...(onHover ? { onHover: (row: Row) => onHover(client, tenant, row, hrefOf?.(row)) } : {})}
        sorts={state.sorts.map(({ fieldId, descending }) => ({ id: fieldId, descending }))}
        onSort={(id, joins) => state.set({ sorts: nextSorts(state.sorts, state.view.sorts, id, joins) })}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={update}
        empty={<NoRows state={state} />}
        phoneRow={phoneRow}
        pinned={pinned}
        onPin={pin}
        {...(rowSelection ? { selection: rowSelection } : {})}
        {...(source.rowActions ? { rowActions: source.rowActions } : {})}
        footer={
          data &&
          data.total > 0 && (
            <>
              {hasSelected && selecting && (
                <selecting.Bar chosen={chosen} onClear={selection.clear} onNarrow={narrow} onDone={update} />
              )}
              <Pager
                page={data.page}
                pageSize={data.pageSize}
                total={data.total}
                onPage={(next) => state.set({ page: next })}
                pageSizes={list.pageSizes}
                onPageSize={(pageSize) => state.set({ pageSize })}
                note={<SelectAll count={selection.countOf(total)} total={total} onSelectAll={selection.addAll} />}
              />
            </>
          )
        }
      />
    </div>
  )
}

const noRows: unknown[] = []

/** The phone card of a row with these fields, memoised. */
function usePhoneRow<Row>({ phoneRow: card, looks }: ListSource<Row>, fields: readonly ListField[], ids: string) {
  return useMemo(() => {
    const columns = columnsOf(ids.split(','), fields, looks)
    return columns.length ? (row: Row) => <PhoneCard row={row} columns={columns} card={card} /> : card
  }, [card, looks, fields, ids])
}

interface PhoneCardProps<Row> {
  row: Row
  columns: Column<Row>[]
  card: (row: Row) => ReactNode
}

/** A row on a phone, with the fields of its view. */
function PhoneCard<Row>({ row, columns, card }: PhoneCardProps<Row>) {
  return (
    <>
      {card(row)}
      <span className={classes.facts}>
        {columns.map(({ id, header, cell }) => (
          <span key={id}>
            <span className={classes.factName}>{header}</span> {cell(row)}
          </span>
        ))}
      </span>
    </>
  )
}

/** After new rows have loaded, scrolls the table to the top. */
function useScrollUp(place: string | undefined) {
  const frame = useRef<HTMLDivElement>(null)
  const last = useRef(place)
  useLayoutEffect(() => {
    if (last.current !== undefined && last.current !== place)
      frame.current?.querySelector('[data-scroll-restoration-id]')?.scrollTo({ top: 0 })
    last.current = place
  }, [place])
  return frame
}

/** Why there are no rows, and what to do. */
function NoRows({ state }: { state: ListState }) {
  const { noun } = state.source
  const count = state.filters.length + (state.scope?.extraFilters.length ? 1 : 0)
  if (state.search)
    return (
      <Empty
        text={`No ${noun} match '${state.search}'`}
        action={
          <Button variant="default" onClick={() => state.set({ search: '' })}>
            Clear search
          </Button>
        }
      />
    )
  if (count > 0)
    return (
      <Empty
        text={count === 1 ? `No ${noun} match this filter` : `No ${noun} match these ${count} filters`}
        action={
          <Button variant="default" onClick={state.clearFilters}>
            Clear all
          </Button>
        }
      />
    )
  const { Begin, emptyHint } = state.source
  return <Empty text={`No ${noun} yet`} hint={emptyHint} action={Begin && <Begin alone />} />
}
