import assert from 'node:assert/strict'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { InMemoryWebStorage, OidcClient, SigninState, WebStorageStateStore } from 'oidc-client-ts'
import { mayBeSignedIn, signInParameters, startSignIn } from './sign-in-start.ts'

const oidc = { issuer: 'https://portal.example/oidc', clientId: 'portal', audience: 'https://portal.example/api' }
const endpoint = 'https://portal.example/oidc/auth'
const target = '/northgate/Boilers?page=2#row'

/** A storage whose keys can be listed like those of localStorage. */
const storageOf = (stored: Record<string, string>) =>
  Object.defineProperties(stored, {
    getItem: { value: (key: string) => stored[key] ?? null },
    setItem: { value: (key: string, value: string) => void (stored[key] = value) },
    removeItem: { value: (key: string) => void Reflect.deleteProperty(stored, key) },
  })

let stored: Record<string, string>

beforeEach(() => {
  stored = storageOf({})
  vi.stubGlobal('localStorage', stored)
  vi.stubGlobal('location', {
    origin: 'https://portal.example',
    pathname: '/northgate/Boilers',
    search: '?page=2',
    hash: '#row',
  })
})
afterEach(() => vi.unstubAllGlobals())

/** What oidc-client-ts itself would send and store, without the values that differ each time. */
async function requestOfLibrary() {
  const store = new InMemoryWebStorage()
  const { extraQueryParams, ...parameters } = signInParameters(oidc)
  const client = new OidcClient({
    ...parameters,
    metadata: { issuer: oidc.issuer, authorization_endpoint: endpoint },
    stateStore: new WebStorageStateStore({ store, prefix: 'oidc.' }),
  })
  const request = await client.createSigninRequest({
    ...{ state: { target }, nonce: crypto.randomUUID(), request_type: 'si:r' },
    extraQueryParams: { ...extraQueryParams, client: 'northgate' },
  })
  return { address: new URL(request.url), state: store.getItem(store.key(0)!)! }
}

const random = ['state', 'nonce', 'code_challenge', 'id', 'code_verifier', 'created']
const withoutRandom = (entries: Iterable<[string, unknown]>) =>
  [...entries].filter(([name]) => !random.includes(name)).toSorted(([a], [b]) => a.localeCompare(b))

test('a sign-in sends and stores the same as one that oidc-client-ts starts', async () => {
  const library = await requestOfLibrary()
  const address = new URL(await startSignIn(oidc, endpoint))
  assert.equal(address.origin + address.pathname, endpoint)
  assert.deepEqual(withoutRandom(address.searchParams), withoutRandom(library.address.searchParams))
  assert.deepEqual([...address.searchParams.keys()].sort(), [...library.address.searchParams.keys()].sort())
  const [key, state] = Object.entries(stored)[0]!
  assert.equal(key, `oidc.${address.searchParams.get('state')}`)
  const [own, theirs] = [state, library.state].map((text) => JSON.parse(text) as Record<string, unknown>)
  // There are no extra parameters for the token request.
  assert.deepEqual(theirs!.extraTokenParams, {})
  delete theirs!.extraTokenParams
  assert.deepEqual(withoutRandom(Object.entries(own!)), withoutRandom(Object.entries(theirs!)))
  assert.deepEqual(Object.keys(own!).sort(), Object.keys(theirs!).sort())
})

test('the stored state contains the verifier of the challenge and the nonce that was sent', async () => {
  const { searchParams } = new URL(await startSignIn(oidc, endpoint))
  const state = await SigninState.fromStorageString(Object.values(stored)[0]!)
  assert.equal(searchParams.get('code_challenge_method'), 'S256')
  const verified = await SigninState.create({ ...state, code_verifier: state.code_verifier! })
  assert.equal(searchParams.get('code_challenge'), verified.code_challenge)
  assert.equal(searchParams.get('nonce'), state.nonce)
  assert.match(state.code_verifier!, /^[\w-]{43}$/)
  assert.match(state.nonce!, /^[\w-]{36}$/)
  assert.deepEqual(state.data, { target })
})

test('no two sign-ins share a secret', async () => {
  const addresses = [await startSignIn(oidc, endpoint), await startSignIn(oidc, endpoint)].map((one) => new URL(one))
  for (const name of ['state', 'nonce', 'code_challenge'])
    assert.notEqual(addresses[0]!.searchParams.get(name), addresses[1]!.searchParams.get(name))
  assert.equal(Object.keys(stored).length, 2)
})

test('a sign-in at another provider names no client', async () => {
  const { searchParams } = new URL(await startSignIn({ ...oidc, issuer: 'https://issuer.example' }, endpoint))
  assert.equal(searchParams.has('client'), false)
})

test('secrets of sign-ins that were abandoned are removed, others and users stay', async () => {
  const id = (digit: string) => `oidc.${digit.repeat(32)}`
  const now = Math.floor(Date.now() / 1000)
  Object.assign(stored, {
    [id('a')]: JSON.stringify({ created: now - 901 }),
    [id('b')]: 'not JSON',
    [id('c')]: JSON.stringify({ created: now - 60 }),
    'oidc.user:https://issuer.example:portal': '{}',
    other: '1',
  })
  await startSignIn(oidc, endpoint)
  assert.deepEqual(
    [id('a'), id('b'), id('c'), 'oidc.user:https://issuer.example:portal', 'other'].filter((key) => key in stored),
    [id('c'), 'oidc.user:https://issuer.example:portal', 'other'],
  )
})

test('a stored user may be signed in, a sign-in that has begun is not', async () => {
  await startSignIn(oidc, endpoint)
  assert.equal(mayBeSignedIn(), false)
  stored['oidc.user:https://issuer.example:portal'] = '{}'
  assert.equal(mayBeSignedIn(), true)
})
