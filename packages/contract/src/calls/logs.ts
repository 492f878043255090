import type { Call } from '../call.ts'

export const getDeviceLogs = {
  method: 'POST',
  path: '/api/GetDeviceLogs',
  may: 'see device history',
} as const satisfies Call
