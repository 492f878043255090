import type { Call } from '../call.ts'

const path = '/api/tenants/{tenant}/devices/{deviceId}/key'

export const getDeviceKey = { method: 'GET', path, may: 'manage device keys' } as const satisfies Call

export const replaceDeviceKey = { method: 'POST', path, may: 'manage device keys' } as const satisfies Call

export const revokeDeviceKey = { method: 'DELETE', path, may: 'manage device keys' } as const satisfies Call

export const getDeviceKeys = {
  method: 'GET',
  path: '/api/tenants/{tenant}/device-keys',
  may: 'manage device keys',
} as const satisfies Call
