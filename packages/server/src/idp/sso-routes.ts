import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { z } from 'zod'
import { email } from '@caretaker/contract/scalars.ts'
import type { Context } from '../context.ts'
import { callerOf } from '../http/caller.ts'
import { recordSignIn } from '../identity/access-record.ts'
import { digestOf } from '../identity/password-link.ts'
import { isStaffAccount } from '../identity/sign-in-policy.ts'
import type { Counted } from '../postgres/throttle.ts'
import { uncount, within } from '../postgres/throttle.ts'
import type { Account } from './accounts.ts'
import { findCredentials } from './accounts.ts'
import type { Interaction, SsoSession } from './interaction.ts'
import { interaction } from './interaction.ts'
import { messagePage } from './pages.ts'
import { stretch } from './sign-in.ts'
import type { DirectoryMembers } from './sso-account.ts'
import { accountOf, checkedFactor, groupsOf, refusals } from './sso-account.ts'
import type { Connection } from './sso-connections.ts'
import { findConnection } from './sso-connections.ts'
import { connectionsOfTenant, hasSso, ownerOfAddress } from './sso-lookup.ts'
import { emailPage, failedPage, leavingPage, signedOutPage } from './sso-pages.ts'
import type { Checks, Providers } from './sso-provider.ts'
import { ProviderFault, signedInAt } from './sso-provider.ts'

const Address = z.object({ email: email('Please enter a valid e-mail.') })
const Chosen = z.object({ connection: z.uuid() })

/** Sign-ins at providers that one caller may begin without finishing: with one connection, and with all. */
const ofConnection = { most: 100, seconds: stretch }
const ofCaller = { most: 300, seconds: stretch }
const signOuts = { most: 100, seconds: stretch }
const tooMany = 'Too many sign-ins from your network. Please wait 15 minutes and try again.'

const signInModel = 'SsoSignIn'
const minutesToSignIn = 15

interface Begun {
  uid: string
  tenant: string
  connectionId: string
  checks: Checks
}

/** The pages of the embedded provider that a sign-in needs. */
export interface SignInPages {
  html(reply: FastifyReply, status: number, page: string): FastifyReply
  expired(reply: FastifyReply): FastifyReply
  /** The page with e-mail address and password. */
  passwordPage(reply: FastifyReply, uid: string, email: string): FastifyReply
  /** Continues after the client's provider: to a second factor, or into the portal. */
  proceed(
    request: FastifyRequest,
    reply: FastifyReply,
    signedIn: { uid: string; account: Account; hasFactor: boolean; reason: string; sso: SsoSession },
  ): Promise<FastifyReply>
}

interface Parts {
  context: Context
  provider: Provider
  providers: Providers
  members: DirectoryMembers
  pages: SignInPages
}

