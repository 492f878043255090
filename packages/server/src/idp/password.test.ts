import assert from 'node:assert/strict'
import { test } from 'vitest'
import { hashPassword, TooManyWaiting, verifyPassword } from './password.ts'

test('a password matches its own hash and no other', async () => {
  const stored = await hashPassword('caretaker')
  assert.match(stored, /^argon2id\$19456\$2\$1\$[\w-]{22}\$[\w-]{43}$/)
  assert.equal(await verifyPassword('caretaker', stored), true)
  assert.equal(await verifyPassword('Caretaker', stored), false)
  assert.equal(await verifyPassword('', stored), false)
})

test('two hashes of one password differ, and the costs are read from the hash', async () => {
  assert.notEqual(await hashPassword('same'), await hashPassword('same'))
  // A test case from the reference implementation: password "password", salt "somesalt", 64 MB, 2 passes.
  const argon2 = Buffer.from('09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7', 'hex')
  const ofArgon2 = [Buffer.from('somesalt'), argon2].map((part) => part.toString('base64url')).join('$')
  assert.equal(await verifyPassword('password', `argon2id$65536$2$1$${ofArgon2}`), true)
  assert.equal(await verifyPassword('passwort', `argon2id$65536$2$1$${ofArgon2}`), false)
  // The former format: scrypt from RFC 7914, section 12, password "pleaseletmein", salt "SodiumChloride", N 16384, r 8,
  // p 1.
  const key = Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  )
  const salt = Buffer.from('SodiumChloride').toString('base64url')
  assert.equal(await verifyPassword('pleaseletmein', `scrypt$16384$8$1$${salt}$${key.toString('base64url')}`), true)
})

test('a text that is not a hash matches no password', async () => {
  for (const stored of ['', 'caretaker', 'scrypt$1$1$1$$', 'argon2id$1$1$1$$', 'bcrypt$32768$8$1$c2FsdA$aGFzaA'])
    assert.equal(await verifyPassword('caretaker', stored), false)
})

/** A hash that is very cheap to verify. */
const cheap = `scrypt$16$8$1$${Buffer.from('salt').toString('base64url')}$${'A'.repeat(43)}`
const dear = () => hashPassword('something to wait for', { caller: 'first' })

test('callers take turns: many attempts of one delay no other caller, and trusted callers come first', async () => {
  const done: string[] = []
  const tries = (caller: string, isTrusted = false) =>
    verifyPassword('x', cheap, { caller, isTrusted }).then(() => done.push(caller))
  // No other derivation begins before these are done, whatever the limit of parallel ones.
  const running = [dear(), dear()]
  const waiting = [...Array.from({ length: 20 }, () => tries('many')), tries('one'), tries('known', true)]
  await Promise.all([...running, ...waiting])
  assert.equal(done.length, 22)
  assert.ok(done.indexOf('known') < 2, done.join())
  assert.ok(done.indexOf('one') < 4, done.join())
})

test('with a hundred attempts waiting, another is refused at once unless it is trusted', async () => {
  const running = [dear(), dear()]
  const tries = Array.from({ length: 110 }, (_, at) => verifyPassword('x', cheap, { caller: `caller ${at}` }))
  const trusted = verifyPassword('x', cheap, { caller: 'owner', isTrusted: true })
  const outcomes = await Promise.allSettled(tries)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  assert.ok(refused.length === 10 || refused.length === 11, String(refused.length))
  for (const { reason } of refused as PromiseRejectedResult[]) assert.ok(reason instanceof TooManyWaiting)
  assert.equal(await trusted, false)
  await Promise.all(running)
})
