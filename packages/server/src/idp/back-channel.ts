import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { JWTPayload } from 'jose'
import { jwtVerify } from 'jose'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { callerOf } from '../http/caller.ts'
import { within } from '../postgres/throttle.ts'
import { endProviderSessions } from './browser-sessions.ts'
import type { Connection } from './sso-connections.ts'
import { findConnection } from './sso-connections.ts'
import { accountOfSubject, tenantOfConnection } from './sso-lookup.ts'
import type { Providers } from './sso-provider.ts'

const Given = z.object({ logout_token: z.string().max(8000) })

/** The type that keeps other tokens of the provider from passing as a logout token (section 4.1). */
const logoutType = 'logout+jwt'

/** The event that makes a token a logout token (OpenID Connect Back-Channel Logout, section 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const clockDifference = 60
/** Seconds for which a logout token is valid. */
const validFor = 600
const seenModel = 'SsoLogoutToken'
const ofCaller = { most: 600, seconds: 600 }

/** Ends sessions when a client's provider reports a sign-out. */
export function backChannelRoute(
  scope: FastifyInstance,
  { context, providers }: { context: Context; providers: Providers },
): void {
  const { db, idp, log } = context
  scope.post<{ Params: { connection: string } }>('/login/sso/back-channel/:connection', async (request, reply) => {
    void reply.header('cache-control', 'no-store')
    const refused = (reason: string, connection?: Connection) => {
      log.warn({ tenant: connection?.tenant, connection: connection?.id, reason }, 'a logout token was refused')
      return reply.status(400).send({ error: 'invalid_request', error_description: 'The logout token is not valid.' })
    }
    if (!(await within(db, ['logout tokens', callerOf(request.ip)], ofCaller)))
      return reply.status(429).header('retry-after', ofCaller.seconds).send({ error: 'temporarily_unavailable' })
    const given = Given.safeParse(request.body)
    const id = z.uuid().safeParse(request.params.connection)
    const tenant = id.success ? await tenantOfConnection(idp, id.data) : undefined
    const connection = tenant !== undefined ? await findConnection(db, tenant, id.data!) : undefined
    if (!given.success || !connection) return refused('unknown connection or no logout token')
    const claims = await verified(connection, providers, given.data.logout_token)
    if (typeof claims === 'string') return refused(claims, connection)
    if (!(await isFirst(context, connection, claims.jti!))) return refused('the token was used before', connection)
    const { sub, sid } = claims as { sub?: string; sid?: string }
    const account = sub === undefined ? undefined : await accountOfSubject(idp, connection.id, sub)
    // A subject without an account has no sessions here.
    if (sub !== undefined && account === undefined) return reply.status(200).send()
    const ended = await endProviderSessions(idp, { connectionId: connection.id, account, providerSession: sid })
    log.info({ tenant: connection.tenant, connection: connection.id, ended }, 'a provider ended sessions')
    return reply.status(200).send()
  })
}

/** The claims of a logout token, or why it is not one. */
async function verified(connection: Connection, providers: Providers, token: string): Promise<JWTPayload | string> {
  try {
    const { payload } = await jwtVerify(token, await providers.keysOf(connection), {
      issuer: connection.issuer,
      audience: connection.clientId,
      algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'],
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
      clockTolerance: clockDifference,
      maxTokenAge: validFor,
      typ: logoutType,
    })
    const { events, nonce, sub, sid } = payload
    const isText = (claim: unknown) => claim === undefined || typeof claim === 'string'
    if (typeof events !== 'object' || events === null || !(logoutEvent in events)) return 'no logout event'
    if (nonce !== undefined) return 'a nonce, which only ID tokens have'
    if (!isText(sub) || !isText(sid) || (sub === undefined && sid === undefined)) return 'neither subject nor session'
    return payload
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    return ([code, message].filter(Boolean).join(': ') || 'invalid').slice(0, 200)
  }
}

/** Whether a token is received for the first time. */
async function isFirst({ idp }: Context, { id }: Connection, jti: string): Promise<boolean> {
  const digest = createHash('sha256').update(`${id}\n${jti}`).digest('base64url')
  const { rowCount } = await idp.query(
    `insert into idp.payload (model, id, payload, expires_at) values ($1, $2, '{}', now() + make_interval(secs => $3))
     on conflict do nothing`,
    [seenModel, digest, validFor + 2 * clockDifference],
  )
  return rowCount === 1
}
