import { z } from 'zod'
import { TenantId, inTenant } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'

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
  method: 'POST',
  path: '/api/GetTenantInfo',
  may: 'enter tenant',
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
  method: 'GET',
  path: '/api/internal/tenants/{tenant}/features',
  may: 'enter tenant',
  summary: 'Every feature flag of the client by group.',
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
  method: 'GET',
  path: '/api/internal/tenants/{tenant}/capabilities',
  may: 'enter tenant',
  summary: 'The capabilities of the client.',
  params: z.object({ tenant: TenantId }),
  reply: Capabilities,
})
