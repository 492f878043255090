import assert from 'node:assert/strict'
import { test } from 'vitest'
import { profileIn } from './profile.ts'

const ann = { email: 'ann@north.test', emailVerified: false, name: 'ann@north.test', picture: undefined }

test('the claims of a profile are read in every form that providers use, and a missing optional claim refuses nobody', () => {
  for (const [claims, expected] of [
    [{}, {}],
    [{ email: ' Ann@North.test ' }, {}],
    [{ email_verified: true }, { emailVerified: true }],
    [{ email_verified: 'true' }, { emailVerified: true }],
    [{ email_verified: 'True' }, { emailVerified: true }],
    [{ email_verified: 'false' }, {}],
    [{ email_verified: null }, {}],
    [{ email_verified: 1 }, {}],
    [{ email_verified: {} }, {}],
    [{ name: null, picture: null }, {}],
    [{ name: '', given_name: 'Ann', family_name: 'Mill' }, { name: 'Ann Mill' }],
    [{ name: ' Ann\u0000 Mill\n' }, { name: 'Ann  Mill' }],
    [{ name: 'a'.repeat(5000) }, { name: 'a'.repeat(200) }],
    [{ name: '\u{1F3E0}'.repeat(300) }, { name: '\u{1F3E0}'.repeat(200) }],
    [{ name: { first: 'Ann' } }, {}],
    [{ picture: 'https://pictures.test/ann.png' }, { picture: 'https://pictures.test/ann.png' }],
    [{ picture: `data:image/png;base64,${'A'.repeat(5000)}` }, {}],
    [{ email: undefined, preferred_username: 'Ann@North.test' }, {}],
    [{ email: null, preferred_username: 'ann@north.test', email_verified: true }, {}],
    [{ email: '', preferred_username: 'ann@north.test', email_verified: 'true' }, {}],
    [{ email: 'ann@north.test', preferred_username: 'boss@north.test' }, {}],
  ] as const)
    assert.deepEqual(
      profileIn({ email: 'ann@north.test', ...claims }, false),
      { ...ann, ...expected },
      JSON.stringify(claims),
    )
})

test('without an e-mail address there is no profile', () => {
  for (const claims of [
    {},
    { email: null },
    { email: 'ann' },
    { preferred_username: 'ann' },
    { email: ['ann@north.test'] },
  ])
    assert.equal(profileIn(claims, true), undefined, JSON.stringify(claims))
})

test('an address without email_verified counts as verified only if the provider’s addresses are trusted', () => {
  for (const claims of [
    { email: 'ann@north.test' },
    { email: 'ann@north.test', email_verified: null },
    { preferred_username: 'ann@north.test' },
  ]) {
    assert.equal(profileIn(claims, true)?.emailVerified, true)
    assert.equal(profileIn(claims, false)?.emailVerified, false)
  }
  assert.equal(profileIn({ email: 'ann@north.test', email_verified: 'false' }, true)?.emailVerified, false)
})
