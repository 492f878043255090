import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Session } from '@caretaker/contract/session.ts'
import { changed } from '../changes/changed.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { asPerson, inTenant } from '../postgres/tenant.ts'

/** Somebody signed in, before any tenant. */
export interface Person {
  id: string
  name: string
  email: string
  pictureUrl: string | null
}

interface Subject {
  issuer: string
  subject: string
  /** Claims of the token or of the provider's user info, asked only at the first sign-in. */
  profile: () => Promise<Record<string, unknown>>
}

const Profile = z.object({
  email: z.email().transform((email) => email.toLowerCase()),
  email_verified: z.boolean().default(false),
  name: z.string().max(200).optional(),
  picture: z.string().max(2000).optional(),
})

/**
 * The person that a subject of an issuer is; made known at the first sign-in. Invitations that wait for their e-mail are
 * bound as soon as it is verified: at the first sign-in, or later for who is invited while unknown or unverified.
 */
export async function personOf(db: Db, subject: Subject): Promise<Person> {
  const known = await findPerson(db, subject)
  if (!known) return firstSignIn(db, subject)
  const { verified, invited, ...person } = known
  if (invited && (verified || (await isVerifiedNow(db, person, subject)))) await bindInvitations(db, person)
  return person
}

async function findPerson(db: Db, { issuer, subject }: Subject) {
  return db
    .selectFrom('person')
    .select(['id', 'name', 'email', 'picture_url as pictureUrl', 'email_verified as verified'])
    .select(sql<boolean>`exists (select from invitation where invitation.email = person.email)`.as('invited'))
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

async function firstSignIn(db: Db, { issuer, subject, profile }: Subject): Promise<Person> {
  const claims = Profile.safeParse(await profile())
  if (!claims.success) throw refuse('unauthorized')
  const { email, email_verified: verified, name, picture } = claims.data
  const { rows } = await sql<Person>`
    insert into person (id, issuer, subject, email, email_verified, name, picture_url)
    values (${randomUUID()}, ${issuer}, ${subject}, ${email}, ${verified}, ${name ?? email}, ${picture ?? null})
    on conflict (issuer, subject) do update set email = excluded.email, email_verified = excluded.email_verified
    returning id, name, email, picture_url as "pictureUrl"`.execute(db)
  const person = rows[0]!
  if (verified) await bindInvitations(db, person)
  return person
}

async function isVerifiedNow(db: Db, person: Person, { profile }: Subject): Promise<boolean> {
  const { data: claims } = Profile.safeParse(await profile())
  if (!claims?.email_verified || claims.email !== person.email) return false
  await db.updateTable('person').set({ email_verified: true }).where('id', '=', person.id).execute()
  return true
}

/** Gives the person every membership to which their verified e-mail was invited. */
async function bindInvitations(db: Db, person: Person): Promise<void> {
  const invitations = await db.selectFrom('invitation').selectAll().where('email', '=', person.email).execute()
  for (const { tenant_id, membership_id } of invitations)
    await inTenant(db, tenant_id, (tx) => bindInvitation(tx, membership_id, person))
}

async function bindInvitation(tx: TenantTx, membershipId: string, person: Person): Promise<void> {
  // Whoever is changing the members holds them: only then is it certain whom the invitation is for.
  await sql`select from membership where tenant_id = ${tx.tenant} and id = ${membershipId} for update`.execute(tx)
  const taken = await tx
    .deleteFrom('invitation')
    .where('tenant_id', '=', tx.tenant)
    .where('membership_id', '=', membershipId)
    .where('email', '=', person.email)
    .executeTakeFirst()
  if (taken.numDeletedRows === 0n) return
  await tx
    .updateTable('membership')
    .set({ person_id: person.id })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', membershipId)
    .where('person_id', 'is', null)
    // Who is a member already, under another e-mail, stays the one member they are.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('membership as other')
            .select('other.id')
            .where('other.tenant_id', '=', tx.tenant)
            .where('other.person_id', '=', person.id),
        ),
      ),
    )
    .execute()
  await changed(tx, 'user', [membershipId])
}

/** The tenants a person belongs to with role and tags in each, by display name. */
export async function tenantsOf(db: Db, personId: string): Promise<Session['tenants']> {
  return asPerson(db, personId, async (transaction) => {
    const rows = await transaction
      .selectFrom('membership')
      .innerJoin('tenant', 'tenant.id', 'membership.tenant_id')
      .where('person_id', '=', personId)
      .select(['tenant.id', 'display_name', 'time_zone', 'membership.id as member_id', 'role', 'tag_ids'])
      .orderBy(sql`lower(display_name)`)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      name: row.id,
      displayName: row.display_name,
      timeZone: row.time_zone,
      memberId: row.member_id,
      role: row.role,
      tags: row.tag_ids,
    }))
  })
}
