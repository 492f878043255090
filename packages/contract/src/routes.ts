import * as account from './account.ts'
import * as actions from './actions.ts'
import * as alerts from './alerts.ts'
import * as apiKeys from './api-keys.ts'
import * as awaabsLaw from './awaabs-law.ts'
import * as audits from './audit.ts'
import * as dashboard from './dashboard.ts'
import * as damp from './damp.ts'
import * as boilers from './boilers.ts'
import * as buildings from './buildings.ts'
import * as maps from './maps.ts'
import * as changes from './changes.ts'
import * as compliance from './compliance.ts'
import * as imports from './imports.ts'
import * as connections from './connections.ts'
import * as conditions from './conditions.ts'
import * as deviceKeys from './device-keys.ts'
import * as devices from './devices.ts'
import * as documents from './documents.ts'
import * as faults from './faults.ts'
import * as equipment from './equipment.ts'
import * as groupAccess from './group-access.ts'
import * as groups from './groups.ts'
import * as handover from './links.ts'
import * as inspection from './inspection.ts'
import * as lighting from './lighting.ts'
import * as logs from './logs.ts'
import * as maintenance from './maintenance.ts'
import * as messages from './messages.ts'
import * as mailbox from './mailbox.ts'
import * as parts from './parts.ts'
import * as products from './products.ts'
import * as provisioning from './provisioning.ts'
import type { Call } from './call.ts'
import type { AnyRoute, Route } from './route.ts'
import * as reads from './reads.ts'
import * as reports from './reports.ts'
import * as schedules from './schedules.ts'
import * as search from './search.ts'
import * as session from './session.ts'
import * as singleSignOn from './single-sign-on.ts'
import * as system from './system.ts'
import * as tags from './tags.ts'
import * as telemetry from './telemetry.ts'
import * as residents from './residents.ts'
import * as properties from './properties.ts'
import * as propertyAudit from './property-audit.ts'
import * as propertyLicences from './property-licences.ts'
import * as propertySafety from './property-safety.ts'
import * as tenants from './tenants.ts'
import * as tenantAdministration from './tenant-administration.ts'
import * as tenantExports from './tenant-exports.ts'
import * as users from './people.ts'
import * as view from './views.ts'
import * as voidMode from './void-mode.ts'
import * as webhooks from './webhooks.ts'

function isRoute(value: unknown): value is AnyRoute {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'may' in value
}

/** The subjects of the API document and page, in order, each with a description and the files of its calls. */
const list = [
  { name: 'Session', about: 'The signed-in user, and the sign-in settings.', calls: [session, account] },
  {
    name: 'Clients',
    about: 'The client: its settings, features and capabilities.',
    calls: [tenants, singleSignOn, groupAccess, provisioning, tenantAdministration, tenantExports],
  },
  { name: 'Users', about: 'The users of the client, their roles and access rights tags.', calls: [users] },
  {
    name: 'Devices',
    about: 'Listings of devices, single devices, their status and their history.',
    calls: [devices, deviceKeys, search, handover, conditions, faults, logs, products, messages],
  },
  {
    name: 'Actions',
    about: 'Actions on one device or on many: tags, networks, resets, uninstalling.',
    calls: [actions],
  },
  { name: 'Repairs and notes', about: 'Repairs and notes of devices, as entered by users.', calls: [maintenance] },
  {
    name: 'Telemetry',
    about: 'Measurements and events of devices and properties over a range.',
    calls: [telemetry],
  },
  {
    name: 'Emergency lighting',
    about: 'Emergency lights, their tests and results, test groups and schedules.',
    calls: [lighting, equipment, groups, inspection, parts],
  },
  {
    name: 'Boilers',
    about: 'Boilers, their settings, and the records of their checks.',
    calls: [boilers, compliance],
  },
  {
    name: 'Dashboard',
    about: 'Device counts, items that need attention today, and devices of one kind.',
    calls: [dashboard],
  },
  {
    name: 'Buildings and maps',
    about: 'Buildings with their floors and plans, and devices on a map.',
    calls: [buildings, maps],
  },
  {
    name: 'Properties',
    about: 'Properties: address, details, void status, damp, licences and audit.',
    calls: [properties, awaabsLaw, voidMode, schedules, damp, propertySafety, propertyAudit, propertyLicences],
  },
  {
    name: 'Imports',
    about: 'Imports of properties, buildings and devices from a file.',
    calls: [imports],
  },
  {
    name: 'Residents',
    about: 'Residents, their access to properties, and the calls of the resident app.',
    calls: [residents],
  },
  { name: 'Alerts', about: 'Alert rules, their recipients, and the alerts that were sent.', calls: [alerts] },
  { name: 'Tags', about: 'Tags of devices, and access rights tags, which restrict what users see.', calls: [tags] },
  { name: 'Reports', about: 'Monthly reports, their files, and schedules that e-mail them.', calls: [reports] },
  {
    name: 'Views and documents',
    about: 'Saved views of listings, photographs of properties, and texts for residents.',
    calls: [view, documents],
  },
  { name: 'Changes', about: 'A stream of the changes in the client.', calls: [changes] },
  {
    name: 'Audit',
    about: 'The audit log: who changed what, with the values before and after.',
    calls: [audits, reads],
  },
  {
    name: 'Other software',
    about:
      'API keys for software that calls Caretaker, webhooks that notify other software, and connections that receive sensor messages.',
    calls: [apiKeys, webhooks, connections],
  },
  { name: 'Installation', about: 'The state of the installation, for developers.', calls: [system] },
  { name: 'Mailbox', about: 'The e-mails of a demo.', calls: [mailbox] },
] as const
export const subjects: readonly { name: string; about: string; calls: readonly object[] }[] = list

type Files = (typeof list)[number]['calls'][number]
type RoutesOf<F> = {
  [
    K in keyof F as F[K] extends { method: infer M extends string; path: infer A extends string } ? `${M} ${A}` : never
  ]: F[K]
}
type RouteIn<F, K> = F extends unknown ? RoutesOf<F>[K & keyof RoutesOf<F>] : never

/** The route of a call, for the types of its request and response; any route for a call whose path is not known. */
export type RouteOf<C extends Call> = string extends C['path'] ? Route : RouteIn<Files, `${C['method']} ${C['path']}`>

/** Every call of the product by name, for the OpenAPI document and the tests of all calls. */
export const routes: Record<string, AnyRoute> = {}
const subjectOf = new Map<AnyRoute, string>()
for (const { name: subject, calls } of subjects)
  for (const [name, value] of calls.flatMap((file) => Object.entries(file)))
    if (isRoute(value)) {
      routes[name] = value
      subjectOf.set(value, subject)
    }

/** The subject that lists a call in the API document. */
export const subjectOfRoute = (route: AnyRoute): string => subjectOf.get(route)!
