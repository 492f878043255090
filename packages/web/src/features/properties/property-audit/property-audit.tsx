import { useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Property } from '@caretaker/contract/properties.ts'
import type { PropertyAuditEntry } from '@caretaker/contract/property-audit.ts'
import { useActor } from '../../../api/actor.ts'
import { keepPageSize, keptPageSize } from '../../../lists/page-size.ts'
import { dateTimeText } from '../../../ui/age.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { changeLine, fieldChanges } from '../../../ui/field-changes.ts'
import { Pager } from '../../../ui/pager.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useTablePlace } from '../../../ui/table-place.ts'
import type { Column } from '../../../ui/table/props.ts'
import { useZone } from '../../../ui/zone.tsx'
import { Panel, Panels } from '../panel.tsx'
import { propertyAuditQuery } from '../queries.ts'
import classes from './property-audit.module.css'

const table = { name: 'PropertyAudit', pageSizes: [25, 50, 100] }

/** All changes to a property and its devices, with old and new values; the page is in the address. */
export function PropertyAudit({ property }: { property: Property }) {
  const { tenant } = useActor()
  const zone = useZone()
  const [place, show] = useTablePlace()
  const [pageSize, setPageSize] = useState(() => keptPageSize(table))
  const { page } = place
  const { data, isError, refetch } = useQuery(propertyAuditQuery(tenant, property.propertyId, { page, pageSize }))
  const columns = useMemo(() => columnsFor(zone), [zone])
  return (
    <Panels>
      <Panel title="Audit" total={data?.total}>
        <DataTable
          label="Audit"
          columns={columns}
          rows={data?.results ?? none}
          rowId={({ auditId }) => auditId}
          rowHref={nowhere}
          status={data ? 'ready' : isError ? 'failed' : 'loading'}
          onRetry={() => void refetch()}
          empty={<Empty text="No data available" />}
          phoneRow={phoneRow}
          footer={
            data &&
            data.total > 0 && (
              <Pager
                ends
                page={page}
                pageSize={pageSize}
                total={data.total}
                onPage={(next) => show({ ...place, page: next })}
                pageSizes={table.pageSizes}
                onPageSize={(size) => {
                  keepPageSize(table, size)
                  setPageSize(size)
                  show({ ...place, page: 1 })
                }}
              />
            )
          }
        />
      </Panel>
    </Panels>
  )
}

const none: PropertyAuditEntry[] = []
const nowhere = () => undefined

const columnsFor = (zone: string): Column<PropertyAuditEntry>[] => [
  {
    id: 'description',
    header: 'Description',
    width: 520,
    link: true,
    cell: (entry) => <Description entry={entry} zone={zone} />,
  },
  { id: 'at', header: 'Date/Time', width: 160, cell: ({ dateTime }) => dateTimeText(dateTime, zone) },
  { id: 'user', header: 'User', width: 180, cell: ({ userName }) => userName },
]

interface EntryProps {
  entry: PropertyAuditEntry
  zone: string
}

function Description({ entry: { description, before, after }, zone }: EntryProps) {
  return (
    <span className={classes.description}>
      <b>{description}</b> <span className={classes.change}>{changeLine(fieldChanges(before, after, zone))}</span>
    </span>
  )
}

function phoneRow(entry: PropertyAuditEntry) {
  return <PhoneRow entry={entry} />
}

function PhoneRow({ entry }: { entry: PropertyAuditEntry }) {
  const zone = useZone()
  return (
    <span className={classes.phoneRow}>
      <Description entry={entry} zone={zone} />
      <span className={classes.change}>{dateTimeText(entry.dateTime, zone)}</span>
      <span className={classes.change}>{entry.userName}</span>
    </span>
  )
}
