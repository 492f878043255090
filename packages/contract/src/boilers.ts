import { z } from 'zod'
import { heatingUnits, occupancies } from '@caretaker/rules/boilers/details.ts'
import type { ThermostatWiring } from '@caretaker/rules/boilers/thermostats.ts'
import { thermostatWirings } from '@caretaker/rules/boilers/thermostats.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { Device, DeviceFault } from './devices.ts'
import { DeviceId, TenantId, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'

/** A device that speaks through a boiler's module, or through what does. */
export const ConnectedDevice = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    productId: z.enum(productCodes),
    /** The product in words. */
    deviceType: z.string(),
    status: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    lastHeard: Timestamp.nullable(),
    serialNumber: z.string(),
    /** The address of its radio; null where it has none, or has not said. */
    eui64: z.string().nullable(),
    location: z.string().nullable(),
    locationDetails: z.string().nullable(),
    /** What each clamp of a power meter measures, by its number. */
    powerClamps: z.record(z.string(), z.string()).nullable(),
    fault: DeviceFault.nullable(),
    /** What it speaks through. */
    parentProductId: z.enum(productCodes).nullable(),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    inWholesale: z.boolean(),
    userHasReadOnlyAccess: z.boolean(),
  })
  .meta({ id: 'ConnectedDevice' })
export type ConnectedDevice = z.infer<typeof ConnectedDevice>

/** A setting with its two truths: what was asked for last, and what the device says; null where either is not known. */
const setting = <T extends z.ZodType>(value: T) => z.object({ desired: value.nullable(), reported: value.nullable() })

export const Relay = z.object({
  relayId: z.string(),
  /** What it switches. */
  name: z.string(),
  desiredPoweredOn: z.boolean().nullable(),
  reportedPoweredOn: z.boolean().nullable(),
})
export type Relay = z.infer<typeof Relay>

/** The power switch of a heat pump, by which its electricity is switched: the heat saviour. */
export const PowerSwitch = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    serialNumber: z.string(),
    location: z.string().nullable(),
    status: z.enum(deviceStatuses),
    connectionStatus: z.enum(connectionStatuses),
    inWholesale: z.boolean(),
    accessRightsTags: z.array(z.string()),
    relays: z.array(Relay),
    /** What it last said of itself. */
    reported: z.record(z.string(), z.unknown()),
    userHasReadOnlyAccess: z.boolean(),
  })
  .meta({ id: 'PowerSwitch' })
export type PowerSwitch = z.infer<typeof PowerSwitch>

const wirings = Object.keys(thermostatWirings) as [ThermostatWiring, ...ThermostatWiring[]]

/** A boiler or heat pump in full, as its page shows it. */
export const Boiler = Device.extend({
  gcNumber: z.string().nullable(),
  manufacturer: z.string().nullable(),
  model: z.string().nullable(),
  heatingUnit: z.enum(heatingUnits),
  /** None is a surveyor cube; null for what monitors no heating. */
  monitoring: z.enum(monitorings).nullable(),
  firmwareVersion: z.string().nullable(),
  /** The latest readings, in °C. */
  hotWaterTemp: z.number().nullable(),
  flowTemp: z.number().nullable(),
  thermostatKind: z.enum(wirings).nullable(),
  /** The most that the heating may give, in °C; 10 while the home is void. */
  heatingMax: z.number().nullable(),
  /** The reference of its property. */
  occupierId: z.string().nullable(),
  /** Null where it is in no property. */
  occupancy: z.enum(occupancies).nullable(),
  /** Whether the heating is limited, and whether the buzzer sounds, as last asked for. */
  chPropertyAccess: z.boolean().nullable(),
  buzzerPropertyAccess: z.boolean().nullable(),
  chMaxSupported: z.boolean(),
  supportsDhwSetPoint: z.boolean(),
  hasBuzzer: z.boolean(),
  settings: z.object({
    chMax: setting(z.number()),
    dhwSetPoint: setting(z.number()),
    chLimit: setting(z.boolean()),
    buzzer: setting(z.boolean()),
  }),
  /** Of a heat pump that has one. */
  powerSwitch: PowerSwitch.nullable(),
  connectedDevices: z.array(ConnectedDevice),
  installedAt: Timestamp,
}).meta({ id: 'Boiler' })
export type Boiler = z.infer<typeof Boiler>

export const getBoiler = route({
  method: 'POST',
  path: '/api/GetBoiler',
  may: 'see boilers',
  summary: 'One device of the boiler listing: what it is, how it is set, and the devices that are connected to it.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(Boiler),
})
