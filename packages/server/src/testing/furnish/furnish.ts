import type { TestApp } from '../app.ts'
import { furnishAlerts } from './alerts.ts'
import { furnishBulkActions } from './bulk-actions.ts'
import { furnishCommands } from './commands.ts'
import { furnishCompliance } from './compliance.ts'
import { furnishConnections } from './connections.ts'
import { furnishConditions } from './conditions.ts'
import type { Furnishing } from './context.ts'
import { addAccessRightsTag, furnishDevices } from './devices.ts'
import { furnishEstate } from './estate.ts'
import { furnishHomes } from './homes.ts'
import { furnishImports } from './imports.ts'
import { furnishLighting } from './lighting.ts'
import { furnishMaintenance } from './maintenance.ts'
import { furnishMessages } from './messages.ts'
import { furnishPeople } from './people.ts'
import { furnishProvisioning } from './provisioning.ts'
import { furnishReports } from './reports.ts'
import { furnishResidents } from './residents.ts'
import { furnishSingleSignOn } from './single-sign-on.ts'
import { furnishTags } from './tags.ts'
import { furnishTelemetry } from './telemetry.ts'
import { furnishFormerTables, furnishTenant } from './tenants.ts'
import { furnishViews } from './views.ts'
import { furnishWebhooks } from './webhooks.ts'

/**
 * A tenant's items, of every kind that a call can name or return. Functions named `new…` create further ones for
 * calls that use them up.
 */
export type TenantItems = Awaited<ReturnType<typeof furnish>>

/** Fills a tenant with one of everything, each with the tenant's secret in its name. */
export async function furnish(test: TestApp, tenant: string) {
  const secret = `secret-of-${tenant}`
  const manager = `first-manager@${tenant}.test`
  // These do not affect any right.
  await test.addTenant(tenant, { features: ['Surveys'], capabilities: ['ViewProperties'] })
  await test.addMember(tenant, manager, 'Manager')
  const accessRightsTag = await addAccessRightsTag(test, tenant, `${secret} tag`)
  // A member that a search for the secret finds.
  await test.addMember(tenant, `${secret}@${tenant}.test`, 'Guest', [accessRightsTag])
  const furnishing: Furnishing = { test, tenant, secret, manager, accessRightsTag }
  const devices = await furnishDevices(furnishing)
  const estate = await furnishEstate(furnishing, devices)
  const tags = await furnishTags(furnishing, devices, estate)
  const people = await furnishPeople(furnishing)
  await furnishTenant(furnishing, tags.tag)
  const provisioning = await furnishProvisioning(furnishing)
  await furnishTelemetry(furnishing, devices)
  await furnishMessages(furnishing, devices)
  const maintenance = await furnishMaintenance(furnishing, devices)
  const possessions = {
    ...{ tenant, secret, manager, accessRightsTag },
    ...devices,
    ...maintenance,
    ...estate,
    ...tags,
    ...people,
    ...provisioning,
    ...(await furnishResidents(furnishing, estate)),
    ...(await furnishHomes(furnishing, devices, estate)),
    ...(await furnishConditions(furnishing, devices)),
    ...(await furnishLighting(furnishing, devices, estate)),
    ...(await furnishCommands(furnishing, devices)),
    ...(await furnishCompliance(furnishing, devices, estate)),
    ...(await furnishAlerts(furnishing, devices, tags, estate)),
    ...(await furnishBulkActions(furnishing, devices, tags)),
    ...(await furnishImports(furnishing)),
    ...(await furnishViews(furnishing, people.caller)),
    ...(await furnishReports(furnishing, devices, estate, people.caller)),
    ...(await furnishWebhooks(furnishing)),
    ...(await furnishConnections(furnishing, estate, tags)),
    ...(await furnishSingleSignOn(furnishing)),
  }
  await furnishFormerTables(test, tenant)
  return possessions
}
