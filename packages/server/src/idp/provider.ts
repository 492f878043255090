import { createHash } from 'node:crypto'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import Provider, { errors, interactionPolicy } from 'oidc-provider'
import type pg from 'pg'
import type { Session } from '@caretaker/contract/session.ts'
import type { Obligation } from '@caretaker/rules/identity/sign-in-policy.ts'
import { sessionClaim } from '../http/access.ts'
import { findAccount } from './accounts.ts'
import { adapterFor } from './adapter.ts'
import { connectionOfSession, noteSignIn, noteUse, tokenSeconds } from './browser-sessions.ts'
import type { SsoSession } from './interaction.ts'
import { clientOfFactor } from './interaction.ts'
import { messagePage, page } from './pages.ts'
import type { Secrets } from './secrets.ts'
import { signingAlgorithm } from './secrets.ts'
import { ownerOfAddress, tenantOfConnection } from './sso-lookup.ts'

const day = 86_400
const scopes = 'openid profile email offline_access'
const accessScope = 'api'

/** The script that submits the sign-out form; the page's content security policy allows exactly this one. */
const submit = 'document.forms[0].submit()'
const submitHash = `'sha256-${createHash('sha256').update(submit).digest('base64')}'`

export interface Surroundings {
  pool: pg.Pool
  secrets: Secrets
  issuer: string
  origin: string
  audience: string
  clientId: string
  /** The tenants of a subject: included in the token, never trusted on its own. */
  organisations(subject: string): Promise<Session['tenants']>
  /**
   * The second factor and time limits that an account's clients require; the provider of client `checkedFor` has
   * checked a factor.
   */
  obligationOf(account: { id: string; email: string }, checkedFor?: string): Promise<Obligation>
  /** The connection that an address has to sign in with; undefined if it can use a password. */
  requiredConnectionOf(email: string): Promise<{ connectionId: string } | undefined>
}

