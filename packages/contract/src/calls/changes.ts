import type { Call } from '../call.ts'

/** Devices of which a stream tells everything: those of a home. */
export const mostWatched = 50

export const streamChanges = {
  method: 'GET',
  path: '/api/tenants/{tenant}/changes',
  may: 'enter tenant',
} as const satisfies Call
