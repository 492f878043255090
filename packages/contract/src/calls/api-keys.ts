import type { Call } from '../call.ts'

const keys = '/api/tenants/{tenant}/api-keys'

export const getApiKeys = { method: 'GET', path: keys, may: 'manage api keys' } as const satisfies Call

export const createApiKey = { method: 'POST', path: keys, may: 'manage api keys' } as const satisfies Call

export const revokeApiKey = {
  method: 'DELETE',
  path: `${keys}/{keyId}`,
  may: 'manage api keys',
} as const satisfies Call
