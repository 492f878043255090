import type { Call } from '../call.ts'

/** The most messages in one response. */
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
