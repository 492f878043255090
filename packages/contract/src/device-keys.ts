import { z } from 'zod'
import { deviceKeyStates } from '@caretaker/rules/devices/keys.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { route } from './route.ts'
import { DeviceId, Timestamp, inTenant, text } from './scalars.ts'
import * as calls from './calls/device-keys.ts'

const ofDevice = inTenant.extend({ deviceId: DeviceId })

/** The key with which a device connects, and whether it is admitted; never the key itself. */
export const DeviceKey = z
  .object({
    deviceId: z.string(),
    serialNumber: z.string(),
    productId: z.enum(productCodes),
    deviceStatus: z.enum(deviceStatuses),
    /** `none` for a device that only reports through its gateway. */
    state: z.enum(deviceKeyStates),
    /** Null where there is no key, or where it is older than this record. */
    madeAt: Timestamp.nullable(),
    revokedAt: Timestamp.nullable(),
    /** Whether it holds a connection of its own; an external broker does not say so. */
    isConnected: z.boolean(),
    /** When its last connection of its own began; null where none is recorded. */
    lastConnectedAt: Timestamp.nullable(),
    /** When it last reported anything, itself or through its gateway. */
    lastHeard: Timestamp.nullable(),
    /** Since when the device is refused because it was uninstalled; null once it is installed again. */
    uninstalledAt: Timestamp.nullable(),
    /** The gateway that may report for it. */
    gateway: z.object({ deviceId: z.string(), serialNumber: z.string() }).nullable(),
  })
  .meta({ id: 'DeviceKey' })
export type DeviceKey = z.infer<typeof DeviceKey>

export const getDeviceKey = route({
  ...calls.getDeviceKey,
  summary: 'The state of the key with which a device connects: since when, last connected, revoked or not.',
  params: ofDevice,
  reply: DeviceKey,
})

/** What a device connects with. The password is shown once: only its hash is kept. */
export const DeviceCredentials = z
  .object({ username: z.string(), password: z.string(), mqttUrl: z.string() })
  .meta({ id: 'DeviceCredentials' })

export const replaceDeviceKey = route({
  ...calls.replaceDeviceKey,
  summary:
    'Gives a device a new key, which is in this answer and never again. The former key is invalid at once and its connection ends; a revoked device may connect again.',
  status: 201,
  params: ofDevice,
  reply: z.object({ deviceKey: DeviceKey, credentials: DeviceCredentials }),
})

export const revokeDeviceKey = route({
  ...calls.revokeDeviceKey,
  summary:
    'Revokes the key of a device: its connection ends, and its messages are refused until it has a new key. Revoking it again changes nothing.',
  status: 204,
  refuses: ['conflict'],
  params: ofDevice,
})

/** Devices of one answer at most. */
export const deviceKeysAtOnce = 1000

export const getDeviceKeys = route({
  ...calls.getDeviceKeys,
  summary: `The devices of the client with the state of their keys, by serial number, at most ${deviceKeysAtOnce} at once; \`next\` is the \`after\` of the next call.`,
  params: inTenant,
  query: z.strictObject({
    after: text(64).optional(),
    limit: z.coerce.number().int().min(1).max(deviceKeysAtOnce).default(100),
  }),
  reply: z.object({ results: z.array(DeviceKey), next: z.string().nullable() }),
})
