import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import pino from 'pino'
import { getSession } from '@caretaker/contract/session.ts'
import type { TestApp } from '../testing/app.ts'
import { authenticate } from '../http/access.ts'
import { testApp } from '../testing/app.ts'
import { refuseToken } from './token-faults.ts'

const email = 'ann@faults.test'
let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const call = (authorization: string) => app.send(getSession, {}, undefined, { headers: { authorization } })
const lines = () => app.logged.map((line) => JSON.parse(line) as { reason?: string; msg: string })
const linesOf = (reason: string) => lines().filter((line) => line.reason === reason)
const tampered = (token: string) => token.replace(/\.[^.]{8}/, '.AAAAAAAA')

async function foreignToken(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  assert.ok(await exportJWK(publicKey))
  return new SignJWT({ email, sub: 'subject of ann' })
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
    .setExpirationTime('1m')
    .sign(privateKey)
}

test('a refused token leaves a log line with the reason and nothing of the token', async () => {
  const bent = (claims: Record<string, unknown>) => app.token(email, claims)
  const tokens: Record<string, string> = {
    opaque: 'x9Yb2vPq-opaque_token-of-ann',
    malformed: 'aaaa.bbbb.cccc',
    issuer: await bent({ iss: 'https://other.test' }),
    audience: await bent({ aud: 'account' }),
    expired: await bent({ exp: 1_700_000_000 }),
    'not yet valid': await bent({ nbf: 4_000_000_000 }),
    signature: tampered(await bent({})),
    key: await foreignToken('another key'),
    algorithm: new UnsecuredJWT({ email }).encode().replace(/\.$/, '.AAAA'),
    type: await bent({ header: { typ: 'JWT' } }),
    'missing claim': await bent({ sub: null }),
    profile: await bent({ email: undefined, sub: 'nameless' }),
  }
  for (const [reason, token] of Object.entries(tokens)) {
    const before = app.logged.length
    assert.equal((await call(`Bearer ${token}`)).status, 401, reason)
    const written = app.logged.slice(before)
    assert.equal(written.length, 1, `${reason}: ${written.join('')}`)
    const { msg, reason: named, ...more } = JSON.parse(written[0]!) as Record<string, string>
    assert.deepEqual([msg, named], ['an access token was refused', reason])
    assert.ok(more.hint, reason)
    for (const part of [...token.split('.'), email, 'subject of'])
      assert.ok(!written[0]!.includes(part), `${reason} holds ${part}`)
  }
  assert.deepEqual(
    linesOf('audience').map((line) => ({ ...line, hint: undefined, time: undefined })),
    [
      {
        ...linesOf('audience')[0]!,
        ...{ expected: 'https://caretaker.test/api', received: 'account', hint: undefined, time: undefined },
      },
    ],
  )
})

test('clocks that differ by less than a minute refuse nobody', async () => {
  const seconds = Math.floor(Date.now() / 1000)
  for (const [claims, status] of [
    [{ exp: seconds - 45 }, 200],
    [{ exp: seconds - 90 }, 401],
    [{ nbf: seconds + 45 }, 200],
    [{ iat: seconds + 45 }, 200],
    [{ nbf: seconds + 90 }, 401],
  ] as const)
    assert.equal((await call(`Bearer ${await app.token(email, claims)}`)).status, status, JSON.stringify(claims))
})

test('a person with another e-mail claim is admitted, and one without any reads the reason', async () => {
  const signedIn = async (sub: string, claims: object) => {
    const { status, body } = await call(`Bearer ${await app.token(email, { sub, ...claims })}`)
    return [status, status === 200 ? [body.email, body.name, body.emailVerified] : body]
  }
  for (const [sub, claims, expected] of [
    ['texts', { email_verified: 'true', name: null, picture: null }, [email, email, true]],
    ['long', { name: 'a'.repeat(900), picture: 'p'.repeat(9000) }, [email, 'a'.repeat(200), true]],
    ['by user name', { email: undefined, preferred_username: 'Bo@faults.test' }, ['bo@faults.test', 'ann', false]],
    [
      'wide',
      { email: 'j\u00F6rg@m\u00FCller.test', name: '' },
      ['j\u00F6rg@m\u00FCller.test', 'j\u00F6rg@m\u00FCller.test', true],
    ],
  ] as const)
    assert.deepEqual(await signedIn(sub, claims), [200, expected], sub)
  assert.deepEqual(await signedIn('nameless too', { email: null, preferred_username: 'bo' }), [
    401,
    {
      message: 'Your account at the identity provider has no e-mail address. Ask its administrator to add one.',
      ...{ domainErrors: [], validationErrors: [] },
    },
  ])
})

test('the user info is requested if the token has no address, and rejected if it is of another subject', async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }] })
  const signedIn = async (sub: string, claims: Record<string, unknown>) => {
    const token = await new SignJWT({ sub, preferred_username: `${sub}@upn.test` })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer('https://other.test')
      .setAudience('api')
      .setExpirationTime('1m')
      .sign(privateKey)
    const check = { keys, issuer: 'https://other.test', audience: 'api', directory: 'https://other.test' }
    const request = { headers: { authorization: `Bearer ${token}` }, ip: '::1', showLimit: () => {} }
    return authenticate(app.context, { ...check, userInfo: async () => claims }, request)
  }
  assert.equal((await signedIn('cy', { sub: 'cy', email: 'cy@faults.test' })).email, 'cy@faults.test')
  assert.equal((await signedIn('di', {})).email, 'di@upn.test')
  await assert.rejects(signedIn('ed', { sub: 'another', email: 'boss@faults.test' }), { code: 'unauthorized' })
})

test('thousands of refused tokens leave one log line a minute per kind of fault, with their number', async () => {
  const before = app.logged.length
  await Promise.all(Array.from({ length: 200 }, (_, at) => call(`Bearer opaque-${at}`)))
  assert.ok(app.logged.length - before <= 1)

  const written: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => written.push(line) })
  const start = Date.now()
  for (let ms = 0; ms < 180_000; ms += 100) refuseToken(log, 'opaque', {}, start + ms)
  assert.equal(written.length, 3)
  assert.equal((JSON.parse(written[1]!) as { refusedSince: number }).refusedSince, 599)
  refuseToken(log, 'audience', {}, start + 60_100)
  assert.equal(written.length, 4, 'each kind for itself')
})

test('a call without a token or with an API key is not logged as a refused token', async () => {
  const before = app.logged.length
  assert.equal((await app.send(getSession, {})).status, 401)
  assert.equal((await call(`Bearer caretaker_north_${'x'.repeat(43)}`)).status, 401)
  assert.equal(app.logged.length, before)
})
