import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** 32 MB and about a tenth of a second for each try. */
const cost = { N: 2 ** 15, r: 8, p: 1 }
const keyLength = 32

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url: the costs stand beside the hash, so that they can be raised. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await keyOf(password, salt, cost, keyLength)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Whether the password is the one that was hashed. A text that is no such hash fits no password. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [kind, N, r, p, salt, hash, ...more] = stored.split('$')
  if (kind !== 'scrypt' || !salt || !hash || more.length) return false
  const expected = Buffer.from(hash, 'base64url')
  const costs = { N: Number(N), r: Number(r), p: Number(p) }
  const key = await keyOf(password, Buffer.from(salt, 'base64url'), costs, expected.length)
  return timingSafeEqual(key, expected)
}

/** The same letters typed on different keyboards give the same key. */
function keyOf(password: string, salt: Buffer, costs: typeof cost, length: number): Promise<Buffer> {
  return derive(password.normalize('NFKC'), salt, length, { ...costs, maxmem: 256 * costs.N * costs.r })
}
