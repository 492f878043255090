import type { FastifyRequest } from 'fastify'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { errors, jwtVerify } from 'jose'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { seesEverything } from '@caretaker/rules/identity/actor.ts'
import { embeddedDirectory } from '../config.ts'
import type { Context } from '../context.ts'
import { sql } from 'kysely'
import { prepared } from '../postgres/prepared.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Person } from '../identity/person.ts'
import { personOfKey } from '../identity/api-keys.ts'
import { personOf } from '../identity/person.ts'
import { addressIn, profileIn } from '../identity/profile.ts'
import type { TokenFault } from '../identity/token-faults.ts'
import { claimText, refuseToken } from '../identity/token-faults.ts'

export interface TokenCheck {
  keys: JWTVerifyGetKey
  issuer: string
  audience: string
  /** The name of the user directory; see the configuration. */
  directory: string
  /**
   * Fetches name and e-mail from an external provider if the access token lacks them; undefined for the embedded one.
   */
  userInfo?: (token: string) => Promise<Record<string, unknown>>
  /** Whether its tokens name a session and end with it, as those of the embedded provider do. */
  hasSessions?: boolean
  /** Whether an e-mail counts as verified if the provider does not state it. */
  trustsEmails?: boolean
}

/** The claim of an access token that names its session. */
export const sessionClaim = 'session'

/** Allowed clock difference between this server and an identity provider, in seconds. */
const clockDifference = 60

/** Identifies the person behind a bearer token or an API key, or rejects with 401. A person is (issuer, subject). */
export async function authenticate(
  context: Context,
  check: TokenCheck,
  request: Pick<FastifyRequest, 'headers' | 'ip' | 'showLimit'>,
): Promise<Person> {
  const { authorization } = request.headers
  const [, key] = /^Bearer ([\w-]+)$/i.exec(authorization ?? '') ?? []
  const software = key && (await personOfKey(context, key, request))
  if (software) return software
  const [, token] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? []
  if (token === undefined) throw refuse('unauthorized')
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw refuseToken(context.log, 'opaque')
  const claims = await verify(context, check, token)
  const session = check.hasSessions ? claims[sessionClaim] : undefined
  if (check.hasSessions && typeof session !== 'string')
    throw refuseToken(context.log, 'missing claim', { claim: sessionClaim })
  return personOf(context, {
    issuer: check.directory,
    subject: claims.sub!,
    session: session as string | undefined,
    bindsMembers: check.directory !== embeddedDirectory,
    profile: async () => {
      const asks = addressIn(claims.email) === undefined && check.userInfo
      const profile = asks ? await asks(token) : claims
      // A response about another person is rejected (OpenID Connect Core, section 5.3.2).
      if (asks && profile.sub !== undefined && profile.sub !== claims.sub) throw refuseToken(context.log, 'user info')
      // Whether an address is verified is taken from the same source as the address.
      return profileIn(
        asks ? { ...claims, email_verified: undefined, ...profile } : claims,
        check.trustsEmails ?? false,
      )
    },
  })
}

async function verify(
  { log }: Pick<Context, 'log'>,
  { keys, issuer, audience, userInfo }: TokenCheck,
  token: string,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'],
      requiredClaims: ['sub', 'exp'],
      clockTolerance: clockDifference,
      // An ID token must not pass for an access token; external providers name the type differently.
      ...(!userInfo && { typ: 'at+jwt' }),
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refuseToken(log, ...faultOf(error, { issuer, audience }))
    throw error
  }
}

/** The fault of a token. Claims are named only if the signature is valid: then they come from the issuer. */
function faultOf(
  error: errors.JOSEError,
  expected: { issuer: string; audience: string },
): [fault: TokenFault, about?: Record<string, unknown>] {
  if (error instanceof errors.JWTExpired) return ['expired']
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason, payload } = error
    if (reason === 'missing') return ['missing claim', { claim }]
    if (claim === 'iss') return ['issuer', { expected: expected.issuer, received: claimText(payload.iss) }]
    if (claim === 'aud') return ['audience', { expected: expected.audience, received: claimText(payload.aud) }]
    if (claim === 'typ') return ['type']
    return claim === 'nbf' || claim === 'iat' ? ['not yet valid'] : ['malformed', { claim }]
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return ['signature']
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return ['key']
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return ['algorithm']
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return ['malformed']
  return ['keys unavailable', { error: error.code }]
}

