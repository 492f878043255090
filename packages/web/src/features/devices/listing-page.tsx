import { useEffect, useMemo, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import type { HandedOver } from '@caretaker/rules/devices/handover.ts'
import { rowPath } from '@caretaker/rules/devices/row-click.ts'
import { pathTo } from '@caretaker/rules/identity/places.ts'
import type { ListingName } from '@caretaker/rules/views/listings.ts'
import { listingPageSize, listings } from '@caretaker/rules/views/listings.ts'
import { usePresence } from '../../api/actor.ts'
import { rememberListing } from '../../api/last-listing.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Connection } from '../../ui/connection.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { columnsFor } from './columns.tsx'
import type { ListingSearch } from './listing-place.ts'
import { listingPlace, sortedBy } from './listing-place.ts'
import { listingQuery, prefetchDevice } from './queries.ts'
import classes from './listing.module.css'

export const EmergencyLightsPage = () => <ListingPage listing="EmergencyLights" />
export const BoilersPage = () => <ListingPage listing="Boilers" />
export const NetworkingDevicesPage = () => <ListingPage listing="NetworkingDevices" />

/** The devices of a kind in a table: which page and order is in the address, the rows come from the server. */
function ListingPage({ listing }: { listing: ListingName }) {
  const { actor, client } = usePresence()
  const { tenant } = actor
  const { label } = listings[listing]
  usePageTitle(label, client.displayName)
  const search = useSearch({ strict: false })
  const place = listingPlace(search)
  const { data, isPending, isError, refetch } = useQuery(listingQuery(tenant, listing, place))
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [pinned, setPinned] = useState<string[]>([])
  useEffect(() => rememberListing(tenant, listing, location.search))

  const hidesAddress = actor.features.includes('HideCustomerPersonalData')
  const columns = useMemo(() => columnsFor({ hidesAddress }), [hidesAddress])
  const rows = data?.rows ?? noRows
  const pinnedHere = useMemo(() => pinned.filter((id) => rows.some((row) => row.deviceId === id)), [pinned, rows])
  const show = (next: ListingSearch) => void navigate({ to: '.', search: next })
  const hrefOf = (row: DeviceRow) => rowPath(actor, listing, handedOver(row))
  const prefetch = (row: DeviceRow) => {
    if (hrefOf(row) === pathTo(tenant, listing, row.deviceId))
      prefetchDevice(queryClient, tenant, listing, row.deviceId)
  }

  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.title}>{label}</h1>
        {data && <span className={classes.count}>{data.total.toLocaleString('en-GB')}</span>}
      </header>
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        rowId={(row) => row.deviceId}
        rowHref={hrefOf}
        onHover={prefetch}
        {...(place.sorted ? { sort: { id: place.sort, descending: place.descending } } : {})}
        onSort={(sort) => show(sortedBy(sort))}
        status={data ? 'ready' : isError ? 'failed' : isPending ? 'loading' : 'ready'}
        onRetry={() => void refetch()}
        empty={<Empty text="No devices yet" hint="Devices appear here as soon as one is in this client." />}
        phoneRow={phoneRow}
        pinned={pinnedHere}
        onPin={setPinned}
        footer={
          data &&
          data.total > 0 && (
            <Pager
              page={data.page}
              pageSize={listingPageSize}
              total={data.total}
              onPage={(page) => show({ ...search, page })}
            />
          )
        }
      />
    </div>
  )
}

const noRows: DeviceRow[] = []

function handedOver(row: DeviceRow): HandedOver {
  return {
    deviceId: row.deviceId,
    serialNumber: row.deviceSerial,
    product: row.deviceProductId,
    status: row.deviceStatus,
    inWholesale: row.deviceInWholesale,
  }
}

/** Two lines: name and status, place and connection. */
function phoneRow(row: DeviceRow) {
  const place = [row.deviceBuildingName, row.deviceBuildingFloor].filter(Boolean).join(', ')
  return (
    <span className={classes.phoneRow}>
      <b className={classes.phoneName}>{row.deviceDisplayName || row.deviceSerial}</b>
      <StatusChip status={row.deviceStatus} />
      <span className={classes.phonePlace}>{place || row.deviceSerial}</span>
      <Connection state={row.deviceConnectionState} />
    </span>
  )
}
