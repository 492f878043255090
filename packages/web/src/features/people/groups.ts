import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import type { User } from '@caretaker/contract/people.ts'
import { noTagGroup } from '@caretaker/rules/people/users.ts'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

export const withoutRestrictions = 'No restrictions'
export const vendorStaff = 'Vendor staff'

/** A user in the list, with the group and the name of the tag. */
export interface UserRow extends User {
  groupKey: string
  group: string
  tagName: string
}

/**
 * The users with their groups, in group order: without restrictions, one group per access rights tag, and vendor staff.
 * Within a group the order is kept.
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
