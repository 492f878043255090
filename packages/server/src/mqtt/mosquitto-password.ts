import { pbkdf2Sync, timingSafeEqual } from 'node:crypto'

/** The length of the derived key in mosquitto's password files, in bytes. */
const length = 64

/**
 * A password as mosquitto's password file contains it: `$7$iterations$salt$hash`, PBKDF2 with SHA-512. One iteration
 * suffices for device keys, which are random; `mosquitto_passwd` uses 101.
 */
export function mosquittoHash(password: string, salt: Buffer, iterations = 1): string {
  const hash = pbkdf2Sync(password, salt, iterations, length, 'sha512')
  return `$7$${iterations}$${salt.toString('base64')}$${hash.toString('base64')}`
}

interface Parts {
  iterations: number
  salt: Buffer
  hash: Buffer
}

function partsOf(text: string): Parts | undefined {
  const found = /^\$7\$(\d{1,6})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/.exec(text)
  if (!found || Number(found[1]) < 1) return undefined
  return {
    iterations: Number(found[1]),
    salt: Buffer.from(found[2]!, 'base64'),
    hash: Buffer.from(found[3]!, 'base64'),
  }
}

/** The salt of such a hash; undefined for other texts. */
export const saltIn = (text: string): Buffer | undefined => partsOf(text)?.salt

/** Whether a hash belongs to a password. */
export function isHashOf(text: string, password: string): boolean {
  const parts = partsOf(text)
  if (!parts || parts.hash.length !== length) return false
  return timingSafeEqual(parts.hash, pbkdf2Sync(password, parts.salt, parts.iterations, length, 'sha512'))
}
