import type { Call } from '../call.ts'

export const getTenantInfo = { method: 'POST', path: '/api/GetTenantInfo', may: 'enter tenant' } as const satisfies Call

export const getFeatures = {
  method: 'GET',
  path: '/api/internal/tenants/{tenant}/features',
  may: 'enter tenant',
} as const satisfies Call

export const getCapabilities = {
  method: 'GET',
  path: '/api/internal/tenants/{tenant}/capabilities',
  may: 'enter tenant',
} as const satisfies Call

export const switchFeature = {
  method: 'PUT',
  path: '/api/internal/tenants/{tenant}/features/{feature}',
  may: 'switch features',
} as const satisfies Call

export const switchCapability = {
  method: 'PUT',
  path: '/api/internal/tenants/{tenant}/capabilities/{capability}',
  may: 'switch features',
} as const satisfies Call

export const getSignInPolicy = {
  method: 'GET',
  path: '/api/internal/tenants/{tenant}/sign-in-policy',
  may: 'manage sign-in policy',
} as const satisfies Call

export const setSignInPolicy = {
  method: 'PUT',
  path: '/api/internal/tenants/{tenant}/sign-in-policy',
  may: 'manage sign-in policy',
} as const satisfies Call
