import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Session } from '@caretaker/contract/session.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { Context } from '../context.ts'
import type { Db } from '../postgres/pool.ts'
import { prepared } from '../postgres/prepared.ts'
import { asPerson, inTenant } from '../postgres/tenant.ts'
import { acceptInvitation } from '../people/invitations.ts'
import {
  changeIdentity,
  clientsOf,
  membersElsewhere,
  personWithIdentity,
  softwareIssuer,
} from '../people/other-issuer.ts'
import { addPerson, personColumns, verifyEmail } from '../people/persons.ts'
import type { Profile } from './profile.ts'
import { refuseToken } from './token-faults.ts'
import { naturally } from '../postgres/natural-order.ts'

/** An open session. `authenticatedAt` is the last sign-in; null for sessions older than that column. */
export interface OpenSession {
  id: string
  authenticatedAt: Date | null
}

/** A signed-in person, before a tenant is chosen. */
export interface Person {
  id: string
  name: string
  email: string
  pictureUrl: string | null
  /** Whether the person has proved ownership of the e-mail: only then are invitations to it theirs. */
  emailVerified: boolean
  /** When the person was last removed from a client. */
  removedAt: Date | null
  /** The session of the embedded provider that the call belongs to. */
  session?: OpenSession | undefined
  /** Set for API keys: the client that the key belongs to. */
  keyOf?: string
  /** Set while the person sees a client as another member does. */
  viewing?: Viewing
}

/** A person's view of a client as one of its members; `name` is known once it has been checked. */
export interface Viewing {
  tenant: string
  id: string
  name?: string
}

interface Subject {
  issuer: string
  subject: string
  /** The session of the embedded provider, which must be open. */
  session: string | undefined
  /**
   * Whether a verified e-mail binds the subject to the member whom another issuer knew by it. False at the embedded
   * provider: passwords from before a move still exist, and a lost setting must not make them valid again.
   */
  bindsMembers: boolean
  /**
   * From the token or the provider's user info, requested only while the person is not fully known; undefined if
   * neither has an e-mail address.
   */
  profile: () => Promise<Profile | undefined>
}

/**
 * Returns the person of an issuer's subject, created at the first sign-in. A member whom another issuer knew by the
 * same verified e-mail stays the same person. Invitations to a verified e-mail are bound at the first sign-in, or later
 * if the person was invited while unknown or unverified. Refuses a session that has ended.
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
  else logUnverified(log, subject.issuer, person.id)
  return { ...person, emailVerified }
}

/**
 * The open session of the embedded provider; tokens of other providers name none. A separate statement: in a join with
 * a distributed table, Citus does not apply the view owner's rights.
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
    .select(personColumns)
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
  const claims = await profile()
  if (!claims) throw refuseToken(log, 'profile')
  const { email, emailVerified: verified, name, picture } = claims
  if (verified && about.bindsMembers && (await bindMember(context, about, email))) return knownPerson(context, about)
  const row = { issuer, subject, email, email_verified: verified, name, picture_url: picture ?? null }
  const person = await addPerson(db, row)
  if (verified) await bindInvitations(db, issuer, person)
  else if (await isInvited(db, email)) logUnverified(log, issuer, person.id)
  return person
}

/**
 * Binds an unknown subject to the one member whom another issuer knew by the verified e-mail. If several members have
 * it, none is bound and an operator decides. Returns whether the subject now has a person.
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
    warnOnce(log, `${issuer} ${subject}`, 'several members have the e-mail of a person who signed in: none was bound', {
      issuer,
      people: members.map(({ id }) => id),
      hint: 'choose the member with caretaker user move-issuer --subject-map',
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

/** Does the same for someone who signed in before but is not a member; the member's person replaces theirs. */
async function bindWithoutClients(
  context: Pick<Context, 'db' | 'log'>,
  about: Subject,
  person: Person,
): Promise<boolean> {
  if ((await clientsOf(context.db, person.id)).length) return false
  const claims = await about.profile()
  if (!claims?.emailVerified) return false
  return bindMember(context, about, claims.email, person)
}

async function isInvited(db: Db, email: string): Promise<boolean> {
  return (
    (await db.selectFrom('invitation').select('tenant_id').where('email', '=', email).executeTakeFirst()) !== undefined
  )
}

/** Keys of messages that this process has logged, so that each is logged once. */
const logged = new Set<string>()

function warnOnce(log: Context['log'], key: string, message: string, about: object): void {
  if (logged.has(key)) return
  if (logged.size >= 1000) logged.clear()
  logged.add(key)
  log.warn(about, message)
}

/** Logs why an invited person is not admitted. */
function logUnverified(log: Context['log'], issuer: string, person: string): void {
  const reason =
    'the identity provider does not report the e-mail as verified; with OIDC_TRUST_EMAILS=on it counts as verified'
  warnOnce(log, person, 'an invited person was not admitted', { issuer, person, reason })
}

async function isVerifiedNow(db: Db, person: Person, { profile }: Subject): Promise<boolean> {
  const claims = await profile()
  if (!claims?.emailVerified || claims.email !== person.email) return false
  await verifyEmail(db, person.id)
  return true
}

/** Gives the person every membership that their verified e-mail was invited to. */
async function bindInvitations(db: Db, issuer: string, person: Person): Promise<void> {
  const invitations = await db.selectFrom('invitation').selectAll().where('email', '=', person.email).execute()
  for (const { tenant_id, membership_id } of invitations)
    await inTenant(db, tenant_id, (tx) => acceptInvitation(tx, membership_id, issuer, person))
}

const tenantColumns = [
  ...(['tenant.id', 'display_name', 'time_zone', 'role', 'tag_ids'] as const),
  ...(['suspended_at', 'suspended_reason'] as const),
] as const

/** A person's tenants with the role and tags in each, by display name. */
export async function tenantsOf(db: Db, personId: string): Promise<Session['tenants']> {
  return asPerson(db, personId, async (transaction) => {
    const rows = await transaction
      .selectFrom('membership')
      .innerJoin('tenant', 'tenant.id', 'membership.tenant_id')
      .where('person_id', '=', personId)
      .where('removal_began_at', 'is', null)
      .select([...tenantColumns, 'membership.id as member_id'])
      .orderBy(naturally(sql`display_name`))
      .execute()
    return rows.map(tenantOf)
  })
}

/** The one tenant of an API key, in the same form as those of a person. */
export async function tenantOfSoftware(db: Db, tenant: string, personId: string): Promise<Session['tenants']> {
  return inTenant(db, tenant, async (tx) => {
    const rows = await tx
      .selectFrom('api_key')
      .innerJoin('tenant', 'tenant.id', 'api_key.tenant_id')
      .where('api_key.tenant_id', '=', tenant)
      .where('person_id', '=', personId)
      .select([...tenantColumns, 'api_key.id as member_id'])
      .execute()
    return rows.map(tenantOf)
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

const tenantOf = (row: TenantRow): Session['tenants'][number] => ({
  id: row.id,
  name: row.id,
  displayName: row.display_name,
  timeZone: row.time_zone,
  memberId: row.member_id,
  role: row.role,
  tags: row.tag_ids,
  suspension: row.suspended_at && { since: row.suspended_at.toISOString(), reason: row.suspended_reason ?? '' },
})
