import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { Member } from '@caretaker/rules/people/users.ts'
import { naturally } from '../postgres/natural-order.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import type { UserSignInChanged } from '../projections/events/people.ts'
import { record } from '../projections/record.ts'
import { endViews } from './viewings.ts'

/** A member of the tenant, invited or active. */
export interface MemberRow extends Member {
  id: string
  name: string
}

export const memberColumns = ['id', 'name', 'email', 'role', 'tag_ids as tags', 'person_id as personId'] as const

export interface NewMember {
  name: string
  email: string
  role: Role
  tags: string[]
  personId: string | null
}

/** How the audit log names a member. */
export const namedMember = ({ id, name }: Pick<MemberRow, 'id' | 'name'>) => ({ userId: id, userName: name })

export async function accessRightsTagNames(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const tags = await tx
    .selectFrom('access_rights_tag')
    .select('display_name')
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', [...ids])
    .orderBy(naturally(sql`display_name`))
    .execute()
  return tags.map((tag) => tag.display_name)
}

/** The roles responsible for a client: its own managers, or else those of the vendor. */
const responsibleRoles = ['Manager', 'Admin', 'Developer'] as const

/**
 * The members without restrictions who manage the client, by address: those of the first role that has any.
 * `candidates` are those of all three roles.
 */
export async function responsibleMembers(tx: TenantTx): Promise<{ managers: MemberRow[]; candidates: MemberRow[] }> {
  const candidates: MemberRow[] = await tx
    .selectFrom('membership')
    .where('tenant_id', '=', tx.tenant)
    .where('role', 'in', responsibleRoles)
    .where(sql<boolean>`tag_ids = '{}'`)
    .select(memberColumns)
    .orderBy('email')
    .execute()
  const byRole = responsibleRoles.map((role) => candidates.filter((member) => member.role === role))
  return { managers: byRole.find((members) => members.length) ?? [], candidates }
}

/** A member's fields as the audit names them. */
const auditedFields = async (tx: TenantTx, { name, email, role, tags }: MemberRow) => ({
  ...{ name, email, role },
  accessRightsTags: await accessRightsTagNames(tx, tags),
})

/** Adds a member, or an invitation for an unknown person; undefined if they are already a member. */
export async function addMember(tx: TenantTx, by: Recorded, member: NewMember): Promise<MemberRow | undefined> {
  const { name, email, role, tags, personId } = member
  const row = await tx
    .insertInto('membership')
    .values({
      ...{ tenant_id: tx.tenant, id: randomUUID(), name, email, role },
      ...{ tag_ids: tags, person_id: personId },
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(memberColumns)
    .executeTakeFirst()
  if (!row) return undefined
  if (!personId)
    await tx.insertInto('invitation').values({ tenant_id: tx.tenant, membership_id: row.id, email }).execute()
  record(tx, [{ type: 'UserCreated', ...namedMember(row), by, before: null, after: await auditedFields(tx, row) }])
  return row
}

/**
 * Changes name and e-mail of a locked member. The invitation of a member without a person follows a new e-mail; if a
 * person has that e-mail, the membership becomes theirs.
 */
export async function changeMemberDetails(
  tx: TenantTx,
  by: Recorded,
  member: MemberRow,
  details: { name: string; email: string },
  personId: string | null = member.personId,
): Promise<void> {
  const { id, name, email } = member
  const changes = differences({ name, email }, details)
  if (!changes) return
  const isFound = member.personId === null && personId !== null
  await updateMember(tx, id, { ...details, ...(isFound && { person_id: personId }) })
  if (isFound) await deleteInvitation(tx, id)
  // A member of a former identity provider may have been invited again.
  else if (details.email !== email)
    await tx
      .updateTable('invitation')
      .set({ email: details.email })
      .where('tenant_id', '=', tx.tenant)
      .where('membership_id', '=', id)
      .execute()
  record(tx, [{ type: 'UserDetailsChanged', ...namedMember(member), by, ...changes }])
}

/** Changes the role of a locked member; views of the portal by or as the member end. */
export async function changeMemberRole(tx: TenantTx, by: Recorded, member: MemberRow, role: Role): Promise<void> {
  const changes = differences({ role: member.role }, { role })
  if (!changes) return
  await endViews(tx, { member: member.id, personId: member.personId })
  await updateMember(tx, member.id, { role })
  record(tx, [{ type: 'UserRoleChanged', ...namedMember(member), by, ...changes }])
}

/** Changes the access rights tags of a locked member; views of the portal by or as the member end. */
export async function changeMemberTags(
  tx: TenantTx,
  by: Recorded,
  member: MemberRow,
  tags: readonly string[],
): Promise<void> {
  const before = { accessRightsTags: await accessRightsTagNames(tx, member.tags) }
  const changes = differences(before, { accessRightsTags: await accessRightsTagNames(tx, tags) })
  if (!changes) return
  await endViews(tx, { member: member.id, personId: member.personId })
  await updateMember(tx, member.id, { tag_ids: [...tags] })
  record(tx, [{ type: 'UserTagsChanged', ...namedMember(member), by, ...changes }])
}

/** Ends the membership of a locked member; an existing person is informed at the next sign-in. */
export async function deleteMember(
  tx: TenantTx,
  by: Recorded,
  member: MemberRow,
  after: { remainingApiKeys: string[] } | null,
): Promise<void> {
  const { id, personId } = member
  record(tx, [{ type: 'UserDeleted', ...namedMember(member), by, before: await auditedFields(tx, member), after }])
  await endViews(tx, { member: id, personId })
  await deleteInvitation(tx, id)
  if (personId) await tx.updateTable('person').set({ removed_at: new Date() }).where('id', '=', personId).execute()
  await tx.deleteFrom('membership').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

/** Makes sure that a member who has not signed in with the current identity provider has an invitation. */
export async function inviteAgain(tx: TenantTx, by: Recorded, member: MemberRow): Promise<void> {
  const { id, email } = member
  await tx
    .insertInto('invitation')
    .values({ tenant_id: tx.tenant, membership_id: id, email })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'membership_id']).doUpdateSet({ email }))
    .execute()
  record(tx, [{ type: 'UserInvitedAgain', ...namedMember(member), by, before: null, after: null }])
}

/** Records a change to a member's sign-in, which the identity provider has made. */
export function recordSignInChange(
  tx: TenantTx,
  by: Recorded,
  member: Pick<MemberRow, 'id' | 'name'>,
  action: UserSignInChanged['action'],
): void {
  record(tx, [{ type: 'UserSignInChanged', action, ...namedMember(member), by, before: null, after: null }])
}

/** Chooses the page that opens at the member's next sign-in. */
export async function setStartView(tx: TenantTx, memberId: string, viewId: string | null): Promise<void> {
  await updateMember(tx, memberId, { start_view_id: viewId })
  record(tx, [{ type: 'StartViewChosen', userId: memberId }])
}

interface MemberColumns {
  name?: string
  email?: string
  role?: Role
  tag_ids?: string[]
  person_id?: string
  start_view_id?: string | null
}

async function updateMember(tx: TenantTx, id: string, columns: MemberColumns): Promise<void> {
  await tx.updateTable('membership').set(columns).where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

async function deleteInvitation(tx: TenantTx, id: string): Promise<void> {
  await tx.deleteFrom('invitation').where('tenant_id', '=', tx.tenant).where('membership_id', '=', id).execute()
}
