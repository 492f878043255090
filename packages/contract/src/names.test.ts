import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { z } from 'zod'
import { createApiKey } from './api-keys.ts'
import { addBuilding, updateBuilding } from './buildings.ts'
import { updateDeviceBuildingLocation } from './devices.ts'
import { createUser, updateUserDetails, UserEmail, UserName } from './people.ts'
import { addProperty, putPropertyAddress, putPropertyDetails } from './properties.ts'
import { SupportEmail } from './residents.ts'
import { email } from './scalars.ts'
import { addTenant, editTenant, inviteManager } from './tenant-administration.ts'

/** The body fields that appear in e-mails as the name of a person, a client or a place, as paths. */
const named: Record<string, [body: z.ZodType, fields: string[]]> = {
  createUser: [createUser.body, ['name']],
  updateUserDetails: [updateUserDetails.body, ['name']],
  inviteManager: [inviteManager.body, ['name']],
  addTenant: [addTenant.body, ['name', 'contact']],
  editTenant: [editTenant.body, ['name', 'contact']],
  createApiKey: [createApiKey.body, ['name']],
  addBuilding: [addBuilding.body, ['building.name', 'building.floors.0.name']],
  updateBuilding: [updateBuilding.body, ['building.name', 'building.floors.0.name']],
  updateDeviceBuildingLocation: [updateDeviceBuildingLocation.body, ['room', 'location', 'locationDetails']],
  addProperty: [addProperty.body, ['propertyReference', 'address1', 'address2', 'address3', 'town', 'county']],
  putPropertyDetails: [putPropertyDetails.body, ['propertyReference']],
  putPropertyAddress: [putPropertyAddress.body, ['address1', 'address2', 'address3', 'town', 'county']],
}

/** A body with a value in the field at a path. */
const bodyWith = (path: string, value: string): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value)

test('names that appear in e-mails cannot contain a web address', () => {
  for (const [call, [body, fields]] of Object.entries(named))
    for (const field of fields) {
      const faults = (value: string) =>
        (body.safeParse(bodyWith(field, value)).error?.issues ?? [])
          .filter(({ path }) => path.join('.') === field)
          .map(({ message }) => message)
      assert.deepEqual(faults('http://evil.example/win'), ['must not contain a web address'], `${call}: ${field}`)
      assert.deepEqual(faults('Mill House'), [], `${call}: ${field}`)
    }
})

test('a name can consist of emoji, including joined ones; other invisible characters are rejected', () => {
  const family = '\u{1F468}\u200D\u{1F469}\u{1F3FD}\u200D\u{1F467}'
  const wales = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}'
  for (const name of ['\u{1F3E0}', family, wales, '\u2764\uFE0F\u200D\u{1F525}', `Mill ${family} House`])
    assert.equal(UserName.parse(name), name, name)
  for (const name of [
    '\u200D',
    'Mill\u200DHouse',
    `${family}\u200D`,
    'Mill\u{E0067}',
    '\u{1F3E0}\u200B',
    '\u202E\u{1F3E0}',
  ])
    assert.equal(UserName.safeParse(name).error?.issues[0]?.message, 'must be one line of visible characters', name)
})

test('every call accepts the same e-mail addresses: any script, normalised, in lower case for users who sign in', () => {
  const invited = (email: string) => createUser.body.safeParse({ name: 'Ann', email, role: 'Guest', tags: [] })
  for (const [typed, kept] of [
    ['R&D@Example.org', 'r&d@example.org'],
    [' jo\u0308rg@mu\u0308ller.de ', 'j\u00F6rg@m\u00FCller.de'],
    ['\u7528\u6237@\u4F8B\u5B50.\u5E7F\u544A', '\u7528\u6237@\u4F8B\u5B50.\u5E7F\u544A'],
  ] as const) {
    const read = invited(typed)
    assert.equal(
      read.error?.issues.find(({ path }) => path[0] === 'email'),
      undefined,
      typed,
    )
    assert.equal(UserEmail.parse(typed), kept)
    assert.equal(SupportEmail.parse(typed).toLowerCase(), kept)
  }
  for (const wrong of ['ann', 'a b@c.co', 'ann@example', 'Ann <ann@c.co>', 'a@b.co,c@d.co', 'a\u200Bb@c.co'])
    for (const shape of [UserEmail, SupportEmail, email()]) assert.equal(shape.safeParse(wrong).success, false, wrong)
})
