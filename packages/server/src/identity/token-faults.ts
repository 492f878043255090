import type { Refusal } from '@caretaker/contract/refusal.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Context } from '../context.ts'

/** What can be wrong with an access token, and what an operator looks at then. */
const hints = {
  opaque:
    'It is no signed JWT. Let the identity provider issue JWT access tokens, usually by defining an API with the identifier OIDC_AUDIENCE.',
  malformed: 'It looks like a JWT and is none.',
  issuer: 'It was issued by another issuer than OIDC_ISSUER, which must be the same to the last character.',
  audience: 'It was issued for another audience than OIDC_AUDIENCE.',
  expired: 'It is too old. Where that happens at once, compare the clocks of the two servers.',
  'not yet valid': 'It counts only from a later time. Compare the clocks of the two servers.',
  signature: 'It was not signed by the key that it names.',
  key: 'The identity provider does not publish the key that it was signed with.',
  'keys unavailable': 'The keys of the identity provider cannot be read (jwks_uri of its discovery document).',
  algorithm: 'It must be signed by RS256, PS256, ES256 or EdDSA.',
  type: 'It is no access token, but perhaps an ID token.',
  'missing claim': 'A claim that every access token needs is missing.',
  profile:
    'Neither the access token nor the user info endpoint names a valid e-mail, nor a preferred_username that is one. The operations manual says which claims the provider must release.',
  'user info': 'The user info endpoint of the identity provider refused it or did not answer.',
} as const
export type TokenFault = keyof typeof hints
export const tokenFaults = Object.keys(hints) as TokenFault[]

/** Milliseconds between two lines about the same fault: nobody can fill a disk by sending tokens. */
const quiet = 60_000
/** Characters of a claim: whoever signs tokens decides its length. */
const longest = 200

interface Said {
  at: number
  unsaid: number
}
const said = new WeakMap<Context['log'], Map<TokenFault, Said>>()

/**
 * The refusal of a token whose fault the log names, once a minute for each kind of fault, with how many were refused since. `about`
 * never holds the token, nor what tells whose it is.
 */
export function refuseToken(
  log: Context['log'],
  fault: TokenFault,
  about: Record<string, unknown> = {},
  now = Date.now(),
): Refusal {
  const ofLog = said.get(log) ?? new Map<TokenFault, Said>()
  said.set(log, ofLog)
  const last = ofLog.get(fault)
  if (last && now - last.at < quiet && now >= last.at) last.unsaid++
  else {
    ofLog.set(fault, { at: now, unsaid: 0 })
    const more = last?.unsaid ? { refusedSince: last.unsaid } : {}
    log.warn({ reason: fault, ...about, ...more, hint: hints[fault] }, 'an access token was refused')
  }
  return refuse('unauthorized', sentences[fault])
}

/** What the page shows to a person whom their provider has signed in. Of a token that may be forged nothing is said. */
const sentences: Partial<Record<TokenFault, string>> = {
  profile: 'Your account at the identity provider has no e-mail address. Ask its administrator to add one.',
  'user info': 'The identity provider did not answer who you are. Please try again in a minute.',
  'keys unavailable': 'The identity provider cannot be reached to check your sign-in. Please try again in a minute.',
  'not yet valid':
    'The clocks of the identity provider and of this server differ. Please tell the person who runs them.',
}

/** A claim that the issuer has signed, as a line of the log may hold it. */
export const claimText = (claim: string | readonly string[] = 'none'): string => String(claim).slice(0, longest)
