import { useCallback, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { IconBuilding, IconMap2, IconPlus, IconWifiOff } from '../../icons/index.ts'
import type { BuildingSummary } from '@caretaker/contract/buildings.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { splitAddress } from '@caretaker/rules/postcodes/postcode.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { lazily } from '../../ui/lazily.tsx'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { AppLink, useGoTo } from '../../ui/link.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import { useTablePlace } from '../../ui/table-place.ts'
import { filteredRows } from '../../ui/table-rows.ts'
import type { CountedState } from './listing-link.ts'
import { listingOfState } from './listing-link.ts'
import { summaryQuery } from './queries.ts'
import { ShareBar, sharesOf } from './share-bar.tsx'
import classes from './buildings.module.css'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

const none: BuildingSummary[] = []
const Preview = lazily(async () => (await import('./buildings-preview.tsx')).default)

/** All buildings, the worst first. */
export function BuildingsPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Buildings', client.displayName)
  const { data, isError, refetch } = useQuery(summaryQuery(tenant))
  const rows = useMemo(() => data?.toSorted(worstFirst), [data])
  const linkOf = useCallback<LinkOf>((row, state) => listingOfState(actor, row, state), [actor])
  const columns = useMemo(() => columnsFor(linkOf), [linkOf])
  const phoneRow = useCallback((row: BuildingSummary) => <PhoneRow row={row} />, [])
  const add = can(actor, 'edit buildings') && (
    <LinkButton to={pathTo(tenant, 'Buildings', 'Add')} icon={<IconPlus size={16} aria-hidden />}>
      Add a building
    </LinkButton>
  )
  const map = (
    <LinkButton to={pathTo(tenant, 'BuildingMap')} icon={<IconMap2 size={16} aria-hidden />} variant="default">
      Map
    </LinkButton>
  )
  const isEmpty = rows?.length === 0
  const [{ filter }] = useTablePlace()
  const isNarrowed = filter.trim() !== ''
  const matching = useMemo(
    () => rows && filteredRows(rows, filter, (row) => columns.map((column) => column.value?.(row))),
    [rows, filter, columns],
  )
  const isWide = useMediaQuery('(width >= 75em)', false, { getInitialValueInEffect: false })
  const opens = can(actor, 'be led to buildings')
  // The row and the marker of a building highlight each other.
  const [chosenId, setChosen] = useState<string>()
  const chosen = matching?.find(({ building }) => building.building === chosenId) ?? matching?.[0]
  const only = useMemo(
    () => (isNarrowed ? matching?.map(({ building }) => building.building) : undefined),
    [isNarrowed, matching],
  )
  const hasPreview = isWide && rows !== undefined && !isEmpty
  return (
    <ListPage
      title="Buildings"
      count={rows?.length}
      {...(isNarrowed && matching ? { shown: matching.length } : {})}
      aside={hasPreview ? <Preview chosen={chosen} only={only} onChoose={setChosen} /> : null}
    >
      <GenericTable
        label="Buildings"
        columns={columns}
        rows={rows ?? none}
        rowId={({ building }) => building.building}
        rowHref={({ building }) => (opens ? pathTo(tenant, 'Buildings', building.building) : undefined)}
        onHover={({ building }) => setChosen(building.building)}
        current={hasPreview ? chosen?.building.building : undefined}
        status={rows ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        actions={
          !isEmpty && (
            <>
              {map}
              {add}
            </>
          )
        }
        empty={
          <Empty
            icon={<IconBuilding size={18} aria-hidden />}
            text="No buildings!"
            hint="Add a building to place devices on its floors."
            action={add}
          />
        }
        phoneRow={phoneRow}
      />
    </ListPage>
  )
}

interface LinkButtonProps {
  to: string
  icon: ReactNode
  variant?: 'filled' | 'default'
  children: ReactNode
}

function LinkButton({ to, icon, variant = 'filled', children }: LinkButtonProps) {
  const goTo = useGoTo()
  return (
    <Button
      variant={variant}
      leftSection={icon}
      component="a"
      href={to}
      onClick={(event: React.MouseEvent) => {
        event.preventDefault()
        goTo(to)
      }}
    >
      {children}
    </Button>
  )
}

const worstFirst = (a: BuildingSummary, b: BuildingSummary) =>
  b.failedDeviceCount - a.failedDeviceCount ||
  b.warningDeviceCount - a.warningDeviceCount ||
  b.offlineDeviceCount - a.offlineDeviceCount ||
  inNaturalOrder(a.building.name, b.building.name)

type LinkOf = (row: BuildingSummary, state: CountedState) => string | undefined

function columnsFor(linkOf: LinkOf): GenericColumn<BuildingSummary>[] {
  const figure = (
    id: CountedState,
    header: string,
    width: number,
    countOf: (row: BuildingSummary) => number,
    before?: (row: BuildingSummary) => ReactNode,
  ): GenericColumn<BuildingSummary> => ({
    ...{ id, header, width, align: 'end' as const },
    value: countOf,
    cell: (row) => (
      <span className={classes.figures}>
        {id === 'all' && <ShareBar {...sharesOf(row)} />}
        <Figure count={countOf(row)} href={linkOf(row, id)} label={`${header} of ${row.building.name}`}>
          {countOf(row) > 0 && before?.(row)}
        </Figure>
      </span>
    ),
  })
  return [
    {
      id: 'name',
      header: 'Name',
      width: 280,
      link: true,
      // The postcode also matches without the blank.
      value: ({ building, address }) =>
        [building.name, address, splitAddress(address ?? '').postcode.replace(' ', '')].filter(Boolean).join(' '),
      cell: (row) => (
        <>
          {row.building.name} <span className={classes.address}>{row.address}</span>
        </>
      ),
    },
    figure('all', 'Number of devices', 190, (row) => row.deviceCount),
    figure(
      'failed',
      'Fails',
      90,
      (row) => row.failedDeviceCount,
      () => <StatusIcon tone="failed" size={14} />,
    ),
    figure(
      'warning',
      'Warnings',
      110,
      (row) => row.warningDeviceCount,
      () => <StatusIcon tone="warning" size={14} />,
    ),
    figure(
      'offline',
      'Offline',
      96,
      (row) => row.offlineDeviceCount,
      () => <IconWifiOff size={14} stroke={2} aria-hidden className={classes.offline} />,
    ),
  ]
}

interface FigureProps {
  count: number
  href: string | undefined
  label: string
  children?: ReactNode
}

/** A count that links to its devices if one listing has them all. */
function Figure({ count, href, label, children }: FigureProps) {
  const text = count.toLocaleString('en-GB')
  if (!href || count === 0)
    return (
      <span className={classes.figure} data-zero={count === 0 || undefined}>
        {children}
        {text}
      </span>
    )
  return (
    <AppLink href={href} className={classes.figure} aria-label={`${text}: ${label}`}>
      {children}
      {text}
    </AppLink>
  )
}

function PhoneRow({ row }: { row: BuildingSummary }) {
  return (
    <span className={classes.phoneRow}>
      <b>{row.building.name}</b>
      <span className={classes.address}>{row.address}</span>
      <span className={classes.phoneFigures}>
        <span>
          {row.deviceCount.toLocaleString('en-GB')} {row.deviceCount === 1 ? 'device' : 'devices'}
        </span>
        {row.failedDeviceCount > 0 && (
          <span className={classes.figure}>
            <StatusIcon tone="failed" size={14} />
            {row.failedDeviceCount} failed
          </span>
        )}
        {row.warningDeviceCount > 0 && (
          <span className={classes.figure}>
            <StatusIcon tone="warning" size={14} />
            {row.warningDeviceCount} with a warning
          </span>
        )}
        {row.offlineDeviceCount > 0 && (
          <span className={classes.figure}>
            <IconWifiOff size={14} stroke={2} aria-hidden className={classes.offline} />
            {row.offlineDeviceCount} offline
          </span>
        )}
      </span>
    </span>
  )
}
