import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import pino from 'pino'
import { getSession } from '@caretaker/contract/session.ts'
import type { TestApp } from '../testing/app.ts'
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

test('a token that is refused leaves a line that says what is wrong with it, and holds nothing of it', async () => {
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

test('thousands of tokens leave a line a minute for each kind of fault, with how many there were', async () => {
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

test('a call without a token, and one by an API key, is no token that was refused', async () => {
  const before = app.logged.length
  assert.equal((await app.send(getSession, {})).status, 401)
  assert.equal((await call(`Bearer caretaker_north_${'x'.repeat(43)}`)).status, 401)
  assert.equal(app.logged.length, before)
})
