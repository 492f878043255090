import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { MemberChange } from '@caretaker/rules/provisioning/patch-group.ts'
import { comparedName } from '@caretaker/rules/provisioning/values.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { record } from '../../projections/record.ts'
import type { Page } from './store.ts'

/** A group of the directory. */
export interface GroupRow {
  id: string
  displayName: string
  externalId: string | null
  version: number
  createdAt: Date
  changedAt: Date
}

const groupColumns = [
  ...(['id', 'display_name as displayName', 'external_id as externalId', 'version'] as const),
  ...(['created_at as createdAt', 'changed_at as changedAt'] as const),
] as const

/** Groups that fulfil all conditions, oldest first. */
export async function findGroups(
  tx: TenantTx,
  conditions: readonly RawBuilder<boolean>[],
  { offset, limit }: { offset: number; limit: number },
): Promise<Page<GroupRow>> {
  const all = conditions.reduce(
    (query, condition) => query.where(condition),
    tx.selectFrom('scim_group').where('tenant_id', '=', tx.tenant),
  )
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows =
    limit > 0
      ? await all.select(groupColumns).orderBy('created_at').orderBy('id').offset(offset).limit(limit).execute()
      : []
  return { total, rows }
}

export async function groupRow(tx: TenantTx, id: string): Promise<GroupRow | undefined> {
  return tx
    .selectFrom('scim_group')
    .select(groupColumns)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
}

interface Named {
  displayName: string
  externalId: string | null
}

/** Adds a group; undefined if the name is taken. */
export async function insertGroup(
  tx: TenantTx,
  id: string,
  { displayName, externalId }: Named,
  now: Date,
): Promise<GroupRow | undefined> {
  const row = await tx
    .insertInto('scim_group')
    .values({
      ...{ tenant_id: tx.tenant, id, display_name: displayName, compared_name: comparedName(displayName) },
      ...{ external_id: externalId, created_at: now, changed_at: now },
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(groupColumns)
    .executeTakeFirst()
  if (row) recordChange(tx, id)
  return row
}

/** Whether another group has the name. */
export async function isGroupNameTaken(tx: TenantTx, id: string, displayName: string): Promise<boolean> {
  const other = await tx
    .selectFrom('scim_group')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('compared_name', '=', comparedName(displayName))
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}

export async function updateGroup(
  tx: TenantTx,
  id: string,
  { displayName, externalId }: Named,
  now: Date,
): Promise<GroupRow> {
  const row = await tx
    .updateTable('scim_group')
    .set({
      ...{ display_name: displayName, compared_name: comparedName(displayName), external_id: externalId },
      ...{ changed_at: now, version: sql<number>`version + 1` },
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .returning(groupColumns)
    .executeTakeFirstOrThrow()
  recordChange(tx, id)
  return row
}

export async function deleteGroupRow(tx: TenantTx, id: string): Promise<void> {
  await tx.deleteFrom('scim_group').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  recordChange(tx, id)
}

const recordChange = (tx: TenantTx, provisionedId: string) =>
  record(tx, [{ type: 'ProvisionedGroupChanged', provisionedId }])

export async function countMembers(tx: TenantTx, groupIds: readonly string[]): Promise<Map<string, number>> {
  if (!groupIds.length) return new Map()
  const rows = await tx
    .selectFrom('scim_group_member')
    .select((eb) => ['group_id as id', eb.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', 'in', [...groupIds])
    .groupBy('group_id')
    .execute()
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** A member of a group. */
export interface MemberOfGroup {
  groupId: string
  id: string
  name: string
}

export async function membersOfGroups(tx: TenantTx, groupIds: readonly string[]): Promise<MemberOfGroup[]> {
  if (!groupIds.length) return []
  return tx
    .selectFrom('scim_group_member as member')
    .innerJoin('scim_user as one', (join) =>
      join.onRef('one.id', '=', 'member.user_id').on('one.tenant_id', '=', tx.tenant),
    )
    .select(['member.group_id as groupId', 'one.id', 'one.name'])
    .where('member.tenant_id', '=', tx.tenant)
    .where('member.group_id', 'in', [...groupIds])
    .orderBy('one.name')
    .orderBy('one.id')
    .execute()
}

export async function memberIdsOf(tx: TenantTx, groupId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('scim_group_member')
    .select('user_id')
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', groupId)
    .execute()
  return rows.map((row) => row.user_id)
}

/** The ids that belong to no user. */
export async function unknownUsers(tx: TenantTx, ids: ReadonlySet<string>): Promise<string[]> {
  const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  const possible = [...ids].filter((id) => uuid.test(id))
  if (!possible.length) return [...ids]
  const rows = await tx
    .selectFrom('scim_user')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${uuids(possible)}::uuid[])`)
    .execute()
  const known = new Set(rows.map(({ id }) => id))
  return [...ids].filter((id) => !known.has(id))
}

/** Changes the members of a group, one statement for the removed and one for the added ones; returns both. */
export async function changeMembers(
  tx: TenantTx,
  groupId: string,
  { isReplaced, added, removed }: MemberChange,
): Promise<string[]> {
  const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  const coming = uuids([...added])
  const going = uuids([...removed].filter((id) => uuid.test(id)))
  const ofGroup = tx
    .deleteFrom('scim_group_member')
    .where('tenant_id', '=', tx.tenant)
    .where('group_id', '=', groupId)
    .returning('user_id')
  const gone = isReplaced
    ? await ofGroup.where(sql<boolean>`user_id <> all(${coming}::uuid[])`).execute()
    : removed.size
      ? await ofGroup.where(sql<boolean>`user_id = any(${going}::uuid[])`).execute()
      : []
  const come = added.size
    ? await sql<{ user_id: string }>`
        insert into scim_group_member (tenant_id, group_id, user_id)
        select ${tx.tenant}, ${groupId}::uuid, unnest(${coming}::uuid[])
        on conflict do nothing returning user_id`.execute(tx)
    : { rows: [] }
  return [...gone, ...come.rows].map((row) => row.user_id)
}