/** The pages of a sign-in with a client's provider. Returns the first page of a sign-in, and the way to the provider. */
export function ssoRoutes(scope: FastifyInstance, { context, provider, providers, members, pages }: Parts) {
  const { idp, db, log } = context
  const { html, expired } = pages
  const addressOf = (uid: string) => `/login/${uid}`
  const found = (request: FastifyRequest, reply: FastifyReply) => interaction(provider, request.raw, reply.raw)

  const countsOf = (request: FastifyRequest, connectionId: string): { caller: Counted; connection: Counted } => {
    const caller = callerOf(request.ip)
    return { caller: ['single sign-on', caller], connection: ['single sign-on', caller, connectionId] }
  }

  const failed = (
    reply: FastifyReply,
    uid: string,
    { connection, reason, text, status }: { connection: Connection; reason: string; text: string; status: number },
  ) => {
    log.warn({ tenant: connection.tenant, connection: connection.id, reason }, 'single sign-on failed')
    return html(reply, status, failedPage({ text, address: addressOf(uid) }))
  }
  const faulty = (reply: FastifyReply, uid: string, connection: Connection, error: unknown) => {
    if (!(error instanceof ProviderFault)) throw error
    const texts = {
      unreachable: `The provider ‘${connection.name}’ could not be reached. Please try again in a minute.`,
      invalid: `The provider ‘${connection.name}’ did not confirm the sign-in. If this happens again, ask its administrator.`,
      refused: `The provider ‘${connection.name}’ did not sign you in.`,
    }
    const status = error.kind === 'unreachable' ? 502 : 400
    return failed(reply, uid, { connection, reason: error.reason, text: texts[error.kind], status })
  }

  /** Sends the browser to the provider through a page: after a form, browsers allow no redirect to another site. */
  const leave = async (
    request: FastifyRequest,
    reply: FastifyReply,
    at: Interaction,
    { tenant, connectionId, hint }: { tenant: string; connectionId: string; hint: string },
  ): Promise<FastifyReply> => {
    const { uid, isAgain } = at
    const connection = await findConnection(db, tenant, connectionId)
    if (!connection) return pages.passwordPage(reply, uid, hint)
    const counts = countsOf(request, connectionId)
    if (!(await within(db, counts.connection, ofConnection)) || !(await within(db, counts.caller, ofCaller)))
      return html(reply.header('retry-after', stretch), 429, failedPage({ text: tooMany, address: addressOf(uid) }))
    try {
      const { address, checks } = await providers.begin(connection, { hint, isAgain })
      await idp.query(
        `insert into idp.payload (model, id, payload, expires_at) values ($1, $2, $3, now() + make_interval(mins => $4))`,
        [signInModel, digestOf(checks.state), { uid, tenant, connectionId, checks } satisfies Begun, minutesToSignIn],
      )
      const page = leavingPage({ name: connection.name, to: address, address: addressOf(uid) })
      return html(reply.header('refresh', `0; url=${address}`), 200, page)
    } catch (error) {
      return faulty(reply, uid, connection, error)
    }
  }

  const namedConnections = async (client: string) => {
    const owners = client ? await connectionsOfTenant(idp, client) : []
    const named = []
    for (const { tenant, connectionId } of owners) {
      const connection = await findConnection(db, tenant, connectionId)
      if (connection) named.push({ id: connection.id, name: connection.name })
    }
    return named
  }

  scope.post('/login/:uid/email', async (request, reply) => {
    const at = await found(request, reply)
    if (!at) return expired(reply)
    const given = Address.safeParse(request.body)
    if (!given.success) {
      const connections = await namedConnections(at.client)
      const error = 'Please enter a valid e-mail.'
      return html(reply, 400, emailPage({ connections, address: addressOf(at.uid), email: '', error }))
    }
    const hint = given.data.email
    const owner = await ownerOfAddress(idp, hint)
    const account = owner && (await findCredentials(idp, hint))
    if (!owner || (account && (await isStaffAccount(context, account)))) return pages.passwordPage(reply, at.uid, hint)
    return leave(request, reply, at, { ...owner, hint })
  })

  scope.post('/login/:uid/sso', async (request, reply) => {
    const at = await found(request, reply)
    if (!at) return expired(reply)
    const { data } = Chosen.safeParse(request.body)
    const owner = (await connectionsOfTenant(idp, at.client)).find((one) => one.connectionId === data?.connection)
    return owner ? leave(request, reply, at, { ...owner, hint: '' }) : expired(reply)
  })

  // The cookie of a sign-in is sent to its own address alone, where the response is checked.
  // A response at the address of another connection may come from another provider (RFC 9700, section 4.4).
  scope.get<{ Params: { connection: string } }>('/login/sso/callback/:connection', async (request, reply) => {
    const { search, searchParams } = new URL(request.raw.url ?? '', context.config.origin)
    const { rows } = await idp.query<{ uid: string; connection: string }>(
      `select payload->>'uid' as uid, payload->>'connectionId' as connection from idp.payload
       where model = $1 and id = $2 and payload->>'connectionId' = $3 and expires_at > now()`,
      [signInModel, digestOf(searchParams.get('state') ?? ''), request.params.connection],
    )
    const [begun] = rows
    if (!begun) return expired(reply)
    const address = `${addressOf(begun.uid)}/sso/${begun.connection}${search}`
    return reply.header('cache-control', 'no-store').redirect(address, 303)
  })

  scope.get<{ Params: { connection: string } }>('/login/:uid/sso/:connection', async (request, reply) => {
    const at = await found(request, reply)
    if (!at) return expired(reply)
    const { uid } = at
    const query = new URL(request.raw.url ?? '', context.config.origin).searchParams
    const { rows } = await idp.query<{ payload: Begun }>(
      `delete from idp.payload where model = $1 and id = $2 and expires_at > now() and payload->>'uid' = $3
         and payload->>'connectionId' = $4 returning payload`,
      [signInModel, digestOf(query.get('state') ?? ''), uid, request.params.connection],
    )
    const begun = rows[0]?.payload
    const connection = begun && (await findConnection(db, begun.tenant, begun.connectionId))
    if (!begun || !connection) return expired(reply)
    const claims = await providers
      .finish(connection, query.toString(), begun.checks)
      .catch((error: unknown) => void faulty(reply, uid, connection, error))
    if (!claims) return reply
    const caller = callerOf(request.ip)
    const known = await accountOf(context, connection, { claims, caller })
    if ('refused' in known) {
      const reason = `single sign-on: ${known.refused}`
      await recordSignIn(context, {
        action: 'sign-in failed',
        account: undefined,
        caller,
        reason,
      })
      return failed(reply, uid, { connection, reason: known.refused, text: refusals[known.refused], status: 403 })
    }
    const { account } = known
    const { tenant, id: connectionId, createsMembers, name } = connection
    await uncount(db, Object.values(countsOf(request, connectionId)))
    const groups = groupsOf(connection, claims)
    if (groups)
      await members.follow(context, { tenant, connectionId, connectionName: name, createsMembers, account, groups })
    else log.warn({ tenant, connection: connectionId }, 'the groups of a person do not fit into the token')
    const providerSession = typeof claims['sid'] === 'string' ? claims['sid'].slice(0, 300) : null
    return pages.proceed(request, reply, {
      ...{ uid, account, hasFactor: checkedFactor(connection, claims), reason: `single sign-on: ${name}` },
      sso: { tenant, connectionId, providerSession, signedInAt: signedInAt(claims['auth_time']) },
    })
  })

  scope.get<{ Querystring: Record<string, unknown> }>('/login/sso/signed-out', async (request, reply) => {
    const { origin } = context.config
    if (!(await within(db, ['single sign-on sign-outs', callerOf(request.ip)], signOuts)))
      return reply.redirect(`${origin}/`, 303)
    const named = Chosen.safeParse(request.query)
    const tenant = z.string().max(40).safeParse(request.query['client'])
    const connection =
      named.success && tenant.success ? await findConnection(db, tenant.data, named.data.connection) : undefined
    const to = connection && (await providers.signOutAddress(connection).catch(() => undefined))
    if (!connection || !to) return reply.redirect(`${origin}/`, 303)
    return html(reply, 200, signedOutPage({ name: connection.name, to, back: origin }))
  })

  /** The first page of a sign-in: with an e-mail address where a client uses single sign-on. */
  const firstPage = async (request: FastifyRequest, reply: FastifyReply, at: Interaction): Promise<FastifyReply> => {
    const { uid, hint, client, signedIn } = at
    const isOther = new URL(request.raw.url ?? '', context.config.origin).searchParams.has('other')
    if (isOther || !(await hasSso(idp))) return pages.passwordPage(reply, uid, hint)
    const owner = await ownerOfAddress(idp, hint)
    const account = owner && (await findCredentials(idp, hint))
    if (account && (await isStaffAccount(context, account))) return pages.passwordPage(reply, uid, hint)
    // Others have to press a button: a link with a hint could sign a browser in to its author's account.
    if (owner && account && account.id === signedIn) return leave(request, reply, at, { ...owner, hint })
    const connections = await namedConnections(client)
    return html(reply, 200, emailPage({ connections, address: addressOf(uid), email: hint }))
  }
  return { firstPage, leave }
}

/** The page of a password link that the owner of an address cannot use. */
export const needsSsoPage = (origin: string): string =>
  messagePage(
    'Sign in with your organisation',
    'Your organisation uses its own sign-in provider, so you need no password here.',
    origin,
  )
