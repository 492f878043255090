import type { Call } from '../call.ts'

const path = '/api/internal/tenants/{tenant}/group-access'
const may = 'manage sign-in policy'

export const getGroupAccess = { method: 'GET', path, may } as const satisfies Call

export const setGroupAccess = { method: 'PUT', path, may } as const satisfies Call
