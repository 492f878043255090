import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { areas, levelOf, roles } from '../identity/roles.ts'
import type { Member } from './users.ts'
import {
  accessRightsTagOf,
  grantableRoles,
  isVendorStaff,
  losesManager,
  mayGrantRole,
  mayGrantTags,
  noRestrictions,
  whyNotChange,
  whyNotViewAs,
} from './users.ts'

const vendor = 'caretaker.example'
const actor = (role: Role, tags: string[] = [], features: Actor['features'] = []): Actor => ({
  userId: 'me',
  memberId: 'member',
  tenant: 't',
  role,
  tags,
  features,
  capabilities: [],
})
const member = (role: Role, bend: Partial<Member> = {}): Member => ({
  personId: 'somebody',
  role,
  tags: [],
  email: 'somebody@north.test',
  ...bend,
})
const why = (who: Actor, whom: Member) => whyNotChange(who, whom, vendor)

test("a user's access rights tag is their first tag [core-3-6]", () => {
  assert.equal(accessRightsTagOf(['east', 'west']), 'east')
})

test('without tags the access rights tag is null [core-3-7]', () => {
  assert.equal(accessRightsTagOf([]), null)
})

test("the choice 'No restrictions' has the value 'reset' [core-6-35 est-9-30]", () => {
  assert.equal(noRestrictions, 'reset')
})

test("the portal grants every role but Developer and Admin, and none above the user's own", () => {
  assert.deepEqual([...grantableRoles].sort(), ['BoilerEngineer', 'Guest', 'LightingEngineer', 'Manager'])
  for (const role of roles) {
    const granted = roles.filter((one) => mayGrantRole(actor(role), one)).sort()
    const expected: Record<Role, string[]> = {
      Guest: ['Guest'],
      LightingEngineer: ['BoilerEngineer', 'Guest', 'LightingEngineer'],
      BoilerEngineer: ['BoilerEngineer', 'Guest', 'LightingEngineer'],
      Manager: ['BoilerEngineer', 'Guest', 'LightingEngineer', 'Manager'],
      Admin: ['BoilerEngineer', 'Guest', 'LightingEngineer', 'Manager'],
      Developer: ['BoilerEngineer', 'Guest', 'LightingEngineer', 'Manager'],
    }
    assert.deepEqual(granted, expected[role], role)
  }
})

test('below edit level on misc nobody can change users', () => {
  for (const role of ['Guest', 'LightingEngineer', 'BoilerEngineer'] as const)
    for (const whom of roles) assert.equal(why(actor(role), member(whom)), 'no right', `${role}, ${whom}`)
})

test('users with a higher role cannot be changed, those with the same or a lower one can', () => {
  const higher: Partial<Record<Role, Role[]>> = { Manager: ['Admin', 'Developer'], Admin: ['Developer'], Developer: [] }
  for (const [role, above] of Object.entries(higher) as [Role, Role[]][])
    for (const whom of roles)
      assert.equal(why(actor(role), member(whom)), above.includes(whom) ? 'higher role' : undefined, `${role}, ${whom}`)
})

test('nobody can change themselves, not even a developer; an invitation is not a person yet', () => {
  for (const role of ['Manager', 'Admin', 'Developer'] as const)
    assert.equal(why(actor(role), member(role, { personId: 'me' })), 'yourself')
  assert.equal(why(actor('Manager'), member('Manager', { personId: null })), undefined)
})

test('a manager restricted by tags can change only users with the same tags', () => {
  const limited = actor('Manager', ['east', 'west'])
  assert.equal(why(limited, member('Guest', { tags: ['east'] })), undefined)
  assert.equal(why(limited, member('Guest', { tags: ['east', 'west'] })), undefined)
  assert.equal(why(limited, member('Guest')), 'other restrictions')
  assert.equal(why(limited, member('Guest', { tags: ['north'] })), 'other restrictions')
  assert.equal(why(limited, member('Guest', { tags: ['east', 'north'] })), 'other restrictions')
  assert.equal(why(actor('Manager'), member('Guest', { tags: ['north'] })), undefined)
})

