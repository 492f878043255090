import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { User } from '@caretaker/contract/people.ts'
import { groupedUsers } from './groups.ts'

const user = (name: string, given: Partial<User> = {}): User => ({
  id: name,
  name,
  email: `${name}@northgate.example`,
  role: 'Guest',
  tags: given.accessRightsTag ? [given.accessRightsTag] : [],
  accessRightsTag: null,
  canChange: true,
  isVendorStaff: false,
  hasSignedIn: true,
  isProvisioned: false,
  ...given,
})
const tags = [
  { id: 't-west', displayName: 'West Patch', protected: false },
  { id: 't-east', displayName: 'east Patch', protected: false },
]

test('users are grouped: without restrictions, by tag, and vendor staff last whatever their tags', () => {
  const rows = groupedUsers(
    [
      user('dev', { isVendorStaff: true, accessRightsTag: 't-east' }),
      user('west', { accessRightsTag: 't-west' }),
      user('zoe'),
      user('east', { accessRightsTag: 't-east' }),
      user('adam'),
    ],
    tags,
  )
  assert.deepEqual(
    rows.map((row) => [row.group, row.name]),
    [
      ['No restrictions', 'zoe'],
      ['No restrictions', 'adam'],
      ['east Patch', 'east'],
      ['West Patch', 'west'],
      ['Vendor staff', 'dev'],
    ],
  )
  assert.equal(rows.at(-1)?.tagName, 'east Patch')
})

test("the group of those without an access rights tag has the key 'noTag', every other one that of its own [est-9-31]", () => {
  const rows = groupedUsers([user('zoe'), user('west', { accessRightsTag: 't-west' })], tags)
  assert.deepEqual(
    rows.map((row) => row.groupKey),
    ['noTag', 't-west'],
  )
})

test('an unknown tag does not count as no restriction', () => {
  const [row] = groupedUsers([user('x', { accessRightsTag: 'gone' })], tags)
  assert.equal(row?.group, 'Unknown tag')
})
