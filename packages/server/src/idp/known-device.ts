import { createHmac, timingSafeEqual } from 'node:crypto'

interface Owner {
  id: string
  /** Of the password: with a new password all devices are strangers again. */
  hash: string
}

const year = 31_536_000

/** Over HTTPS no other host of the domain can set a cookie with this prefix. */
const nameOf = ({ id }: Owner, secure: boolean) => `${secure ? '__Host-' : ''}known_${id}`
const sealOf = (key: string, { id, hash }: Owner) =>
  createHmac('sha256', key).update(`known device\n${id}\n${hash}`).digest('base64url')

/** The cookie by which the sign-in page knows a browser from which somebody has signed in before. */
export function deviceCookie(keys: readonly string[], owner: Owner, secure: boolean): string {
  const attributes = `Path=${secure ? '/' : '/login'}; Max-Age=${year}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return `${nameOf(owner, secure)}=${sealOf(keys[0]!, owner)}; ${attributes}`
}

/** Whether the cookies of a request are those of such a browser. */
export function isKnownDevice(keys: readonly string[], owner: Owner, secure: boolean, cookies = ''): boolean {
  const [, seal] = new RegExp(`(?:^|; *)${nameOf(owner, secure)}=([\\w-]+)`).exec(cookies) ?? []
  if (seal === undefined) return false
  const given = Buffer.from(seal)
  return keys.some((key) => {
    const expected = Buffer.from(sealOf(key, owner))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
