import { createRemoteJWKSet, customFetch as fetchOfKeys } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import * as oidc from 'openid-client'
import type pg from 'pg'
import { recentSignInMinutes, sessionLimits } from '@caretaker/rules/identity/sign-in-policy.ts'
import type { Config } from '../config.ts'
import { outboundIsOff } from '../outbound.ts'
import { openFetch } from '../webhooks/fetch.ts'
import { beforeConnecting } from '../webhooks/post.ts'
import { openReach, OutOfReach } from '../webhooks/reach.ts'
import { unseal } from './sealed.ts'
import type { Connection } from './sso-connections.ts'
import { secretOwner } from './sso-connections.ts'

/** Allowed clock difference between this server and a provider, in seconds. */
const clockDifference = 60
/** Milliseconds for which a discovery document is used. */
const keptFor = 10 * 60_000
/** Seconds that a provider has for each response. */
const patience = 10

/** Milliseconds for which a failure to read it is repeated without another call. */
const failureKeptFor = 30_000
/** The age of a sign-in that nothing accepts as recent, in seconds. */
const notRecent = (recentSignInMinutes + 1) * 60
/** Providers have to state the time of the sign-in if a request limits its age; no session is longer than that. */
const longestSignIn = sessionLimits.sessionHours.most * 3600

/** Why a provider could not sign a person in. `reason` is for the log, `text` for managers. */
export class ProviderFault extends Error {
  override name = 'ProviderFault'
  readonly kind: 'unreachable' | 'invalid' | 'refused'
  readonly reason: string
  readonly text: string
  constructor(kind: ProviderFault['kind'], reason: string, text = reason) {
    super(reason)
    this.kind = kind
    this.reason = reason
    this.text = text
  }
}

/** The values that belong to one sign-in at a provider. */
export interface Checks {
  state: string
  nonce: string
  verifier: string
  /** Whether the person has to prove again who they are. */
  isAgain: boolean
}

export interface Discovered {
  authorizationEndpoint: string | null
  hasSignOut: boolean
  hasBackChannel: boolean
}

/** The address to which a connection's provider sends the browser back; each has its own, so that no provider can pass as another. */
export const redirectUriOf = (origin: string, connectionId: string): string =>
  `${origin}/login/sso/callback/${connectionId}`

export type Providers = ReturnType<typeof openProviders>

/** The OpenID Connect providers of clients. */
export function openProviders({ config, idp }: { config: Config; idp: pg.Pool }) {
  const reach = openReach(config.webhookNetworks)
  const fetched = openFetch(reach)
  const fetchFor: oidc.CustomFetch = (url, { method, headers, body }) =>
    fetched(url, { method, headers, body: body as URLSearchParams | undefined })
  const known = new Map<string, { at: number; configuration: Promise<oidc.Configuration>; keys?: JWTVerifyGetKey }>()

  const discover = async (issuer: string, clientId: string, secret: string): Promise<oidc.Configuration> => {
    if (!config.outbound) throw new ProviderFault('unreachable', outboundIsOff)
    const allowsPlain = reach.allowsPlain && issuer.startsWith('http:')
    const found = await oidc
      .discovery(new URL(issuer), clientId, { [oidc.clockTolerance]: clockDifference }, authenticate(secret), {
        // oxlint-disable-next-line typescript/no-deprecated -- only for the networks that the operator has listed
        execute: [oidc.enableNonRepudiationChecks, ...(allowsPlain ? [oidc.allowInsecureRequests] : [])],
        [oidc.customFetch]: fetchFor,
        timeout: patience,
      })
      .catch((error: unknown) => {
        throw new ProviderFault('unreachable', reasonOf(error), textOf(error))
      })
    // The library accepts other issuers for some providers, whose addresses would not belong to one client.
    const stated = found.serverMetadata().issuer
    if (stated !== issuer)
      throw new ProviderFault('invalid', `The issuer in the discovery document is ${stated}. Enter exactly that.`)
    return found
  }

  const entryOf = (connection: Connection) => {
    const key = [connection.tenant, connection.id, connection.changedAt.toISOString()].join('\n')
    const last = known.get(key)
    if (last && Date.now() - last.at < keptFor) return last
    if (known.size > 1000) known.clear()
    const configuration = unseal(idp, secretOwner(connection), connection.secret)
      .catch(() => {
        throw new ProviderFault('invalid', 'The secret belongs to another installation. Replace it.')
      })
      .then((secret) => discover(connection.issuer, connection.clientId, secret.toString()))
    const entry = { at: Date.now(), configuration }
    known.set(key, entry)
    configuration.catch(() => (entry.at = Date.now() - keptFor + failureKeptFor))
    return entry as typeof entry & { keys?: JWTVerifyGetKey }
  }

  return {
    /** Whether an address may be called at all. Throws OutOfReach or the error of the resolver. */
    addressesOf: reach.addressesOf,
    allowsPlain: reach.allowsPlain,

    /** The address of the provider's sign-in page, and the values that its response is checked with. */
    begin: async (
      connection: Connection,
      { hint, isAgain }: { hint: string; isAgain: boolean },
    ): Promise<{ address: string; checks: Checks }> => {
      const configuration = await entryOf(connection).configuration
      const verifier = oidc.randomPKCECodeVerifier()
      const checks = { verifier, state: oidc.randomState(), nonce: oidc.randomNonce(), isAgain }
      const address = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUriOf(config.origin, connection.id),
        scope: 'openid profile email',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(hint && { login_hint: hint }),
        ...(isAgain && { prompt: 'login' }),
        max_age: String(isAgain ? recentSignInMinutes * 60 : longestSignIn),
        ...(configuration.serverMetadata().claims_parameter_supported === true && {
          claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }),
        }),
      })
      if (!isWebAddress(address)) throw new ProviderFault('invalid', 'The authorization endpoint is not a web address.')
      return { address: address.href, checks }
    },

    /** The claims of a person whom the provider has signed in; those that the ID token lacks come from the user info. */
    finish: async (connection: Connection, query: string, checks: Checks): Promise<Record<string, unknown>> => {
      const configuration = await entryOf(connection).configuration
      const redirectUri = redirectUriOf(config.origin, connection.id)
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          pkceCodeVerifier: checks.verifier,
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        if (checks.isAgain) expectRecent(claims.auth_time)
        const isComplete = claims.email !== undefined && claims[connection.groupClaim] !== undefined
        if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims
        const more = await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        // An address and its verification must come from the same source.
        const { email, email_verified } = claims.email === undefined ? more : claims
        return { ...more, ...claims, email, email_verified }
      } catch (error) {
        throw faultOf(error)
      }
    },

    /** The provider's address for signing out; undefined if it has none. */
    signOutAddress: async (connection: Connection): Promise<string | undefined> => {
      const { end_session_endpoint: address } = (await entryOf(connection).configuration).serverMetadata()
      if (!address) return undefined
      const url = new URL(address)
      if (!isWebAddress(url)) return undefined
      url.searchParams.set('client_id', connection.clientId)
      url.searchParams.set('post_logout_redirect_uri', `${config.origin}/`)
      return url.href
    },

    /** The keys with which the provider signs logout tokens. */
    keysOf: async (connection: Connection): Promise<JWTVerifyGetKey> => {
      const entry = entryOf(connection)
      const { jwks_uri: address } = (await entry.configuration).serverMetadata()
      if (!address) throw new ProviderFault('invalid', 'The discovery document names no keys.')
      entry.keys ??= createRemoteJWKSet(new URL(address), {
        [fetchOfKeys]: (url, { headers }) => fetched(url, { headers }),
      })
      return entry.keys
    },

    /** Reads the discovery document of an issuer. */
    test: async (issuer: string, clientId: string): Promise<Discovered> => {
      const metadata = (await discover(issuer, clientId, '-')).serverMetadata()
      return {
        authorizationEndpoint: metadata.authorization_endpoint ?? null,
        hasSignOut: metadata.end_session_endpoint !== undefined,
        hasBackChannel: metadata.backchannel_logout_supported === true,
      }
    },
  }
}

