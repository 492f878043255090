import { sql } from 'kysely'
import type { Db } from '../postgres/pool.ts'
import { asPerson, enter, inTransaction } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

/** Issuer of the person records of API keys, which never sign in. */
export const softwareIssuer = 'api key'

/** How an identity provider identifies a person. */
export interface Identity {
  issuer: string
  subject: string
}

export interface KnownPerson extends Identity {
  id: string
  name: string
}

/** People with this verified e-mail at another issuer who are members of a client. */
export async function membersElsewhere(db: Db, issuer: string, email: string): Promise<KnownPerson[]> {
  const people = await db
    .selectFrom('person')
    .select(['id', 'name', 'issuer', 'subject'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('email_verified', '=', true)
    .where('issuer', 'not in', [issuer, softwareIssuer])
    .orderBy('id')
    .execute()
  const members = []
  for (const person of people) if ((await clientsOf(db, person.id)).length) members.push(person)
  return members
}

/** The clients of a person. */
export async function clientsOf(db: Db, personId: string): Promise<string[]> {
  const rows = await asPerson(db, personId, (transaction) =>
    transaction
      .selectFrom('membership')
      .select('tenant_id')
      .where('person_id', '=', personId)
      .orderBy('tenant_id')
      .execute(),
  )
  return rows.map((row) => row.tenant_id)
}

export async function personWithIdentity(db: Db, { issuer, subject }: Identity): Promise<KnownPerson | undefined> {
  return db
    .selectFrom('person')
    .select(['id', 'name', 'issuer', 'subject'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

interface Move {
  person: KnownPerson
  to: Identity
  /** The person who has that identity now and belongs to no client: the two swap identities. */
  holder?: Pick<KnownPerson, 'id'> | undefined
  /** Recorded in the audit as the initiator. */
  by: Recorded
}

/**
 * Gives a person another identity; clients, views and audit entries stay with the person, and each client gets an audit entry.
 * Returns false, without any change, if either identity changed in the meantime.
 */
export async function changeIdentity(db: Db, { person, to, holder, by }: Move): Promise<boolean> {
  const clients = await clientsOf(db, person.id)
  try {
    await inTransaction(db, async (transaction) => {
      const set = async (id: string, from: Identity, next: Identity, more: { email_verified?: false } = {}) => {
        const { numUpdatedRows } = await transaction
          .updateTable('person')
          .set({ ...next, ...more })
          .where('id', '=', id)
          .where('issuer', '=', from.issuer)
          .where('subject', '=', from.subject)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw new ChangedMeanwhile()
      }
      const { issuer, subject } = person
      const between = { issuer: to.issuer, subject: `former subject of ${person.id}` }
      if (holder) await set(holder.id, to, between)
      await set(person.id, { issuer, subject }, to)
      // Unverified, so that the holder is never taken for a member who has yet to move.
      if (holder) await set(holder.id, between, { issuer, subject }, { email_verified: false })
      for (const client of clients) {
        const tx = await enter(transaction, client)
        const member = await tx
          .selectFrom('membership')
          .select(['id', 'name'])
          .where('tenant_id', '=', client)
          .where('person_id', '=', person.id)
          .executeTakeFirst()
        if (!member) continue
        record(tx, [
          {
            ...{ type: 'UserIssuerChanged', userId: member.id, userName: member.name, by },
            ...{ before: { identityProvider: issuer }, after: { identityProvider: to.issuer } },
          },
        ])
      }
    })
    return true
  } catch (error) {
    if (error instanceof ChangedMeanwhile || (error as { code?: string }).code === uniqueViolation) return false
    throw error
  }
}

class ChangedMeanwhile extends Error {}
const uniqueViolation = '23505'
