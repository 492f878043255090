import { z } from 'zod'
import { defaultGroupClaim, recordFaults } from '@caretaker/rules/identity/single-sign-on.ts'
import { Id, Timestamp, inTenant, nameLine, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/single-sign-on.ts'

const oneConnection = inTenant.extend({ connectionId: Id })

/** A domain of a client; internationalised names in the form `xn--…`. */
const Domain = text(253)
  .pipe(z.string().trim().toLowerCase().min(1, 'Domain is required!'))
  .meta({ examples: ['northgate.example'] })
const oneDomain = oneConnection.extend({ domain: Domain })

/** An e-mail domain whose users sign in with a connection. */
export const SsoDomain = z
  .object({
    domain: z.string(),
    /** The text of the DNS TXT record that proves that the domain belongs to the client. */
    record: z.string(),
    /** Null unless the record was found, or an operator has verified the domain. Verified domains are checked daily. */
    verifiedAt: Timestamp.nullable(),
    /** When the name servers last responded to a check. */
    checkedAt: Timestamp.nullable(),
    /** An operator has verified the domain: its record is not checked. */
    isByOperator: z.boolean(),
    /** Why the last check did not find the record: `no answer` if the name servers did not respond. */
    fault: z.enum(recordFaults).nullable(),
    /** Since when the record of a verified domain has been missing. */
    missingSince: Timestamp.nullable(),
    /** When the domain stops signing in users, unless its record is found again. */
    endsAt: Timestamp.nullable(),
  })
  .meta({ id: 'SsoDomain' })
export type SsoDomain = z.infer<typeof SsoDomain>

export const SsoSettings = z.strictObject({
  name: nameLine(60).pipe(z.string().min(1, 'Name is required!')),
  /** Exactly as in the provider's discovery document. */
  issuer: text(500)
    .pipe(z.string().trim().min(1, 'Issuer is required!'))
    .meta({ examples: ['https://id.northgate.example'] }),
  clientId: text(300).pipe(z.string().trim().min(1, 'Client ID is required!')),
  /**
   * Addresses of the connection's domains cannot sign in with a password. Requires that someone has signed in with the
   * connection.
   */
  isRequired: z.boolean(),
  /** If false, the claim `amr` has to contain `mfa`; otherwise Caretaker asks for its own second factor. */
  checksSecondFactor: z.boolean(),
  /** People in a group of the client's table become members at their first sign-in. */
  createsMembers: z.boolean(),
  /** The claim with a person's groups. */
  groupClaim: text(100)
    .pipe(z.string().trim().min(1, 'Claim is required!'))
    .meta({ examples: [defaultGroupClaim] }),
})
export type SsoSettings = z.infer<typeof SsoSettings>

const ClientSecret = text(500).pipe(z.string().trim().min(1, 'Secret is required!'))
export const SsoSecret = z.strictObject({ clientSecret: ClientSecret })
export const NewSsoConnection = SsoSettings.extend({ clientSecret: ClientSecret })
export const NewSsoDomain = z.strictObject({ domain: Domain })

/** How the users of a client sign in with its OpenID Connect provider. The secret is never returned. */
export const SsoConnection = SsoSettings.extend({
  id: z.string(),
  createdAt: Timestamp,
  createdBy: z.string(),
  /** The address to register at the provider: each connection has its own, so that no provider can pass as another. */
  redirectUri: z.string(),
  /** The address to which the provider sends logout tokens. */
  backChannelUri: z.string(),
  domains: z.array(SsoDomain),
}).meta({ id: 'SsoConnection' })
export type SsoConnection = z.infer<typeof SsoConnection>

/** The content of a provider's discovery document. */
export const SsoTest = z
  .object({
    /** Why the provider cannot be used; null if it can. */
    fault: z.string().nullable(),
    authorizationEndpoint: z.string().nullable(),
    /** Whether signing out can also sign out of the provider. */
    hasSignOut: z.boolean(),
    hasBackChannel: z.boolean(),
  })
  .meta({ id: 'SsoTest' })

export const getSsoConnections = route({
  ...calls.getSsoConnections,
  internal: true,
  summary: 'The single sign-on connections of the client with their domains, without secrets.',
  params: inTenant,
  reply: z.object({
    /**
     * Whether Caretaker signs people in itself; with an identity provider of the installation there are no connections.
     */
    isEmbedded: z.boolean(),
    results: z.array(SsoConnection),
  }),
})

export const addSsoConnection = route({
  ...calls.addSsoConnection,
  recentSignIn: true,
  internal: true,
  summary: 'Adds a connection to an OpenID Connect provider. It is used once a domain is verified.',
  status: 201,
  params: inTenant,
  body: NewSsoConnection,
  reply: SsoConnection,
})

export const updateSsoConnection = route({
  ...calls.updateSsoConnection,
  recentSignIn: true,
  internal: true,
  summary: 'Changes a connection. The secret is kept, so a new issuer needs a new connection.',
  params: oneConnection,
  body: SsoSettings,
  reply: SsoConnection,
})

export const replaceSsoSecret = route({
  ...calls.replaceSsoSecret,
  recentSignIn: true,
  internal: true,
  summary: 'Replaces the secret of a connection.',
  status: 204,
  params: oneConnection,
  body: SsoSecret,
})

export const removeSsoConnection = route({
  ...calls.removeSsoConnection,
  recentSignIn: true,
  internal: true,
  summary: 'Removes a connection and ends the sessions that it has started. People can then choose a password.',
  status: 204,
  params: oneConnection,
})

export const testSsoConnection = route({
  ...calls.testSsoConnection,
  internal: true,
  summary: 'Fetches the discovery document of the provider.',
  params: oneConnection,
  reply: SsoTest,
})

export const addSsoDomain = route({
  ...calls.addSsoDomain,
  recentSignIn: true,
  internal: true,
  summary: 'Adds a domain to a connection, with the DNS record that verifies it.',
  status: 201,
  params: oneConnection,
  body: NewSsoDomain,
  reply: SsoDomain,
})

export const verifySsoDomain = route({
  ...calls.verifySsoDomain,
  recentSignIn: true,
  internal: true,
  summary: 'Looks for the DNS record of a domain. A domain that another client has verified is rejected.',
  params: oneDomain,
  reply: SsoDomain,
})

export const removeSsoDomain = route({
  ...calls.removeSsoDomain,
  recentSignIn: true,
  internal: true,
  summary:
    'Removes a domain. Users with an e-mail address of it sign in with a password again. Ends all sessions of the connection.',
  status: 204,
  params: oneDomain,
})
