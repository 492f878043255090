import { z } from 'zod'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { Device } from './devices.ts'
import { DeviceId, TenantId } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'

/** A device that speaks through a boiler control module: it has no page of its own. */
export const ConnectedDevice = Device.extend({
  status: z.enum(deviceStatuses),
  /** Its address in the radio network, 16 hexadecimal digits; null where it has none or has not said it. */
  eui64: z.string().nullable(),
}).meta({ id: 'ConnectedDevice' })
export type ConnectedDevice = z.infer<typeof ConnectedDevice>

export const getConnectedDevices = route({
  method: 'POST',
  path: '/api/GetConnectedDevices',
  may: 'see boilers',
  summary:
    'The devices that speak through a boiler control module, as far as one may see them, by their serial numbers.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(ConnectedDevice)),
})
