import type { Call } from '../call.ts'

export const getBoilerFaults = {
  method: 'POST',
  path: '/api/GetBoilerFaults',
  may: 'see boilers',
} as const satisfies Call
