import { Suspense, lazy, useState } from 'react'
import type { ReactNode } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import type { Device } from '@caretaker/contract/devices.ts'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { detailListingOf, listings } from '@caretaker/rules/devices/list.ts'
import { DeviceAccessRights } from '../actions/device-access-rights.tsx'
import { DeviceTags } from '../actions/device-tags.tsx'
import { targetOfDevice } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { useProductName } from '../api/product-names.ts'
import { Card } from '../ui/card.tsx'
import { AppLink } from '../ui/link.tsx'
import { useZone } from '../ui/zone.tsx'
import { reportedRows } from './reported.ts'
import classes from './device.module.css'

const PlaceDialog = lazy(async () => ({ default: (await import('./place-dialog.tsx')).PlaceDialog }))

/** A label with its value beside it; without a value it reads 'Not set'. */
function Row({ label, children }: { label: string; children: ReactNode }) {
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
  return (
    <Card title="Identity">
      <dl className={classes.rows}>
        <Row label="Serial number">
          <span className={classes.serial}>{device.serialNumber}</span>
        </Row>
        <Row label="Product">{productName}</Row>
        <Row label="Model">{model}</Row>
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

/** The listing below which the actor can open a device of the product, if any. */
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

/** Where the device is. Emergency lights and networking devices hang in a building, boilers at an address in a room. */
export function LocationCard({ device, listing }: { device: Device; listing: DetailListing }) {
  const actor = useActor()
  const hidesAddress = actor.features.includes('HideCustomerPersonalData')
  const mayPlace = can(actor, 'place device', targetOfDevice(device))
  const [editing, setEditing] = useState(false)
  const isBoiler = listing === 'Boilers'
  const hasBuilding = device.buildingName !== null || !isBoiler
  return (
    <Card
      title="Location"
      actions={
        mayPlace && (
          <ActionIcon size={26} aria-label="Edit location" title="Edit" onClick={() => setEditing(true)}>
            <IconPencil size={16} stroke={1.7} aria-hidden />
          </ActionIcon>
        )
      }
    >
      {editing && (
        <Suspense>
          <PlaceDialog device={device} onClose={() => setEditing(false)} />
        </Suspense>
      )}
      <dl className={classes.rows}>
        {hasBuilding && (
          <>
            <Row label="Building">{device.buildingName}</Row>
            <Row label="Floor">{device.floorName}</Row>
            <Row label="Room">{device.room}</Row>
          </>
        )}
        {!hidesAddress && <Row label="Address">{device.address}</Row>}
        {(isBoiler || device.location !== null) && <Row label="Location">{device.location}</Row>}
        {(isBoiler || device.locationDetails !== null) && <Row label="Location details">{device.locationDetails}</Row>}
        {!hidesAddress && device.lat !== null && (
          <Row label="Coordinates">
            {device.lat}, {device.long}
          </Row>
        )}
        {Object.entries(device.powerClamps ?? {}).map(([clamp, what]) => (
          <Row key={clamp} label={`Power clamp ${clamp}`}>
            {what}
          </Row>
        ))}
      </dl>
    </Card>
  )
}

/** What the device last said of itself. */
export function ReportedCard({ device }: { device: Device }) {
  const rows = reportedRows(device.reported, useZone())
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
