import type { Refusal } from '@caretaker/contract/refusal.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Context } from '../context.ts'

/** The faults of access tokens, and advice for the operator. */
const hints = {
  opaque:
    'The token is not a signed JWT. Configure the identity provider to issue JWT access tokens, usually by defining an API with the identifier OIDC_AUDIENCE.',
  malformed: 'The token looks like a JWT but is not valid.',
  issuer: 'The issuer differs from OIDC_ISSUER. The two must match exactly.',
  audience: 'The audience differs from OIDC_AUDIENCE.',
  expired: 'The token has expired. If that happens immediately, compare the clocks of the two servers.',
  'not yet valid': 'The token is not valid yet. Compare the clocks of the two servers.',
  signature: 'The signature does not match the key that the token names.',
  key: 'The identity provider does not publish the key that signed the token.',
  'keys unavailable': 'The keys of the identity provider cannot be read (jwks_uri of its discovery document).',
  algorithm: 'The token must be signed with RS256, PS256, ES256 or EdDSA.',
  type: 'The token is not an access token. It may be an ID token.',
  'missing claim': 'The token lacks a required claim.',
  profile:
    'Neither the access token nor the user info endpoint contains a valid e-mail address. The operations manual lists the claims that the provider must release.',
  'user info': 'The user info endpoint of the identity provider refused the token or did not answer.',
} as const
export type TokenFault = keyof typeof hints
export const tokenFaults = Object.keys(hints) as TokenFault[]

/** Milliseconds between two log lines about the same fault, so that sending tokens cannot fill a disk. */
const quiet = 60_000
/** Characters logged of a claim, whose length the sender decides. */
const longest = 200

interface LoggedFault {
  at: number
  unlogged: number
}
const loggedFaults = new WeakMap<Context['log'], Map<TokenFault, LoggedFault>>()

/**
 * Returns the refusal of a token, and logs its fault at most once a minute per kind of fault, with the number refused
 * since. `about` must contain neither the token nor anything that identifies its owner.
 */
export function refuseToken(
  log: Context['log'],
  fault: TokenFault,
  about: Record<string, unknown> = {},
  now = Date.now(),
): Refusal {
  const ofLog = loggedFaults.get(log) ?? new Map<TokenFault, LoggedFault>()
  loggedFaults.set(log, ofLog)
  const last = ofLog.get(fault)
  if (last && now - last.at < quiet && now >= last.at) last.unlogged++
  else {
    ofLog.set(fault, { at: now, unlogged: 0 })
    const more = last?.unlogged ? { refusedSince: last.unlogged } : {}
    log.warn({ reason: fault, ...about, ...more, hint: hints[fault] }, 'an access token was refused')
  }
  return refuse('unauthorized', sentences[fault])
}

/** Shown to a person whose provider has signed them in. A token that may be forged gets no details. */
const sentences: Partial<Record<TokenFault, string>> = {
  profile: 'Your account at the identity provider has no e-mail address. Ask its administrator to add one.',
  'user info': 'The identity provider did not send your profile. Please try again in a minute.',
  'keys unavailable': 'The identity provider cannot be reached to check your sign-in. Please try again in a minute.',
  'not yet valid': 'The clocks of the identity provider and of this server differ. Please contact your administrator.',
}

/** A claim signed by the issuer, shortened for the log. */
export const claimText = (claim: string | readonly string[] = 'none'): string => String(claim).slice(0, longest)
