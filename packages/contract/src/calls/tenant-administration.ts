import type { Call } from '../call.ts'

const ofClients = '/api/internal/tenants'

export const listTenants = { method: 'GET', path: ofClients, may: 'administer tenants' } as const satisfies Call

export const getTenantSetup = {
  method: 'GET',
  path: `${ofClients}/{tenant}`,
  may: 'administer tenants',
} as const satisfies Call

export const addTenant = { method: 'POST', path: '/api/AddTenant', may: 'administer tenants' } as const satisfies Call

export const editTenant = { method: 'POST', path: '/api/EditTenant', may: 'administer tenants' } as const satisfies Call

export const setTimeZone = {
  method: 'PUT',
  path: `${ofClients}/{tenant}/timeZone`,
  may: 'administer tenants',
} as const satisfies Call

export const setUnknownMetrics = {
  method: 'PUT',
  path: `${ofClients}/{tenant}/unknownMetrics`,
  may: 'administer tenants',
} as const satisfies Call

/** The largest logo in bytes; it is sent with each of the client's pages. */
export const largestLogo = 100_000

export const setLogo = {
  method: 'PUT',
  path: `${ofClients}/{tenant}/logo`,
  may: 'administer tenants',
} as const satisfies Call

export const inviteManager = {
  method: 'POST',
  path: `${ofClients}/{tenant}/managers`,
  may: 'administer tenants',
} as const satisfies Call

export const joinTenant = {
  method: 'POST',
  path: `${ofClients}/{tenant}/join`,
  may: 'administer tenants',
} as const satisfies Call

export const setLicences = {
  method: 'PUT',
  path: `${ofClients}/{tenant}/licences`,
  may: 'switch features',
} as const satisfies Call

export const suspendTenant = {
  method: 'POST',
  path: `${ofClients}/{tenant}/suspend`,
  may: 'administer tenants',
} as const satisfies Call

export const resumeTenant = {
  method: 'POST',
  path: `${ofClients}/{tenant}/resume`,
  may: 'administer tenants',
} as const satisfies Call
