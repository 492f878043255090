import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import {
  IconBolt,
  IconDroplet,
  IconHome,
  IconPlug,
  IconPlugConnected,
  IconTemperature,
  IconThermometer,
} from '../../icons/index.ts'
import type { Boiler, ConnectedDevice } from '@caretaker/contract/boilers.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/calls/devices.ts'
import { locationFault } from '@caretaker/rules/boilers/settings.ts'
import type { Family } from '@caretaker/rules/devices/products.ts'
import { familyOf, products } from '@caretaker/rules/devices/products.ts'
import { measures, metricKeys } from '@caretaker/rules/telemetry/metrics.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { targetOfConnected } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { useSend } from '../../heating/send.ts'
import { Age } from '../../ui/age-view.tsx'
import { Card } from '../../ui/card.tsx'
import { reading } from '../../ui/chart/readings.ts'
import { Connection } from '../../ui/connection.tsx'
import { inlineText } from '../../ui/forms/inline-controls.tsx'
import type { InlineEdit } from '../../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../../ui/forms/inline-edit.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { AutofillFills } from './autofill-fills.tsx'
import { ConnectedActions } from './connected-actions.tsx'
import { Conditions } from '../../device-page/conditions.tsx'
import { connectedPath } from '../../device-page/connected-path.ts'
import { DeviceCommands } from '../../device-page/device-commands.tsx'
import { connectedReadingsQuery } from './queries.ts'
import classes from './connected-devices.module.css'

const icons: Partial<Record<Family, typeof IconBolt>> = {
  autofill: IconDroplet,
  multiDot: IconTemperature,
  enviroDot: IconTemperature,
  vStat: IconThermometer,
  powerMeter: IconBolt,
  powerSwitch: IconPlug,
  homeHub: IconHome,
}

/** The devices connected through the module; the open one is in the address. */
export function ConnectedDevices({ device }: { device: Boiler }) {
  const { connectedDevices } = device
  const { device: wanted } = useSearch({ strict: false })
  const open =
    connectedDevices.find(({ deviceId }) => deviceId === wanted?.toLowerCase()) ??
    // A failed device is opened first.
    connectedDevices.find(({ fault }) => fault !== null) ??
    connectedDevices[0]
  if (!open)
    return (
      <Card title="Connected devices">
        <Empty
          icon={<IconPlugConnected size={18} aria-hidden />}
          text="No connected devices"
          hint="No devices that you can see are connected through this module."
        />
      </Card>
    )
  return (
    <div className={classes.page}>
      <div className={classes.column}>
        <Card title="Connected devices" actions={<span className={classes.rhythm}>{connectedDevices.length}</span>}>
          <ul className={classes.list}>
            {connectedDevices.map((one) => (
              <li key={one.deviceId}>
                <Row bcmId={device.deviceId} device={one} isOpen={one === open} />
              </li>
            ))}
          </ul>
        </Card>
        <Facts key={open.deviceId} device={open} bcmId={device.deviceId} />
      </div>
      <Details key={open.deviceId} device={open} bcmId={device.deviceId} />
    </div>
  )
}

const wordsOf = ({ productId }: ConnectedDevice) => products[productId].name

function Row({ bcmId, device, isOpen }: { bcmId: string; device: ConnectedDevice; isOpen: boolean }) {
  const { tenant } = useActor()
  const Icon = icons[familyOf(device.productId)] ?? IconPlugConnected
  return (
    <AppLink
      className={classes.row}
      href={connectedPath(tenant, bcmId, device.deviceId)}
      aria-current={isOpen ? 'true' : undefined}
    >
      <Icon size={18} stroke={1.7} aria-hidden />
      <span className={classes.name}>
        <b>{wordsOf(device)}</b> {device.location}
        <small>{device.serialNumber}</small>
        <span className={classes.chips}>
          <StatusChip status={device.status} exact />
          <Connection state={device.connectionStatus} />
        </span>
      </span>
    </AppLink>
  )
}

