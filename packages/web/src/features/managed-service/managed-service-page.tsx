import { useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ManagedServiceType } from '@caretaker/rules/properties/licences.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { AppLink } from '../../ui/link.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { Empty } from '../../ui/states.tsx'
import type { LicenceRow } from './licence-rows.ts'
import { licenceRows, typeIn } from './licence-rows.ts'
import { licencesQuery } from '../../api/licences.ts'
import classes from './managed-service.module.css'

/** The managed service licences of the client; `type` in the address highlights those counted on the dashboard. */
export function ManagedServicePage() {
  const { actor, client } = usePresence()
  usePageTitle('Managed Service', client.displayName)
  const { data, isError, refetch } = useQuery(licencesQuery(actor.tenant))
  const pointedOut = typeIn((useSearch({ strict: false }) as { type?: unknown }).type)
  const [today] = useState(() => new Date().toISOString().slice(0, 10))
  const rows = useMemo(() => licenceRows(data?.licences ?? [], pointedOut, today), [data, pointedOut, today])
  return (
    <ListPage
      title="Managed Service"
      count={data?.total}
      {...(data && pointedOut === 'expiring' ? { shown: rows.reduce((sum, { count }) => sum + count, 0) } : {})}
    >
      {pointedOut && (
        <p className={classes.pointedOut} role="status">
          {filterTexts[pointedOut].text}{' '}
          <AppLink href={pathTo(actor.tenant, 'ManagedService')}>{filterTexts[pointedOut].wayOut}</AppLink>
        </p>
      )}
      <div className={classes.table}>
        <GenericTable
          label="Licence summary"
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          rowHref={() => pathTo(actor.tenant, 'Properties')}
          status={data ? 'ready' : isError ? 'failed' : 'loading'}
          onRetry={() => void refetch()}
          empty={
            <Empty
              text={pointedOut === 'expiring' ? 'No licence ends within 12 months' : 'No data available'}
              hint="Managed service licences appear here after purchase."
            />
          }
          phoneRow={phoneRow}
        />
      </div>
    </ListPage>
  )
}

/** The text for what the address filters or highlights, and the link to all licences. */
const filterTexts: Record<ManagedServiceType, { text: string; wayOut: string }> = {
  assigned: { text: 'Assigned licences are highlighted.', wayOut: 'Clear' },
  available: { text: 'Available (unassigned) licences are highlighted.', wayOut: 'Clear' },
  expiring: {
    text: 'Only licences that end within 12 months are shown. Those assigned are highlighted.',
    wayOut: 'Show all',
  },
}

const columns: GenericColumn<LicenceRow>[] = [
  { id: 'type', header: 'Licence type', width: 220, value: ({ type }) => type, cell: ({ type }) => type },
  {
    id: 'state',
    header: 'State',
    width: 140,
    link: true,
    value: ({ state }) => state,
    cell: ({ state, isMarked }) => <span data-marked={isMarked || undefined}>{state}</span>,
  },
  {
    id: 'count',
    header: 'Licences',
    width: 110,
    align: 'end',
    value: ({ count }) => count,
    cell: ({ count }) => count.toLocaleString('en-GB'),
  },
  {
    id: 'start',
    header: 'Start',
    width: 120,
    align: 'end',
    value: ({ start }) => start,
    cell: ({ start }) => dayText(start),
  },
  {
    id: 'period',
    header: 'Period',
    width: 120,
    align: 'end',
    value: ({ period }) => period,
    cell: ({ period }) => `${period} months`,
  },
  { id: 'end', header: 'End', width: 120, align: 'end', value: ({ end }) => end, cell: ({ end }) => dayText(end) },
]

function phoneRow({ type, state, count, end, isMarked }: LicenceRow) {
  return (
    <span className={classes.phoneRow} data-marked={isMarked || undefined}>
      <b>{state}</b>
      <span>{count.toLocaleString('en-GB')}</span>
      <span className={classes.dimmed}>{type}</span>
      <span className={classes.dimmed}>until {dayText(end)}</span>
    </span>
  )
}
