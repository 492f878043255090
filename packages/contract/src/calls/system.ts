import type { Call } from '../call.ts'

export const getSystemStatus = {
  method: 'GET',
  path: '/api/system-status',
  may: 'see system status',
} as const satisfies Call
