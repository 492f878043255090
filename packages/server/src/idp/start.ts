import type { JWTVerifyGetKey } from 'jose'
import { createLocalJWKSet, createRemoteJWKSet } from 'jose'
import { z } from 'zod'
import { SettingError } from '../config.ts'
import type { Context } from '../context.ts'
import { tenantsOf } from '../identity/person.ts'
import { obligationOfAccount } from '../identity/sign-in-policy.ts'
import { refuseToken } from '../identity/token-faults.ts'
import type { TokenCheck } from '../http/access.ts'
import type { IdentityRoutes } from './routes.ts'
import { loadSecrets, publicKeys } from './secrets.ts'
import { requiredConnection } from './sso-account.ts'

export interface Identity {
  tokens: TokenCheck
  routes?: IdentityRoutes
}

/** Starts the configured identity provider: the embedded one, or any OpenID Connect issuer. */
export async function startIdentity(context: Context): Promise<Identity> {
  return context.config.oidc.embedded ? embedded(context) : external(context)
}

async function embedded(full: Context): Promise<Identity> {
  // Its pages are public, so they use the role without a tenant.
  const context = { ...full, db: full.anonymousDb }
  const { config } = context
  const { issuer, audience, clientId } = config.oidc
  const [secrets, { makeProvider, identityRoutes }] = await Promise.all([loadSecrets(context.idp), loadProvider()])
  const provider = makeProvider({
    pool: context.idp,
    secrets,
    issuer,
    audience,
    clientId,
    origin: config.origin,
    obligationOf: (account, checkedFor) => obligationOfAccount(context, account, checkedFor),
    requiredConnectionOf: (email) => requiredConnection(context, email),
    organisations: async (subject) => {
      const person = await context.db
        .selectFrom('person')
        .select('id')
        .where('issuer', '=', config.oidc.directory)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return person ? tenantsOf(context.db, person.id) : []
    },
  })
  provider.on('server_error', (_context, error) => context.log.error({ err: error }, 'identity provider'))
  const keys: JWTVerifyGetKey = createLocalJWKSet(publicKeys(secrets.jwks))
  return {
    tokens: { keys, issuer, audience, directory: config.oidc.directory, hasSessions: true },
    routes: identityRoutes(context, provider, secrets),
  }
}

/**
 * Loads the embedded provider only if it is configured. Its library warns about every Node release without long-term
 * support, which the bundled Node may be; the tests run on it, so the warning is suppressed.
 */
async function loadProvider() {
  const { warn } = console
  console.warn = (...given) => {
    if (!String(given[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...given)
  }
  try {
    const [{ makeProvider }, { identityRoutes }] = await Promise.all([import('./provider.ts'), import('./routes.ts')])
    return { makeProvider, identityRoutes }
  } finally {
    console.warn = warn
  }
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url(), userinfo_endpoint: z.url().optional() })

async function external({ config, log }: Pick<Context, 'config' | 'log'>): Promise<Identity> {
  const { issuer, audience, trustsEmails } = config.oidc
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const discovery = await fetchJson(address).then(
    (document) => Discovery.safeParse(document),
    (error: Error) => {
      throw new SettingError(`OIDC_ISSUER: ${address} cannot be read (${error.message})`)
    },
  )
  if (!discovery.success || discovery.data.issuer !== issuer)
    throw new SettingError(`OIDC_ISSUER: ${address} does not describe the issuer ${issuer}`)
  const { jwks_uri, userinfo_endpoint } = discovery.data
  return {
    tokens: {
      keys: createRemoteJWKSet(new URL(jwks_uri)),
      issuer,
      audience,
      directory: issuer,
      trustsEmails,
      userInfo: async (token) => {
        if (!userinfo_endpoint) return {}
        const claims = await fetchJson(userinfo_endpoint, token).catch((error: Error) => {
          throw refuseToken(log, 'user info', {
            error: error.message.startsWith('status ') ? error.message : error.name,
          })
        })
        return claims as Record<string, unknown>
      },
    },
  }
}

async function fetchJson(address: string, token?: string): Promise<unknown> {
  const response = await fetch(address, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.json()
}
