import type { Call } from '../call.ts'

const ofExports = '/api/internal/tenants/{tenant}/exports'

export const startTenantExport = { method: 'POST', path: ofExports, may: 'administer tenants' } as const satisfies Call

export const getTenantExports = { method: 'GET', path: ofExports, may: 'administer tenants' } as const satisfies Call

export const getTenantExportFile = {
  method: 'GET',
  path: `${ofExports}/{exportId}/file`,
  may: 'administer tenants',
  file: 'application/zip',
} as const satisfies Call

export const deleteTenantExport = {
  method: 'DELETE',
  path: `${ofExports}/{exportId}`,
  may: 'administer tenants',
} as const satisfies Call
