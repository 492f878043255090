import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CryptoKey, JWTPayload } from 'jose'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** How a token differs from a valid one. */
interface Bend {
  claims?: JWTPayload
  /** Signs with a key that the provider does not publish. */
  withForeignKey?: boolean
}

interface Begun {
  nonce: string
  challenge: string
  redirectUri: string
  claims: JWTPayload
  bend: Bend
}

const client = { id: 'caretaker', secret: 'a secret: with + signs' }

/** A client's OpenID Connect provider on localhost that can also send wrong tokens. */
export async function startOpenIdProvider() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', use: 'sig', alg: 'RS256' }
  const codes = new Map<string, Begun>()
  const asked: URLSearchParams[] = []

  const signed = (claims: JWTPayload, key: CryptoKey = own.privateKey, typ?: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'own', ...(typ && { typ }) }).sign(key)

  const idToken = ({ nonce, claims, bend }: Begun) => {
    const now = Math.floor(Date.now() / 1000)
    const right = { iss: issuer, aud: client.id, iat: now, exp: now + 300, nonce, ...claims }
    return signed({ ...right, ...bend.claims }, bend.withForeignKey ? foreign.privateKey : own.privateKey)
  }

  const answers: Record<string, (request: IncomingMessage) => Promise<[status: number, body: object]>> = {
    '/.well-known/openid-configuration': async () => [
      200,
      {
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/jwks`, end_session_endpoint: `${issuer}/end`, response_types_supported: ['code'] },
        ...{ subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'] },
        backchannel_logout_supported: true,
      },
    ],
    '/jwks': async () => [200, { keys: [jwk] }],
    '/token': async (request) => {
      const form = new URLSearchParams(await bodyOf(request))
      const begun = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const [, basic] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
      const [id, secret] = Buffer.from(basic ?? '', 'base64')
        .toString()
        .split(':')
        .map(decoded)
      if (id !== client.id || secret !== client.secret) return [401, { error: 'invalid_client' }]
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const isRight = begun?.challenge === challenge && begun.redirectUri === form.get('redirect_uri')
      if (!begun || !isRight) return [400, { error: 'invalid_grant' }]
      return [200, { access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token: await idToken(begun) }]
    },
  }
  server.on('request', (request, response) => {
    const answer = answers[new URL(request.url!, issuer).pathname] ?? (async () => [404, {}] as [number, object])
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })

  return {
    issuer,
    client,
    /** The parameters of the sign-ins that have reached it. */
    asked,
    /**
     * Signs a person in at the address that Caretaker has sent the browser to; returns the address to which it sends
     * the browser back.
     */
    signIn: (address: string, claims: JWTPayload, bend: Bend = {}): string => {
      const { searchParams: given } = new URL(address)
      asked.push(given)
      const code = randomBytes(16).toString('hex')
      const redirectUri = given.get('redirect_uri')!
      const challenge = given.get('code_challenge')!
      codes.set(code, { nonce: given.get('nonce')!, challenge, redirectUri, claims, bend })
      return `${redirectUri}?${new URLSearchParams({ code, state: given.get('state')! }).toString()}`
    },
    /** A logout token, valid unless changed. */
    logoutToken: (
      claims: JWTPayload,
      { withForeignKey = false, type = 'logout+jwt' }: Pick<Bend, 'withForeignKey'> & { type?: string } = {},
    ) => {
      const now = Math.floor(Date.now() / 1000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const jti = randomBytes(16).toString('hex')
      const right = { iss: issuer, aud: client.id, iat: now, exp: now + 120, jti, events }
      return signed({ ...right, ...claims }, withForeignKey ? foreign.privateKey : own.privateKey, type)
    },
    stop: () => new Promise((resolve) => server.close(resolve)).finally(() => server.closeAllConnections()),
  }
}
export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>

/** Basic authentication of OAuth 2.0 encodes both parts (RFC 6749, section 2.3.1). */
const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of request) body += String(part)
  return body
}
