import type { Audited } from './audit.ts'

/** A person's change to a group, with its name in the audit log. */
interface AuditedGroup extends Audited {
  groupId: string
  groupName: string
}

export interface GroupAdded extends AuditedGroup {
  type: 'GroupAdded'
}
export interface GroupChanged extends AuditedGroup {
  type: 'GroupChanged'
}
export interface GroupDeleted extends AuditedGroup {
  type: 'GroupDeleted'
}
/**
 * The group now requires different types of tests of these lights: missed tests of the other types are no longer
 * reported.
 */
export interface GroupTestTypesChanged {
  type: 'GroupTestTypesChanged'
  deviceIds: readonly string[]
}
/** Its tests are planned up to a time, and the plan has to be extended from `extendAt` on. */
export interface GroupPlanned {
  type: 'GroupPlanned'
  groupId: string
  extendAt: Date
}
/** All plans were made with another time zone. */
export interface GroupPlansOutdated {
  type: 'GroupPlansOutdated'
  at: Date
}
/** Some of its lights were uninstalled; each has its own audit entry. */
export interface GroupLightsUninstalled {
  type: 'GroupLightsUninstalled'
  groupId: string
}
/** A light joined, changed or left its group, which lists show. */
export interface LightRegrouped {
  type: 'LightRegrouped'
  deviceId: string
}

export type GroupEvent =
  | GroupAdded
  | GroupChanged
  | GroupDeleted
  | GroupTestTypesChanged
  | GroupPlanned
  | GroupPlansOutdated
  | GroupLightsUninstalled
  | LightRegrouped
