import { useCallback, useMemo } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconPencil, IconPlus } from '../../icons/index.ts'
import type { ListedTenant } from '@caretaker/contract/tenant-administration.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { initialsOf } from '@caretaker/rules/tenants/clients.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { AppLink } from '../../ui/link.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { tenantsQuery } from './queries.ts'
import classes from './tenants.module.css'

const none: ListedTenant[] = []

/** Every client of the installation, for the vendor's staff. */
export function TenantsPage() {
  const { actor, client } = usePresence()
  usePageTitle('Tenants', client.displayName)
  const { data, isError, refetch } = useQuery(tenantsQuery(actor.tenant))
  const hrefOf = useCallback((row: ListedTenant) => pathTo(actor.tenant, 'Settings', 'Tenants', row.id), [actor.tenant])
  const columns = useMemo(() => columnsFor(actor.tenant, hrefOf), [actor.tenant, hrefOf])
  const phoneRow = useCallback(
    (row: ListedTenant) => (
      <span className={classes.phoneRow}>
        <span className={classes.phoneName}>
          <b>{row.name}</b>
          <Marks row={row} here={actor.tenant} />
        </span>
        <span className={classes.dimmed}>
          {row.id}
          {row.contact && `, ${row.contact}`}
        </span>
      </span>
    ),
    [actor.tenant],
  )
  return (
    <ListPage title="Tenants" count={data?.length}>
      <GenericTable
        label="Tenants"
        columns={columns}
        rows={data ?? none}
        rowId={({ id }) => id}
        rowHref={hrefOf}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        phoneRow={phoneRow}
        actions={
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            renderRoot={(root) => <AppLink {...root} href={pathTo(actor.tenant, 'Settings', 'Tenants', 'Add')} />}
          >
            Add Tenant
          </Button>
        }
      />
    </ListPage>
  )
}

function columnsFor(here: string, hrefOf: (row: ListedTenant) => string): GenericColumn<ListedTenant>[] {
  return [
    {
      id: 'id',
      header: 'ID',
      width: 200,
      value: (row) => row.id,
      cell: (row) => <span className={classes.id}>{row.id}</span>,
    },
    {
      id: 'name',
      header: 'Name',
      width: 360,
      link: true,
      value: (row) => row.name,
      cell: (row) => (
        <>
          <span className={classes.initials} aria-hidden>
            {initialsOf(row.name)}
          </span>
          {row.name}
          <Marks row={row} here={here} />
        </>
      ),
    },
    { id: 'contact', header: 'Contacts', width: 320, value: (row) => row.contact, cell: (row) => row.contact },
    {
      id: 'actions',
      header: 'Actions',
      width: 90,
      align: 'end',
      cell: (row) => (
        <ActionIcon
          size={28}
          title="Edit"
          aria-label={`Edit: ${row.name}`}
          renderRoot={(root) => <AppLink {...root} href={hrefOf(row)} />}
        >
          <IconPencil size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      ),
    },
  ]
}

function Marks({ row, here }: { row: ListedTenant; here: string }) {
  return (
    <>
      {row.id === here && <span className={classes.mark}>Current client</span>}
      {row.suspension && (
        <span className={classes.mark} title={row.suspension.reason}>
          Suspended
        </span>
      )}
    </>
  )
}
