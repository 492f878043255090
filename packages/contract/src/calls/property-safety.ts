import type { Call } from '../call.ts'

const path = '/api/tenants/{tenant}/properties/{propertyId}'

export const getPropertySafety = {
  method: 'GET',
  path: `${path}/safety`,
  may: 'see properties',
} as const satisfies Call

export const addHomeAppliance = {
  method: 'POST',
  path: `${path}/appliances`,
  may: 'edit property',
} as const satisfies Call

export const removeHomeAppliance = {
  method: 'DELETE',
  path: `${path}/appliances/{applianceId}`,
  may: 'edit property',
} as const satisfies Call
