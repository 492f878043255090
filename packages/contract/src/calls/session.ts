import type { Call } from '../call.ts'

export const getSession = { method: 'GET', path: '/api/session', may: 'signed in' } as const satisfies Call

export const getTenants = { method: 'POST', path: '/api/GetTenants', may: 'signed in' } as const satisfies Call

export const getClientSettings = { method: 'GET', path: '/api/settings', may: 'anyone' } as const satisfies Call

/** The stored length of a rendering error, in characters; its beginning shows where the error occurred. */
export const errorLengths = { message: 1000, stack: 4000 } as const

export const logError = { method: 'POST', path: '/api/LogError', may: 'signed in' } as const satisfies Call
