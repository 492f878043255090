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
    /** Invitations to the e-mail count only once the identity provider has verified that it is the person's. */
    emailVerified: z.boolean(),
    /** When the person was taken out of a client the last time; null where that never happened. */
    removedAt: z.string().nullable(),
    tenants: z.array(
      z.object({
        id: z.string(),
        /** The tenant's name in addresses and calls; equal to id. */
        name: z.string(),
        displayName: z.string(),
        /** IANA name of the zone whose days and clocks are the tenant's. */
        timeZone: z.string(),
        /** The person as a user of the tenant: owners and authors of views are named by it. */
        memberId: z.string(),
        role: z.enum(roles),
        /** Ids of the access rights tags the person carries in the tenant. */
        tags: z.array(z.string()),
        /** Why the tenant is closed to its people, and since when; null while it is open. */
        suspension: z.object({ since: z.string(), reason: z.string() }).nullable(),
      }),
    ),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

export const getSession = route({
  ...calls.getSession,
  summary:
    'Who calls: the signed-in person with the clients they belong to, the role and tags in each, or an API key with its one client.',
  reply: Session,
})

export const Tenant = z.object({ id: z.string(), name: z.string(), displayName: z.string() }).meta({ id: 'Tenant' })
export type Tenant = z.infer<typeof Tenant>

export const getTenants = route({
  ...calls.getTenants,
  summary: 'The clients that whoever calls belongs to, sorted by display name; of an API key the one that it is for.',
  body: z.object({ tenant: TenantId.nullish() }),
  reply: envelope(z.array(Tenant)),
})

/** What the web needs before it can show anything: where to sign in, and the build. */
export const ClientSettings = z.object({
  oidc: z.object({ issuer: z.string(), clientId: z.string(), audience: z.string() }),
  /** Address of the mobile app, without a trailing slash; null where there is none, and its links are hidden. */
  appUrl: z.string().nullable(),
  /** Where the reset of a boiler is sent: this server's own call, or a service that takes and answers the same. */
  resetUrl: z.string(),
  /** Whom people turn to, and where they find videos that show how things are done. */
  support: z.object({ email: z.string(), phone: z.string(), videos: z.string() }),
  /** What maps are drawn with; nothing is set where the built-in map is. */
  map: z.object({
    styleUrl: z.string().nullable(),
    roadmapTiles: z.array(z.string()),
    satelliteTiles: z.array(z.string()),
    /** Address of a PMTiles file that the product serves itself. */
    pmtiles: z.string().nullable(),
    attribution: z.string(),
    /** Whether GetMapSketch has something to tell: in a demo. */
    sketch: z.boolean(),
  }),
})
export type ClientSettings = z.infer<typeof ClientSettings>
export const getClientSettings = route({
  ...calls.getClientSettings,
  summary: 'Where people sign in.',
  reply: ClientSettings,
})

export const logError = route({
  ...calls.logError,
  peopleOnly: true,
  internal: true,
  summary:
    'Records a rendering error of the portal; 404 for a client that is not the own, 429 beyond fifty a day and person.',
  status: 204,
  limit: 16_384,
  body: z.object({
    tenant: TenantId.nullish(),
    message: text(calls.errorLengths.message),
    stack: text(calls.errorLengths.stack).default(''),
    componentStack: text(calls.errorLengths.stack).default(''),
  }),
})
