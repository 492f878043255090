import { emailPattern } from '@caretaker/rules/forms/validators.ts'

/**
 * A person's profile at a provider. Providers differ: only the e-mail address is required, and no one is refused for a
 * missing optional claim.
 */
export interface Profile {
  email: string
  emailVerified: boolean
  name: string
  picture: string | undefined
}

/** Characters kept of each claim. */
const longest = { email: 320, name: 200, picture: 2000 }

/** An e-mail address in a claim, NFC-normalised and in lower case. */
export function addressIn(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const address = claim.trim().normalize('NFC').toLowerCase()
  return address.length <= longest.email && emailPattern.test(address) ? address : undefined
}

/**
 * The profile in the claims of a token or of the user info; undefined if they contain no e-mail address. If `email` is
 * missing, a `preferred_username` that is an address is used; `email_verified` does not apply to it, so it is verified
 * only if the provider's addresses are trusted.
 */
export function profileIn(claims: Record<string, unknown>, trustsEmails: boolean): Profile | undefined {
  const own = addressIn(claims.email)
  const email = own ?? addressIn(claims.preferred_username)
  if (email === undefined) return undefined
  const reportedVerified = own === undefined ? undefined : booleanIn(claims.email_verified)
  const picture = textIn(claims.picture)
  return {
    email,
    emailVerified: reportedVerified ?? trustsEmails,
    name: nameIn(claims) ?? email,
    picture: picture && picture.length <= longest.picture ? picture : undefined,
  }
}

/** Some providers send it as a string; undefined if the claim is missing. */
function booleanIn(claim: unknown): boolean | undefined {
  if (claim === undefined || claim === null || claim === '') return undefined
  return claim === true || (typeof claim === 'string' && claim.trim().toLowerCase() === 'true')
}

const textIn = (claim: unknown): string | undefined =>
  (typeof claim === 'string' &&
    claim
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()) ||
  undefined

function nameIn(claims: Record<string, unknown>): string | undefined {
  const parts = [textIn(claims.given_name), textIn(claims.family_name)].filter(Boolean).join(' ')
  const name = textIn(claims.name) ?? (parts || undefined)
  // Cut by code points, never through the middle of one.
  return name && [...name].slice(0, longest.name).join('')
}
