import type { Call } from '../call.ts'

export const getPropertyVoid = {
  method: 'GET',
  path: '/api/tenants/{tenant}/properties/{propertyId}/void',
  may: 'see properties',
} as const satisfies Call

export const askVoidAgain = {
  method: 'POST',
  path: '/api/tenants/{tenant}/properties/{propertyId}/void/again',
  may: 'edit property',
} as const satisfies Call
