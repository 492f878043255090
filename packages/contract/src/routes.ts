import * as actions from './actions.ts'
import * as alerts from './alerts.ts'
import * as audits from './audit.ts'
import * as dashboard from './dashboard.ts'
import * as damp from './damp.ts'
import * as boilers from './boilers.ts'
import * as buildings from './buildings.ts'
import * as maps from './maps.ts'
import * as changes from './changes.ts'
import * as compliance from './compliance.ts'
import * as imports from './imports.ts'
import * as conditions from './conditions.ts'
import * as devices from './devices.ts'
import * as documents from './documents.ts'
import * as faults from './faults.ts'
import * as equipment from './equipment.ts'
import * as groups from './groups.ts'
import * as handover from './links.ts'
import * as inspection from './inspection.ts'
import * as lighting from './lighting.ts'
import * as logs from './logs.ts'
import * as maintenance from './maintenance.ts'
import * as messages from './messages.ts'
import * as mailbox from './mailbox.ts'
import * as products from './products.ts'
import type { AnyRoute } from './route.ts'
import * as reports from './reports.ts'
import * as search from './search.ts'
import * as session from './session.ts'
import * as tags from './tags.ts'
import * as telemetry from './telemetry.ts'
import * as residents from './residents.ts'
import * as properties from './properties.ts'
import * as propertyAudit from './property-audit.ts'
import * as propertyLicences from './property-licences.ts'
import * as tenants from './tenants.ts'
import * as tenantAdministration from './tenant-administration.ts'
import * as users from './people.ts'
import * as view from './views.ts'
import * as voidMode from './void-mode.ts'

function isRoute(value: unknown): value is AnyRoute {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'may' in value
}

const exported: Record<string, unknown> = {
  ...session,
  ...tenants,
  ...tenantAdministration,
  ...devices,
  ...equipment,
  ...boilers,
  ...changes,
  ...view,
  ...documents,
  ...search,
  ...dashboard,
  ...buildings,
  ...maps,
  ...handover,
  ...conditions,
  ...faults,
  ...logs,
  ...compliance,
  ...lighting,
  ...groups,
  ...inspection,
  ...reports,
  ...maintenance,
  ...messages,
  ...telemetry,
  ...audits,
  ...alerts,
  ...tags,
  ...actions,
  ...products,
  ...mailbox,
  ...properties,
  ...voidMode,
  ...damp,
  ...imports,
  ...propertyAudit,
  ...propertyLicences,
  ...users,
  ...residents,
}

/** Every call of the product by its name, for the OpenAPI document and the tests that walk all of them. */
export const routes: Record<string, AnyRoute> = {}
for (const [name, value] of Object.entries(exported)) if (isRoute(value)) routes[name] = value
