import type { Call } from '../call.ts'

const path = '/api/internal/tenants/{tenant}/provisioning'
const may = 'manage sign-in policy'

export const getProvisioning = { method: 'GET', path, may } as const satisfies Call

export const setProvisioning = { method: 'PUT', path, may } as const satisfies Call

export const createProvisioningKey = { method: 'POST', path: `${path}/keys`, may } as const satisfies Call

export const revokeProvisioningKey = { method: 'DELETE', path: `${path}/keys/{keyId}`, may } as const satisfies Call