/** The embedded OpenID provider: authorization code with PKCE, rotating refresh tokens, JWT access tokens. */
export function makeProvider(around: Surroundings): Provider {
  const { pool, secrets, issuer, origin, audience, clientId } = around
  const secure = origin.startsWith('https:')
  const alg = signingAlgorithm(secrets.jwks)
  const configuration: Configuration = {
    adapter: adapterFor(pool),
    jwks: secrets.jwks as Configuration['jwks'],
    cookies: {
      keys: secrets.cookieKeys,
      // No other host of the domain can set a cookie with such a prefix. Cookies of one sign-in are bound to its path, so that
      // several tabs can sign in at once; a path excludes `__Host-`.
      ...(secure && {
        names: { session: '__Host-session', interaction: '__Secure-interaction', resume: '__Secure-resume' },
      }),
      long: { signed: true, httpOnly: true, sameSite: 'lax' },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        application_type: 'web',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: alg,
        redirect_uris: [`${origin}/callback`],
        post_logout_redirect_uris: [`${origin}/`],
      },
    ],
    pkce: { required: () => true },
    // The client at whose address the sign-in began.
    extraParams: ['client'],
    scopes: scopes.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    conformIdTokenClaims: false,
    findAccount: async (_context, id) => {
      const account = await findAccount(pool, id)
      return (
        account && {
          accountId: account.id,
          claims: async () => ({
            sub: account.id,
            email: account.email,
            email_verified: account.emailVerified,
            name: account.name,
            ...(account.pictureUrl && { picture: account.pictureUrl }),
          }),
        }
      )
    },
    extraTokenClaims: async (context, token) => {
      const { oidc } = context
      if (!('accountId' in token)) return undefined
      const account = await findAccount(pool, token.accountId)
      if (!account) return undefined
      const { amr, authTime } = oidc.entities.RefreshToken ?? oidc.entities.AuthorizationCode ?? {}
      const obligation = await around.obligationOf(account, clientOfFactor(amr))
      if (obligation.needsSecondFactor && !amr?.includes('mfa'))
        throw new errors.InvalidGrant('a second factor is required')
      if (await needsOtherSignIn(account.email, token.grantId))
        throw new errors.InvalidGrant('single sign-on is required')
      const organisations = await around.organisations(account.id)
      if (token.grantId) {
        const browser = { account: account.id, userAgent: context.get('user-agent'), address: context.ip }
        const authenticatedAt = authTime ?? Math.floor(Date.now() / 1000)
        await noteUse(pool, { grantId: token.grantId, ...browser, authenticatedAt }, obligation)
      }
      return {
        email: account.email,
        email_verified: account.emailVerified,
        name: account.name,
        ...(account.pictureUrl && { picture: account.pictureUrl }),
        organisations: organisations.map(({ id, role, tags }) => ({ id, role, tags })),
        // Checked at every call: signing out or a new password ends the token at once.
        [sessionClaim]: token.grantId,
      }
    },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: signOutPage },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => {
          if (resource !== audience) throw new errors.InvalidTarget()
          return {
            scope: accessScope,
            audience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: tokenSeconds,
            jwt: { sign: { alg } },
          }
        },
      },
    },
    // Signing out ends everything that belongs to the session, including tokens for offline use.
    expiresWithSession: async () => true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: tokenSeconds,
      AuthorizationCode: 60,
      Grant: 14 * day,
      IdToken: 3600,
      Interaction: 3600,
      RefreshToken: 14 * day,
      Session: 14 * day,
    },
    loadExistingGrant,
    interactions: { url: (_context, interaction) => `/login/${interaction.uid}`, policy: signInPrompts() },
    // Browsers send the Origin header with every form, even to the same site; no other site may read a response.
    clientBasedCORS: (_context, asking) => asking === origin,
    renderError: async (context, out) => {
      context.type = 'html'
      const reason = String(out.error_description ?? out.error).replaceAll(/[^\w .,:'-]/g, ' ')
      context.body = messagePage('Sign-in failed', `The reason given is: ${reason}.`, origin)
    },
  }

  /**
   * The portal is the provider's own client: it gets its scopes without a consent page, but not again in a session that has
   * ended.
   */
  async function loadExistingGrant(context: KoaContextWithOIDC) {
    const { oidc } = context
    const { session, client, provider } = oidc
    const known = oidc.result?.consent?.grantId ?? session!.grantIdFor(client!.clientId)
    const existing = known ? await provider.Grant.find(known) : undefined
    if (known && !existing && !oidc.result?.login) return undefined
    const isOwn = existing && existing.accountId === session!.accountId
    const grant = isOwn ? existing : new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! })
    if (!isOwn) {
      grant.addOIDCScope(scopes)
      grant.addResourceScope(audience, accessScope)
      await grant.save()
    }
    await keepSession(context, grant.jti)
    return grant
  }

  async function keepSession(context: KoaContextWithOIDC, grantId: string): Promise<void> {
    const { session } = context.oidc
    const account = await findAccount(pool, session!.accountId!)
    if (!account) return
    const sso = context.oidc.result?.['sso'] as SsoSession | undefined
    if (sso && (await ownerOfAddress(pool, account.email))?.connectionId !== sso.connectionId) {
      // The connection or the domain was removed during the sign-in.
      await session!.destroy()
      throw new errors.AccessDenied('single sign-on was removed')
    }
    const signedIn = {
      ...{ grantId, account: account.id, userAgent: context.get('user-agent'), address: context.ip },
      authenticatedAt: session!.authTime() ?? Math.floor(Date.now() / 1000),
      sso,
    }
    await noteSignIn(pool, signedIn, await around.obligationOf(account))
  }

  /** Whether the client of an address requires its provider, and a session was started in another way. */
  async function needsOtherSignIn(email: string, grantId: string | undefined): Promise<boolean> {
    const required = await around.requiredConnectionOf(email)
    if (!required) return false
    return !grantId || (await connectionOfSession(pool, grantId)) !== required.connectionId
  }

  /** Requires a new sign-in if the session has ended, or if it lacks a second factor or a provider that is required now. */
  function signInPrompts() {
    const { Check, base } = interactionPolicy
    const policy = base()
    const check = new Check('session_over', 'The session is over', async ({ oidc }) => {
      const { session, client, result, provider } = oidc
      if (!session?.accountId || result?.login) return Check.NO_NEED_TO_PROMPT
      const grantId = session.grantIdFor(client!.clientId)
      if (grantId && !(await provider.Grant.find(grantId))) return Check.REQUEST_PROMPT
      const account = await findAccount(pool, session.accountId)
      if (!account) return Check.REQUEST_PROMPT
      if (await needsOtherSignIn(account.email, grantId)) return Check.REQUEST_PROMPT
      const { needsSecondFactor } = await around.obligationOf(account, clientOfFactor(session.amr))
      return needsSecondFactor && !session.amr?.includes('mfa') ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    })
    policy.get('login')!.checks.add(check)
    return policy
  }

  const provider = new Provider(issuer, configuration)
  provider.use(async (context, next) => {
    const isSignOut = context.method === 'POST' && context.path === '/session/end/confirm'
    const connection = isSignOut ? await connectionOf(context) : undefined
    try {
      await next()
      if (connection && context.status === 303) context.redirect(`/login/sso/signed-out?${connection}`)
    } finally {
      // The library allows every origin, in preflights and errors too.
      if (context.get('origin') !== origin)
        for (const name of Object.keys(context.response.headers))
          if (name.startsWith('access-control-')) context.remove(name)
    }
  })

  /** The connection whose provider has signed this browser in, as a query of the page after its sign-out. */
  async function connectionOf(context: Parameters<typeof provider.Session.get>[0]): Promise<string | undefined> {
    const session = await provider.Session.get(context)
    const grantId = session.grantIdFor(clientId)
    const id = grantId && (await connectionOfSession(pool, grantId))
    const tenant = id && (await tenantOfConnection(pool, id))
    return tenant ? new URLSearchParams({ client: tenant, connection: id! }).toString() : undefined
  }
  return provider
}

/** Signs out at once if the request has an ID token of the person; any site could link to the page without one. */
function signOutPage(context: KoaContextWithOIDC, form: string): void {
  const { entities, session } = context.oidc
  if (entities.IdTokenHint?.payload['sub'] !== session?.accountId) {
    const button = '<input type="hidden" form="op.logoutForm" name="logout" value="yes"><button form="op.logoutForm">'
    context.body = page('Sign out', `<h1>Sign out of Caretaker?</h1>${form}${button}Sign out</button>`)
    return
  }
  context.set(
    'content-security-policy',
    `default-src 'none'; script-src ${submitHash}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  )
  context.body = `<!doctype html><html lang="en-GB"><title>Signing out</title><body>${form}
<input type="hidden" form="op.logoutForm" name="logout" value="yes">
<noscript><button form="op.logoutForm">Sign out</button></noscript><script>${submit}</script></body></html>`
}
