import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import type { HandedOver } from '@caretaker/rules/links/handover.ts'
import { rowPath } from '@caretaker/rules/links/row-click.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { detailListings, listings } from '@caretaker/rules/devices/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { RowMenu } from '../../actions/row-menu.tsx'
import { useActor } from '../../api/actor.ts'
import { prefetchDevice } from '../../api/device.ts'
import { rememberListing } from '../../api/last-listing.ts'
import { DataTable } from '../../ui/data-table.tsx'
import type { RowSelection } from '../../ui/table/props.ts'
import { useDialogIsOpen } from '../../ui/dialog.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty } from '../../ui/states.tsx'
import { columnsOf } from './columns.tsx'
import { ListingHead, Narrowing } from './listing-head.tsx'
import type { ListingState } from './listing-state.ts'
import { pageOf, useListingState } from './listing-state.ts'
import { PhoneRow } from './phone-row.tsx'
import { usePins } from './pins.ts'
import { SelectAll } from './select-all.tsx'
import { asNewAs, useSelection } from './selection.ts'
import { nextSorts } from './sorting.ts'
import { useRows } from './use-rows.ts'
import { ViewBar } from './views/view-bar.tsx'
import classes from './listing.module.css'

const BulkBar = lazy(async () => ({ default: (await import('../../actions/bulk-bar.tsx')).BulkBar }))

interface ListingProps {
  listing: ListingName
  area: PlaceArea
  title: string
  view: View
  views: readonly View[]
}

/** The devices of a kind in a table, by a view of them and what the address changes about it. */
export function Listing({ title, ...shown }: ListingProps) {
  const { listing, area, view } = shown
  const actor = useActor()
  const { tenant } = actor
  const state = useListingState(shown)
  const key = `${tenant} ${area} ${view.viewId}`
  const selection = useSelection(key)
  const held = useDialogIsOpen() || selection.devices.size > 0
  const { data, place, isError, waiting, update } = useRows(tenant, listing, pageOf(state), held)
  const rows = data?.rows ?? noRows
  const { shown: shownRows, pinned, pin } = usePins(key, tenant, listing, rows)
  const selected = useMemo(() => asNewAs(selection.devices, shownRows), [selection.devices, shownRows])
  // Loaded with the first selection, and kept from then on: a dialog of it outlives the selection.
  const [hasSelected, setHasSelected] = useState(false)
  if (selected.length > 0 && !hasSelected) setHasSelected(true)
  const frame = useScrollUp(place)
  useEffect(() => rememberHere(tenant, area))

  const columns = useMemo(() => columnsOf(state.columns, state.fields), [state.columns, state.fields])
  const products = listings[listing].products
  const selectable = products.some((product) => !isReadOnly(actor, { product }))
  const rowSelection: RowSelection<DeviceRow> = {
    count: selection.devices.size,
    has: (id) => selection.devices.has(id),
    fault: (row) => (row.userHasReadOnlyAccess ? 'You can read this device, but not change it' : undefined),
    name: (row) => row.deviceDisplayName || row.deviceSerial,
    onSelect: (chosen, isIn) =>
      isIn ? selection.add(chosen) : selection.remove(chosen.map(({ deviceId }) => deviceId)),
  }
  const hrefOf = (row: DeviceRow) => rowPath(actor, listing, handedOver(row))
  const prefetch = usePrefetchOf(tenant, listing, hrefOf)

  return (
    <div className={classes.page} ref={frame}>
      <ListingHead title={title} state={state} data={data} waiting={waiting} onUpdate={update} />
      <ViewBar state={state} />
      <Narrowing state={state} />
      <DataTable
        label={title}
        columns={columns}
        rows={shownRows}
        rowId={idOf}
        rowHref={hrefOf}
        onHover={prefetch}
        sorts={state.sorts.map(({ fieldId, descending }) => ({ id: fieldId, descending }))}
        onSort={(id, joins) => state.set({ sorts: nextSorts(state.sorts, state.view.sorts, id, joins) })}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={update}
        empty={<NoRows state={state} />}
        phoneRow={phoneRow}
        pinned={pinned}
        onPin={pin}
        {...(selectable ? { selection: rowSelection } : {})}
        rowActions={rowActions}
        footer={
          data &&
          data.total > 0 && (
            <>
              {hasSelected && (
                <Suspense>
                  <BulkBar products={products} selected={selected} onClear={selection.clear} onDone={update} />
                </Suspense>
              )}
              <Pager
                page={data.page}
                pageSize={data.pageSize}
                total={data.total}
                onPage={(next) => state.set({ page: next })}
                pageSizes={listings[listing].pageSizes}
                onPageSize={(pageSize) => state.set({ pageSize })}
                note={<SelectAll state={state} selection={selection} total={data.total} />}
              />
            </>
          )
        }
      />
    </div>
  )
}

const noRows: DeviceRow[] = []
const idOf = (row: DeviceRow) => row.deviceId
const phoneRow = (row: DeviceRow) => <PhoneRow row={row} />
const rowActions = (row: DeviceRow) => <RowMenu row={row} />

/** Rows of Bcms lead below Boilers, and from there the way back is to where they were. */
function rememberHere(tenant: string, area: PlaceArea): void {
  const here = location.pathname + location.search
  rememberListing(tenant, area as ListingName, here)
  if (area === 'Bcms') rememberListing(tenant, 'Boilers', here)
}

function usePrefetchOf(tenant: string, listing: ListingName, hrefOf: (row: DeviceRow) => string | undefined) {
  const queryClient = useQueryClient()
  return (row: DeviceRow) => {
    const detail = detailListings.find((name) => name === (listing === 'Bcms' ? 'Boilers' : listing))
    if (detail && hrefOf(row) === pathTo(tenant, detail, row.deviceId))
      prefetchDevice(queryClient, tenant, detail, row.deviceId)
  }
}

function handedOver(row: DeviceRow): HandedOver {
  return {
    deviceId: row.deviceId,
    serialNumber: row.deviceSerial,
    product: row.deviceProductId,
    status: row.deviceStatus,
    inWholesale: row.deviceInWholesale,
    propertyId: row.devicePropertyId,
  }
}

/** Other rows are read from their beginning: once they have come, the table stands at its top. */
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

/** Why there are no rows, and what can be done about it. */
function NoRows({ state }: { state: ListingState }) {
  const count = state.filters.length + (state.bcm?.options ? 1 : 0)
  if (state.search)
    return (
      <Empty
        text={`No devices match '${state.search}'`}
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
        text={count === 1 ? 'No devices match this filter' : `No devices match these ${count} filters`}
        action={
          <Button variant="default" onClick={state.clearFilters}>
            Clear all
          </Button>
        }
      />
    )
  return <Empty text="No devices yet" hint="Devices appear here as soon as one is in this client." />
}
