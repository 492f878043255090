import { z } from 'zod'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { Id, TenantId, Timestamp, email, nameLine, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/people.ts'

const inPath = z.object({ tenant: TenantId })
const oneUser = z.object({ tenant: TenantId, id: Id })

/** A member of the tenant. `tags` contains ids of access rights tags; `accessRightsTag` is the first of them, or null. */
export const User = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Null for callers who may read names but not administer users. */
    email: z.string().nullable(),
    role: z.enum(roles),
    tags: z.array(z.string()),
    accessRightsTag: z.string().nullable(),
    /** Whether the caller may change this user, as decided by the server. */
    canChange: z.boolean(),
    isVendorStaff: z.boolean(),
    hasSignedIn: z.boolean(),
    /** Whether the client's directory provisions the user; it then determines the role and details. */
    isProvisioned: z.boolean(),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

export const UserName = nameLine(100).pipe(z.string().min(1, 'Name is required!'))
export const UserEmail = text(320)
  .pipe(z.string().trim().min(1, 'Email is required!'))
  .pipe(email('Please enter a valid e-mail address'))
  .transform((address) => address.toLowerCase())
/** Ids of access rights tags. The portal sets at most one. */
const UserTags = z.array(Id).max(1)

export const listUsers = route({
  ...calls.listUsers,
  summary: 'The users of the client.',
  params: inPath,
  reply: z.object({ results: z.array(User) }),
})

export const NewUser = z.strictObject({
  name: UserName,
  email: UserEmail,
  role: z.enum(roles),
  tags: z.array(z.strictObject({ type: z.literal('AccessRight'), value: Id })).max(1),
})

export const createUser = route({
  ...calls.createUser,
  recentSignIn: true,
  summary:
    'Adds a user and e-mails them an invitation; 409 if they are already a user. A user who is known only from a previous identity provider is invited again, with their current role and tags.',
  status: 201,
  params: inPath,
  body: NewUser,
  reply: User,
})

export const UserDetails = z.strictObject({ name: UserName, email: UserEmail })
export const updateUserDetails = route({
  ...calls.updateUserDetails,
  recentSignIn: true,
  summary: "Changes a user's name and e-mail address.",
  status: 204,
  params: oneUser,
  body: UserDetails,
})

export const updateUserTags = route({
  ...calls.updateUserTags,
  recentSignIn: true,
  summary: "Replaces a user's access rights tags; null removes them all.",
  status: 204,
  params: oneUser,
  body: z.strictObject({ tags: UserTags.nullable() }),
})

export const updateUserRole = route({
  ...calls.updateUserRole,
  recentSignIn: true,
  summary: "Changes a user's role; 409 if no manager without access restrictions would be left.",
  status: 204,
  params: oneUser,
  body: z.strictObject({ role: z.enum(roles) }),
})

/** An active key of a removed user; returned only to callers who may manage API keys. */
const RemainingApiKey = z
  .object({ id: z.string(), name: z.string(), role: z.enum(roles), expiresAt: Timestamp })
  .meta({ id: 'RemainingApiKey' })
export type RemainingApiKey = z.infer<typeof RemainingApiKey>

export const deleteUser = route({
  ...calls.deleteUser,
  recentSignIn: true,
  summary:
    'Removes a user from the client and returns the API keys that they created, which remain valid; 409 if no manager without access restrictions would be left.',
  params: oneUser,
  reply: z.object({ apiKeys: z.array(RemainingApiKey) }),
})

export const resetUserPassword = route({
  ...calls.resetUserPassword,
  summary: 'E-mails a user a link to choose a new password.',
  status: 204,
  params: oneUser,
})

export const endUserSessions = route({
  ...calls.endUserSessions,
  recentSignIn: true,
  summary: 'Signs a user out of all browsers.',
  status: 204,
  params: oneUser,
})

export const resetUserSecondFactor = route({
  ...calls.resetUserSecondFactor,
  recentSignIn: true,
  summary:
    'Removes the second factors of a user and signs them out of all browsers; at the next sign-in they add a new one where their client requires it.',
  status: 204,
  params: oneUser,
})

export const startViewing = route({
  ...calls.startViewing,
  summary: "Starts a manager's view of the portal as another user with lower rights, for up to 30 minutes.",
  status: 201,
  params: oneUser,
  reply: z.object({ viewingId: z.string(), name: z.string(), role: z.enum(roles), endsAt: Timestamp }),
})

export const endViewing = route({
  ...calls.endViewing,
  summary: "Ends a manager's view of the portal as another user; 404 if there is none.",
  status: 204,
  params: z.object({ tenant: TenantId, viewingId: Id }),
})
