import { hasFeature, hasLevel, isManager, seesEverything, seesTenant } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { levelOf, levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const tenantRights = {
  /** Any user of the tenant, whatever the role. */
  'enter tenant': () => true,
  'see reports': (actor) => hasLevel(actor, 'reports', levels.read),
  /** View finished reports again and schedule monthly ones, if the tenant has the feature. */
  'see report history': (actor) => hasLevel(actor, 'reports', levels.read) && hasFeature(actor, 'ReportHistory'),
  'see report tabs': (actor) => hasLevel(actor, 'reports', levels.read) && hasFeature(actor, 'ReportPageWithTab'),
  'schedule reports': (actor) => hasLevel(actor, 'reports', levels.read) && hasFeature(actor, 'ReportScheduling'),
  /** Restricted users do not see settings; a developer with all areas does. */
  'see settings': (actor) => hasLevel(actor, 'misc', levels.read) && seesTenant(actor),
  /** The audit log, which covers objects of all access rights tags: admins and developers. */
  'see audit': (actor) => hasLevel(actor, 'misc', levels.admin) && seesTenant(actor),
  /** Second factors and time limits of sessions: managers of the whole client. */
  'manage sign-in policy': (actor) => isManager(actor, 'misc') && seesTenant(actor),
  /** The status of the installation, which belongs to no single client. */
  'see system': (actor) => vendorRights['see system status']([actor.role]),
  /** Every client of the installation, to add, configure and suspend them: the vendor's staff (estate gaps B11). */
  'see tenants': (actor) => vendorRights['administer tenants']([actor.role]),
  /** The e-mails that a demo stores instead of sending, including password links. */
  'see mailbox': seesEverything,
} satisfies GeneralRights

/**
 * Rights of the vendor's staff over clients, whether they are users of them or not. Checked with every role of the
 * person in any client.
 */
export const vendorRights = {
  /** The list of clients with name, operator and state: admins and developers. */
  'administer tenants': (roles: readonly Role[]) => roles.some((role) => levelOf(role, 'misc') >= levels.admin),
  /** Features, capabilities and licences of a client (decisions): developers with access to all areas. */
  'switch features': (roles: readonly Role[]) => roles.some((role) => levelOf(role, 'all') >= levels.dev),
  /** Queues, failures and capacity of the installation: developers. */
  'see system status': (roles: readonly Role[]) => roles.some((role) => levelOf(role, 'all') >= levels.dev),
} as const satisfies Record<string, (roles: readonly Role[]) => boolean>
