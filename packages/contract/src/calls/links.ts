import type { Call } from '../call.ts'

export const getDeviceBySerial = {
  method: 'POST',
  path: '/api/GetDeviceBySerial',
  may: 'see device',
} as const satisfies Call

/** Shown when no boiler control module is found (devices specification, 2). */
export const noAssociatedBcm = 'Failed to find associated BCM'

export const getBcmConnectedDevice = {
  method: 'POST',
  path: '/api/GetBcmConnectedDevice',
  may: 'see boilers',
} as const satisfies Call
