import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
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
import { changeIdentity, clientsOf, membersElsewhere, personWithIdentity, softwareIssuer } from './other-issuer.ts'
import type { Profile } from './profile.ts'
import { refuseToken } from './token-faults.ts'
import { naturally } from '../postgres/natural-order.ts'

/** An open session, and when its person last signed in; null for one from before that was kept. */
export interface OpenSession {
  id: string
  authenticatedAt: Date | null
}

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
  /** The session at the embedded provider that they call in. */
  session?: OpenSession | undefined
  /** Other software, which calls by an API key: the client that it is for. */
  keyOf?: string
}

interface Subject {
  issuer: string
  subject: string
  /** The session at the embedded provider, which must be open. */
  session: string | undefined
  /**
   * Whether a verified e-mail makes them the member whom another issuer knew by it. Not at the embedded provider: passwords from
   * before a move are still there, and none may open anything again only because a setting was lost.
   */
  bindsMembers: boolean
  /** In the token or the provider's user info, asked only while the person is not settled; undefined where neither names an address. */
  profile: () => Promise<Profile | undefined>
}

/**
 * The person that a subject of an issuer is, created at the first sign-in. A member whom another issuer knew by the same verified
 * e-mail stays the same person. Invitations to a verified e-mail are bound to the person at the first sign-in, or later for a person
 * who is invited while unknown or unverified. Refuses a session that has ended.
 */
export async function personOf(context: Pick<Context, 'db' | 'log'>, subject: Subject): Promise<Person> {
  const { db } = context
  const session = await openSession(db, subject.session)
  if (subject.session !== undefined && !session) throw refuse('unauthorized')
  return { ...(await knownPerson(context, subject)), session }
}

async function knownPerson(context: Pick<Context, 'db' | 'log'>, subject: Subject): Promise<Person> {
  const { db, log } = context
  const known = await findPerson(db, subject)
  if (!known) return firstSignIn(context, subject)
  const { invited, elsewhere, ...person } = known
  if (elsewhere && subject.bindsMembers && (await bindWithoutClients(context, subject, person)))
    return knownPerson(context, subject)
  if (!invited) return person
  const emailVerified = person.emailVerified || (await isVerifiedNow(db, person, subject))
  if (emailVerified) await bindInvitations(db, subject.issuer, person)
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
 * A session of the embedded provider that is open; a foreign one's tokens name none. Asked by itself: beside a table of several
 * machines a distributed database forgets whose rights a view has.
 */
async function openSession(db: Db, session: string | undefined): Promise<OpenSession | undefined> {
  if (session === undefined) return undefined
  const { rows } = await sql<OpenSession>`
    select id, authenticated_at as "authenticatedAt" from idp.open_session where id = ${session} ${prepared}`.execute(
    db,
  )
  return rows[0]
}

async function findPerson(db: Db, { issuer, subject }: Subject) {
  return db
    .selectFrom('person')
    .select(columns)
    .select(sql<boolean>`exists (select from invitation where invitation.email = person.email)`.as('invited'))
    .select(
      sql<boolean>`exists (select from person as other
        where lower(other.email) = lower(person.email) and other.email_verified
          and other.issuer <> person.issuer and other.issuer <> ${softwareIssuer})`.as('elsewhere'),
    )
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .modifyEnd(prepared)
    .executeTakeFirst()
}

async function firstSignIn(context: Pick<Context, 'db' | 'log'>, about: Subject): Promise<Person> {
  const { db, log } = context
  const { issuer, subject, profile } = about
  const told = await profile()
  if (!told) throw refuseToken(log, 'profile')
  const { email, emailVerified: verified, name, picture } = told
  if (verified && about.bindsMembers && (await bindMember(context, about, email))) return knownPerson(context, about)
  const person = await db
    .insertInto('person')
    .values({
      id: randomUUID(),
      issuer,
      subject,
      email,
      email_verified: verified,
      name,
      picture_url: picture ?? null,
    })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ email, email_verified: verified }))
    .returning(columns)
    .executeTakeFirstOrThrow()
  if (verified) await bindInvitations(db, issuer, person)
  else if (await isInvited(db, email)) sayWhyNot(log, issuer, person.id)
  return person
}

/**
 * Binds a subject that nobody knows to the one member whom another issuer knew by the verified e-mail. Of several members it could be
 * either: none is bound, and an operator decides. True when the subject has a person then.
 */
