import { randomUUID } from 'node:crypto'
import type { InsertObject } from 'kysely'
import type pg from 'pg'
import type { Database } from '../postgres/database.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { softwareIssuer } from './other-issuer.ts'

export const personColumns = [
  'id',
  'name',
  'email',
  'picture_url as pictureUrl',
  'email_verified as emailVerified',
  'removed_at as removedAt',
] as const

/** Adds the person of an issuer's subject. One who signs in twice at the same moment is added once. */
export async function addPerson(db: Db, row: Omit<InsertObject<Database, 'person'>, 'id'>) {
  const { email, email_verified } = row
  return db
    .insertInto('person')
    .values({ id: randomUUID(), ...row })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ email, email_verified }))
    .returning(personColumns)
    .executeTakeFirstOrThrow()
}

/** Adds the person of an API key, in whose name its actions are recorded, and who can never sign in. */
export async function addSoftware(
  tx: TenantTx,
  { id, keyId, name }: { id: string; keyId: string; name: string },
): Promise<void> {
  await tx
    .insertInto('person')
    .values({
      ...{ id, issuer: softwareIssuer, subject: keyId, email: '', name },
      ...{ picture_url: null, email_verified: false },
    })
    .execute()
}

export async function verifyEmail(db: Db, id: string): Promise<void> {
  await db.updateTable('person').set({ email_verified: true }).where('id', '=', id).execute()
}

/** Deletes a person to whom no invitation is addressed. Returns the deleted identity, if any. */
export async function deletePerson(
  owner: pg.Pool,
  id: string,
): Promise<{ issuer: string; subject: string } | undefined> {
  const { rows } = await owner.query<{ issuer: string; subject: string }>(
    `delete from person where id = $1 and not exists (select from invitation where invitation.email = person.email)
     returning issuer, subject`,
    [id],
  )
  return rows[0]
}

/**
 * Replaces the personal data of an erased person to whom records still refer: they cannot sign in as this person again.
 */
export async function clearPerson(owner: pg.Pool, id: string): Promise<void> {
  await owner.query(
    `update person set name = 'Erased user', email = $2, subject = $2, picture_url = null, email_verified = false
     where id = $1`,
    [id, `erased-${randomUUID()}@erased.invalid`],
  )
}
