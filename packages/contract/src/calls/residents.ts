import type { Call } from '../call.ts'

const residentApp = '/api/Tenants/{tenant}/Settings/ResidentApp'
const appKeys = '/api/tenants/{tenant}/resident-app/keys'

export const getResidentAppSettings = { method: 'GET', path: residentApp, may: 'see settings' } as const satisfies Call

export const setResidentAppSettings = {
  method: 'POST',
  path: residentApp,
  may: 'set resident app',
} as const satisfies Call

export const getResidentAppKeys = { method: 'GET', path: appKeys, may: 'manage api keys' } as const satisfies Call

export const createResidentAppKey = { method: 'POST', path: appKeys, may: 'manage api keys' } as const satisfies Call

export const revokeResidentAppKey = {
  method: 'DELETE',
  path: `${appKeys}/{keyId}`,
  may: 'manage api keys',
} as const satisfies Call

export const getResidents = {
  method: 'GET',
  path: '/api/Tenants/{tenant}/Residents',
  may: 'see residents',
} as const satisfies Call

export const approveResidence = {
  method: 'POST',
  path: '/api/Residences/Access/Approve',
  may: 'manage residents',
} as const satisfies Call

export const revokeResidence = {
  method: 'POST',
  path: '/api/Residences/Access/Revoke',
  may: 'manage residents',
} as const satisfies Call

export const requestResidence = {
  method: 'POST',
  path: '/api/tenants/{tenant}/resident-app/users/{userId}/residences',
  may: 'resident app',
} as const satisfies Call

export const getAppResident = {
  method: 'GET',
  path: '/api/tenants/{tenant}/resident-app/users/{userId}',
  may: 'resident app',
} as const satisfies Call
