import type { ClientSettings } from '@caretaker/contract/session.ts'
import { callbackPath } from '@caretaker/rules/links/places.ts'

type Oidc = ClientSettings['oidc']

/** What the sign-in of this client sends to the provider. */
export function signInParameters({ issuer, clientId, audience }: Oidc) {
  return {
    authority: issuer,
    client_id: clientId,
    redirect_uri: location.origin + callbackPath,
    scope: 'openid profile email offline_access',
    // Providers differ in the parameter for the audience: RFC 8707 uses `resource`, others `audience`.
    resource: audience,
    extraQueryParams: { audience },
  }
}

/**
 * Redirects to the sign-in page of the provider; path, query and fragment of the current address are the return target.
 * Does not load oidc-client-ts, which completes the sign-in in the callback. Resolves when the person has come back to
 * this page.
 */
export async function redirectToSignIn(oidc: Oidc): Promise<void> {
  const address = await startSignIn(oidc, await authorizationEndpoint(oidc.issuer))
  const returned = new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
  location.assign(address)
  await returned
}

/** The address of the sign-in page for one new sign-in, whose secrets are stored for the callback. */
export async function startSignIn(oidc: Oidc, endpoint: string): Promise<string> {
  const { extraQueryParams, resource, ...known } = signInParameters(oidc)
  const id = crypto.randomUUID().replaceAll('-', '')
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)))
  // Returned in the ID token, and only in one issued for this sign-in.
  const nonce = crypto.randomUUID()
  forgetAbandoned()
  localStorage.setItem(
    keyPrefix + id,
    JSON.stringify({
      ...{ id, created: Math.floor(Date.now() / 1000), request_type: 'si:r', code_verifier: verifier, nonce },
      ...{ authority: known.authority, client_id: known.client_id, redirect_uri: known.redirect_uri },
      ...{ scope: known.scope, data: { target: location.pathname + location.search + location.hash } },
    }),
  )
  const address = new URL(endpoint)
  const parameters = {
    ...{ client_id: known.client_id, redirect_uri: known.redirect_uri, response_type: 'code', scope: known.scope },
    ...{ nonce, state: id, code_challenge: await challengeOf(verifier), code_challenge_method: 'S256', resource },
    ...extraQueryParams,
    ...clientAt(oidc, location.pathname),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.append(name, value)
  return address.href
}

async function authorizationEndpoint(issuer: string): Promise<string> {
  const response = await fetch(`${issuer.replace(/\/?$/, '/')}.well-known/openid-configuration`)
  const { authorization_endpoint: endpoint } = (await response.json()) as { authorization_endpoint?: unknown }
  if (!response.ok || typeof endpoint !== 'string' || !/^https?:\/\//i.test(endpoint))
    throw new Error('The identity provider has no sign-in page.')
  return endpoint
}

/** The prefix of what oidc-client-ts stores: sign-ins that have begun, and the signed-in user. */
const keyPrefix = 'oidc.'
/** Seconds after which an unfinished sign-in is considered abandoned and its secrets are removed. */
const longestSignIn = 900

function forgetAbandoned(): void {
  for (const key of Object.keys(localStorage))
    if (/^oidc\.[0-9a-f]{32}$/.test(key) && !(createdAt(key) > Date.now() / 1000 - longestSignIn))
      localStorage.removeItem(key)
}

function createdAt(key: string): number {
  try {
    return Number((JSON.parse(localStorage.getItem(key)!) as { created?: unknown }).created)
  } catch {
    return Number.NaN
  }
}

/** Whether a user of any provider may be signed in: oidc-client-ts, which decides this, is not loaded yet. */
export function mayBeSignedIn(): boolean {
  return Object.keys(localStorage).some((key) => key.startsWith(`${keyPrefix}user:`))
}

/**
 * The client at whose address a sign-in begins: the embedded provider may leave the sign-in to the client's own
 * provider.
 */
function clientAt({ issuer }: Oidc, path: string): { client?: string } {
  if (!issuer.startsWith(`${location.origin}/`)) return {}
  const [, client] = /^\/([a-z0-9][a-z0-9-]{0,39})(?:\/|$)/i.exec(path) ?? []
  return client ? { client: client.toLowerCase() } : {}
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
