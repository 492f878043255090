import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { Connection } from '../../../ui/connection.tsx'
import { StatusChip } from '../../../ui/status-chip.tsx'
import classes from './device-list.module.css'

/** Two lines: name and status, place and connection. */
export function PhoneRow({ row }: { row: DeviceRow }) {
  const place = [row.deviceBuildingName ?? row.devicePropertyReference, row.deviceBuildingFloor ?? row.deviceLocation]
  return (
    <span className={classes.phoneRow}>
      <b className={classes.phoneName}>{row.deviceDisplayName || row.deviceSerial}</b>
      <StatusChip status={row.deviceStatus} brief />
      <span className={classes.phonePlace}>{place.filter(Boolean).join(', ') || row.deviceSerial}</span>
      <Connection state={row.deviceConnectionState} />
    </span>
  )
}
