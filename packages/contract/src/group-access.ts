import { z } from 'zod'
import { groupRoles, longestGroupName, mostGroupAccess, repeatedGroup } from '@caretaker/rules/identity/group-access.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { Id, inTenant, line } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/group-access.ts'

export const GroupName = line(longestGroupName).pipe(z.string().min(1, 'Group is required!'))

/** A row of the table: the role of a group, and at most one access rights tag. */
export const GroupAccessRow = z.strictObject({
  group: GroupName,
  role: z.enum(groupRoles as [Role, ...Role[]]),
  tags: z.array(Id).max(1),
})
export type GroupAccessRow = z.infer<typeof GroupAccessRow>

export const GroupAccessTable = z.strictObject({
  rows: z
    .array(GroupAccessRow)
    .max(mostGroupAccess)
    .superRefine((rows, context) => {
      const at = repeatedGroup(rows)
      if (at !== undefined)
        context.addIssue({ code: 'custom', path: [at, 'group'], message: 'Another row has this group.' })
    }),
})
export type GroupAccessTable = z.infer<typeof GroupAccessTable>

export const getGroupAccess = route({
  ...calls.getGroupAccess,
  summary: "The roles that the groups of the client's directory give, in order: the first matching row applies.",
  params: inTenant,
  reply: GroupAccessTable,
})

export const setGroupAccess = route({
  ...calls.setGroupAccess,
  recentSignIn: true,
  summary:
    "Replaces the roles that the groups of the client's directory give; users from provisioning get their new role at once. 409 if no manager without access restrictions would be left.",
  status: 204,
  params: inTenant,
  body: GroupAccessTable,
})