/** The details of one connected device, which has no page of its own. */
function Details({ device, bcmId }: { device: ConnectedDevice; bcmId: string }) {
  const isAutofill = familyOf(device.productId) === 'autofill'
  return (
    <section className={classes.details} aria-label={device.deviceName || device.serialNumber}>
      <header className={classes.head}>
        <h2>{device.deviceName || wordsOf(device)}</h2>
        <StatusChip status={device.status} exact />
        {device.statusReason && <span className={classes.reason}>{device.statusReason}</span>}
        <Connection state={device.connectionStatus} heardAt={device.lastHeard} />
        <span className={classes.actions}>
          <ConnectedActions device={device} />
        </span>
      </header>
      <div className={classes.standing}>
        <Conditions device={targetOfConnected(device)} />
        <DeviceCommands device={device} target={targetOfConnected(device)} />
      </div>
      <LastReadings device={device} />
      {isAutofill && <AutofillFills device={device} bcmId={bcmId} />}
    </section>
  )
}

const hubs = (device: ConnectedDevice) => (device.parentProductId === 'ZH' ? 'Connected through it' : 'None')

/** Edits the location of a connected device, for authorised users. */
function usePlacing(device: ConnectedDevice, bcmId: string) {
  const actor = useActor()
  const { tenant } = actor
  const { deviceId } = device
  const send = useSend(tenant, bcmId)
  const may = can(actor, 'place device', targetOfConnected(device)) && !device.userHasReadOnlyAccess
  return (
    where: (text: string | null) => { location: string | null } | { locationDetails: string | null },
    value: string | null,
    { maxLength, fault = () => undefined }: { maxLength: number; fault?: (text: string) => string | undefined },
  ): InlineEdit | undefined =>
    may
      ? {
          value: value ?? '',
          fault,
          control: inlineText({ maxLength }),
          save: (text) =>
            send(() =>
              call(updateDeviceBuildingLocation, { body: { tenant, deviceId, ...where(text.trim() || null) } }),
            ),
        }
      : undefined
}

function Facts({ device, bcmId }: { device: ConnectedDevice; bcmId: string }) {
  const placing = usePlacing(device, bcmId)
  const clamps = Object.entries(device.powerClamps ?? {})
  const rows: [label: string, value: string | null, mono?: true][] = [
    ['Type', device.deviceType],
    ['Serial', device.serialNumber, true],
    ['EUI64', device.eui64, true],
    ['Home hub', hubs(device)],
    ...clamps.map(([clamp, what]): [string, string] => [`Power clamp ${clamp}`, what]),
    ...(device.fault
      ? [['Fault', [device.fault.code, device.fault.description].filter(Boolean).join(': ')] as [string, string]]
      : []),
  ]
  return (
    <Card title={wordsOf(device)}>
      <InlineFields>
        {rows.map(([label, value, mono]) => (
          <InlineField key={label} label={label}>
            {value && (mono ? <span className={classes.mono}>{value}</span> : value)}
          </InlineField>
        ))}
        <InlineField
          label="Location"
          edit={placing((location) => ({ location }), device.location, { maxLength: 100, fault: locationFault })}
        >
          {device.location}
        </InlineField>
        <InlineField
          label="Location details"
          edit={placing((locationDetails) => ({ locationDetails }), device.locationDetails, { maxLength: 200 })}
        >
          {device.locationDetails}
        </InlineField>
      </InlineFields>
    </Card>
  )
}

/** The newest reading of each kind, with its age. */
function LastReadings({ device }: { device: ConnectedDevice }) {
  const { tenant } = useActor()
  const metrics = metricKeys.filter((key) => measures(device.productId, key))
  const { data } = useQuery(connectedReadingsQuery(tenant, device.deviceId, { metrics, days: 1 }))
  const known = data?.series.filter(({ latest }) => latest !== null) ?? []
  if (known.length === 0) return undefined
  return (
    <Card title="Last readings">
      <dl className={classes.rows}>
        {known.map(({ dataSeriesId, metric, label, unit, latest }) => (
          <div key={dataSeriesId}>
            <dt>{clampName(device, metric) ?? label}</dt>
            <dd>
              {reading(latest!.value, unit)} <Age at={latest!.date} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** The circuit of the clamp that measures a metric. */
function clampName({ powerClamps }: ConnectedDevice, metric: string | null): string | undefined {
  const [, clamp] = /^power(\d)$/.exec(metric ?? '') ?? []
  const what = clamp && powerClamps?.[clamp]
  return what && `Clamp ${clamp}, ${what}`
}
