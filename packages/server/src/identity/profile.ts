import { emailPattern } from '@caretaker/rules/forms/validators.ts'

/** What a provider tells of a person. Providers differ: everything but an address is optional, and nothing optional keeps anybody out. */
export interface Profile {
  email: string
  emailVerified: boolean
  name: string
  picture: string | undefined
}

/** Characters that are kept. */
const longest = { email: 320, name: 200, picture: 2000 }

/** An address in a claim, composed and in small letters. */
export function addressIn(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const address = claim.trim().normalize('NFC').toLowerCase()
  return address.length <= longest.email && emailPattern.test(address) ? address : undefined
}

/**
 * The profile in the claims of a token or of the user info; undefined where they name no address. Without `email` the preferred user name
 * counts, if it is an address: what the provider says of `email` is not said of that, so that it is verified only where its
 * addresses are trusted.
 */
export function profileIn(claims: Record<string, unknown>, trustsEmails: boolean): Profile | undefined {
  const own = addressIn(claims.email)
  const email = own ?? addressIn(claims.preferred_username)
  if (email === undefined) return undefined
  const said = own === undefined ? undefined : booleanIn(claims.email_verified)
  const picture = textIn(claims.picture)
  return {
    email,
    emailVerified: said ?? trustsEmails,
    name: nameIn(claims) ?? email,
    picture: picture && picture.length <= longest.picture ? picture : undefined,
  }
}

/** Some providers write it as a text; undefined where nothing is said. */
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
  // Not through the middle of a sign.
  return name && [...name].slice(0, longest.name).join('')
}
