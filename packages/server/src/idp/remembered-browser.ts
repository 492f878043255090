import { createHmac, timingSafeEqual } from 'node:crypto'

interface Owner {
  id: string
  /** The password's hash: a new password makes the account forget its browsers. */
  hash: string
  /** A change to the second factors does so too. */
  factorsChangedAt: Date | null
}

export const daysRemembered = 30

/** Over HTTPS no other host of the domain can set a cookie with this prefix. */
const nameOf = ({ id }: Owner, secure: boolean) => `${secure ? '__Host-' : ''}remembered_${id}`
const sealOf = (key: string, { id, hash, factorsChangedAt }: Owner, until: number) =>
  createHmac('sha256', key)
    .update(['remembered browser', id, hash, factorsChangedAt?.toISOString() ?? '', until].join('\n'))
    .digest('base64url')

/** The cookie with which a browser needs no second factor for a limited time. */
export function rememberedCookie(keys: readonly string[], owner: Owner, secure: boolean, now = Date.now()): string {
  const seconds = daysRemembered * 86_400
  const until = Math.floor(now / 1000) + seconds
  const attributes = `Path=${secure ? '/' : '/login'}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return `${nameOf(owner, secure)}=${until}.${sealOf(keys[0]!, owner, until)}; ${attributes}`
}

/** Whether the request comes from a remembered browser of this account. */
export function isRemembered(
  keys: readonly string[],
  owner: Owner,
  secure: boolean,
  cookies = '',
  now = Date.now(),
): boolean {
  const found = new RegExp(`(?:^|; *)${nameOf(owner, secure)}=(\\d{1,12})\\.([\\w-]+)`).exec(cookies)
  if (!found) return false
  const [until, given] = [Number(found[1]), Buffer.from(found[2]!)]
  if (until * 1000 < now) return false
  return keys.some((key) => {
    const expected = Buffer.from(sealOf(key, owner, until))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
