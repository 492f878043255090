import type { ReactNode } from 'react'
import type { Device } from '@caretaker/contract/devices.ts'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { detailListingOf, listings } from '@caretaker/rules/devices/list.ts'
import { DeviceAccessRights } from '../actions/device-access-rights.tsx'
import { DeviceTags } from '../actions/device-tags.tsx'
import { useActor } from '../api/actor.ts'
import { useProductName } from '../api/product-names.ts'
import { Card } from '../ui/card.tsx'
import { AppLink } from '../ui/link.tsx'
import { useZone } from '../ui/zone.tsx'
import { reportedRows } from './reported.ts'
import classes from './device.module.css'

/** A label with its value; if there is none, it reads 'Not set'. */
export function Row({ label, children }: { label: string; children: ReactNode }) {
  const unset = children === null || children === undefined || children === '' || children === false
  return (
    <div className={classes.row}>
      <dt>{label}</dt>
      <dd>{unset ? <span className={classes.unset}>Not set</span> : children}</dd>
    </div>
  )
}

export function IdentityCard({ device }: { device: Device }) {
  const { model } = splitSerialNumber(device.serialNumber)
  const productName = useProductName(device.productId)
  const { firmware } = device.reported
  return (
    <Card title="Identity">
      <dl className={classes.rows}>
        <Row label="Serial number">
          <span className={classes.serial}>{device.serialNumber}</span>
        </Row>
        <Row label="Product">{productName}</Row>
        <Row label="Model">{model}</Row>
        {typeof firmware === 'string' && <Row label="Firmware">{firmware}</Row>}
        {device.parent && (
          <Row label="Connected through">
            <ParentLink parent={device.parent} />
          </Row>
        )}
        {device.group !== null && <Row label="Test group">{device.group}</Row>}
        <Row label="Access rights tag">
          <DeviceAccessRights device={device} />
        </Row>
        <Row label="Tags">
          <DeviceTags device={device} />
        </Row>
      </dl>
    </Card>
  )
}

/** The listing in which the actor can open a device of the product, if any. */
function pageListingOf(product: Device['productId'], actor: Actor): DetailListing | undefined {
  const listing = detailListingOf(product)
  return listing && can(actor, listings[listing].may) ? listing : undefined
}

function ParentLink({ parent }: { parent: NonNullable<Device['parent']> }) {
  const actor = useActor()
  const listing = pageListingOf(parent.productId, actor)
  const name = parent.deviceName || parent.serialNumber
  return listing ? <AppLink href={pathTo(actor.tenant, listing, parent.deviceId)}>{name}</AppLink> : name
}

/** Other values that the device last reported about itself, including its firmware. */
export function ReportedCard({ device }: { device: Device }) {
  const { firmware, ...others } = device.reported
  const hasFirmware = typeof firmware === 'string'
  const rows = reportedRows(hasFirmware ? others : device.reported, useZone())
  if (hasFirmware && rows.length === 0) return undefined
  return (
    <Card title="Reported by the device">
      {rows.length === 0 ? (
        <span className={classes.unset}>Nothing has been reported yet.</span>
      ) : (
        <dl className={classes.rows}>
          {rows.map(({ id, label, text, unit }) => (
            <Row key={id} label={label}>
              {text} {unit && <span className={classes.unit}>{unit}</span>}
            </Row>
          ))}
        </dl>
      )}
    </Card>
  )
}
