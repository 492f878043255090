import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import type { User } from '@caretaker/contract/people.ts'
import { noTagGroup } from '@caretaker/rules/people/users.ts'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

export const withoutRestrictions = 'No restrictions'
export const vendorStaff = 'Vendor staff'

/** A user as the list shows them, with the group they stand in and their tag in words. */
export interface UserRow extends User {
  groupKey: string
  group: string
  tagName: string
}

/**
 * The users with their groups, in the order of the groups: those without restrictions, a group for each access rights tag,
 * and the vendor's staff as a group of their own. Within a group they keep the order they came in.
 */
export function groupedUsers(users: readonly User[], tags: readonly AccessRightsTag[]): UserRow[] {
  const nameOf = (id: string | null) =>
    tags.find((tag) => tag.id === id)?.displayName ?? (id === null ? '' : 'Unknown tag')
  const rows = users.map((user): UserRow => {
    const tagName = nameOf(user.accessRightsTag)
    const [groupKey, group] = user.isVendorStaff
      ? ['vendorStaff', vendorStaff]
      : [user.accessRightsTag ?? noTagGroup, tagName || withoutRestrictions]
    return { ...user, tagName, groupKey, group }
  })
  const place = (row: UserRow) => (row.isVendorStaff ? 2 : row.groupKey === noTagGroup ? 0 : 1)
  return rows.sort((a, b) => place(a) - place(b) || inNaturalOrder(a.group, b.group))
}
