import assert from 'node:assert/strict'
import { test } from 'vitest'
import { UserEmail } from './people.ts'

test('the e-mail of a user must be a valid address [core-5-16]', () => {
  for (const right of ['a@b.co', 'first.last+tag@sub.example.org', "o'neil@x-y.uk"])
    assert.equal(UserEmail.parse(right), right)
  assert.equal(UserEmail.parse(' Ada@Example.ORG '), 'ada@example.org')
  for (const wrong of ['a', 'a@b', '@b.co', 'a@', 'a b@c.co', 'a@b@c.co', 'a..b@c.co', '.a@b.co', '\u0430@b.co'])
    assert.equal(UserEmail.safeParse(wrong).error?.issues[0]?.message, 'Please enter a valid e-mail address', wrong)
  assert.equal(UserEmail.safeParse('').error?.issues[0]?.message, 'Email is required!')
})