async function bindMember(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { issuer, subject }: Subject,
  email: string,
  holder?: { id: string },
): Promise<boolean> {
  const to = { issuer, subject }
  const members = await membersElsewhere(db, issuer, email)
  const [member] = members
  if (!member) return false
  if (members.length > 1) {
    sayOnce(log, `${issuer} ${subject}`, 'several members have the e-mail of a person who signs in: none was bound', {
      issuer,
      people: members.map(({ id }) => id),
      hint: 'caretaker user move-issuer --subject-map says which of them it is',
    })
    return false
  }
  if (!(await changeIdentity(db, { person: member, to, holder, by: member })))
    return !holder && (await personWithIdentity(db, to)) !== undefined
  log.warn(
    { person: member.id, from: member.issuer, to: issuer },
    'a member signs in with another identity provider now',
  )
  return true
}

/** The same for a person who signed in before, but is no member: the person gives way to the member. */
async function bindWithoutClients(
  context: Pick<Context, 'db' | 'log'>,
  about: Subject,
  person: Person,
): Promise<boolean> {
  if ((await clientsOf(context.db, person.id)).length) return false
  const told = await about.profile()
  if (!told?.emailVerified) return false
  return bindMember(context, about, told.email, person)
}

async function isInvited(db: Db, email: string): Promise<boolean> {
  return (
    (await db.selectFrom('invitation').select('tenant_id').where('email', '=', email).executeTakeFirst()) !== undefined
  )
}

/** What this process has logged: once each is enough. */
const logged = new Set<string>()

function sayOnce(log: Context['log'], key: string, message: string, about: object): void {
  if (logged.has(key)) return
  if (logged.size >= 1000) logged.clear()
  logged.add(key)
  log.warn(about, message)
}

/** Tells the log why somebody who is invited stays outside. */
function sayWhyNot(log: Context['log'], issuer: string, person: string): void {
  const reason =
    'the identity provider does not say that their e-mail is verified; OIDC_TRUST_EMAILS=on takes its word for it'
  sayOnce(log, person, 'somebody who is invited stays outside', { issuer, person, reason })
}

async function isVerifiedNow(db: Db, person: Person, { profile }: Subject): Promise<boolean> {
  const told = await profile()
  if (!told?.emailVerified || told.email !== person.email) return false
  await db.updateTable('person').set({ email_verified: true }).where('id', '=', person.id).execute()
  return true
}

/** Gives the person every membership to which their verified e-mail was invited. */
async function bindInvitations(db: Db, issuer: string, person: Person): Promise<void> {
  const invitations = await db.selectFrom('invitation').selectAll().where('email', '=', person.email).execute()
  for (const { tenant_id, membership_id } of invitations)
    await inTenant(db, tenant_id, (tx) => bindInvitation(tx, membership_id, issuer, person))
}

async function bindInvitation(tx: TenantTx, id: string, issuer: string, person: Person): Promise<void> {
  // Whoever is changing the members holds them: only then is it certain whom the invitation is for.
  const member = await tx
    .selectFrom('membership')
    .select(['name', 'person_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  const taken = await tx
    .deleteFrom('invitation')
    .where('tenant_id', '=', tx.tenant)
    .where('membership_id', '=', id)
    .where('email', '=', person.email)
    .executeTakeFirst()
  if (!member || taken.numDeletedRows === 0n) return
  const former = member.person_id === null ? null : await formerIssuer(tx, member.person_id, issuer)
  // The member of a person whom the issuer in use knows stays theirs.
  if (member.person_id !== null && former === null) return
  const bound = await tx
    .updateTable('membership')
    .set({ person_id: person.id })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
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
  if (bound.numUpdatedRows === 0n) await dropSecond(tx, id, person)
  else if (former !== null)
    await audit(tx, {
      person,
      action: 'user moved to another identity provider',
      subject: { type: 'user', id, name: member.name },
      before: { identityProvider: former },
      after: { identityProvider: issuer },
    })
  await changed(tx, 'user', [id])
}

/** The issuer that knows a person, where it is another one than that in use. */
async function formerIssuer(tx: TenantTx, personId: string, inUse: string): Promise<string | null> {
  const { issuer } = await tx.selectFrom('person').select('issuer').where('id', '=', personId).executeTakeFirstOrThrow()
  return issuer === inUse ? null : issuer
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
      .where('removal_began_at', 'is', null)
      .select([...toldColumns, 'membership.id as member_id'])
      .orderBy(naturally(sql`display_name`))
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
