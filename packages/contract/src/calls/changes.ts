import type { Call } from '../call.ts'

/** The most devices that a stream can watch: the devices of one property. */
export const mostWatched = 50

export const streamChanges = {
  method: 'GET',
  path: '/api/tenants/{tenant}/changes',
  may: 'enter tenant',
} as const satisfies Call
