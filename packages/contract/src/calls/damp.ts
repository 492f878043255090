import type { Call } from '../call.ts'

export const getPropertyDamp = {
  method: 'GET',
  path: '/api/tenants/{tenant}/properties/{propertyId}/damp',
  may: 'see properties',
} as const satisfies Call

export const getPropertyDampCells = {
  method: 'GET',
  path: '/api/tenants/{tenant}/properties/{propertyId}/damp/cells',
  may: 'see properties',
} as const satisfies Call
