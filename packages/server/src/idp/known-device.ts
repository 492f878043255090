import { createHmac, timingSafeEqual } from 'node:crypto'

interface Owner {
  id: string
  /** The password's hash: a new password makes all devices unknown again. */
  hash: string
}

const year = 31_536_000

/** Over HTTPS no other host of the domain can set a cookie with this prefix. */
const nameOf = ({ id }: Owner, secure: boolean) => `${secure ? '__Host-' : ''}known_${id}`
const sealOf = (key: string, { id, hash }: Owner) =>
  createHmac('sha256', key).update(`known device\n${id}\n${hash}`).digest('base64url')

/** The cookie that marks a browser from which the account was signed in to. */
export function deviceCookie(keys: readonly string[], owner: Owner, secure: boolean): string {
  const attributes = `Path=${secure ? '/' : '/login'}; Max-Age=${year}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return `${nameOf(owner, secure)}=${sealOf(keys[0]!, owner)}; ${attributes}`
}

/** Whether the request has that cookie for this account. */
export function isKnownDevice(keys: readonly string[], owner: Owner, secure: boolean, cookies = ''): boolean {
  const [, seal] = new RegExp(`(?:^|; *)${nameOf(owner, secure)}=([\\w-]+)`).exec(cookies) ?? []
  if (seal === undefined) return false
  const given = Buffer.from(seal)
  return keys.some((key) => {
    const expected = Buffer.from(sealOf(key, owner))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
