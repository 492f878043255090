import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { schemas } from './attributes.ts'
import { Fault } from './fault.ts'
import { readOperations } from './operations.ts'
import { readGroup, readGroupChange } from './patch-group.ts'
import { patchedUser } from './patch-user.ts'
import { readUser } from './values.ts'

const work = { value: 'priya@north.test', type: 'work', primary: true }
const user = readUser({
  ...{ schemas: [schemas.user, schemas.enterprise], userName: 'priya', externalId: 'e1', active: true },
  ...{ name: { givenName: 'Priya', familyName: 'Shah' }, emails: [work] },
  [schemas.enterprise]: { department: 'Repairs' },
})
const patch = (...operations: object[]) =>
  patchedUser(user, 'the-id', readOperations({ schemas: [schemas.patch], Operations: operations }))
const refused = (type: Fault['type'], ...operations: object[]) =>
  assert.throws(
    () => patch(...operations),
    (error: Fault) => error instanceof Fault && error.type === type,
  )

test('a user is read by the names of the standard, without case, and without what access does not need', () => {
  const read = readUser({
    ...{ USERNAME: ' priya ', Active: 'False', password: 'secret', nickName: 'P', unknown: 1, id: '7' },
    ...{ emails: 'priya@north.test', roles: ['Manager'], groups: [{ value: 'x' }] },
  })
  assert.deepEqual(read, {
    ...{ userName: 'priya', externalId: null, active: false },
    attributes: { emails: [{ value: 'priya@north.test' }], roles: [{ value: 'Manager' }] },
  })
  assert.deepEqual(readUser({ userName: 'a' }), { userName: 'a', externalId: null, active: true, attributes: {} })
})

test.each([
  [{}],
  [{ userName: '' }],
  [{ userName: 5 }],
  [{ userName: 'a', active: 'perhaps' }],
  [{ userName: 'a', name: 'Priya' }],
  [{ userName: 'a', displayName: 'a\u0000b' }],
  [{ userName: 'a', title: '\ud800' }],
  [{ userName: 'a', title: 'x'.repeat(1001) }],
  [{ userName: 'a', emails: [work, work] }],
  [{ userName: 'a', emails: Array.from({ length: 101 }, () => ({ value: 'a' })) }],
])('a user such as %j is refused', (body) => {
  assert.throws(
    () => readUser(body),
    (error: Fault) => error.type === 'invalidValue',
  )
})

