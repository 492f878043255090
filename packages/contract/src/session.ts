import { z } from 'zod'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { route } from './route.ts'
import { TenantId, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import * as calls from './calls/session.ts'

export { errorLengths } from './calls/session.ts'

export const Session = z
  .object({
    userId: z.string(),
    name: z.string(),
    email: z.string(),
    pictureUrl: z.string().nullable(),
    /** Whether the identity provider has verified the e-mail address. Only then do invitations to that address apply. */
    emailVerified: z.boolean(),
    /** When the user was last removed from a client; null if never. */
    removedAt: z.string().nullable(),
    tenants: z.array(
      z.object({
        id: z.string(),
        /** The tenant's name in paths and calls; equal to id. */
        name: z.string(),
        displayName: z.string(),
        /** IANA name of the tenant's time zone. */
        timeZone: z.string(),
        /** The user's id in the tenant, which identifies owners and authors of views. */
        memberId: z.string(),
        role: z.enum(roles),
        /** Ids of the user's access rights tags in the tenant. */
        tags: z.array(z.string()),
        /** When and why the tenant was suspended; null while it is not. */
        suspension: z.object({ since: z.string(), reason: z.string() }).nullable(),
      }),
    ),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

export const getSession = route({
  ...calls.getSession,
  summary: 'The caller: a signed-in user with their clients, roles and tags, or an API key with its client.',
  reply: Session,
})

export const Tenant = z.object({ id: z.string(), name: z.string(), displayName: z.string() }).meta({ id: 'Tenant' })
export type Tenant = z.infer<typeof Tenant>

export const getTenants = route({
  ...calls.getTenants,
  summary: 'The clients of the caller, sorted by display name; for an API key, its client.',
  body: z.object({ tenant: TenantId.nullish() }),
  reply: envelope(z.array(Tenant)),
})

/** The settings that the web client needs before sign-in. */
export const ClientSettings = z.object({
  oidc: z.object({ issuer: z.string(), clientId: z.string(), audience: z.string() }),
  /** Address of the mobile app, without a trailing slash; null hides the links to it. */
  appUrl: z.string().nullable(),
  /** Where a boiler reset is sent: this server, or another service with the same call. */
  resetUrl: z.string(),
  /** The support contact, and the address of the how-to videos. */
  support: z.object({ email: z.string(), phone: z.string(), videos: z.string() }),
  /** Whether e-mails, webhooks and commands leave the installation; false for one that tries out a backup. */
  outbound: z.boolean(),
  /** Map settings; empty for the built-in map. */
  map: z.object({
    styleUrl: z.string().nullable(),
    roadmapTiles: z.array(z.string()),
    satelliteTiles: z.array(z.string()),
    /** Address of a PMTiles file that the server itself provides. */
    pmtiles: z.string().nullable(),
    attribution: z.string(),
    /** Whether GetMapSketch returns data, as in a demo. */
    sketch: z.boolean(),
  }),
})
export type ClientSettings = z.infer<typeof ClientSettings>
export const getClientSettings = route({
  ...calls.getClientSettings,
  summary: 'The settings that the portal needs before sign-in, such as the identity provider.',
  reply: ClientSettings,
})

export const logError = route({
  ...calls.logError,
  peopleOnly: true,
  internal: true,
  summary:
    'Records a rendering error of the portal; 404 for a client that the user does not belong to, 429 after fifty a day for each user.',
  status: 204,
  limit: 16_384,
  body: z.object({
    tenant: TenantId.nullish(),
    message: text(calls.errorLengths.message),
    stack: text(calls.errorLengths.stack).default(''),
    componentStack: text(calls.errorLengths.stack).default(''),
  }),
})
