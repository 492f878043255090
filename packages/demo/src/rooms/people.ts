import type pg from 'pg'
import { hashPassword } from '@caretaker/server/idp/password.ts'
import { demoId } from '../chance.ts'
import { writeRows } from '../copy.ts'
import { demoPassword, demoPeople } from '../fixtures.ts'
import { accessRightsTagId } from '../plan/tenants.ts'
import type { Seeder } from '../seeding.ts'

export const accountId = (email: string) => demoId(`account ${email}`)
export const personId = (email: string) => demoId(`person ${email}`)

/** Creates all users with an account at the embedded identity provider (`issuer`), which identifies them. */
export async function seedPersons(client: pg.ClientBase, issuer: string, now: Date): Promise<void> {
  await writeRows(
    client,
    'person',
    ['id', 'issuer', 'subject', 'email', 'email_verified', 'name', 'created_at'],
    demoPeople.map(({ email, name }) => [personId(email), issuer, accountId(email), email, true, name, now]),
  )
  // One hash for all, because the password is published.
  const hash = await hashPassword(demoPassword)
  await writeRows(
    client,
    'idp.account',
    ['id', 'email', 'name', 'password_hash', 'email_verified', 'created_at'],
    demoPeople.map(({ email, name }) => [accountId(email), email, name, hash, true, now]),
  )
}

/** Creates the users of a tenant, and the access rights tags. */
export const seedMembers: Seeder = async ({ write, world, now }) => {
  const { id, accessRightsTags } = world.plan
  const tagId = accessRightsTagId(id)
  await write(
    'access_rights_tag',
    ['id', 'display_name', 'protected'],
    accessRightsTags.map((name) => [tagId(name), name, name === 'Default']),
  )
  await write(
    'membership',
    ['id', 'person_id', 'email', 'name', 'role', 'tag_ids', 'created_at'],
    demoPeople
      .filter(({ roles }) => roles[id])
      .map(({ email, name, roles, carries }) => {
        const tags = carries ? `{${tagId(carries)}}` : '{}'
        return [demoId(`${id} membership ${email}`), personId(email), email, name, roles[id]!, tags, new Date(now)]
      }),
  )
}