describe('operations on a user', () => {
  test.each<[string, object]>([
    ['Entra ID disables by a text', { op: 'Replace', path: 'active', value: 'False' }],
    ['Okta disables without a path', { op: 'replace', value: { active: false } }],
    ['a boolean', { op: 'replace', path: 'active', value: false }],
    ['a name with its schema', { op: 'add', path: `${schemas.user}:active`, value: false }],
  ])('%s', (_, operation) => {
    assert.equal(patch(operation).active, false)
  })

  test('a filter selects the value to change', () => {
    const { attributes } = patch({ op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@north.test' })
    assert.deepEqual(attributes['emails'], [{ ...work, value: 'new@north.test' }])
  })

  test('a path to a part adds a value where none matches, as Entra ID expects', () => {
    const { attributes } = patch(
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+44 1632 960001' },
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'Managers' },
    )
    assert.deepEqual(attributes['phoneNumbers'], [{ type: 'mobile', value: '+44 1632 960001' }])
    assert.deepEqual(attributes['roles'], [{ primary: true, value: 'Managers' }])
  })

  test('a new primary value is the only one', () => {
    const { attributes } = patch({
      op: 'add',
      path: 'emails',
      value: [{ value: 'home@priya.test', type: 'home', primary: true }],
    })
    assert.deepEqual(attributes['emails'], [
      { value: 'priya@north.test', type: 'work' },
      { value: 'home@priya.test', type: 'home', primary: true },
    ])
  })

  test('values without a path may have dotted names and names of schemas', () => {
    const { attributes } = patch({
      op: 'Add',
      value: { 'name.givenName': 'P.', displayName: 'P. Shah', [`${schemas.enterprise}:department`]: 'Lettings' },
    })
    assert.deepEqual(attributes['name'], { givenName: 'P.', familyName: 'Shah' })
    assert.equal(attributes['displayName'], 'P. Shah')
    assert.deepEqual(attributes[schemas.enterprise], { department: 'Lettings' })
  })

  test('the extension is changed as a whole, and by its parts', () => {
    const manager = `${schemas.enterprise}:manager`
    const { attributes } = patch({ op: 'Add', path: manager, value: 'm1' })
    assert.deepEqual(attributes[schemas.enterprise], { department: 'Repairs', manager: { value: 'm1' } })
    assert.equal(patch({ op: 'remove', path: schemas.enterprise }).attributes[schemas.enterprise], undefined)
    const replaced = patch({ op: 'replace', value: { [schemas.enterprise]: { division: 'D' } } }).attributes
    assert.deepEqual(replaced[schemas.enterprise], { department: 'Repairs', division: 'D' })
  })

  test('attributes are removed', () => {
    assert.equal(patch({ op: 'Remove', path: 'externalId' }).externalId, null)
    assert.equal(patch({ op: 'remove', path: 'emails[type eq "work"]' }).attributes['emails'], undefined)
    assert.deepEqual(patch({ op: 'remove', path: 'emails[type eq "home"]' }).attributes, user.attributes)
    assert.deepEqual(patch({ op: 'remove', path: 'name.givenName' }).attributes['name'], { familyName: 'Shah' })
    const listed = { op: 'remove', path: 'emails', value: [{ value: 'other@north.test' }] }
    assert.deepEqual(patch(listed).attributes['emails'], [work])
  })

  test('attributes that are not stored are ignored, also with the id that the user has', () => {
    assert.deepEqual(patch({ op: 'replace', path: 'password', value: 'secret' }), user)
    assert.deepEqual(patch({ op: 'add', path: 'addresses[type eq "work"].formatted', value: '1 Elm Road' }), user)
    assert.deepEqual(patch({ op: 'replace', value: { id: 'the-id', nickName: 'P', schemas: [] } }), user)
  })

  test('what cannot be done is named', () => {
    refused('noTarget', { op: 'remove' })
    refused('noTarget', { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'a@b.example' } })
    refused('mutability', { op: 'replace', path: 'id', value: 'x' })
    refused('mutability', { op: 'replace', value: { id: 'x' } })
    refused('mutability', { op: 'add', path: 'groups', value: [{ value: 'x' }] })
    refused('mutability', { op: 'remove', path: 'userName' })
    refused('invalidPath', { op: 'add', path: 'favourite', value: 'x' })
    refused('invalidPath', { op: 'add', path: 'emails[', value: 'x' })
    refused('invalidPath', { op: 'add', path: 'emails[colour eq "red"].value', value: 'x' })
    refused('invalidPath', { op: 'add', path: 'urn:other:1.0:User:x', value: 'x' })
    refused('invalidValue', { op: 'replace', path: 'active', value: 'perhaps' })
    refused('invalidValue', { op: 'replace', path: 'userName', value: '' })
    refused('invalidValue', { op: 'replace', value: 'x' })
    refused('invalidSyntax', { op: 'move', path: 'active', value: true })
    refused('invalidSyntax')
  })

  test('to remove active or to set it to null gives no access', () => {
    assert.equal(patch({ op: 'remove', path: 'active' }).active, false)
    assert.equal(patch({ op: 'replace', path: 'active', value: null }).active, false)
    assert.equal(patch({ op: 'replace', value: { active: null } }).active, false)
    assert.equal(readUser({ userName: 'a', active: null }).active, false)
    assert.deepEqual([readUser({ userName: 'a' }).active, readUser({ userName: 'a' }, false).active], [true, false])
    assert.equal(readUser({ userName: 'a', Active: 'True' }, false).active, true)
  })

  test('the given user stays as it is, and repeating operations changes nothing', () => {
    const before = JSON.stringify(user)
    const operation = fc.constantFrom(
      { op: 'replace', path: 'active', value: false },
      { op: 'add', path: 'emails', value: [{ value: 'x@y.example', type: 'home' }] },
      { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      { op: 'replace', path: 'name', value: { givenName: 'Q' } },
      { op: 'remove', path: 'title' },
      { op: 'remove', path: 'emails[type eq "work"].display' },
    )
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 5 }), (operations) => {
        const once = patch(...operations)
        assert.deepEqual(patchedUser(once, 'the-id', readOperations({ Operations: operations })), once)
        assert.equal(JSON.stringify(user), before)
      }),
    )
  })
})

