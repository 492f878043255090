import type { FastifyInstance } from 'fastify'
import { success } from '@caretaker/contract/refusal.ts'
import { getCapabilities, getFeatures, getTenantInfo } from '@caretaker/contract/tenants.ts'
import { featureGroups } from '@caretaker/rules/identity/features.ts'
import { serveTenant } from '../../http/serve.ts'
import { tenantInfo } from './store.ts'

export function tenantRoutes(app: FastifyInstance): void {
  serveTenant(app, getTenantInfo, async ({ tx }) => success(await tenantInfo(tx)))

  serveTenant(app, getFeatures, async ({ actor }) => ({
    areas: Object.entries(featureGroups).map(([name, features]) => ({
      name,
      features: features.map((feature) => ({ name: feature, isEnabled: actor.features.includes(feature) })),
    })),
  }))

  serveTenant(app, getCapabilities, async ({ actor }) => ({
    devices: { EditAccessRightsTags: actor.capabilities.includes('EditAccessRightsTags') },
    properties: { ViewProperties: actor.capabilities.includes('ViewProperties') },
  }))
}
