import assert from 'node:assert/strict'
import { test } from 'vitest'
import { schemas } from './attributes.ts'
import { accessOfUser, emailOf, namesOf, provisioningKeyPrefix, tenantOfProvisioningKey } from './member.ts'
import { projected, returns } from './projection.ts'

const of = (attributes: Record<string, unknown>, userName = 'priya') => ({ userName, attributes })
const home = { value: 'Home@Priya.test', type: 'home' }
const work = { value: 'Priya@North.test', type: 'work' }

test('the primary address identifies the member, then the one at work, then any, then the user name', () => {
  assert.equal(emailOf(of({ emails: [work, { ...home, primary: true }] })), 'home@priya.test')
  assert.equal(emailOf(of({ emails: [home, work] })), 'priya@north.test')
  assert.equal(emailOf(of({ emails: [home] })), 'home@priya.test')
  assert.equal(emailOf(of({ emails: [{ value: 'nothing' }] }, 'P.Shah@North.test')), 'p.shah@north.test')
  assert.equal(emailOf(of({ emails: 'x' })), undefined)
})

test('the best name comes first', () => {
  const name = { formatted: 'Ms Priya Shah', givenName: 'Priya', familyName: 'Shah' }
  const all = namesOf(of({ displayName: ' P.  Shah ', name }, 'priya@north.test'))
  assert.deepEqual(all, ['P. Shah', 'Ms Priya Shah', 'Priya Shah', 'priya'])
  assert.deepEqual(namesOf(of({})), ['priya'])
})

test('groups and own roles give access by the same table; an inactive user has none', () => {
  const table = [
    { group: 'Managers', role: 'Manager', tags: [] },
    { group: 'Readers', role: 'Guest', tags: ['t'] },
  ] as const
  const roles = [{ value: 'readers' }]
  assert.deepEqual(accessOfUser({ active: true, attributes: { roles } }, [], table), { role: 'Guest', tags: ['t'] })
  assert.deepEqual(accessOfUser({ active: true, attributes: { roles } }, ['Managers'], table)?.role, 'Manager')
  assert.equal(accessOfUser({ active: false, attributes: { roles } }, ['Managers'], table), undefined)
  assert.equal(accessOfUser({ active: true, attributes: {} }, ['Others'], table), undefined)
})

test('a key names its client, and nothing else does', () => {
  const key = `${provisioningKeyPrefix('north-gate')}${'a'.repeat(43)}`
  assert.equal(tenantOfProvisioningKey(key), 'north-gate')
  for (const other of [`${key}x`, key.slice(1), `caretaker_north_${'a'.repeat(43)}`, 'scim__', ''])
    assert.equal(tenantOfProvisioningKey(other), undefined)
})

test('a response has the wanted attributes only', () => {
  const resource = {
    ...{ schemas: [schemas.user], id: '1', userName: 'priya', name: { givenName: 'Priya', familyName: 'Shah' } },
    ...{ emails: [work], [schemas.enterprise]: { department: 'Repairs', division: 'D' }, meta: {} },
  }
  const names = (attributes: string[], excluded: string[] = []) => projected(resource, { attributes, excluded })
  assert.deepEqual(names(['userName']), { schemas: [schemas.user], id: '1', userName: 'priya' })
  assert.deepEqual(names(['NAME.givenName', 'emails.value'])['name'], { givenName: 'Priya' })
  assert.deepEqual(names(['emails.value'])['emails'], [{ value: work.value }])
  assert.deepEqual(names([`${schemas.enterprise}:department`])[schemas.enterprise], { department: 'Repairs' })
  assert.deepEqual(names([`${schemas.user}:userName`])['userName'], 'priya')
  assert.deepEqual(Object.keys(names([], ['emails', 'id', 'meta'])), [
    'schemas',
    'id',
    'userName',
    'name',
    schemas.enterprise,
  ])
  assert.deepEqual(names([], ['name.givenName'])['name'], { familyName: 'Shah' })
  assert.deepEqual(names([]), resource)
  assert.equal(returns({ attributes: [], excluded: ['members'] }, 'members'), false)
  assert.equal(returns({ attributes: ['id'], excluded: [] }, 'members'), false)
  assert.equal(returns({ attributes: ['members.value'], excluded: [] }, 'members'), true)
  assert.equal(returns({ attributes: [], excluded: [] }, 'members'), true)
})
