import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { Connection } from '../../../ui/connection.tsx'
import { RunningTestText } from '../../../ui/age-view.tsx'
import { StatusChip } from '../../../ui/status-chip.tsx'
import classes from './device-list.module.css'

/** Two lines: name and status, reason with place, and connection. */
export function PhoneRow({ row }: { row: DeviceRow }) {
  const where = [row.deviceBuildingName ?? row.devicePropertyReference, row.deviceBuildingFloor ?? row.deviceLocation]
  const place = where.filter(Boolean).join(', ') || row.deviceSerial
  return (
    <span className={classes.phoneRow}>
      <b className={classes.phoneName}>{row.deviceDisplayName || row.deviceSerial}</b>
      <StatusChip status={row.deviceStatus} brief />
      <span className={classes.phonePlace}>
        {row.deviceStatusReason && `${row.deviceStatusReason}, `}
        {row.deviceRunningTest && (
          <>
            <RunningTestText test={row.deviceRunningTest} />,{' '}
          </>
        )}
        {place}
      </span>
      <Connection state={row.deviceConnectionState} />
    </span>
  )
}
