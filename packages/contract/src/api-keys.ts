import { z } from 'zod'
import { longestKeyDays } from '@caretaker/rules/api-keys/api-keys.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { Id, Timestamp, inTenant, nameLine } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/api-keys.ts'

/** An API key of a client, without the secret. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Its role, limited by the tags. */
    role: z.enum(roles),
    /** Ids of access rights tags. With at least one, the key sees only items with one of these tags. */
    tagIds: z.array(z.string()),
    /** Whether the key may also list, invite, change and remove users. */
    administersUsers: z.boolean(),
    /** Whether the key may also manage API keys and webhooks. */
    managesIntegrations: z.boolean(),
    state: z.enum(['active', 'expired', 'revoked']),
    createdAt: Timestamp,
    createdBy: z.string(),
    /** The user who created the key; null if that person is no longer a user or is unknown. */
    creatorId: z.string().nullable(),
    /** Whether the creator is no longer a user of the client. */
    creatorRemoved: z.boolean(),
    expiresAt: Timestamp,
    revokedAt: Timestamp.nullable(),
    /** Accurate to five minutes; null for a key that was never used. */
    lastUsedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

export const getApiKeys = route({
  ...calls.getApiKeys,
  summary: 'The API keys of the client: active keys first, then expired and revoked ones.',
  params: inTenant,
  reply: z.object({ results: z.array(ApiKey) }),
})

export const ApiKeyName = nameLine(60).pipe(z.string().min(1, 'Name is required!'))

export const NewApiKey = z.strictObject({
  name: ApiKeyName,
  role: z.enum(roles),
  tagIds: z.array(Id).max(20),
  expiresInDays: z.number().int().min(1).max(longestKeyDays),
  /** Only allowed with a role that administers users. */
  administersUsers: z.boolean().default(false),
  /** Only allowed with a role that manages them, without tags, and if the creator is a user. */
  managesIntegrations: z.boolean().default(false),
})

export const createApiKey = route({
  ...calls.createApiKey,
  returnsSecret: true,
  recentSignIn: true,
  summary:
    'Creates an API key with at most the rights of its creator. The secret is returned only in this response, because only its hash is stored. A key that is created with an API key expires with it at the latest.',
  status: 201,
  params: inTenant,
  body: NewApiKey,
  reply: z.object({ apiKey: ApiKey, key: z.string() }),
})

export const revokeApiKey = route({
  ...calls.revokeApiKey,
  recentSignIn: true,
  summary:
    'Revokes an API key and the keys that were created with it: calls with them are rejected from now on. Revoking it again changes nothing.',
  status: 204,
  params: inTenant.extend({ keyId: Id }),
})
