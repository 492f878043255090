import { argon2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import PQueue from 'p-queue'

const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const deriveArgon2 = promisify(argon2)

/** 19 MB (in KiB) and about 0.04 s for each attempt, as OWASP recommends. */
const cost = { memory: 19_456, passes: 2, lanes: 1 }
const keyLength = 32

/**
 * Keys derived in parallel. Each takes a core and one of Node's four pool threads, which also verify token signatures, read
 * files and resolve host names: half of the cores and threads stay free for other calls.
 */
const mostAtOnce = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)))
/** Keys that may wait to be derived: some seconds' work on a small machine. */
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

/** `argon2id$memory$passes$lanes$salt$hash`, salt and hash in base64url. The costs are stored with the hash so that they can be raised. */
export async function hashPassword(password: string, turn?: Turn): Promise<string> {
  const salt = randomBytes(16)
  const costs = [cost.memory, cost.passes, cost.lanes] as const
  const key = await keyOf({ password, kind: 'argon2id', salt, costs, length: keyLength }, turn)
  return ['argon2id', ...costs, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/**
 * Whether the password matches the hash, also one from before Argon2 (`scrypt$N$r$p$…`). Any other text matches
 * nothing.
 */
export async function verifyPassword(password: string, stored: string, turn?: Turn): Promise<boolean> {
  const [kind, first, second, third, salt, hash, ...more] = stored.split('$')
  if ((kind !== 'argon2id' && kind !== 'scrypt') || !salt || !hash || more.length) return false
  const expected = Buffer.from(hash, 'base64url')
  const costs = [Number(first), Number(second), Number(third)] as const
  const key = await keyOf(
    { password, kind, salt: Buffer.from(salt, 'base64url'), costs, length: expected.length },
    turn,
  )
  return timingSafeEqual(key, expected)
}

interface Derivation {
  password: string
  kind: 'argon2id' | 'scrypt'
  salt: Buffer
  costs: readonly [number, number, number]
  length: number
}

/** Normalises Unicode first: the same letters typed on different keyboards must give the same key. */
function keyOf({ password, ...derivation }: Derivation, turn: Turn = { caller: '', isTrusted: true }): Promise<Buffer> {
  return inTurn(turn, () => derive(password.normalize('NFKC'), derivation))
}

function derive(message: string, { kind, salt, costs, length }: Omit<Derivation, 'password'>): Promise<Buffer> {
  if (kind === 'argon2id') {
    const [memory, passes, parallelism] = costs
    return deriveArgon2('argon2id', { message, nonce: salt, parallelism, tagLength: length, memory, passes })
  }
  const [N, r, p] = costs
  return deriveScrypt(message, salt, length, { N, r, p, maxmem: 256 * N * r })
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
