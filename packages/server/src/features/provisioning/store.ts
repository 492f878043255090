import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { UserValues } from '@caretaker/rules/provisioning/values.ts'
import { comparedName } from '@caretaker/rules/provisioning/values.ts'
import { noAccessTexts } from '@caretaker/rules/provisioning/member.ts'
import type { AccessDecision, ProvisionedUser } from '../../people/provisioned-users.ts'
import { provisionedUserColumns } from '../../people/provisioned-users.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** How long a transaction waits for a lock: meanwhile it keeps a connection that other clients need. */
const patience = '2s'

/** Lets one transaction of the client's directory write at a time. Refuses a client that is being removed. */
export async function holdProvisioning(tx: TenantTx): Promise<void> {
  await sql.raw(`set local lock_timeout = '${patience}'`).execute(tx)
  const found = await tx
    .selectFrom('tenant')
    .select('id')
    .where('id', '=', tx.tenant)
    .where('removal_began_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!found) throw refuse('unauthorized')
}

export interface Page<T> {
  total: number
  rows: T[]
}

/** Users that fulfil all conditions, oldest first. */
export async function findUsers(
  tx: TenantTx,
  conditions: readonly RawBuilder<boolean>[],
  { offset, limit }: { offset: number; limit: number },
): Promise<Page<ProvisionedUser>> {
  const all = conditions.reduce(
    (query, condition) => query.where(condition),
    tx.selectFrom('scim_user').where('tenant_id', '=', tx.tenant),
  )
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows =
    limit > 0
      ? await all
          .select(provisionedUserColumns)
          .orderBy('created_at')
          .orderBy('id')
          .offset(offset)
          .limit(limit)
          .execute()
      : []
  return { total, rows }
}

export async function userRow(tx: TenantTx, id: string): Promise<ProvisionedUser | undefined> {
  return tx
    .selectFrom('scim_user')
    .select(provisionedUserColumns)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Whether another user has the name. */
export async function isUserNameTaken(tx: TenantTx, id: string, userName: string): Promise<boolean> {
  const other = await tx
    .selectFrom('scim_user')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('compared_user_name', '=', comparedName(userName))
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}

export async function countUsers(tx: TenantTx): Promise<number> {
  return (await findUsers(tx, [], { offset: 0, limit: 0 })).total
}

export async function countGroups(tx: TenantTx, userIds: readonly string[]): Promise<Map<string, number>> {
  if (!userIds.length) return new Map()
  const rows = await tx
    .selectFrom('scim_group_member')
    .select((eb) => ['user_id as id', eb.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tx.tenant)
    .where('user_id', 'in', [...userIds])
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** A group of a user. */
export interface GroupOfUser {
  userId: string
  id: string
  displayName: string
}

export async function groupsOfUsers(tx: TenantTx, userIds: readonly string[]): Promise<GroupOfUser[]> {
  if (!userIds.length) return []
  return tx
    .selectFrom('scim_group_member as member')
    .innerJoin('scim_group as one', (join) =>
      join.onRef('one.id', '=', 'member.group_id').on('one.tenant_id', '=', tx.tenant),
    )
    .select(['member.user_id as userId', 'one.id', 'one.display_name as displayName'])
    .where('member.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`member.user_id = any(${uuids([...userIds])}::uuid[])`)
    .orderBy('one.display_name')
    .execute()
}

/** The data that determines the access of a user. */
export interface AccessRow extends AccessDecision, Pick<UserValues, 'userName' | 'active' | 'attributes'> {
  name: string
  email: string | null
  /** Whether a manager removed the member. */
  blocked: boolean
}

/**
 * These users of the directory, or all of them, for a decision about their access, with the managers whom earlier
 * decisions could not remove.
 */
export async function accessRows(tx: TenantTx, ids: readonly string[] | 'all'): Promise<AccessRow[]> {
  return tx
    .selectFrom('scim_user')
    .select(['id', 'user_name as userName', 'active', 'attributes', 'name', 'email'])
    .select(['membership_id as memberId', 'no_access as noAccess', 'keeps_role as keepsRole', 'blocked'])
    .where('tenant_id', '=', tx.tenant)
    .$if(ids !== 'all', (query) =>
      query.where(sql<boolean>`(id = any(${uuids([...ids])}::uuid[]) or no_access = ${noAccessTexts.last})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The directory's users linked to these members, or to all members. */
export async function linkedMembers(tx: TenantTx, ids?: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('scim_user')
    .select(['id', 'membership_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('membership_id', 'is not', null)
    .$if(ids !== undefined, (query) => query.where(sql<boolean>`membership_id = any(${uuids([...ids!])}::uuid[])`))
    .execute()
  return new Map(rows.map(({ id, membership_id: memberId }) => [memberId!, id]))
}

/** Users who have no access because another user of the directory has one of these e-mail addresses. */
export async function usersWaitingFor(tx: TenantTx, emails: readonly string[]): Promise<string[]> {
  if (!emails.length) return []
  const rows = await tx
    .selectFrom('scim_user')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('email', 'in', [...emails])
    .where('no_access', '=', noAccessTexts.other)
    .where('blocked', '=', false)
    .execute()
  return rows.map(({ id }) => id)
}

/** Active users to whom no group gives a role, by name. */
export async function usersWithoutAccess(tx: TenantTx, limit: number) {
  const rows = await tx
    .selectFrom('scim_user')
    .select(['id', 'name', 'user_name as userName', 'no_access as reason'])
    .where('tenant_id', '=', tx.tenant)
    .where('active', '=', true)
    .where('no_access', 'is not', null)
    .orderBy('name')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, reason: row.reason ?? '' }))
}
