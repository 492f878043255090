import type { Call } from '../call.ts'

const users = '/api/tenants/{tenant}/users'

export const listUsers = { method: 'GET', path: users, may: 'see users' } as const satisfies Call

export const createUser = { method: 'POST', path: users, may: 'administer users' } as const satisfies Call

export const updateUserDetails = {
  method: 'PUT',
  path: `${users}/{id}/UserDetails`,
  may: 'administer users',
} as const satisfies Call

export const updateUserTags = {
  method: 'PUT',
  path: `${users}/{id}/Tags`,
  may: 'administer users',
} as const satisfies Call

export const updateUserRole = {
  method: 'PUT',
  path: `${users}/{id}/Roles`,
  may: 'administer users',
} as const satisfies Call

export const deleteUser = { method: 'DELETE', path: `${users}/{id}`, may: 'administer users' } as const satisfies Call

const ofMember = '/api/internal/tenants/{tenant}/users/{id}'

export const endUserSessions = {
  method: 'DELETE',
  path: `${ofMember}/sessions`,
  may: 'administer users',
} as const satisfies Call

export const resetUserSecondFactor = {
  method: 'DELETE',
  path: `${ofMember}/second-factor`,
  may: 'administer users',
} as const satisfies Call

export const resetUserPassword = {
  method: 'POST',
  path: `${users}/{id}/PasswordReset`,
  may: 'administer users',
} as const satisfies Call
