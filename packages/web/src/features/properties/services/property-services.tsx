import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Property } from '@caretaker/contract/properties.ts'
import type { DeviceLicence, PropertyLicence } from '@caretaker/contract/property-licences.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { boilersFirst } from '@caretaker/rules/properties/devices.ts'
import { useActor } from '../../../api/actor.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table/props.ts'
import { Panel, Panels } from '../panel.tsx'
import { propertyLicencesQuery } from '../queries.ts'
import classes from './property-services.module.css'

/** The licences of the property and its devices. */
export function PropertyServices({ property }: { property: Property }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(propertyLicencesQuery(tenant, property.propertyId))
  const packages = useMemo(() => boilersFirst(data?.deviceLicences ?? noPackages), [data])
  const shared = {
    status: data ? 'ready' : isError ? 'failed' : 'loading',
    onRetry: () => void refetch(),
    empty: <Empty text="No data available" />,
    phoneRow,
  } as const
  return (
    <Panels>
      <Panel title="Device Packages" total={data?.deviceLicences.length}>
        <DataTable
          label="Device Packages"
          columns={packageColumns}
          rows={packages}
          rowId={rowOfPackage}
          rowHref={nowhere}
          {...shared}
        />
      </Panel>
      <Panel title="Managed Service Licence or Package" total={data?.propertyLicences.length}>
        <DataTable
          label="Managed Service Licence or Package"
          columns={licenceColumns}
          rows={data?.propertyLicences ?? noLicences}
          rowId={rowOfLicence}
          rowHref={nowhere}
          {...shared}
        />
      </Panel>
    </Panels>
  )
}

const noPackages: DeviceLicence[] = []
const noLicences: PropertyLicence[] = []
const nowhere = () => undefined
const rowOfPackage = (row: DeviceLicence) => `${row.deviceId} ${row.licenceType} ${row.saasStartDate}`
const rowOfLicence = (row: PropertyLicence) => row.licenceId

const monthsText = (months: number) => (months === 1 ? '1 month' : `${months} months`)
/** Days are UTC days and shown unchanged in any time zone. */
const dayOrDash = (day: Day | null) => (day ? dayText(day) : '–')

const packageColumns: Column<DeviceLicence>[] = [
  {
    id: 'device',
    header: 'Device',
    width: 200,
    link: true,
    cell: ({ device }) => <b className={classes.name}>{device}</b>,
  },
  {
    id: 'serial',
    header: 'Serial Number',
    width: 130,
    cell: ({ serialNumber }) => <span className={classes.mono}>{serialNumber}</span>,
  },
  { id: 'type', header: 'Licence Type', width: 150, cell: ({ licenceType }) => licenceType },
  end('start', 'SaaS Start Date', (row) => dayText(row.saasStartDate)),
  end('period', 'SaaS Period', (row) => monthsText(row.saasPeriod)),
  end('end', 'SaaS End Date', (row) => dayText(row.saasEndDate)),
  end('renewed', 'SaaS Renewed Date', (row) => dayOrDash(row.saasRenewedDate)),
]

const licenceColumns: Column<PropertyLicence>[] = [
  {
    id: 'type',
    header: 'Licence type',
    width: 260,
    link: true,
    cell: ({ licenceType }) => <b className={classes.name}>{licenceType}</b>,
  },
  end('start', 'Service Start Date', (row) => dayText(row.saasStartDate)),
  end('end', 'Service End Date', (row) => dayText(row.saasEndDate)),
  end('period', 'Service Period', (row) => monthsText(row.saasPeriod)),
  end('renewed', 'Service Renewed Date', (row) => dayOrDash(row.saasRenewedDate)),
]

function end<R>(id: string, header: string, cell: (row: R) => string): Column<R> {
  return { id, header, width: 150, align: 'end', cell }
}

function phoneRow(row: DeviceLicence | PropertyLicence) {
  return (
    <span className={classes.phoneRow}>
      <b className={classes.name}>{'device' in row ? row.device : row.licenceType}</b>
      <span>until {dayText(row.saasEndDate)}</span>
      {'device' in row && <span className={classes.mono}>{row.serialNumber}</span>}
      {'device' in row && <span>{row.licenceType}</span>}
    </span>
  )
}
