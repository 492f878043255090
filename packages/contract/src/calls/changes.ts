import type { Call } from '../call.ts'

/** The most devices that a stream may watch: those of a home. */
export const mostWatched = 50

export const streamChanges = {
  method: 'GET',
  path: '/api/tenants/{tenant}/changes',
  may: 'enter tenant',
} as const satisfies Call
