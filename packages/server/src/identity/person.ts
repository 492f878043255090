import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Session } from '@caretaker/contract/session.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { audit } from '../audit/audit.ts'
import { changed } from '../changes/changed.ts'
import type { Context } from '../context.ts'
import type { Db } from '../postgres/pool.ts'
import { prepared } from '../postgres/prepared.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { asPerson, inTenant } from '../postgres/tenant.ts'

/** Somebody signed in, before any tenant. */
export interface Person {
  id: string
  name: string
  email: string
  pictureUrl: string | null
  /** Whether they have proved to own the e-mail: invitations to it are theirs then. */
  emailVerified: boolean
  /** When they were taken out of a client the last time. */
  removedAt: Date | null
  /** Other software, which calls by an API key: the client that it is for. */
  keyOf?: string
}

interface Subject {
  issuer: string
  subject: string
  /** The session at the embedded provider, which must be open. */
  session: string | undefined
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
 * bound as soon as it is verified: at the first sign-in, or later for who is invited while unknown or unverified. Refuses
 * whose session has ended.
 */
export async function personOf(context: Pick<Context, 'db' | 'log'>, subject: Subject): Promise<Person> {
  const { db, log } = context
  if (!(await isOpen(db, subject.session))) throw refuse('unauthorized')
  const known = await findPerson(db, subject)
  if (!known) return firstSignIn(context, subject)
  const { invited, ...person } = known
  if (!invited) return person
  const emailVerified = person.emailVerified || (await isVerifiedNow(db, person, subject))
  if (emailVerified) await bindInvitations(db, person)
  else sayWhyNot(log, subject.issuer, person.id)
  return { ...person, emailVerified }
}

const columns = [
  'id',
  'name',
  'email',
  'picture_url as pictureUrl',
  'email_verified as emailVerified',
  'removed_at as removedAt',
] as const

/**
 * Whether a session of the embedded provider is open; a foreign one's tokens name none. Asked by itself: beside a table of several
 * machines a distributed database forgets whose rights a view has.
 */
async function isOpen(db: Db, session: string | undefined): Promise<boolean> {
  if (session === undefined) return true
  const { rows } = await sql`select from idp.open_session where id = ${session} ${prepared}`.execute(db)
  return rows.length > 0
}

async function findPerson(db: Db, { issuer, subject }: Subject) {
  return db
    .selectFrom('person')
    .select(columns)
    .select(sql<boolean>`exists (select from invitation where invitation.email = person.email)`.as('invited'))
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .modifyEnd(prepared)
    .executeTakeFirst()
}

async function firstSignIn({ db, log }: Pick<Context, 'db' | 'log'>, about: Subject): Promise<Person> {
  const { issuer, subject, profile } = about
  const claims = Profile.safeParse(await profile())
  if (!claims.success) throw refuse('unauthorized')
  const { email, email_verified: verified, name, picture } = claims.data
  const person = await db
    .insertInto('person')
    .values({
      id: randomUUID(),
      issuer,
      subject,
      email,
      email_verified: verified,
      name: name ?? email,
      picture_url: picture ?? null,
    })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ email, email_verified: verified }))
    .returning(columns)
    .executeTakeFirstOrThrow()
  if (verified) await bindInvitations(db, person)
  else if (await isInvited(db, email)) sayWhyNot(log, issuer, person.id)
  return person
}

async function isInvited(db: Db, email: string): Promise<boolean> {
  return (
    (await db.selectFrom('invitation').select('tenant_id').where('email', '=', email).executeTakeFirst()) !== undefined
  )
}

/** Who the log was told of, by this process: once each is enough. */
const told = new Set<string>()

/** Tells the log why somebody who is invited stays outside. */
function sayWhyNot(log: Context['log'], issuer: string, person: string): void {
  if (told.has(person)) return
  if (told.size >= 1000) told.clear()
  told.add(person)
  const reason =
    'the identity provider does not say that their e-mail is verified; OIDC_TRUST_EMAILS=on takes its word for it'
  log.warn({ issuer, person, reason }, 'somebody who is invited stays outside')
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
  const bound = await tx
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
    .executeTakeFirst()
  if (bound.numUpdatedRows === 0n) await dropSecond(tx, membershipId, person)
  await changed(tx, 'user', [membershipId])
}

/** Nobody will ever sign in as a second member that one person was invited as: it would stand there as invited for ever. */
async function dropSecond(tx: TenantTx, id: string, person: Person): Promise<void> {
  const second = await tx
    .deleteFrom('membership')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('person_id', 'is', null)
    .returning(['name', 'email', 'role'])
    .executeTakeFirst()
  if (second)
    await audit(tx, {
      person,
      action: 'user deleted',
      subject: { type: 'user', id, name: second.name },
      before: second,
    })
}

const toldColumns = [
  ...(['tenant.id', 'display_name', 'time_zone', 'role', 'tag_ids'] as const),
  ...(['suspended_at', 'suspended_reason'] as const),
] as const

/** The tenants a person belongs to with role and tags in each, by display name. */
export async function tenantsOf(db: Db, personId: string): Promise<Session['tenants']> {
  return asPerson(db, personId, async (transaction) => {
    const rows = await transaction
      .selectFrom('membership')
      .innerJoin('tenant', 'tenant.id', 'membership.tenant_id')
      .where('person_id', '=', personId)
      .select([...toldColumns, 'membership.id as member_id'])
      .orderBy(sql`lower(display_name)`)
      .execute()
    return rows.map(toldTenant)
  })
}

/** The one tenant that an API key is for, as those of a person are told. */
export async function tenantOfSoftware(db: Db, tenant: string, personId: string): Promise<Session['tenants']> {
  return inTenant(db, tenant, async (tx) => {
    const rows = await tx
      .selectFrom('api_key')
      .innerJoin('tenant', 'tenant.id', 'api_key.tenant_id')
      .where('api_key.tenant_id', '=', tenant)
      .where('person_id', '=', personId)
      .select([...toldColumns, 'api_key.id as member_id'])
      .execute()
    return rows.map(toldTenant)
  })
}

interface TenantRow {
  id: string
  display_name: string
  time_zone: string
  member_id: string
  role: Role
  tag_ids: string[]
  suspended_at: Date | null
  suspended_reason: string | null
}

const toldTenant = (row: TenantRow): Session['tenants'][number] => ({
  id: row.id,
  name: row.id,
  displayName: row.display_name,
  timeZone: row.time_zone,
  memberId: row.member_id,
  role: row.role,
  tags: row.tag_ids,
  suspension: row.suspended_at && { since: row.suspended_at.toISOString(), reason: row.suspended_reason ?? '' },
})