/**
 * Sends the secret in the form if the provider accepts that: some do not decode a header as OAuth encodes it. If the
 * discovery document states nothing, a header is correct (Discovery, section 3).
 */
const authenticate =
  (secret: string): oidc.ClientAuth =>
  (server, client, body, headers) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const way = supported.includes('client_secret_post')
      ? oidc.ClientSecretPost(secret)
      : oidc.ClientSecretBasic(secret)
    way(server, client, body, headers)
  }

const isWebAddress = ({ protocol }: URL) => protocol === 'https:' || protocol === 'http:'

/** A provider that states an old sign-in, or none, has not asked the person again. */
function expectRecent(authTime: unknown): void {
  if (typeof authTime !== 'number')
    throw new ProviderFault('invalid', 'The provider did not state when the person signed in (claim auth_time).')
  if (Date.now() / 1000 - authTime > recentSignInMinutes * 60 + clockDifference)
    throw new ProviderFault('invalid', 'The provider did not ask the person to sign in again.')
}

/**
 * When a person signed in at the provider, in seconds since the epoch. Older sign-ins count as just not recent: a session of the
 * portal begins now, and would otherwise be over before it begins. So do sign-ins of an unknown time.
 */
export function signedInAt(authTime: unknown, now = Math.floor(Date.now() / 1000)): number {
  const stated = typeof authTime === 'number' ? Math.floor(authTime) : 0
  return Math.max(Math.min(stated, now), now - notRecent)
}

function faultOf(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error
  if (error instanceof oidc.AuthorizationResponseError)
    return new ProviderFault('refused', `It responded ${error.error}.`)
  if (error instanceof oidc.ResponseBodyError) return new ProviderFault('invalid', `It responded ${error.error}.`)
  const isNetwork = !(error instanceof oidc.ClientError)
  return new ProviderFault(isNetwork ? 'unreachable' : 'invalid', reasonOf(error))
}

/** Contains no parts of the response, and is the same for closed and open ports. */
function textOf(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: unknown }
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return 'The discovery document names another issuer. Enter exactly that one.'
  if (cause instanceof Error) return textOf(cause)
  return beforeConnecting(error as NodeJS.ErrnoException, 'It could not be reached, or has no discovery document.')
}

/** The innermost message of an error: the outer ones state that something went wrong. */
function reasonOf(error: unknown): string {
  if (error instanceof OutOfReach) return error.message
  const { cause, message, code } = error as { cause?: unknown; message?: string; code?: string }
  if (cause instanceof Error) return reasonOf(cause)
  return [code, message].filter(Boolean).join(': ').slice(0, 300)
}
