import type { Call } from '../call.ts'

/** The `WWW-Authenticate` error for a call that requires a more recent sign-in (RFC 9470, section 3). */
export const oldSignInError = 'insufficient_user_authentication'

const account = '/api/internal/account'
const may = 'signed in'

export const getAccountSecurity = { method: 'GET', path: `${account}/security`, may } as const satisfies Call

export const beginPasskey = { method: 'POST', path: `${account}/passkeys/options`, may } as const satisfies Call

export const addPasskey = { method: 'POST', path: `${account}/passkeys`, may } as const satisfies Call

export const removePasskey = { method: 'DELETE', path: `${account}/passkeys/{passkeyId}`, may } as const satisfies Call

export const beginAuthenticatorApp = {
  method: 'POST',
  path: `${account}/authenticator-app`,
  may: may,
} as const satisfies Call

export const addAuthenticatorApp = {
  method: 'PUT',
  path: `${account}/authenticator-app`,
  may: may,
} as const satisfies Call

export const removeAuthenticatorApp = {
  method: 'DELETE',
  path: `${account}/authenticator-app`,
  may: may,
} as const satisfies Call

export const renewRecoveryCodes = { method: 'POST', path: `${account}/recovery-codes`, may } as const satisfies Call

export const getBrowserSessions = { method: 'GET', path: `${account}/sessions`, may } as const satisfies Call

export const endBrowserSession = {
  method: 'DELETE',
  path: `${account}/sessions/{sessionId}`,
  may: may,
} as const satisfies Call

export const endOtherBrowserSessions = {
  method: 'POST',
  path: `${account}/sessions/end-others`,
  may: may,
} as const satisfies Call
