import { hasFeature, hasLevel, isManager, seesEverything, seesTenant } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { levelOf, levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const tenantRights = {
  /** Any member of the tenant, whatever the role. */
  'enter tenant': () => true,
  'see reports': (actor) => hasLevel(actor, 'reports', levels.read),
  /** Looking at finished reports again, and having one sent each month, where the tenant has bought that. */
  'see report history': (actor) => hasLevel(actor, 'reports', levels.read) && hasFeature(actor, 'ReportHistory'),
  'see report tabs': (actor) => hasLevel(actor, 'reports', levels.read) && hasFeature(actor, 'ReportPageWithTab'),
  'schedule reports': (actor) => hasLevel(actor, 'reports', levels.read) && hasFeature(actor, 'ReportScheduling'),
  /** Settings are hidden from limited users; a developer with all areas sees them all the same. */
  'see settings': (actor) => hasLevel(actor, 'misc', levels.read) && seesTenant(actor),
  /** The record of every change, of things of all restrictions: admins and developers. */
  'see audit': (actor) => hasLevel(actor, 'misc', levels.admin) && seesTenant(actor),
  /** Second factors and time limits of sessions: managers of all of the client. */
  'manage sign-in policy': (actor) => isManager(actor, 'misc') && seesTenant(actor),
  /** How the installation itself does, which is of no single client. */
  'see system': (actor) => vendorRights['see system status']([actor.role]),
  /** Every client of the installation, to add, set up and suspend them: the vendor's staff (estate gaps B11). */
  'see tenants': (actor) => vendorRights['administer tenants']([actor.role]),
  /** The mails that a demo keeps instead of sending them, password links included. */
  'see mailbox': seesEverything,
} satisfies GeneralRights

/**
 * What the vendor's own staff may do to clients as such, members of them or not. Asked with every role that the person has
 * in any client.
 */
export const vendorRights = {
  /** Which clients there are, how each is called, who runs it, and whether it is open: admins and developers. */
  'administer tenants': (roles: readonly Role[]) => roles.some((role) => levelOf(role, 'misc') >= levels.admin),
  /** Features, capabilities and licences of a client (decisions): developers with access to all areas. */
  'switch features': (roles: readonly Role[]) => roles.some((role) => levelOf(role, 'all') >= levels.dev),
  /** What waits, fails and runs full in the installation: developers. */
  'see system status': (roles: readonly Role[]) => roles.some((role) => levelOf(role, 'all') >= levels.dev),
} as const satisfies Record<string, (roles: readonly Role[]) => boolean>
