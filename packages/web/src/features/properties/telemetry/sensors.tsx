import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { PropertyDamp } from '@caretaker/contract/damp.ts'
import type { PropertyDevice } from '@caretaker/contract/properties.ts'
import type { Series } from '@caretaker/contract/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { useActor } from '../../../api/actor.ts'
import type { Below } from '../../../telemetry/source.ts'
import { dateTimeText } from '../../../ui/age.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { reading } from '../../../ui/chart/readings.ts'
import { Connection } from '../../../ui/connection.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table/props.ts'
import { useZone } from '../../../ui/zone.tsx'
import { connectedPath } from '../../../device-page/connected-path.ts'
import { DampLevelView } from '../damp-level.tsx'
import { Panel } from '../panel.tsx'
import { isSensor, propertyDampQuery, propertyDevicesQuery, sensorReadingsQuery } from '../queries.ts'
import classes from './sensors.module.css'

/** The air sensors of a property with their last readings. */
export function sensorsOf(tenant: string, propertyId: string): Below {
  return function OfHome() {
    const { data: devices } = useQuery(propertyDevicesQuery(tenant, propertyId))
    const sensors = useMemo(() => devices?.filter(isSensor) ?? [], [devices])
    return sensors.length > 0 && <Sensors propertyId={propertyId} sensors={sensors} />
  }
}

type LatestReadings = Map<string, NonNullable<Series['latest']>>

interface Sensor {
  device: PropertyDevice
  /** The damp level of its room; undefined while unknown. */
  level: PropertyDamp['rooms'][number]['level'] | undefined
  latestReadings: LatestReadings
}

function Sensors({ propertyId, sensors }: { propertyId: string; sensors: PropertyDevice[] }) {
  const { tenant } = useActor()
  const readings = useQuery(sensorReadingsQuery(tenant, propertyId, sensors))
  const { data: damp } = useQuery(propertyDampQuery(tenant, propertyId))
  const rows = useMemo(() => rowsOf(sensors, damp, readings.data), [sensors, damp, readings.data])
  return (
    <div className={classes.place}>
      <Panel title="Sensors" total={sensors.length}>
        <DataTable
          label="Sensors"
          columns={columns}
          rows={rows}
          rowId={({ device }) => device.deviceId}
          rowHref={({ device: { bcmId, deviceId } }) => (bcmId ? connectedPath(tenant, bcmId, deviceId) : undefined)}
          status={readings.data ? 'ready' : readings.isError ? 'failed' : 'loading'}
          onRetry={() => void readings.refetch()}
          empty={<Empty text="No data available" />}
          phoneRow={phoneRow}
        />
      </Panel>
    </div>
  )
}

/** The dampest room first, in the order of the estimate; other sensors follow. */
function rowsOf(
  sensors: PropertyDevice[],
  damp: PropertyDamp | undefined,
  readings: Map<string, LatestReadings> | undefined,
) {
  const places = new Map(damp?.rooms.map(({ deviceId, level }, place) => [deviceId, { level, place }]))
  const placeOf = ({ deviceId }: PropertyDevice) => places.get(deviceId)?.place ?? Infinity
  return sensors
    .toSorted((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)))
    .map((device): Sensor => {
      const { deviceId } = device
      return { device, level: places.get(deviceId)?.level, latestReadings: readings?.get(deviceId) ?? new Map() }
    })
}

const measured = (header: string, metric: MetricKey, unit: string, width: number): Column<Sensor> => ({
  id: metric,
  header,
  width,
  align: 'end',
  cell: ({ latestReadings }) => <Newest latestReadings={latestReadings} metric={metric} unit={unit} />,
})

const columns: Column<Sensor>[] = [
  {
    id: 'room',
    header: 'Room',
    width: 130,
    link: true,
    cell: ({ device }) => <b className={classes.room}>{roomOf(device)}</b>,
  },
  {
    id: 'damp',
    header: 'Damp risk',
    width: 110,
    cell: ({ level }) => (level ? <DampLevelView level={level} /> : '–'),
  },
  { id: 'sensor', header: 'Sensor', width: 96, cell: ({ device }) => device.deviceType },
  {
    id: 'serial',
    header: 'Serial Number',
    width: 108,
    cell: ({ device }) => <span className={classes.mono}>{device.serialNumber}</span>,
  },
  measured('Temperature', 'temperature', '°C', 96),
  measured('Humidity', 'humidity', '%', 80),
  measured('CO2', 'co2', 'ppm', 80),
  {
    id: 'battery',
    header: 'Battery',
    width: 110,
    align: 'end',
    cell: ({ latestReadings }) => <Battery latestReadings={latestReadings} />,
  },
  measured('Link quality', 'linkQuality', '%', 96),
  {
    id: 'connection',
    header: 'Connection Status',
    width: 210,
    cell: ({ device }) => <Connection state={device.connectionStatus} heardAt={device.lastHeard} />,
  },
]

const roomOf = ({ location, serialNumber }: PropertyDevice) => location || serialNumber

/** Milliseconds after which a reading shows its time, because a newer one is due. */
const recent = 3_600_000

/** The newest reading of a metric, with its time if it is not current. */
function Newest({ latestReadings, metric, unit }: { latestReadings: LatestReadings; metric: MetricKey; unit: string }) {
  const zone = useZone()
  const now = useClock()
  const newest = latestReadings.get(metric)
  if (!newest) return '–'
  const at = dateTimeText(newest.date, zone)
  return (
    <span title={at}>
      {reading(newest.value, unit)}
      {now - newest.date > recent && <small className={classes.old}>{at}</small>}
    </span>
  )
}

function Battery({ latestReadings }: { latestReadings: LatestReadings }) {
  const level = latestReadings.get('batteryLevel')?.value
  return (
    <span className={classes.battery}>
      {level !== undefined && (
        <span className={classes.bar} aria-hidden>
          <i style={{ width: `${level}%` }} />
        </span>
      )}
      <Newest latestReadings={latestReadings} metric="batteryLevel" unit="%" />
    </span>
  )
}

function phoneRow({ device, level, latestReadings }: Sensor) {
  return (
    <span className={classes.phoneRow}>
      <b className={classes.room}>{roomOf(device)}</b>
      {level && <DampLevelView level={level} />}
      <span>
        <Newest latestReadings={latestReadings} metric="temperature" unit="°C" />{' '}
        <Newest latestReadings={latestReadings} metric="humidity" unit="%" />
      </span>
      <Connection state={device.connectionStatus} />
    </span>
  )
}
