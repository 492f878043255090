import type { Call } from '../call.ts'

export const getPropertyLicences = {
  method: 'GET',
  path: '/api/tenants/{tenant}/properties/{propertyId}/licences',
  may: 'see property services',
} as const satisfies Call