test('a restricted user can assign only their own tags', () => {
  const limited = actor('Manager', ['east', 'west'])
  assert.equal(mayGrantTags(limited, ['east']), true)
  assert.equal(mayGrantTags(limited, []), false)
  assert.equal(mayGrantTags(limited, ['north']), false)
  assert.equal(mayGrantTags(limited, ['east', 'north']), false)
  for (const tags of [[], ['north']]) assert.equal(mayGrantTags(actor('Manager'), tags), true)
})

test('vendor staff are recognised by their exact e-mail domain', () => {
  assert.equal(isVendorStaff('dev@caretaker.example', vendor), true)
  assert.equal(isVendorStaff('Dev@CARETAKER.example', vendor), true)
  for (const email of ['dev@caretaker.example.evil.test', 'dev@notcaretaker.example', 'dev@sub.caretaker.example', 'x'])
    assert.equal(isVendorStaff(email, vendor), false, email)
})

test('vendor staff can be changed only while SystemDebug is on', () => {
  const staff = member('Guest', { email: 'dev@caretaker.example' })
  assert.equal(why(actor('Manager'), staff), 'vendor staff')
  assert.equal(why(actor('Developer'), staff), 'vendor staff')
  assert.equal(why(actor('Manager', [], ['SystemDebug']), staff), undefined)
})

test('the last manager without restrictions cannot be removed', () => {
  const there = { role: 'Manager', tags: [], personId: 'a' } as const
  const invited = { role: 'Manager', tags: [], personId: null } as const
  const limited = { role: 'Manager', tags: ['east'], personId: 'b' } as const
  const admin = { role: 'Admin', tags: [], personId: 'c' } as const
  assert.equal(losesManager([there, limited, admin], [limited, admin]), true)
  assert.equal(losesManager([there, there], [there]), false)
  assert.equal(losesManager([there, invited], [invited]), true, 'one who is only invited may never come')
  assert.equal(losesManager([invited, admin], [admin]), true)
  assert.equal(losesManager([invited, there], [there]), false)
  assert.equal(losesManager([limited, admin], [admin]), false, 'a tenant without one has none to lose')
})

test('the portal is viewed only as users with lower rights in every area, within the own restrictions, and never as vendor staff', () => {
  const as = (who: Actor, role: Role, tags: string[] = [], isOfVendor = false) =>
    whyNotViewAs(who, { role, tags, isOfVendor })
  const lower: Partial<Record<Role, Role[]>> = {
    Manager: ['LightingEngineer', 'BoilerEngineer', 'Guest'],
    Admin: ['LightingEngineer', 'BoilerEngineer', 'Manager', 'Guest'],
    Developer: ['LightingEngineer', 'BoilerEngineer', 'Manager', 'Admin', 'Guest'],
  }
  for (const role of roles)
    for (const other of roles) {
      const isAllowed = as(actor(role), other) === undefined
      assert.equal(isAllowed, lower[role]?.includes(other) ?? false, `${role} as ${other}`)
      if (isAllowed) for (const area of areas) assert.ok(levelOf(other, area) <= levelOf(role, area))
    }
  assert.equal(as(actor('Manager', ['east']), 'Guest'), 'other restrictions')
  assert.equal(as(actor('Manager', ['east']), 'Guest', ['west']), 'other restrictions')
  assert.equal(as(actor('Manager', ['east']), 'Guest', ['east']), undefined)
  assert.equal(as(actor('Manager'), 'Guest', ['east']), undefined)
  assert.equal(as(actor('Manager'), 'Guest', [], true), 'vendor staff')
  assert.equal(
    as({ ...actor('Manager'), key: { administersUsers: true, managesIntegrations: false } }, 'Guest'),
    'no right',
  )
})
