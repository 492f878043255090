import { z } from 'zod'
import { longestKeyDays } from '@caretaker/rules/api-keys/api-keys.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { Id, Timestamp, inTenant, nameLine } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/api-keys.ts'

/** A key by which other software calls in the client's name; never the key itself. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Its rights: those of this role, as far as the tags reach. */
    role: z.enum(roles),
    /** Ids of access rights tags: with any, it sees only what carries one of them. */
    tagIds: z.array(z.string()),
    /** Whether it may also see, invite, change and remove users. */
    administersUsers: z.boolean(),
    state: z.enum(['active', 'expired', 'revoked']),
    createdAt: Timestamp,
    createdBy: z.string(),
    /** The user who made it; null where they are no longer one, or where nobody knows. */
    creatorId: z.string().nullable(),
    /** Whether the person who made it is no longer a user of the client. */
    creatorRemoved: z.boolean(),
    expiresAt: Timestamp,
    revokedAt: Timestamp.nullable(),
    /** To within five minutes; null for one that was never used. */
    lastUsedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

export const getApiKeys = route({
  ...calls.getApiKeys,
  internal: true,
  summary: 'The API keys of the client: those that hold first, then those that have expired or were revoked.',
  params: inTenant,
  reply: z.object({ results: z.array(ApiKey) }),
})

export const ApiKeyName = nameLine(60).pipe(z.string().min(1, 'Name is required!'))

export const NewApiKey = z.strictObject({
  name: ApiKeyName,
  role: z.enum(roles),
  tagIds: z.array(Id).max(20),
  expiresInDays: z.number().int().min(1).max(longestKeyDays),
  /** Only a key of a role that administers users. */
  administersUsers: z.boolean().default(false),
})

export const createApiKey = route({
  ...calls.createApiKey,
  recentSignIn: true,
  internal: true,
  summary:
    'Makes an API key, with no more rights than who makes it; the key itself is in this answer and never again, for only its hash is kept.',
  status: 201,
  params: inTenant,
  body: NewApiKey,
  reply: z.object({ apiKey: ApiKey, key: z.string() }),
})

export const revokeApiKey = route({
  ...calls.revokeApiKey,
  recentSignIn: true,
  internal: true,
  summary: 'Revokes an API key: it is refused from now on. Revoked again it stays what it is.',
  status: 204,
  params: inTenant.extend({ keyId: Id }),
})
