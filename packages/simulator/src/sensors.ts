import type { FleetConnection } from '@caretaker/contract/mqtt/fleet.ts'
import { connectionKeyHeader } from '@caretaker/rules/connections/connections.ts'
import { sendUplink } from '@caretaker/contract/calls/connections.ts'
import type { Downlink } from './network-server.ts'
import { fraction, generator, hash, uuid, wander } from './random.ts'
import { createSchedule } from './schedule.ts'

type Sensor = FleetConnection['sensors'][number]

export interface SensorOptions {
  /** The address of the portal. */
  web: string
  clock: () => number
  /** Time within which all sensors send their first messages, in ms. */
  firstWithin?: number
  /** Logs a status line. */
  log: (line: string) => void
}

const hour = 3_600_000
const answersWithin = 10_000

/** A message as the network server posts it: the query and the body. */
export interface Posted {
  query: string
  body: unknown
}

interface RunningSensors {
  /** Delivers a downlink to a sensor: a WT201 listens all the time (class C), and reports the change with its next message. */
  receive(deviceKey: string, downlink: Downlink): void
  stop(): void
}

/** Runs the sensors of connections until stopped: each message is posted to its connection's webhook. */
export function runSensors(connections: readonly FleetConnection[], options: SensorOptions): RunningSensors {
  const { web, clock, log, firstWithin = 15_000 } = options
  const schedule = createSchedule(clock)
  const stopping = new AbortController()
  /** The last failure of each connection, by id, so that repeated failures are not logged again. */
  const failing = new Map<string, string>()
  /** Changed set points by device key, in °C. */
  const setPoints = new Map<string, number>()

  async function post({ connectionId, key }: FleetConnection, { query, body }: Posted): Promise<void> {
    const failure = await fetch(`${web}${sendUplink.path.replace('{connectionId}', connectionId)}?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [connectionKeyHeader]: key },
      body: JSON.stringify(body),
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(answersWithin)]),
    }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.ok ? undefined : `it responded ${response.status}`
      },
      (error: Error) => error.message,
    )
    if (stopping.signal.aborted || failure === failing.get(connectionId)) return
    if (failure === undefined) failing.delete(connectionId)
    else {
      failing.set(connectionId, failure)
      log(`the connection ${connectionId} does not accept messages: ${failure}; trying again`)
    }
  }

  const startedAt = clock()
  for (const connection of connections) {
    const list = deviceList(connection)
    if (list) schedule.at(clock(), () => void post(connection, list))
    for (const sensor of connection.sensors) {
      let sent = 0
      const report = () => {
        const setPoint = setPoints.get(sensor.deviceKey) ?? usualSetPoint
        void post(connection, messageOf(connection, sensor, { now: clock(), startedAt, count: sent++, setPoint }))
        schedule.at(clock() + sensor.reportingInterval * 1000, report)
      }
      schedule.at(clock() + fraction(sensor.deviceKey) * firstWithin, report)
    }
  }
  return {
    receive(deviceKey, { fPort, bytes }) {
      const setPoint = fPort === milesightPort ? setPointIn(bytes) : undefined
      if (setPoint !== undefined) setPoints.set(deviceKey, setPoint)
    },
    stop() {
      stopping.abort()
      schedule.stop()
    },
  }
}

/** The port of Milesight sensors for uplinks and downlinks. */
const milesightPort = 85
/** The set point of a thermostat before the first downlink, in °C. */
const usualSetPoint = 19

/** The set point in a downlink of a WT201, in °C: type B7 has whole degrees, type FA tenths; undefined for other settings. */
function setPointIn(bytes: Buffer): number | undefined {
  if (bytes[0] !== 0xff) return undefined
  if (bytes[1] === 0xb7 && bytes.length === 4) return bytes[3]! & 0x7f
  if (bytes[1] === 0xfa && bytes.length === 5) return bytes.readInt16LE(3) / 10
  return undefined
}

/** The device list that Zigbee2MQTT publishes at its start. */
export function deviceList({ kind, sensors }: FleetConnection): Posted | undefined {
  if (kind !== 'zigbee2mqtt') return undefined
  return {
    query: 'topic=zigbee2mqtt/bridge/devices',
    body: [
      { ieee_address: '0x00124b0029f10a00', friendly_name: 'Coordinator', type: 'Coordinator', definition: null },
      ...sensors.map(({ deviceKey, name, model }) => ({
        ieee_address: deviceKey,
        friendly_name: name,
        type: 'EndDevice',
        definition: { vendor: 'SONOFF', model },
      })),
    ],
  }
}

/** Times in ms since the epoch. */
interface Moment {
  now: number
  /** The start of the simulator, when the sensors join their network. */
  startedAt: number
  /** The number of messages that the sensor has sent since it joined. */
  count: number
  /** The set point of a thermostat, in °C. */
  setPoint?: number
}

/** The message of a sensor, in the form of its network server. */
export function messageOf(connection: FleetConnection, sensor: Sensor, moment: Moment): Posted {
  return connection.kind === 'chirpstack' ? chirpStackUplink(sensor, moment) : zigbeeState(sensor, moment)
}

const read = ({ deviceKey }: Sensor, what: string, now: number, period: number) =>
  wander(`${deviceKey} ${what}`, now, period)
const temperatureOf = (sensor: Sensor, now: number) => round(19 + 2.5 * read(sensor, 'temperature', now, 5 * hour), 1)
const humidityOf = (sensor: Sensor, now: number) => round(54 + 12 * read(sensor, 'humidity', now, 7 * hour), 1)
/** Percent. */
const batteryOf = ({ deviceKey }: Sensor) => 80 + Math.floor(fraction(`${deviceKey} battery`) * 20)
/** Whether a door or window is open: about a fifth of the time. */
const isOpen = (sensor: Sensor, now: number) => read(sensor, 'contact', now, hour / 2) > 0.6

const round = (value: number, digits: number) => Number(value.toFixed(digits))

/** An uplink event of ChirpStack v4. Its device profiles have no codec: the portal decodes the Milesight payload. */
function chirpStackUplink(sensor: Sensor, { now, startedAt, count, setPoint = usualSetPoint }: Moment): Posted {
  const { deviceKey, name, model } = sensor
  const random = generator(`${deviceKey} ${now}`)
  return {
    query: 'event=up',
    body: {
      deduplicationId: uuid(random),
      time: new Date(now).toISOString(),
      deviceInfo: {
        tenantName: 'Northgate Homes',
        applicationName: 'Homes',
        deviceProfileName: `Milesight ${model}`,
        deviceName: name,
        devEui: deviceKey.toLowerCase(),
        deviceClassEnabled: model === 'WT201' ? 'CLASS_C' : 'CLASS_A',
        tags: {},
      },
      devAddr: hash(`${deviceKey} ${startedAt}`).toString(16).padStart(8, '0'),
      adr: true,
      dr: 5,
      fCnt: count,
      fPort: milesightPort,
      confirmed: false,
      data: payloadOf(sensor, now, setPoint).toString('base64'),
      rxInfo: [{ gatewayId: '24e124fffef51234', rssi: -60 - Math.floor(random() * 40), snr: round(10 * random(), 1) }],
      txInfo: { frequency: 868_100_000 },
    },
  }
}

/** Channel, type and little-endian value, as in Milesight's payload descriptions. */
function payloadOf(sensor: Sensor, now: number, setPoint: number): Buffer {
  const battery = [0x01, 0x75, batteryOf(sensor)]
  if (sensor.model === 'WS301') return Buffer.from([...battery, 0x03, 0x00, isOpen(sensor, now) ? 1 : 0, 0x04, 0x00, 0])
  const tenths = Math.round(temperatureOf(sensor, now) * 10)
  const humidity = Math.round(humidityOf(sensor, now) * 2)
  if (sensor.model === 'WT201') {
    const wanted = Math.round(setPoint * 10)
    // The lower half of the byte is the mode 'heat'; the upper half, while it is too cold, the first heating stage.
    const activity = tenths < wanted ? 0x10 : 0x00
    return Buffer.from([
      ...[0x03, 0x67, tenths & 0xff, (tenths >> 8) & 0xff],
      ...[0x04, 0x67, wanted & 0xff, (wanted >> 8) & 0xff],
      ...[0x05, 0xe7, activity, 0x09, 0x68, humidity],
    ])
  }
  return Buffer.from([...battery, 0x03, 0x67, tenths & 0xff, (tenths >> 8) & 0xff, 0x04, 0x68, humidity])
}

/** The state of a device as Zigbee2MQTT publishes it, with the time of its last message (`advanced.last_seen`). */
function zigbeeState(sensor: Sensor, { now }: Moment): Posted {
  const quality = 80 + Math.floor(fraction(`${sensor.deviceKey} ${Math.floor(now / hour)}`) * 120)
  const values =
    sensor.model === 'SNZB-04'
      ? { contact: !isOpen(sensor, now), battery_low: false, tamper: false }
      : { temperature: temperatureOf(sensor, now), humidity: humidityOf(sensor, now) }
  return {
    query: `topic=${encodeURIComponent(`zigbee2mqtt/${sensor.name}`)}`,
    body: { ...values, battery: batteryOf(sensor), last_seen: new Date(now).toISOString(), linkquality: quality },
  }
}
