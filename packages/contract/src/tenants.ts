import { z } from 'zod'
import { capabilities, features } from '@caretaker/rules/identity/features.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { sessionLimits } from '@caretaker/rules/identity/sign-in-policy.ts'
import { TenantId, Version, inTenant } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/tenants.ts'

export const TenantInfo = z
  .object({
    id: z.string(),
    name: z.string(),
    displayName: z.string(),
    contacts: z.string(),
    timeZone: z.string(),
    settings: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TenantInfo' })

export const getTenantInfo = route({
  ...calls.getTenantInfo,
  summary: 'Id, name, contacts and settings of the client.',
  body: inTenant,
  reply: envelope(TenantInfo),
})

export const Features = z
  .object({
    areas: z.array(
      z.object({ name: z.string(), features: z.array(z.object({ name: z.string(), isEnabled: z.boolean() })) }),
    ),
  })
  .meta({ id: 'Features' })

export const getFeatures = route({
  ...calls.getFeatures,
  summary: 'All feature flags of the client, by area.',
  params: z.object({ tenant: TenantId }),
  reply: Features,
})

export const Capabilities = z
  .object({
    devices: z.object({ EditAccessRightsTags: z.boolean() }),
    properties: z.object({ ViewProperties: z.boolean() }),
  })
  .meta({ id: 'Capabilities' })

export const getCapabilities = route({
  ...calls.getCapabilities,
  summary: 'The capabilities of the client.',
  params: z.object({ tenant: TenantId }),
  reply: Capabilities,
})

const Switch = z.strictObject({ isEnabled: z.boolean() })

export const switchFeature = route({
  recentSignIn: true,
  ...calls.switchFeature,
  summary: 'Turns a feature of the client on or off.',
  params: z.object({ tenant: TenantId, feature: z.enum(features) }),
  body: Switch,
  reply: Features,
})

export const switchCapability = route({
  recentSignIn: true,
  ...calls.switchCapability,
  summary: 'Turns a capability of the client on or off.',
  params: z.object({ tenant: TenantId, capability: z.enum(capabilities) }),
  body: Switch,
  reply: Capabilities,
})

const within = ({ least, most }: { least: number; most: number }) => z.number().int().min(least).max(most)

/** How the users of a client sign in. */
export const SignInPolicy = z.strictObject({
  secondFactorRoles: z.array(z.enum(roles)).max(roles.length),
  idleMinutes: within(sessionLimits.idleMinutes),
  sessionHours: within(sessionLimits.sessionHours),
})
export type SignInPolicy = z.infer<typeof SignInPolicy>

export const getSignInPolicy = route({
  ...calls.getSignInPolicy,
  hasVersion: true,
  summary: 'Which roles of the client need a second factor, and how long sessions last.',
  params: z.object({ tenant: TenantId }),
  reply: SignInPolicy.extend({ isEmbedded: z.boolean(), version: z.number().int() }),
})

export const setSignInPolicy = route({
  ...calls.setSignInPolicy,
  hasVersion: true,
  recentSignIn: true,
  summary: 'Sets which roles of the client need a second factor, and how long sessions last.',
  status: 204,
  params: z.object({ tenant: TenantId }),
  body: SignInPolicy.extend({ version: Version.optional() }),
})
