import { createApiKey } from '@caretaker/contract/api-keys.ts'
import { keyManagesIntegrations, roleAdministersUsers } from '@caretaker/rules/api-keys/api-keys.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { TestApp } from './app.ts'

let counter = 0

/** Creates an API key of a tenant as a manager does on the settings page, with all rights possible for its role. */
export async function makeKey(app: TestApp, tenant: string, manager: string, role: Role = 'Manager'): Promise<string> {
  const name = `Made for a test ${++counter}`
  const rights = {
    administersUsers: roleAdministersUsers(role),
    managesIntegrations: keyManagesIntegrations(role, []),
  }
  const body = { name, role, tagIds: [], expiresInDays: 1, ...rights }
  const { status, body: made } = await app.send(createApiKey, { params: { tenant }, body }, manager)
  if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(made)}`)
  return made.key
}