describe('operations on a group', () => {
  const change = (...operations: object[]) => readGroupChange('g', readOperations({ Operations: operations }))
  const members = (...operations: object[]) => {
    const { isReplaced, added, removed } = change(...operations).members
    return [isReplaced ? 'replaced' : 'changed', [...added], [...removed]]
  }

  test('members come and go', () => {
    const add = { op: 'Add', path: 'members', value: [{ value: 'A' }, { value: 'b' }] }
    assert.deepEqual(members(add), ['changed', ['a', 'b'], []])
    assert.deepEqual(members(add, { op: 'remove', path: 'members[value eq "A"]' }), ['changed', ['b'], ['a']])
    const remove = { op: 'Remove', path: 'members', value: [{ value: 'a' }] }
    assert.deepEqual(members(remove), ['changed', [], ['a']])
    assert.deepEqual(members(remove, add), ['changed', ['a', 'b'], []])
    assert.deepEqual(members({ op: 'remove', path: 'members' }), ['replaced', [], []])
    assert.deepEqual(members(remove, { op: 'replace', path: 'members', value: [{ value: 'c' }] }), [
      'replaced',
      ['c'],
      [],
    ])
    assert.deepEqual(members({ op: 'replace', value: { members: [{ value: 'c' }] } }), ['replaced', ['c'], []])
  })

  test('Okta renames with the id in the value', () => {
    assert.equal(change({ op: 'replace', value: { id: 'g', displayName: ' New ' } }).displayName, 'New')
    assert.equal(change({ op: 'Replace', path: 'displayName', value: 'New' }).displayName, 'New')
    assert.equal(change({ op: 'remove', path: 'externalId' }).externalId, null)
  })

  test.each<[Fault['type'], object]>([
    ['mutability', { op: 'replace', value: { id: 'other' } }],
    ['mutability', { op: 'remove', path: 'displayName' }],
    ['mutability', { op: 'replace', path: 'members[value eq "a"]', value: { value: 'b' } }],
    ['invalidFilter', { op: 'remove', path: 'members[display eq "a"]' }],
    ['invalidPath', { op: 'replace', path: 'colour', value: 'red' }],
    ['invalidPath', { op: 'remove', path: 'members.display' }],
    ['invalidPath', { op: 'remove', path: 'members[value eq "a"].display' }],
    ['invalidPath', { op: 'replace', path: 'members.value', value: 'a' }],
    ['invalidValue', { op: 'replace', path: 'members' }],
    ['invalidValue', { op: 'replace', path: 'members', value: null }],
    ['invalidValue', { op: 'add', value: { members: null } }],
    ['invalidValue', { op: 'add', path: 'members', value: [{ display: 'a' }] }],
    [
      'invalidValue',
      { op: 'add', path: 'members', value: Array.from({ length: 5001 }, (_, n) => ({ value: `${n}` })) },
    ],
    ['invalidValue', { op: 'replace', path: 'displayName', value: '' }],
    ['noTarget', { op: 'remove' }],
  ])('%s: %j', (type, operation) => {
    assert.throws(
      () => change(operation),
      (error: Fault) => error.type === type,
    )
  })

  test('a new group has a name', () => {
    assert.deepEqual([...readGroup({ displayName: 'A', members: [{ value: 'X' }] }).members.added], ['x'])
    assert.throws(
      () => readGroup({ members: [] }),
      (error: Fault) => error.type === 'invalidValue',
    )
  })
})
