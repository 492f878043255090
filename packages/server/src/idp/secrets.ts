import { randomBytes } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import { exportJWK, generateKeyPair } from 'jose'
import type pg from 'pg'

/** Secrets that must survive a restart and be the same in every process: the signing keys and the cookie keys. */
export interface Secrets {
  jwks: JSONWebKeySet
  cookieKeys: string[]
}

/** The names under which secrets are stored. */
const [signingKeys, cookieKeys, factorKey, nextFactorKey] = ['jwks', 'cookie keys', 'factor key', 'next factor key']

/** The algorithm of new signing keys. Older installations keep their RSA key and RS256. */
const algorithm = 'ES256'

export async function loadSecrets(pool: pg.Pool): Promise<Secrets> {
  return {
    jwks: await persisted(pool, signingKeys, async () => {
      const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
      const key = await exportJWK(privateKey)
      return { keys: [{ ...key, kid: randomBytes(6).toString('hex'), use: 'sig', alg: algorithm }] }
    }),
    cookieKeys: await persisted(pool, cookieKeys, async () => [randomBytes(32).toString('base64url')]),
  }
}

const newFactorKey = async () => randomBytes(32).toString('base64url')
const factorKeys = new WeakMap<pg.Pool, Promise<Buffer>>()

/** The installation's key for encrypting secrets, such as those of authenticator apps. */
export function factorKeyOf(pool: pg.Pool): Promise<Buffer> {
  const known = factorKeys.get(pool)
  if (known) return known
  const key = persisted(pool, factorKey, newFactorKey).then((text) => Buffer.from(text, 'base64url'))
  factorKeys.set(pool, key)
  key.catch(() => factorKeys.delete(pool))
  return key
}

/** The key for encrypting secrets and the one that replaces it, which stays the same until `finishRenewal`. */
export async function beginRenewal(pool: pg.Pool): Promise<{ from: Buffer; to: Buffer }> {
  const [from, to] = [
    await persisted(pool, factorKey, newFactorKey),
    await persisted(pool, nextFactorKey, newFactorKey),
  ]
  return { from: Buffer.from(from, 'base64url'), to: Buffer.from(to, 'base64url') }
}

/** Puts the next key in place, and forgets the signing and cookie keys: the next start creates new ones. */
export async function finishRenewal(client: pg.PoolClient): Promise<void> {
  await client.query('delete from idp.secret where name = any($1)', [[signingKeys, cookieKeys, factorKey]])
  await client.query('update idp.secret set name = $2 where name = $1', [nextFactorKey, factorKey])
}

/** The algorithm with which tokens are signed: that of the first key. */
export function signingAlgorithm({ keys }: JSONWebKeySet): 'RS256' | 'ES256' {
  return keys[0]?.alg === 'RS256' ? 'RS256' : 'ES256'
}

/** The public half of the signing keys. */
export function publicKeys({ keys }: JSONWebKeySet): JSONWebKeySet {
  return {
    keys: keys.map(({ kty, n, e, crv, x, y, kid, use, alg }) => {
      const named = { kid, use, alg }
      return kty === 'RSA' ? { kty, n, e, ...named } : { kty, crv, x, y, ...named }
    }) as JSONWebKeySet['keys'],
  }
}

async function persisted<T>(pool: pg.Pool, name: string, make: () => Promise<T>): Promise<T> {
  const read = async () => {
    const { rows } = await pool.query<{ value: T }>('select value from idp.secret where name = $1', [name])
    return rows[0]?.value
  }
  const known = await read()
  if (known) return known
  await pool.query('insert into idp.secret (name, value) values ($1, $2) on conflict do nothing', [
    name,
    JSON.stringify(await make()),
  ])
  return (await read())!
}
