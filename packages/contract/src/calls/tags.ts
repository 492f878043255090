import type { Call } from '../call.ts'

const accessRightsTags = '/api/Tenants/{tenant}/AccessRightsTags'

export const getTenantTags = { method: 'POST', path: '/api/GetTenantTags', may: 'enter tenant' } as const satisfies Call

export const tenantCreateTag = {
  method: 'POST',
  path: '/api/TenantCreateTag',
  may: 'manage tags',
} as const satisfies Call

export const tenantUpdateTag = {
  method: 'POST',
  path: '/api/TenantUpdateTag',
  may: 'change tags',
} as const satisfies Call

export const tenantDeleteTag = {
  method: 'POST',
  path: '/api/TenantDeleteTag',
  may: 'change tags',
} as const satisfies Call

export const getAccessRightsTags = {
  method: 'GET',
  path: accessRightsTags,
  may: 'enter tenant',
} as const satisfies Call

export const createAccessRightsTag = {
  method: 'POST',
  path: accessRightsTags,
  may: 'manage access rights tags',
} as const satisfies Call

export const deleteAccessRightsTag = {
  method: 'DELETE',
  path: `${accessRightsTags}/{id}`,
  may: 'manage access rights tags',
} as const satisfies Call

export const setDeviceAccessRightsTag = {
  method: 'PUT',
  path: '/api/Tenants/{tenant}/Device/{deviceId}/AccessRightsTag',
  may: 'set access rights tag',
} as const satisfies Call
