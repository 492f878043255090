import type { Call } from '../call.ts'

/** Messages that one answer holds at most. */
export const mostMessages = 2_000

export const getDeviceMessages = {
  method: 'POST',
  path: '/api/GetDeviceMessages',
  may: 'debug device',
} as const satisfies Call

export const followDeviceMessages = {
  method: 'POST',
  path: '/api/FollowDeviceMessages',
  may: 'debug device',
} as const satisfies Call

export const getDeviceDebug = {
  method: 'POST',
  path: '/api/GetDeviceDebug',
  may: 'debug device',
} as const satisfies Call
