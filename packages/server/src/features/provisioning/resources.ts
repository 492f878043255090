import type { Attributes } from '@caretaker/rules/provisioning/attributes.ts'
import { schemas } from '@caretaker/rules/provisioning/attributes.ts'
import type { GroupRow, MemberOfGroup } from './group-store.ts'
import type { ProvisionedUser } from '../../people/provisioned-users.ts'
import type { GroupOfUser } from './store.ts'

/** Where the plugin is mounted. */
export const scimPath = '/scim/v2'

export const etagOf = ({ version }: { version: number }) => `W/"${version}"`

const addressOf = (origin: string, path: string) => `${origin}${scimPath}/${path}`

const metaOf = (
  kind: 'User' | 'Group',
  row: Pick<ProvisionedUser, 'id' | 'version' | 'createdAt' | 'changedAt'>,
  origin: string,
) => ({
  resourceType: kind,
  created: row.createdAt.toISOString(),
  lastModified: row.changedAt.toISOString(),
  location: addressOf(origin, `${kind}s/${row.id}`),
  version: etagOf(row),
})

/**
 * Maximum number of users' groups, or of groups' members, in a response with several users or groups; the others are on
 * the next page.
 */
const mostPartsPerPage = 20_000

/** The first resources whose parts together are within the limit, but at least one. */
export function withinBound<T extends { id: string }>(
  rows: readonly T[],
  counts: ReadonlyMap<string, number>,
): readonly T[] {
  let parts = 0
  const end = rows.findIndex(({ id }) => (parts += counts.get(id) ?? 0) > mostPartsPerPage)
  return end < 0 ? rows : rows.slice(0, Math.max(1, end))
}

/** A user as the directory reads it. */
export function userResource(row: ProvisionedUser, groups: readonly GroupOfUser[], origin: string): Attributes {
  const { id, userName, externalId, active, attributes } = row
  return {
    schemas: [schemas.user, ...(schemas.enterprise in attributes ? [schemas.enterprise] : [])],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    ...attributes,
    active,
    ...(groups.length && {
      groups: groups.map((group) => ({
        ...{ value: group.id, $ref: addressOf(origin, `Groups/${group.id}`) },
        ...{ display: group.displayName, type: 'direct' },
      })),
    }),
    meta: metaOf('User', row, origin),
  }
}

/** A group as the directory reads it; without its members if they are not asked for. */
export function groupResource(
  row: GroupRow,
  members: readonly MemberOfGroup[] | undefined,
  origin: string,
): Attributes {
  const { id, displayName, externalId } = row
  return {
    schemas: [schemas.group],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members && {
      members: members.map((member) => ({
        ...{ value: member.id, $ref: addressOf(origin, `Users/${member.id}`) },
        ...{ display: member.name, type: 'User' },
      })),
    }),
    meta: metaOf('Group', row, origin),
  }
}

export const listResponse = (totalResults: number, startIndex: number, resources: readonly unknown[]) => ({
  schemas: [schemas.list],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
