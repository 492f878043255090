import type { Audited } from './audit.ts'

/** A person's change to a tag, with its name in the audit log. */
interface AuditedTag extends Audited {
  tagId: string
  tagName: string
}
interface AuditedAccessRightsTag extends Audited {
  accessRightsTagId: string
  tagName: string
}

export interface TagCreated extends AuditedTag {
  type: 'TagCreated'
}
/** It has a new name; each of its devices has its own event. */
export interface TagRenamed extends AuditedTag {
  type: 'TagRenamed'
}
export interface TagDeleted extends AuditedTag {
  type: 'TagDeleted'
}
/** An import created tags for its devices. */
export interface TagsImported {
  type: 'TagsImported'
}
export interface AccessRightsTagCreated extends AuditedAccessRightsTag {
  type: 'AccessRightsTagCreated'
}
export interface AccessRightsTagDeleted extends AuditedAccessRightsTag {
  type: 'AccessRightsTagDeleted'
}

export type TagEvent =
  | TagCreated
  | TagRenamed
  | TagDeleted
  | TagsImported
  | AccessRightsTagCreated
  | AccessRightsTagDeleted
