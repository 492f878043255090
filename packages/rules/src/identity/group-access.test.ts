import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import type { GroupAccess } from './group-access.ts'
import { accessOfGroups, comparedGroup, groupRoles, repeatedGroup } from './group-access.ts'
import { internalRoles, roles } from './roles.ts'

const table: GroupAccess[] = [
  { group: 'Housing managers', role: 'Manager', tags: [] },
  { group: 'East patch', role: 'Manager', tags: ['east'] },
  { group: 'Lighting', role: 'LightingEngineer', tags: [] },
]

describe('the access that groups give', () => {
  test.each<[string, string[], ReturnType<typeof accessOfGroups>]>([
    ['one group', ['Lighting'], { role: 'LightingEngineer', tags: [] }],
    ['the first matching row wins', ['Lighting', 'East patch'], { role: 'Manager', tags: ['east'] }],
    ['case and outer spaces do not count', [' HOUSING managers '], { role: 'Manager', tags: [] }],
    ['composed and decomposed letters are equal', ['Lighting', 'Cafe\u0301'], { role: 'LightingEngineer', tags: [] }],
    ['an unknown group', ['Catering'], undefined],
    ['a part of a name', ['Light'], undefined],
    ['no group', [], undefined],
  ])('%s', (_, groups, expected) => {
    assert.deepEqual(accessOfGroups(groups, table), expected)
  })

  test('no row of an internal role gives access', () => {
    assert.deepEqual(groupRoles, ['LightingEngineer', 'BoilerEngineer', 'Manager', 'Guest'])
    for (const role of internalRoles) {
      assert.equal(accessOfGroups(['Staff'], [{ group: 'Staff', role, tags: [] }]), undefined)
      const after = accessOfGroups(['Staff', 'Lighting'], [{ group: 'Staff', role, tags: [] }, ...table])
      assert.deepEqual(after, { role: 'LightingEngineer', tags: [] })
    }
  })

  const names = fc.constantFrom('A', 'a', ' b', 'B', 'c', 'Ç', 'd')
  const rows = fc.array(fc.record({ group: names, role: fc.constantFrom(...roles), tags: fc.array(names) }))

  test('it is that of the first row whose group the person is in', () => {
    fc.assert(
      fc.property(fc.array(names), rows, (groups, given) => {
        const isIn = ({ group }: GroupAccess) => groups.some((name) => comparedGroup(name) === comparedGroup(group))
        const [first] = given.filter((row) => isIn(row) && !internalRoles.includes(row.role))
        assert.deepEqual(accessOfGroups(groups, given), first && { role: first.role, tags: first.tags })
      }),
    )
  })

  test('the order of the groups and further groups outside the table change nothing', () => {
    fc.assert(
      fc.property(fc.array(names), rows, (groups, given) => {
        const other = [...groups, 'outside'].toReversed()
        assert.deepEqual(accessOfGroups(other, given), accessOfGroups(groups, given))
      }),
    )
  })
})

test('a table names each group once', () => {
  assert.equal(repeatedGroup(table), undefined)
  assert.equal(repeatedGroup([...table, { group: 'lighting ' }]), 3)
  assert.equal(repeatedGroup([]), undefined)
})
