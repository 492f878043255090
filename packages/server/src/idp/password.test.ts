import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, verifyPassword } from './password.ts'

test('a password fits its own hash and no other does', async () => {
  const stored = await hashPassword('caretaker')
  assert.match(stored, /^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  assert.equal(await verifyPassword('caretaker', stored), true)
  assert.equal(await verifyPassword('Caretaker', stored), false)
  assert.equal(await verifyPassword('', stored), false)
})

test('two hashes of one password differ, and the costs are read from the hash', async () => {
  assert.notEqual(await hashPassword('same'), await hashPassword('same'))
  // scrypt of RFC 7914, section 12: password "pleaseletmein", salt "SodiumChloride", N 16384, r 8, p 1.
  const key = Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  )
  const salt = Buffer.from('SodiumChloride').toString('base64url')
  assert.equal(await verifyPassword('pleaseletmein', `scrypt$16384$8$1$${salt}$${key.toString('base64url')}`), true)
})

test('a text that is no hash fits no password', async () => {
  for (const stored of ['', 'caretaker', 'scrypt$1$1$1$$', 'bcrypt$32768$8$1$c2FsdA$aGFzaA'])
    assert.equal(await verifyPassword('caretaker', stored), false)
})
