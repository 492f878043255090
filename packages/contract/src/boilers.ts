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
import { DeviceId, TenantId, Timestamp, Version, line } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import type { Call } from './call.ts'
import * as calls from './calls/boilers.ts'

/** A device that is connected through a boiler control module, directly or through another device. */
export const ConnectedDevice = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    productId: z.enum(productCodes),
    /** The name of the product. */
    deviceType: z.string(),
    status: z.enum(deviceStatuses),
    /** The cause of the status in a word or two; null when the status needs no explanation. */
    statusReason: z.string().nullable(),
    connectionStatus: z.enum(connectionStatuses),
    lastHeard: Timestamp.nullable(),
    serialNumber: z.string(),
    /** The address of its radio; null when it has none or has not reported it. */
    eui64: z.string().nullable(),
    location: z.string().nullable(),
    locationDetails: z.string().nullable(),
    /** The circuit that each clamp of a power meter measures, by clamp number. */
    powerClamps: z.record(z.string(), z.string()).nullable(),
    fault: DeviceFault.nullable(),
    /** The state that it last reported. */
    reported: z.record(z.string(), z.unknown()),
    /** The device that it is connected through. */
    parentId: z.string().nullable(),
    parentProductId: z.enum(productCodes).nullable(),
    accessRightsTag: z.object({ id: z.string(), displayName: z.string() }).nullable(),
    inWholesale: z.boolean(),
    userHasReadOnlyAccess: z.boolean(),
  })
  .meta({ id: 'ConnectedDevice' })
export type ConnectedDevice = z.infer<typeof ConnectedDevice>

/** The requested and the reported value of a setting; null when unknown. */
const setting = <T extends z.ZodType>(value: T) => z.object({ desired: value.nullable(), reported: value.nullable() })

export const Relay = z.object({
  relayId: z.string(),
  /** The equipment that the relay switches. */
  name: z.string(),
  desiredPoweredOn: z.boolean().nullable(),
  reportedPoweredOn: z.boolean().nullable(),
})
export type Relay = z.infer<typeof Relay>

/** The power switch that controls the electricity of a heat pump: the heat saviour. */
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
    /** The state that it last reported. */
    reported: z.record(z.string(), z.unknown()),
    userHasReadOnlyAccess: z.boolean(),
  })
  .meta({ id: 'PowerSwitch' })
export type PowerSwitch = z.infer<typeof PowerSwitch>

const wirings = Object.keys(thermostatWirings) as [ThermostatWiring, ...ThermostatWiring[]]

/** A boiler or heat pump with all details. */
export const Boiler = Device.extend({
  gcNumber: z.string().nullable(),
  manufacturer: z.string().nullable(),
  model: z.string().nullable(),
  heatingUnit: z.enum(heatingUnits),
  /** Never a surveyor cube; null for a device that monitors no heating. */
  monitoring: z.enum(monitorings).nullable(),
  firmwareVersion: z.string().nullable(),
  /** The latest readings, in °C. */
  hotWaterTemp: z.number().nullable(),
  flowTemp: z.number().nullable(),
  thermostatKind: z.enum(wirings).nullable(),
  /** The maximum heating temperature, in °C; 10 while the property is void. */
  heatingMax: z.number().nullable(),
  occupierId: z.string().nullable(),
  /** Null when it is not in a property. */
  occupancy: z.enum(occupancies).nullable(),
  /** The last requested values: whether heating is limited, and whether the buzzer sounds. */
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
  /** The power switch of a heat pump; null without one. */
  powerSwitch: PowerSwitch.nullable(),
  connectedDevices: z.array(ConnectedDevice),
  installedAt: Timestamp,
}).meta({ id: 'Boiler' })
export type Boiler = z.infer<typeof Boiler>

export const getBoiler = route({
  ...calls.getBoiler,
  hasVersion: true,
  looksAt: { of: 'home', as: 'page', name: 'Boiler' },
  summary: 'One device of the boiler listing: its details, its settings and its connected devices.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(Boiler),
})

