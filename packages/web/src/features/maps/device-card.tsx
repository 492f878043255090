import { CloseButton } from '@mantine/core'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import { detailListingOf } from '@caretaker/rules/devices/list.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { RepairLight } from '../../actions/repair-button.tsx'
import { Connection } from '../../ui/connection.tsx'
import { AppLink } from '../../ui/link.tsx'
import { RunningTestText } from '../../ui/age-view.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import classes from './maps.module.css'

interface DeviceCardProps {
  device: MapPoint
  tenant: string
  /** Shows the floor of the device; undefined if it is shown already or there is none. */
  onFloor: (() => void) | undefined
  onClose: () => void
}

/** The selected device: identity, status with reason, and links to its floor and page. */
export function DeviceCard({ device, tenant, onFloor, onClose }: DeviceCardProps) {
  const listing = detailListingOf(device.productId)
  const name = device.deviceName || device.serialNumber
  const place = [device.floor, device.building].filter(Boolean).join(', ')
  return (
    <section className={classes.card} aria-label={name}>
      <header>
        <h2>{name}</h2>
        <CloseButton aria-label="Close" onClick={onClose} />
      </header>
      {place && (
        <p className={classes.sub}>{[place, device.isRoughlyPlaced && 'roughly placed'].filter(Boolean).join(', ')}</p>
      )}
      <p className={classes.facts}>
        <StatusChip status={device.deviceStatus} reason={device.deviceStatusReason} />
        <Connection state={device.connectionStatus} />
      </p>
      {device.deviceRunningTest && (
        <p className={classes.sub}>
          <RunningTestText test={device.deviceRunningTest} />
        </p>
      )}
      <footer>
        <span className={classes.serial}>{device.serialNumber}</span>
        {onFloor && (
          <button type="button" className={classes.link} onClick={onFloor}>
            Show on its floor
          </button>
        )}
        <RepairLight light={{ ...device, deviceName: name }} className={classes.link} />
        {listing && <AppLink href={pathTo(tenant, listing, device.deviceId)}>Open device</AppLink>}
      </footer>
    </section>
  )
}
