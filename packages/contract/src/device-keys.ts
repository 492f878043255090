import { z } from 'zod'
import { deviceKeyStates } from '@caretaker/rules/devices/keys.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { route } from './route.ts'
import { DeviceId, Timestamp, inTenant, text } from './scalars.ts'
import * as calls from './calls/device-keys.ts'

const ofDevice = inTenant.extend({ deviceId: DeviceId })

/** The key that a device connects with, and whether the device is accepted; without the secret. */
export const DeviceKey = z
  .object({
    deviceId: z.string(),
    serialNumber: z.string(),
    productId: z.enum(productCodes),
    deviceStatus: z.enum(deviceStatuses),
    /** `none` for a device that reports only through its gateway. */
    state: z.enum(deviceKeyStates),
    /** Null when there is no key, or when the key was created before this was recorded. */
    madeAt: Timestamp.nullable(),
    revokedAt: Timestamp.nullable(),
    /** Whether it has its own connection now; false when an external broker does not report this. */
    isConnected: z.boolean(),
    /** The start of its last own connection; null when none is recorded. */
    lastConnectedAt: Timestamp.nullable(),
    /** When it last reported, directly or through its gateway. */
    lastHeard: Timestamp.nullable(),
    /** When the device was uninstalled; it is rejected from then on. Null once it is installed again. */
    uninstalledAt: Timestamp.nullable(),
    /** The gateway that may report for it. */
    gateway: z.object({ deviceId: z.string(), serialNumber: z.string() }).nullable(),
  })
  .meta({ id: 'DeviceKey' })
export type DeviceKey = z.infer<typeof DeviceKey>

export const getDeviceKey = route({
  ...calls.getDeviceKey,
  summary: 'The state of the key that a device connects with: when it was created, last used and revoked.',
  params: ofDevice,
  reply: DeviceKey,
})

/** The credentials of a device. The password is returned once, because only its hash is stored. */
export const DeviceCredentials = z
  .object({ username: z.string(), password: z.string(), mqttUrl: z.string() })
  .meta({ id: 'DeviceCredentials' })

export const replaceDeviceKey = route({
  ...calls.replaceDeviceKey,
  returnsSecret: true,
  summary:
    'Creates a new key for a device and returns it; it is not shown again. The previous key stops working at once and its connection is closed. A revoked device can connect again with the new key.',
  status: 201,
  params: ofDevice,
  reply: z.object({ deviceKey: DeviceKey, credentials: DeviceCredentials }),
})

export const revokeDeviceKey = route({
  ...calls.revokeDeviceKey,
  summary:
    'Revokes the key of a device: its connection is closed, and its messages are rejected until it has a new key. Revoking it again changes nothing.',
  status: 204,
  refuses: ['conflict'],
  params: ofDevice,
})

/** The most devices in one response. */
export const deviceKeysAtOnce = 1000

export const getDeviceKeys = route({
  ...calls.getDeviceKeys,
  summary: `The devices of the client with the state of their keys, by serial number, up to ${deviceKeysAtOnce} a page. Pass \`next\` as the \`after\` of the following call.`,
  params: inTenant,
  query: z.strictObject({
    after: text(64).optional(),
    limit: z.coerce.number().int().min(1).max(deviceKeysAtOnce).default(100),
  }),
  reply: z.object({ results: z.array(DeviceKey), next: z.string().nullable() }),
})