/** Rejects a tenant that does not exist or is being removed. */
export async function expectTenant(tx: TenantTx): Promise<void> {
  const found = await tx
    .selectFrom('tenant')
    .select('id')
    .where('id', '=', tx.tenant)
    .where('removal_began_at', 'is', null)
    .executeTakeFirst()
  if (!found) throw refuse('not found')
}

/**
 * The person or API key as a member of the tenant. It is read from the database on each call, so that a removed user
 * or a changed role takes effect immediately. A non-member gets the same response as for a missing tenant.
 */
export async function actorOf(tx: TenantTx, person: Pick<Person, 'id'>): Promise<Actor> {
  return (await membersOf(tx, [person.id]))(person.id)
}

/** Like `actorOf` for several people, by id; the returned function returns or rejects each. */
export async function membersOf(tx: TenantTx, personIds: readonly string[]): Promise<(personId: string) => Actor> {
  const rows = new Map((await memberRows(tx, personIds)).map((row) => [row.userId, row]))
  return (personId) => {
    const row = rows.get(personId)
    if (!row) throw refuse('not found')
    const { suspended, ...actor } = row
    if (suspended !== null && !seesEverything(actor))
      throw refuse('forbidden', `This client is suspended: ${suspended}`)
    return actor
  }
}

/** The members among several people, by id, without those locked out of a suspended tenant. */
export async function actorsOf(tx: TenantTx, personIds: readonly string[]): Promise<Map<string, Actor>> {
  const rows = await memberRows(tx, personIds)
  const there = rows.filter((row) => row.suspended === null || seesEverything(row))
  return new Map(there.map(({ suspended: _, ...actor }) => [actor.userId, actor]))
}

/** `suspended` is the reason for the suspension; null if the tenant is active. */
async function memberRows(
  tx: TenantTx,
  personIds: readonly string[],
): Promise<(Actor & { suspended: string | null })[]> {
  const { rows } = await sql<
    Omit<Actor, 'tenant' | 'key'> & {
      suspended: string | null
      administers: boolean | null
      integrates: boolean | null
    }
  >`
    select person_id as "userId", id as "memberId", role, tag_ids as tags, administers, integrates,
      (select suspended_reason from tenant where id = ${tx.tenant} and suspended_at is not null) as suspended,
      array(select feature from tenant_feature where tenant_id = ${tx.tenant}) as features,
      array(select capability from tenant_capability where tenant_id = ${tx.tenant}) as capabilities
    from (
      select id, person_id, role, tag_ids, null::boolean as administers, null::boolean as integrates from membership
      where membership.tenant_id = ${tx.tenant} and person_id = any(${personIds}::uuid[])
      union all
      select id, person_id, role, tag_ids, administers_users, manages_integrations from api_key
      where api_key.tenant_id = ${tx.tenant} and person_id = any(${personIds}::uuid[])
        and revoked_at is null and expires_at > ${new Date()}
    ) as member
    where not exists (select from tenant where id = ${tx.tenant} and removal_began_at is not null) ${prepared}`.execute(
    tx,
  )
  return rows.map(({ administers, integrates, ...row }) => ({
    ...row,
    tenant: tx.tenant,
    ...(administers !== null && { key: { administersUsers: administers, managesIntegrations: integrates === true } }),
  }))
}

/** A member of the tenant as an actor, by their id as a user; undefined if there is none. */
export async function actorOfMember(
  tx: TenantTx,
  memberId: string,
): Promise<(Actor & { name: string; email: string }) | undefined> {
  const { rows } = await sql<Omit<Actor, 'tenant'> & { name: string; email: string }>`
    select coalesce(person_id, id) as "userId", id as "memberId", role, tag_ids as tags, name, email,
      array(select feature from tenant_feature where tenant_id = ${tx.tenant}) as features,
      array(select capability from tenant_capability where tenant_id = ${tx.tenant}) as capabilities
    from membership where tenant_id = ${tx.tenant} and id = ${memberId}`.execute(tx)
  return rows[0] && { ...rows[0], tenant: tx.tenant }
}

/** Which of these sessions of the embedded provider are open. */
export async function openSessions(tx: TenantTx, sessions: readonly string[]): Promise<Set<string>> {
  if (!sessions.length) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from idp.open_session where id = any(${sessions}::text[])`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}
