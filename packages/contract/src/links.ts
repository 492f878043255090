import { z } from 'zod'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { DeviceId, TenantId, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/links.ts'

export { noAssociatedBcm } from './calls/links.ts'

/** A device as the hand-over to the mobile app shows it. */
export const HandoverDevice = z
  .object({
    deviceId: z.string(),
    deviceName: z.string(),
    deviceType: z.string(),
    productId: z.enum(productCodes),
    serialNumber: z.string(),
    deviceStatus: z.enum(deviceStatuses),
    inWholesale: z.boolean(),
    userHasReadOnlyAccess: z.boolean(),
    /** The BCM or gateway in the request. */
    bcmOrGateway: z
      .object({
        deviceId: z.string(),
        deviceName: z.string(),
        serialNumber: z.string(),
        productId: z.enum(productCodes),
      })
      .nullable(),
  })
  .meta({ id: 'HandoverDevice' })
export type HandoverDevice = z.infer<typeof HandoverDevice>

export const getDeviceBySerial = route({
  ...calls.getDeviceBySerial,
  summary: 'The device with a serial number and, if requested, the module or gateway that it will be connected to.',
  body: z.object({ tenant: TenantId, serialNumber: text(64).min(1), bcmOrGatewayId: DeviceId.nullish() }),
  reply: envelope(HandoverDevice),
})

export const getBcmConnectedDevice = route({
  ...calls.getBcmConnectedDevice,
  summary: `The boiler control module that a device is connected to. Without one, the call fails with '${calls.noAssociatedBcm}'.`,
  refuses: ['refused'],
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.object({ bcmId: z.string() })),
})
