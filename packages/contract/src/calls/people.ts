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

/**
 * The header that identifies the member a manager is viewing the portal as: `{tenant}/{viewingId}`. The server then
 * refuses all changes.
 */
export const viewingHeader = 'x-viewing-as'

/** The longest time for which a manager views the portal as another user. */
export const viewingMinutes = 30

/** The error message for calls once the manager no longer views the portal as another user. */
export const viewingEndedText = 'You no longer view the portal as another user.'

/** The error message for changes while a manager views the portal as another user. */
export const viewingText = (name: string): string => `You are viewing as ${name}; stop to make changes.`

export const startViewing = {
  method: 'POST',
  path: `${ofMember}/viewing`,
  may: 'view as users',
} as const satisfies Call

export const endViewing = {
  method: 'DELETE',
  path: '/api/internal/tenants/{tenant}/viewings/{viewingId}',
  may: 'view as users',
} as const satisfies Call
