import { z } from 'zod'
import { capabilities, features } from '@caretaker/rules/identity/features.ts'
import { TenantId, inTenant } from './scalars.ts'
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
  ...calls.switchFeature,
  summary: 'Turns a feature of the client on or off.',
  params: z.object({ tenant: TenantId, feature: z.enum(features) }),
  body: Switch,
  reply: Features,
})

export const switchCapability = route({
  ...calls.switchCapability,
  summary: 'Turns a capability of the client on or off.',
  params: z.object({ tenant: TenantId, capability: z.enum(capabilities) }),
  body: Switch,
  reply: Capabilities,
})
