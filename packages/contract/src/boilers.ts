import { z } from 'zod'
import { heatingUnits, occupancies } from '@caretaker/rules/boilers/details.ts'
import {
  addressFault,
  addressLength,
  chMaxFault,
  chMaxRange,
  dhwRange,
  dhwSetPointFault,
  referenceFault,
  referenceLength,
} from '@caretaker/rules/boilers/settings.ts'
import type { ThermostatWiring } from '@caretaker/rules/boilers/thermostats.ts'
import { thermostatWirings } from '@caretaker/rules/boilers/thermostats.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { Device, DeviceFault } from './devices.ts'
import { DeviceId, TenantId, Timestamp, line } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import type { Call } from './call.ts'
import * as calls from './calls/boilers.ts'

/** A device that speaks through a boiler's module, or through what does. */
export const ConnectedDevice = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    productId: z.enum(productCodes),
    /** The product in words. */
    deviceType: z.string(),
    status: z.enum(deviceStatuses),
    /** Why it has its status, in a word or two; null where the status says it all. */
    statusReason: z.string().nullable(),
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
    /** What it last said of itself. */
    reported: z.record(z.string(), z.unknown()),
    /** What it speaks through. */
    parentId: z.string().nullable(),
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
  ...calls.getBoiler,
  summary: 'One device of the boiler listing: what it is, how it is set, and the devices that are connected to it.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(Boiler),
})

/** A number or text of which a rule says what is wrong with it, as it says it to who types it. */
const ruled = <T extends z.ZodType<string | number>>(value: T, fault: (text: string) => string | undefined) =>
  value.superRefine((given, context) => {
    const message = fault(String(given))
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
const ChSetPoint = ruled(z.number(), chMaxFault).meta({ minimum: chMaxRange.min, maximum: chMaxRange.max })
const DhwSetPoint = ruled(z.number(), dhwSetPointFault).meta({ minimum: dhwRange.min, maximum: dhwRange.max })

const ofBoiler = { tenant: TenantId, deviceId: DeviceId }
/** A command that was stored for a device and waits for the device to confirm it. */
const Asked = z.object({ status: z.enum(['queued', 'failed']), commandId: z.string() })

export const updateChSetPoint = route({
  ...calls.updateChSetPoint,
  summary: 'Asks a boiler for another CH max, in °C, from 30 to 80.',
  body: z.strictObject({ ...ofBoiler, chSetPoint: ChSetPoint }),
  reply: envelope(Asked),
})

const toggle = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    summary,
    body: z.strictObject({ ...ofBoiler, isLimited: z.boolean() }),
    reply: envelope(Asked),
  })
export const toggleCHAccess = toggle(calls.toggleCHAccess, 'Asks a boiler to limit its heating, or not to.')
export const toggleBoilerBuzzer = toggle(calls.toggleBoilerBuzzer, 'Asks a boiler to sound its buzzer, or not to.')

export const updateOccupierAddress = route({
  ...calls.updateOccupierAddress,
  summary: "Changes the address of a boiler's property, written in one line.",
  body: z.strictObject({ ...ofBoiler, occupierAddress: ruled(line(addressLength), addressFault) }),
  reply: envelope(z.object({ address: z.string() })),
})

export const updateOccupierId = route({
  ...calls.updateOccupierId,
  summary: "Changes the reference of a boiler's property; refused when another property has it.",
  body: z.strictObject({ ...ofBoiler, occupierId: ruled(line(referenceLength), referenceFault) }),
  reply: envelope(z.object({ occupierId: z.string() })),
})

const ofTenant = z.object({ tenant: TenantId, id: DeviceId })

/** The document names no method: the server takes both (decisions, 5). */
const bcmSettings = <M extends 'PUT' | 'PATCH', A extends string>(call: Call<M, A>) =>
  route({
    ...call,
    summary: 'Asks a boiler for another DHW set point, in °C, from 40 to 65.',
    params: ofTenant,
    body: z.strictObject({ dhwSetPoint: DhwSetPoint }),
    reply: Asked,
  })
export const putBcmSettings = bcmSettings(calls.putBcmSettings)
export const patchBcmSettings = bcmSettings(calls.patchBcmSettings)

/** More than any power switch has. */
const mostRelays = 8

const powerSwitchSettings = <M extends 'PUT' | 'PATCH', A extends string>(call: Call<M, A>) =>
  route({
    ...call,
    summary: 'Asks a power switch to turn relays on or off, by their number.',
    params: ofTenant,
    body: z.strictObject({
      relayPower: z
        .record(z.string().regex(/^[1-9]\d?$/, 'must be the number of a relay'), z.boolean())
        .refine((relays) => Object.keys(relays).length > 0 && Object.keys(relays).length <= mostRelays, {
          message: `must name 1 to ${mostRelays} relays`,
        }),
    }),
    /** The command for each relay. */
    reply: z.object({ commands: z.array(Asked.extend({ relayId: z.string() })) }),
  })
export const putPowerSwitchSettings = powerSwitchSettings(calls.putPowerSwitchSettings)
export const patchPowerSwitchSettings = powerSwitchSettings(calls.patchPowerSwitchSettings)
