import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { z } from 'zod'
import { createApiKey } from './api-keys.ts'
import { addBuilding, updateBuilding } from './buildings.ts'
import { updateDeviceBuildingLocation } from './devices.ts'
import { createUser, updateUserDetails } from './people.ts'
import { addProperty, putPropertyAddress, putPropertyDetails } from './properties.ts'
import { addTenant, editTenant, inviteManager } from './tenant-administration.ts'

/** Every text of a call that e-mails name a person, a client or a place by, as a path into its body. */
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

/** A body in which one field has a value. */
const bodyWith = (path: string, value: string): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value)

test('no name that goes into e-mails may hold a web address', () => {
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
