import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { dateTimeText } from '../../ui/age.ts'
import { Connection } from '../../ui/connection.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import type { ListingSort } from './listing-place.ts'
import classes from './listing.module.css'

type DeviceColumn = Column<DeviceRow> & { id: ListingSort | 'address' | 'lastHeard' }

/** The columns of a device listing; addresses are absent where personal data is hidden. */
export function columnsFor({ hidesAddress }: { hidesAddress: boolean }): DeviceColumn[] {
  return hidesAddress ? columns.filter((column) => column.id !== 'address') : columns
}

const columns: DeviceColumn[] = [
  { id: 'serial', header: 'Serial', width: 116, sortable: true, cell: (row) => row.deviceSerial },
  {
    id: 'name',
    header: 'Name',
    width: 152,
    sortable: true,
    link: true,
    cell: (row) => row.deviceDisplayName || row.deviceSerial,
  },
  {
    id: 'severity',
    header: 'Status',
    width: 190,
    sortable: true,
    cell: (row) => <StatusChip status={row.deviceStatus} />,
  },
  {
    id: 'connection',
    header: 'Connection',
    width: 132,
    sortable: true,
    cell: (row) => <Connection state={row.deviceConnectionState} />,
  },
  { id: 'building', header: 'Building', width: 126, sortable: true, cell: (row) => row.deviceBuildingName ?? none },
  { id: 'floor', header: 'Floor', width: 96, sortable: true, cell: (row) => row.deviceBuildingFloor ?? none },
  {
    id: 'address',
    header: 'Address',
    width: 146,
    cell: (row) =>
      row.deviceBuildingAddress === null ? (
        none
      ) : (
        <span className={classes.address} title={row.deviceBuildingAddress}>
          {row.deviceBuildingAddress}
        </span>
      ),
  },
  {
    id: 'lastHeard',
    header: 'Last heard',
    width: 150,
    align: 'end',
    cell: (row) => (row.deviceLastHeard === null ? none : dateTimeText(row.deviceLastHeard)),
  },
]

const none = <span className={classes.none}>–</span>
