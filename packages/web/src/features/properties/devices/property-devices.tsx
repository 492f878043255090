import { useMemo } from 'react'
import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconExternalLink, IconPencil } from '../../../icons/index.ts'
import type { Property, PropertyDevice } from '@caretaker/contract/properties.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { isRestricted } from '@caretaker/rules/devices/rights.ts'
import { appPagePath, deepLink, isBcm } from '@caretaker/rules/links/handover.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { devicesOfHomeInOrder, locationLines, meterLines, opensInApp } from '@caretaker/rules/properties/devices.ts'
import { openAction } from '../../../actions/open.ts'
import { TargetMenu } from '../../../actions/row-menu.tsx'
import { actionsFor, targetOfHome } from '../../../actions/target.ts'
import { useActor } from '../../../api/actor.ts'
import { deviceQuery } from '../../../api/device.ts'
import { settingsQuery } from '../../../api/settings.ts'
import { HeatSaviour } from '../../../heating/heat-saviour.tsx'
import { Connection } from '../../../ui/connection.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { FamilyIcon } from '../../../ui/family-icon.tsx'
import { Empty } from '../../../ui/states.tsx'
import { StatusChip } from '../../../ui/status-chip.tsx'
import type { Column } from '../../../ui/table/props.ts'
import { Panel, Panels } from '../panel.tsx'
import { powerMeterQuery, propertyDevicesQuery } from '../queries.ts'
import classes from './property-devices.module.css'

/** The devices of a property with their actions, and the heat saviour of its heat pump. */
export function PropertyDevices({ property }: { property: Property }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(propertyDevicesQuery(tenant, property.propertyId))
  const devices = useMemo(() => devicesOfHomeInOrder(data ?? none), [data])
  const heatPumps = devices.filter(({ product }) => product === 'ASHP')
  return (
    <Panels>
      <Panel title="Devices" total={data?.length} actions={<ViewInApp devices={devices} />}>
        <DataTable
          label="Devices"
          columns={columns}
          rows={devices}
          rowId={(device) => device.deviceId}
          rowHref={({ product, deviceId }) => (isBcm(product) ? pathTo(tenant, 'Boilers', deviceId) : undefined)}
          rowActions={menuOf}
          status={data ? 'ready' : isError ? 'failed' : 'loading'}
          onRetry={() => void refetch()}
          empty={<Empty text="No data available" hint="No devices that you can see are in this property." />}
          phoneRow={phoneRow}
          wraps
        />
      </Panel>
      {heatPumps.map(({ deviceId }) => (
        <HeatSaviourOf key={deviceId} deviceId={deviceId} />
      ))}
    </Panels>
  )
}

const none: PropertyDevice[] = []
const menuOf = (device: PropertyDevice) => <TargetMenu target={targetOfHome(device)} />

/** The link to the property in the mobile app; none if there is no app, or if it could open none of the devices. */
function ViewInApp({ devices }: { devices: readonly PropertyDevice[] }) {
  const { tenant } = useActor()
  const appUrl = useQuery(settingsQuery).data?.appUrl
  const device = opensInApp(devices)
  const page = device && appPagePath(tenant, device)
  if (!appUrl || !page) return undefined
  return (
    <a className={classes.app} href={deepLink(appUrl, page)} target="_blank" rel="noreferrer">
      View in app
      <IconExternalLink size={16} stroke={1.7} aria-hidden />
    </a>
  )
}

/** A heat pump without a power switch has no heat saviour. */
function HeatSaviourOf({ deviceId }: { deviceId: string }) {
  const { tenant } = useActor()
  const { data: device } = useQuery(deviceQuery(tenant, 'Boilers', deviceId))
  if (!device?.powerSwitch) return undefined
  return (
    <div className={classes.saviour}>
      <HeatSaviour device={device} powerSwitch={device.powerSwitch} />
    </div>
  )
}

const columns: Column<PropertyDevice>[] = [
  {
    id: 'device',
    header: 'Device',
    width: 150,
    link: true,
    cell: (device) => <Name device={device} />,
  },
  { id: 'status', header: 'Status', width: 146, cell: (device) => <Status device={device} /> },
  { id: 'tag', header: 'Access Rights Tag', width: 110, cell: (device) => <AccessRightsTag device={device} /> },
  {
    id: 'serial',
    header: 'Serial Number',
    width: 104,
    cell: ({ serialNumber }) => <span className={classes.mono}>{serialNumber}</span>,
  },
  {
    id: 'eui64',
    header: 'Eui64',
    width: 148,
    cell: ({ eui64 }) => <Known value={eui64} mono />,
  },
  { id: 'location', header: 'Location', width: 124, cell: (device) => <Location device={device} /> },
  {
    id: 'details',
    header: 'Additional Location Details',
    width: 120,
    cell: ({ locationDetails }) => <Known value={locationDetails} />,
  },
  {
    id: 'connection',
    header: 'Connection Status',
    width: 152,
    cell: ({ connectionStatus, lastHeard }) => <Connection state={connectionStatus} heardAt={lastHeard} />,
  },
]

const Name = ({ device: { product, deviceType } }: { device: PropertyDevice }) => (
  <b className={classes.name}>
    <FamilyIcon product={product} />
    {deviceType}
  </b>
)

function Known({ value, mono }: { value: string | null; mono?: true }) {
  if (!value) return <span className={classes.unset}>Not set</span>
  return <span className={mono && classes.mono}>{value}</span>
}

/** A power switch has no status of its own. */
function Status({ device: { product, status, statusReason } }: { device: PropertyDevice }) {
  if (product === 'PS') return undefined
  return (
    <span title={statusReason ?? undefined}>
      <StatusChip status={status} exact />
    </span>
  )
}

function Location({ device }: { device: PropertyDevice }) {
  return familyOf(device.product) === 'powerMeter' ? (
    <MeterLocation device={device} />
  ) : (
    <Lines lines={locationLines(device)} />
  )
}

/** The location from the power meter's own data; until loaded, or without permission, from the property. */
function MeterLocation({ device }: { device: PropertyDevice }) {
  const { tenant } = useActor()
  const { data: meter } = useQuery(powerMeterQuery(tenant, device.deviceId))
  const lines = meter ? meterLines(meter) : []
  return <Lines lines={lines.length > 0 ? lines : locationLines(device)} />
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <Known value={null} />
  return lines.map((line) => (
    <span key={line} className={classes.line}>
      {line}
    </span>
  ))
}

function AccessRightsTag({ device }: { device: PropertyDevice }) {
  const actor = useActor()
  const target = targetOfHome(device)
  const action = 'update access rights tag'
  const mayEdit = actionsFor(actor, target, 'page').includes(action) && !isRestricted(target)
  return (
    <span className={classes.tag}>
      <Known value={device.accessRightsTag?.displayName ?? null} />
      {mayEdit && (
        <ActionIcon
          size={26}
          aria-label={`Edit access rights tag of ${device.serialNumber}`}
          title="Edit"
          onClick={() => openAction({ kind: 'single', action, target })}
        >
          <IconPencil size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      )}
    </span>
  )
}

function phoneRow(device: PropertyDevice) {
  return (
    <span className={classes.phoneRow}>
      <Name device={device} />
      <Status device={device} />
      <span className={classes.unset}>
        <span className={classes.mono}>{device.serialNumber}</span> <Location device={device} />
      </span>
      <Connection state={device.connectionStatus} />
    </span>
  )
}
