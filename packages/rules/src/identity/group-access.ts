import type { Role } from './roles.ts'
import { internalRoles, roles } from './roles.ts'

/** The access that a group of a client's directory gives: its role, limited by access rights tags. */
export interface GroupAccess {
  group: string
  role: Role
  /** Ids of access rights tags; without any, the whole client. */
  tags: readonly string[]
}

/** The most rows in a client's table. */
export const mostGroupAccess = 200
export const longestGroupName = 256

/** Roles that a group can give: only an operator can assign the vendor's own roles. */
export const groupRoles: readonly Role[] = roles.filter((role) => !internalRoles.includes(role))

/** Group names are compared without case and outer spaces. */
export const comparedGroup = (name: string): string => name.normalize('NFC').trim().toLowerCase()

/**
 * The access of a person in these groups: the first row of the table whose group they are in. Undefined if no row
 * matches.
 */
export function accessOfGroups(
  groups: readonly string[],
  table: readonly GroupAccess[],
): { role: Role; tags: readonly string[] } | undefined {
  const names = new Set(groups.map(comparedGroup))
  const row = table.find(({ group, role }) => groupRoles.includes(role) && names.has(comparedGroup(group)))
  return row && { role: row.role, tags: row.tags }
}

/** The index of the first row whose group an earlier row names; undefined if all groups differ. */
export function repeatedGroup(table: readonly Pick<GroupAccess, 'group'>[]): number | undefined {
  const names = table.map(({ group }) => comparedGroup(group))
  const at = names.findIndex((name, index) => names.indexOf(name) < index)
  return at < 0 ? undefined : at
}
