import { useQuery } from '@tanstack/react-query'
import { IconArchive } from '../../../icons/index.ts'
import type { ArchivedProperty } from '@caretaker/contract/properties.ts'
import { getArchivedProperties } from '@caretaker/contract/calls/properties.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { usePageTitle } from '../../../api/page-title.ts'
import type { GenericColumn } from '../../../ui/generic-table.tsx'
import { GenericTable } from '../../../ui/generic-table.tsx'
import { ListPage } from '../../../ui/list-page.tsx'
import { Empty } from '../../../ui/states.tsx'
import { TimeOf } from '../../../ui/zone.tsx'
import classes from './estate.module.css'

const none: ArchivedProperty[] = []
const nameOf = ({ propertyReference }: ArchivedProperty) => propertyReference || 'No reference'

const columns: GenericColumn<ArchivedProperty>[] = [
  { id: 'reference', header: 'Property REF', width: 160, link: true, value: nameOf, cell: nameOf },
  { id: 'address', header: 'Address', width: 320, value: ({ address }) => address, cell: ({ address }) => address },
  {
    id: 'archived',
    header: 'Archived',
    width: 160,
    align: 'end',
    value: ({ archivedAt }) => archivedAt,
    cell: ({ archivedAt }) => <TimeOf at={archivedAt} />,
  },
]

const phoneRow = (row: ArchivedProperty) => (
  <span className={classes.phoneRow}>
    <b>{nameOf(row)}</b>
    <span>{row.address}</span>
    <span className={classes.hint}>
      Archived <TimeOf at={row.archivedAt} />
    </span>
  </span>
)

/** Archived properties, each with a link to its page, where it can be restored. */
export function ArchivedPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Archived properties', client.displayName)
  const { data, isError, refetch } = useQuery({
    queryKey: [tenant, 'property', 'archived'],
    meta: { shows: { subjects: ['property'] } },
    queryFn: async ({ signal }) =>
      (await call(getArchivedProperties, { params: { tenant }, query: {} }, { signal })).results,
  })
  return (
    <ListPage title="Archived properties" count={data?.length}>
      <GenericTable
        label="Archived properties"
        columns={columns}
        rows={data ?? none}
        rowId={({ propertyId }) => propertyId}
        rowHref={({ propertyId }) => pathTo(tenant, 'Properties', propertyId, 'info')}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty
            icon={<IconArchive size={18} aria-hidden />}
            text="No archived properties"
            hint="Properties that you archive appear here and can be restored."
          />
        }
        phoneRow={phoneRow}
      />
    </ListPage>
  )
}