/** A number or text validated by a domain rule, whose message the form shows. */
const validated = <T extends z.ZodType<string | number>>(value: T, fault: (text: string) => string | undefined) =>
  value.superRefine((given, context) => {
    const message = fault(String(given))
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
const ChSetPoint = validated(z.number(), chMaxFault).meta({ minimum: chMaxRange.min, maximum: chMaxRange.max })
const DhwSetPoint = validated(z.number(), dhwSetPointFault).meta({ minimum: dhwRange.min, maximum: dhwRange.max })

const ofBoiler = { tenant: TenantId, deviceId: DeviceId }
/** A command that is stored for a device and waits for the device to confirm it. */
const QueuedCommand = z.object({ status: z.enum(['queued', 'failed']), commandId: z.string() })
const QueuedSetting = QueuedCommand.extend({ version: z.number().int() })

export const updateChSetPoint = route({
  ...calls.updateChSetPoint,
  hasVersion: true,
  summary: 'Requests a new CH max for a boiler, in °C, from 30 to 80.',
  body: z.strictObject({ ...ofBoiler, chSetPoint: ChSetPoint, version: Version.optional() }),
  reply: envelope(QueuedSetting),
})

const toggle = <A extends string>(call: Call<'POST', A>, summary: string) =>
  route({
    ...call,
    hasVersion: true,
    summary,
    body: z.strictObject({ ...ofBoiler, isLimited: z.boolean(), version: Version.optional() }),
    reply: envelope(QueuedSetting),
  })
export const toggleCHAccess = toggle(
  calls.toggleCHAccess,
  'Requests that a boiler limits its heating, or stops limiting it.',
)
export const toggleBoilerBuzzer = toggle(
  calls.toggleBoilerBuzzer,
  'Requests that a boiler sounds its buzzer, or silences it.',
)

export const updateOccupierAddress = route({
  ...calls.updateOccupierAddress,
  summary: "Replaces the address of a boiler's property with one line of text.",
  body: z.strictObject({ ...ofBoiler, occupierAddress: validated(line(addressLength), addressFault) }),
  reply: envelope(z.object({ address: z.string() })),
})

export const updateOccupierId = route({
  ...calls.updateOccupierId,
  summary: "Changes the reference of a boiler's property. A reference that another property already has is rejected.",
  body: z.strictObject({ ...ofBoiler, occupierId: validated(line(referenceLength), referenceFault) }),
  reply: envelope(z.object({ occupierId: z.string() })),
})

const ofTenant = z.object({ tenant: TenantId, id: DeviceId })

/** The specification names no method, so the server accepts both (decisions, 5). */
const bcmSettings = <M extends 'PUT' | 'PATCH', A extends string>(call: Call<M, A>) =>
  route({
    ...call,
    hasVersion: true,
    summary: 'Requests a new DHW set point for a boiler, in °C, from 40 to 65.',
    params: ofTenant,
    body: z.strictObject({ dhwSetPoint: DhwSetPoint, version: Version.optional() }),
    reply: QueuedSetting,
  })
export const putBcmSettings = bcmSettings(calls.putBcmSettings)
export const patchBcmSettings = bcmSettings(calls.patchBcmSettings)

/** An upper bound; no power switch has this many relays. */
const mostRelays = 8

const powerSwitchSettings = <M extends 'PUT' | 'PATCH', A extends string>(call: Call<M, A>) =>
  route({
    ...call,
    summary: 'Requests that a power switch turns relays on or off, by relay number.',
    params: ofTenant,
    body: z.strictObject({
      relayPower: z
        .record(z.string().regex(/^[1-9]\d?$/, 'must be a relay number'), z.boolean())
        .refine((relays) => Object.keys(relays).length > 0 && Object.keys(relays).length <= mostRelays, {
          message: `must name 1 to ${mostRelays} relays`,
        }),
    }),
    /** One command for each relay. */
    reply: z.object({ commands: z.array(QueuedCommand.extend({ relayId: z.string() })) }),
  })
export const putPowerSwitchSettings = powerSwitchSettings(calls.putPowerSwitchSettings)
export const patchPowerSwitchSettings = powerSwitchSettings(calls.patchPowerSwitchSettings)
