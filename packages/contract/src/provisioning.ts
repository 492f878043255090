import { z } from 'zod'
import { mostProvisioningKeys } from '@caretaker/rules/provisioning/member.ts'
import { Id, Timestamp, inTenant } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/provisioning.ts'

const Count = z.number().int()

/** A key with which the client's directory provisions users, without the secret. */
export const ProvisioningKey = z.object({
  id: z.string(),
  createdAt: Timestamp,
  createdBy: z.string(),
  /** Accurate to five minutes; null for a key that was never used. */
  lastUsedAt: Timestamp.nullable(),
})
export type ProvisioningKey = z.infer<typeof ProvisioningKey>

/** The provisioning of users by the client's directory (SCIM 2.0). */
export const Provisioning = z.object({
  /** The address that the directory calls. */
  address: z.string(),
  /** Whether new users get an invitation by e-mail. */
  invites: z.boolean(),
  /** The valid keys, newest first. */
  keys: z.array(ProvisioningKey),
  /** Users of the directory, and how many of them have access. */
  users: Count,
  members: Count,
  groups: Count,
  /** Active users without a role from a group, by name; the first hundred. */
  withoutAccess: z.array(z.object({ id: z.string(), name: z.string(), userName: z.string(), reason: z.string() })),
})
export type Provisioning = z.infer<typeof Provisioning>

export const getProvisioning = route({
  ...calls.getProvisioning,
  summary: "The provisioning of users from the client's directory: its keys, its counts, and the users without access.",
  params: inTenant,
  reply: Provisioning,
})

export const ProvisioningSettings = z.strictObject({ invites: z.boolean() })

export const setProvisioning = route({
  ...calls.setProvisioning,
  recentSignIn: true,
  summary: 'Sets whether users from the directory get an invitation by e-mail.',
  status: 204,
  params: inTenant,
  body: ProvisioningSettings,
})

export const createProvisioningKey = route({
  ...calls.createProvisioningKey,
  returnsSecret: true,
  recentSignIn: true,
  summary: `Creates a key for the directory of the client; at most ${mostProvisioningKeys} are valid at a time. The secret is returned only in this response, because only its hash is stored.`,
  status: 201,
  params: inTenant,
  reply: z.object({ key: z.string(), id: z.string() }),
})

export const revokeProvisioningKey = route({
  ...calls.revokeProvisioningKey,
  recentSignIn: true,
  summary: 'Revokes a key of the directory: calls with it are rejected from now on. Revoking it again changes nothing.',
  status: 204,
  params: inTenant.extend({ keyId: Id }),
})
