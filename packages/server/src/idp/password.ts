import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import PQueue from 'p-queue'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** 32 MB and about 0.1 s for each attempt. */
const cost = { N: 2 ** 15, r: 8, p: 1 }
const keyLength = 32

/**
 * Keys derived in parallel. Each takes a core and one of Node's four pool threads, which also verify token signatures, read
 * files and resolve host names: half of the cores and threads stay free for other calls.
 */
const mostAtOnce = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)))
/** Keys that may wait to be derived: about ten seconds' work on a small machine. */
const mostWaiting = 100

const queue = new PQueue({ concurrency: mostAtOnce })
/** Unfinished derivations of each caller. */
const unfinished = new Map<string, number>()

/** The caller that a key is derived for: callers take turns, so that many attempts delay only the caller who makes them. */
export interface Turn {
  caller: string
  /** The caller has a valid link or uses a known browser: comes first, however many others wait. */
  isTrusted?: boolean
}

/** Too many passwords wait to be checked; the caller has to try again later. */
export class TooManyWaiting extends Error {}

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. The costs are stored with the hash so that they can be raised. */
export async function hashPassword(password: string, turn?: Turn): Promise<string> {
  const salt = randomBytes(16)
  const key = await keyOf({ password, salt, costs: cost, length: keyLength }, turn)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Whether the password matches the hash. A text that is not such a hash matches nothing. */
export async function verifyPassword(password: string, stored: string, turn?: Turn): Promise<boolean> {
  const [kind, N, r, p, salt, hash, ...more] = stored.split('$')
  if (kind !== 'scrypt' || !salt || !hash || more.length) return false
  const expected = Buffer.from(hash, 'base64url')
  const costs = { N: Number(N), r: Number(r), p: Number(p) }
  const key = await keyOf({ password, salt: Buffer.from(salt, 'base64url'), costs, length: expected.length }, turn)
  return timingSafeEqual(key, expected)
}

interface Derivation {
  password: string
  salt: Buffer
  costs: typeof cost
  length: number
}

/** Normalises Unicode first: the same letters typed on different keyboards must give the same key. */
function keyOf({ password, salt, costs, length }: Derivation, turn: Turn = { caller: '', isTrusted: true }) {
  return inTurn(turn, () =>
    derive(password.normalize('NFKC'), salt, length, { ...costs, maxmem: 256 * costs.N * costs.r }),
  )
}

async function inTurn<T>({ caller, isTrusted = false }: Turn, work: () => Promise<T>): Promise<T> {
  if (!isTrusted && queue.size >= mostWaiting) throw new TooManyWaiting()
  const ahead = unfinished.get(caller) ?? 0
  unfinished.set(caller, ahead + 1)
  try {
    return await queue.add(work, { priority: isTrusted ? 1 : -ahead })
  } finally {
    const left = unfinished.get(caller)! - 1
    if (left > 0) unfinished.set(caller, left)
    else unfinished.delete(caller)
  }
}
