import { sql } from 'kysely'
import { emailOf, noAccessTexts } from '@caretaker/rules/provisioning/member.ts'
import type { UserValues } from '@caretaker/rules/provisioning/values.ts'
import { comparedName } from '@caretaker/rules/provisioning/values.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { updateEach } from '../postgres/update-each.ts'
import { record } from '../projections/record.ts'

/** A user of the client's directory. */
export interface ProvisionedUser extends UserValues {
  id: string
  version: number
  createdAt: Date
  changedAt: Date
}

export const provisionedUserColumns = [
  ...(['id', 'user_name as userName', 'external_id as externalId', 'active', 'attributes', 'version'] as const),
  ...(['created_at as createdAt', 'changed_at as changedAt'] as const),
] as const

const columnsOf = ({ userName, externalId, active, attributes, name }: UserValues & { name: string }) => ({
  ...{ user_name: userName, compared_user_name: comparedName(userName), external_id: externalId, active, name },
  email: emailOf({ userName, attributes }) ?? null,
  attributes: JSON.stringify(attributes),
})

/** Adds a user; undefined if the user name is taken. */
export async function addProvisionedUser(
  tx: TenantTx,
  id: string,
  user: UserValues & { name: string },
  now: Date,
): Promise<ProvisionedUser | undefined> {
  const row = await tx
    .insertInto('scim_user')
    .values({ tenant_id: tx.tenant, id, ...columnsOf(user), created_at: now, changed_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning(provisionedUserColumns)
    .executeTakeFirst()
  if (row) recordChange(tx, id)
  return row
}

export async function changeProvisionedUser(
  tx: TenantTx,
  id: string,
  user: UserValues & { name: string },
  now: Date,
): Promise<ProvisionedUser> {
  const row = await tx
    .updateTable('scim_user')
    .set({ ...columnsOf(user), changed_at: now, version: sql<number>`version + 1` })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .returning(provisionedUserColumns)
    .executeTakeFirstOrThrow()
  recordChange(tx, id)
  return row
}

/** Deletes a user whose membership has ended. */
export async function deleteProvisionedUser(tx: TenantTx, id: string): Promise<void> {
  await tx.deleteFrom('scim_user').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  recordChange(tx, id)
}

const recordChange = (tx: TenantTx, provisionedId: string) =>
  record(tx, [{ type: 'ProvisionedUserChanged', provisionedId }])

/** A decision about the access of a user. */
export interface AccessDecision {
  id: string
  memberId: string | null
  noAccess: string | null
  /** Whether the member existed before, with a role that no group has decided. */
  keepsRole: boolean
}

/** Writes the decisions about these users. */
export async function setAccess(tx: TenantTx, decisions: readonly AccessDecision[]): Promise<void> {
  await updateEach(tx, {
    table: 'scim_user',
    ids: decisions.map(({ id }) => id),
    rows: decisions.map(({ memberId, noAccess, keepsRole }) => ({
      ...{ membership_id: memberId, no_access: noAccess, keeps_role: keepsRole },
    })),
    types: { membership_id: 'uuid', no_access: 'text', keeps_role: 'boolean' },
  })
}

interface Member {
  id: string
  email: string
}

/** Keeps the directory from giving access again to a member who is being removed by hand. */
export async function blockProvisioned(tx: TenantTx, { id, email }: Member): Promise<void> {
  await tx
    .updateTable('scim_user')
    .set({ blocked: true, membership_id: null, keeps_role: false, no_access: noAccessTexts.removed })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`(membership_id = ${id}::uuid or email = ${email})`)
    .execute()
}

/** Lets the directory decide again about a user who was made a member by hand; their role stays until it does. */
export async function allowProvisioned(tx: TenantTx, { id, email }: Member): Promise<void> {
  const [user] = await tx
    .updateTable('scim_user')
    .set({ blocked: false, no_access: noAccessTexts.other })
    .where('tenant_id', '=', tx.tenant)
    .where('email', '=', email)
    .where('blocked', '=', true)
    .returning('id')
    .execute()
  if (user)
    await tx
      .updateTable('scim_user')
      .set({ membership_id: id, keeps_role: true, no_access: noAccessTexts.kept })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', user.id)
      .execute()
}
