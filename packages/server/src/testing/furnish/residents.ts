import { randomBytes, randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { write } from './context.ts'
import type { Estate } from './estate.ts'

/** A resident waiting for access to the property, and the keys of the resident app. */
export async function furnishResidents(furnishing: Furnishing, { property }: Estate) {
  const { tenant, secret } = furnishing
  const [residentId, tips] = [randomUUID(), randomUUID()]
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('resident')
      .values({
        ...{ tenant_id: tenant, id: residentId, app_user_id: `auth0|${secret}`, created_at: new Date() },
        ...{ name: secret, email: `${secret}@residents.test` },
      })
      .execute()
    await tx
      .insertInto('residence_access')
      .values({ tenant_id: tenant, resident_id: residentId, property_id: property, since: new Date() })
      .execute()
    await tx
      .insertInto('savings_and_tips')
      .values({
        ...{ tenant_id: tenant, id: tips, resident_id: residentId, name: 'tips.md', content: secret },
        updated_at: new Date(),
      })
      .execute()
    await tx
      .insertInto('resident_app_key')
      .values({ tenant_id: tenant, id: randomUUID(), key_hash: Buffer.from(secret), created_at: new Date() })
      .execute()
  })
  // Only the owner of the tables records who has viewed data.
  await furnishing.test.database.owner.query(
    `insert into personal_data_read (tenant_id, id, person_id, person_name, role, is_key, page, kind, property_ids, resident_ids,
       row_count, caller, first_at, last_at, times, fingerprint)
     values ($1, $2, $3, $4, 'Guest', false, 'Residents', 'list', array[$5::uuid], array[$6], 1, '192.0.2.1', now(), now(), 1, '')`,
    [tenant, randomUUID(), randomUUID(), secret, property, `auth0|${secret}`],
  )
  return {
    /** The resident's id in the resident app. */
    resident: `auth0|${secret}`,
    /** A valid key of the resident app. */
    newAppKey: async () => {
      const id = randomUUID()
      await write(furnishing, (tx) =>
        tx
          .insertInto('resident_app_key')
          .values({ tenant_id: tenant, id, key_hash: randomBytes(32), created_at: new Date() })
          .execute(),
      )
      return id
    },
  }
}
