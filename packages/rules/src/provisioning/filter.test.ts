import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { Fault } from './fault.ts'
import type { Comparison } from './filter.ts'
import { parseFilter, parsePath } from './filter.ts'

const of = (attribute: string, value: Comparison['value'], more: Partial<Comparison> = {}): Comparison => ({
  ...{ schema: undefined, attribute, sub: undefined, values: undefined, value },
  ...more,
})
const core = 'urn:ietf:params:scim:schemas:core:2.0:user'

test.each<[string, Comparison[]]>([
  ['userName eq "priya@example.org"', [of('username', 'priya@example.org')]],
  ['USERNAME EQ "a"', [of('username', 'a')]],
  ['active eq true', [of('active', true)]],
  ['active eq True', [of('active', true)]],
  ['externalId eq "a \\"b\\" c"', [of('externalid', 'a "b" c')]],
  ['emails.value eq "a@b.example"', [of('emails', 'a@b.example', { sub: 'value' })]],
  [
    'emails[type eq "work"].value eq "a@b.example"',
    [of('emails', 'a@b.example', { sub: 'value', values: [of('type', 'work')] })],
  ],
  ['id eq "1" and members eq "2"', [of('id', '1'), of('members', '2')]],
  ['(id eq "1") and (active eq false)', [of('id', '1'), of('active', false)]],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', [of('username', 'a', { schema: core })]],
])('the filter %s', (text, expected) => {
  assert.deepEqual(parseFilter(text), expected)
})

test.each([
  'userName',
  'userName eq',
  'userName sw "a"',
  'userName eq a',
  'userName pr',
  'not (userName eq "a")',
  'userName eq "a" or userName eq "b"',
  'userName eq "a" and',
  '(userName eq "a"',
  'userName eq "a")',
  'emails[type eq "work".value eq "a"',
  'userName eq "a',
  'userName eq "a\\u0000"',
  '',
  `userName eq "${'a'.repeat(3000)}"`,
])('the filter %s is refused', (text) => {
  assert.throws(
    () => parseFilter(text),
    (error: Fault) => error instanceof Fault && error.type === 'invalidFilter',
  )
})

test('a value is read as it was written', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (value) => {
      assert.deepEqual(parseFilter(`userName eq ${JSON.stringify(value)}`), [of('username', value)])
    }),
  )
})

test('any text is read or refused', () => {
  const parts = fc.constantFrom('userName', 'eq', '"a"', '(', ')', '[', ']', ' ', 'and', '.value', 'emails', '"', '\\')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(parts).map((all) => all.join(' ')),
      ),
      (text) => {
        for (const read of [parseFilter, parsePath])
          try {
            read(text)
          } catch (error) {
            assert.ok(error instanceof Fault)
          }
      },
    ),
  )
})

test('paths of operations', () => {
  const path = { schema: undefined, sub: undefined, values: undefined }
  assert.deepEqual(parsePath('Active'), { ...path, attribute: 'active' })
  assert.deepEqual(parsePath('name.givenName'), { ...path, attribute: 'name', sub: 'givenname' })
  assert.deepEqual(parsePath('emails[type eq "work"].value'), {
    ...{ ...path, attribute: 'emails', sub: 'value' },
    values: [of('type', 'work')],
  })
  assert.deepEqual(parsePath('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value'), {
    ...{ schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user', attribute: 'manager', sub: 'value' },
    values: undefined,
  })
  assert.deepEqual(parsePath('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'), {
    ...{ ...path, schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user', attribute: '' },
  })
  for (const wrong of ['', 'emails[type eq "work"', 'name given', 'emails]'])
    assert.throws(
      () => parsePath(wrong),
      (error: Fault) => error.type === 'invalidPath',
    )
})
