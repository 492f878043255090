import { z } from 'zod'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { DeviceId, Id, text } from '../scalars.ts'

/**
 * How a simulated device behaves, named after the device families. It is more specific than the product: a boiler
 * control module (`BC`) that monitors a heat pump behaves as `airSourceHeatPump`. The last three models only report
 * their connection and firmware.
 */
export const models = [
  'emered',
  'boiler',
  'airSourceHeatPump',
  'heatInterfaceUnit',
  'autofill',
  'gateway',
  'multiDot',
  'enviroDot',
  'powerMeter',
  'powerSwitch',
  'vStat',
  'homeHub',
  'liftMonitor',
  'peopleCounter',
  'thirdParty',
] as const
export type FleetModel = (typeof models)[number]

/**
 * The scenario that a simulated device goes through. Every device of a property can have the scenario of its property.
 */
export const stories = [
  'damp and mould',
  'under-heated',
  'boiler lockout',
  'heat saviour',
  'failed autofill',
  'void',
  'gas check due',
  'failed T180',
  'missed test',
  'offline gateway',
  'drops out',
] as const
export type Story = (typeof stories)[number]

/**
 * Particulars of a device, all optional; unknown names are ignored.
 *
 * - all: `latitude`, `longitude` (weather; otherwise the middle of England), `firmware`, `home` (devices with the same
 * text
 *   share one rhythm of life), `gsmSignal` (dBm), `linkQuality` (%), `backupVoltage` (V)
 * - `drops out`: `dropsPerDay` (6), `dropMinutes` (12); it must be a device that connects itself, or it falls silent
 * instead
 * - emered: `batteryHealth` (1 is new, 0.8 just lasts three hours), `lampHealth` (1 to 0), `inverterFailed`,
 * `maintained`
 *   (lit all the time), `lampPower` (W)
 * - boiler, heatInterfaceUnit, airSourceHeatPump: `systemPressure` (bar), `burnerHours`, `burnerStarts`, `pumpHours`,
 *   `capacity` (kW), `roomTemperature` (wanted, °C)
 * - boiler: `callsFor` (hot water or radiators, at any hour and in any weather), `flowTemperature` (at first, °C)
 * - `boiler lockout`, `failed autofill`: `faultCode`, `faultSince` (ms), `faultEventId` (the event already known to the
 * server)
 * - emered, gateway: `networkJoined` (an emergency light or repeater belongs to its network unless false)
 * - multiDot, enviroDot, vStat, homeHub: `roomTemperature` (wanted, °C), `humidity` (usual, %), `occupants`
 * - autofill: `systemPressure` (bar), `waterFilled` (litres since it was fitted)
 * - gateway: `connectedDevices` (otherwise the children in the fleet are counted)
 * - powerMeter: `baseLoad` (W), `clamps` (1 to 3)
 * - powerSwitch: `relay1`, `relay2` (on or off at first)
 */
const Traits = z.record(text(60), z.union([z.number(), text(200), z.boolean()]))

/** One simulated device. With a password it connects itself; without one its parent reports for it. */
export const FleetDevice = z.object({
  deviceId: DeviceId,
  serial: text(40).min(1),
  product: z.enum(productCodes),
  /** The user name of its credentials: the device id. */
  username: text(100),
  password: text(200).min(1).nullable(),
  /** Seconds between two reports. */
  reportingInterval: z.number().min(1).max(86_400),
  parentId: DeviceId.nullable(),
  model: z.enum(models),
  story: z.enum(stories).optional(),
  /**
   * Whether it only reports its connection and firmware until it receives a command, and behaves like its model after
   * that.
   */
  isQuiet: z.boolean().optional(),
  traits: Traits,
})
export type FleetDevice = z.infer<typeof FleetDevice>

/** The simulated sensors of a connection, and their kinds of network. */
export const sensorModels = ['EM300-TH', 'WS301', 'AM102', 'WT201', 'SNZB-02D', 'SNZB-04'] as const
export const FleetConnection = z.object({
  connectionId: Id,
  kind: z.enum(['chirpstack', 'zigbee2mqtt']),
  /** The key of its webhook. */
  key: text(200).min(1),
  /** The token with which the simulated ChirpStack API accepts downlinks; without a token, there is no API. */
  apiToken: text(200).min(1).optional(),
  sensors: z
    .array(
      z.object({
        /** The DevEUI or the IEEE address. */
        deviceKey: text(40).min(1),
        name: text(60).min(1),
        model: z.enum(sensorModels),
        /** Seconds between two messages. */
        reportingInterval: z.number().min(1).max(86_400),
      }),
    )
    .max(1000),
})
export type FleetConnection = z.infer<typeof FleetConnection>

/** The file that the demo seed writes and the simulator reads. It contains passwords and needs mode 0600. */
export const Fleet = z
  .object({
    devices: z.array(FleetDevice).min(1).max(100_000),
    connections: z.array(FleetConnection).max(20).default([]),
  })
  .superRefine(({ devices }, context) => {
    const byId = new Map(devices.map((device) => [device.deviceId, device]))
    if (byId.size < devices.length) context.addIssue({ code: 'custom', message: 'a device id occurs twice' })
    for (const [index, device] of devices.entries()) {
      if (device.password !== null) continue
      const parent = device.parentId === null ? undefined : byId.get(device.parentId)
      // In the device link, a parent may report only for its own children, so the parent has to connect itself.
      if (!parent?.password)
        context.addIssue({
          code: 'custom',
          path: ['devices', index],
          message: `${device.serial} has neither a password nor a parent with one`,
        })
    }
  })
export type Fleet = z.infer<typeof Fleet>
