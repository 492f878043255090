import assert from 'node:assert/strict'
import { test } from 'vitest'
import { clientsMatching, initialsOf, roleWords } from './clients.ts'

const clients = ['Northgate Homes', 'Acme Housing', 'ashdown homes', 'Meridian Council'].map((displayName) => ({
  id: displayName.split(' ')[0]!.toLowerCase(),
  displayName,
}))
const names = (search: string) => clientsMatching(clients, search).map((client) => client.displayName)

test('clients are sorted alphabetically, ignoring case', () => {
  assert.deepEqual(names(''), ['Acme Housing', 'ashdown homes', 'Meridian Council', 'Northgate Homes'])
})

test('the search keeps matching clients, ignoring case', () => {
  assert.deepEqual(names('ACME'), ['Acme Housing'])
  assert.deepEqual(names('hOM'), ['ashdown homes', 'Northgate Homes'])
  assert.deepEqual(names(' council '), ['Meridian Council'])
  assert.deepEqual(names('nobody'), [])
})

test('searching does not change the given list', () => {
  const before = [...clients]
  clientsMatching(clients, '')
  assert.deepEqual(clients, before)
})

test('initials are those of the first and last word', () => {
  assert.equal(initialsOf('Priya Nair'), 'PN')
  assert.equal(initialsOf('Priya van der Nair'), 'PN')
  assert.equal(initialsOf('élodie'), 'É')
  assert.equal(initialsOf('Nair (Leeds)'), 'NL')
  assert.equal(initialsOf('Ashdown & Homes'), 'AH')
  assert.equal(initialsOf(''), '')
  // The first emoji of a name as a whole: half of one would be invalid.
  assert.equal(initialsOf('\u{1F468}\u200D\u{1F469}\u{1F467} \u{1F3E0}'), '\u{1F468}\u200D\u{1F469}')
  assert.equal(initialsOf('\u{1F3E0}\u{1F3E0}'), '\u{1F3E0}')
})

test('a role is shown in words', () => {
  assert.equal(roleWords('LightingEngineer'), 'Lighting engineer')
  assert.equal(roleWords('Guest'), 'Guest')
})
