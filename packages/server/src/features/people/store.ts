import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { Member } from '@caretaker/rules/people/users.ts'
import { changed } from '../../changes/changed.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** A member of the tenant, invited or active. */
export interface MemberRow extends Member {
  id: string
  name: string
}

const columns = ['id', 'name', 'email', 'role', 'tag_ids as tags', 'person_id as personId'] as const

/** Every member, by name. */
export async function listMembers(tx: TenantTx): Promise<MemberRow[]> {
  return tx
    .selectFrom('membership')
    .select(columns)
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`name`))
    .orderBy('id')
    .execute()
}

/** Every member, locked until the transaction ends, so that decisions about members are made one after the other. */
export async function holdMembers(tx: TenantTx): Promise<MemberRow[]> {
  return tx
    .selectFrom('membership')
    .select(columns)
    .where('tenant_id', '=', tx.tenant)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/**
 * Members with these ids, e-mail addresses or persons, and the managers without restrictions, who decide whether one
 * may go; locked like all members, but without the others.
 */
export async function holdMembersOf(
  tx: TenantTx,
  { ids, emails, personIds }: { ids: readonly string[]; emails: readonly string[]; personIds: readonly string[] },
): Promise<MemberRow[]> {
  return tx
    .selectFrom('membership')
    .select(columns)
    .where('tenant_id', '=', tx.tenant)
    .where(
      sql<boolean>`(id = any(${uuids([...ids])}::uuid[]) or email = any(${emails}::text[])
        or person_id = any(${uuids([...personIds])}::uuid[]) or (role = 'Manager' and tag_ids = '{}'))`,
    )
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** The persons with these verified e-mail addresses in the current identity provider, by address. */
export async function personsWithEmails(
  tx: TenantTx,
  directory: string,
  emails: readonly string[],
): Promise<Map<string, string>> {
  if (!emails.length) return new Map()
  const rows = await tx
    .selectFrom('person')
    .select(['id', sql<string>`lower(email)`.as('email')])
    .where('issuer', '=', directory)
    .where(sql<boolean>`lower(email) = any(${emails}::text[])`)
    .where('email_verified', '=', true)
    .orderBy('created_at', 'desc')
    .execute()
  // The oldest one of an address comes last and stays.
  return new Map(rows.map(({ id, email }) => [email, id]))
}

/** The person with this verified e-mail in the current identity provider. */
export async function personWithEmail(tx: TenantTx, directory: string, email: string): Promise<string | null> {
  const person = await tx
    .selectFrom('person')
    .select('id')
    .where('issuer', '=', directory)
    .where(sql`lower(email)`, '=', email)
    .where('email_verified', '=', true)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return person?.id ?? null
}

export async function memberWithEmail(tx: TenantTx, email: string): Promise<MemberRow | undefined> {
  return tx
    .selectFrom('membership')
    .select(columns)
    .where('tenant_id', '=', tx.tenant)
    .where('email', '=', email)
    .executeTakeFirst()
}

/** Whether a member has signed in, and whether they can with the current identity provider. */
export type SignIn = 'invited' | 'active' | 'other provider'

export async function signInOf(
  tx: TenantTx,
  { personId }: Pick<MemberRow, 'personId'>,
  directory: string,
): Promise<SignIn> {
  if (personId === null) return 'invited'
  return (await identityOf(tx, personId)).issuer === directory ? 'active' : 'other provider'
}

/** Every member with the issuer of their person; null while invited. */
export async function membersWithIssuer(tx: TenantTx): Promise<(MemberRow & { issuer: string | null })[]> {
  return tx
    .selectFrom('membership')
    .leftJoin('person', 'person.id', 'membership.person_id')
    .select(['membership.id', 'membership.name', 'membership.email', 'role', 'tag_ids as tags'])
    .select(['person_id as personId', 'issuer'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`membership.name`))
    .orderBy('membership.id')
    .execute()
}

/** Makes sure that a member has an invitation to their e-mail. */
export async function keepInvitation(tx: TenantTx, { id, email }: Pick<MemberRow, 'id' | 'email'>): Promise<void> {
  await tx
    .insertInto('invitation')
    .values({ tenant_id: tx.tenant, membership_id: id, email })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'membership_id']).doUpdateSet({ email }))
    .execute()
  await changed(tx, 'user', [id])
}

/**
 * The members whose role and details are determined by the client's directory; without ids, of all members. Without a
 * valid key, it determines none.
 */
export async function provisionedMembers(tx: TenantTx, ids?: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('scim_user')
    .select('membership_id')
    .where('tenant_id', '=', tx.tenant)
    .where('membership_id', 'is not', null)
    .where('keeps_role', '=', false)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('scim_key')
          .select('scim_key.id')
          .where('scim_key.tenant_id', '=', tx.tenant)
          .where('revoked_at', 'is', null),
      ),
    )
    .$if(ids !== undefined, (query) => query.where('membership_id', 'in', [...ids!]))
    .execute()
  return new Set(rows.map(({ membership_id: id }) => id!))
}

export interface NewMember {
  name: string
  email: string
  role: Role
  tags: string[]
  personId: string | null
}

/** Adds a member, or an invitation for an unknown person; undefined if they are already a member. */
export async function insertMember(tx: TenantTx, member: NewMember): Promise<MemberRow | undefined> {
  const row = await tx
    .insertInto('membership')
    .values({
      tenant_id: tx.tenant,
      id: randomUUID(),
      name: member.name,
      email: member.email,
      role: member.role,
      tag_ids: member.tags,
      person_id: member.personId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()
  if (row && !member.personId)
    await tx
      .insertInto('invitation')
      .values({ tenant_id: tx.tenant, membership_id: row.id, email: member.email })
      .execute()
  await changed(tx, 'user', row ? [row.id] : [])
  return row
}

export interface MemberChange {
  name?: string
  email?: string
  role?: Role
  tag_ids?: string[]
  person_id?: string
}

export async function updateMember(tx: TenantTx, id: string, change: MemberChange): Promise<void> {
  await tx.updateTable('membership').set(change).where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  await changed(tx, 'user', [id])
}

/** Moves an invitation to the member's new e-mail, or ends it once the person is known. */
export async function redirectInvitation(tx: TenantTx, id: string, email: string | null): Promise<void> {
  if (email === null)
    await tx.deleteFrom('invitation').where('tenant_id', '=', tx.tenant).where('membership_id', '=', id).execute()
  else
    await tx
      .updateTable('invitation')
      .set({ email })
      .where('tenant_id', '=', tx.tenant)
      .where('membership_id', '=', id)
      .execute()
}

/** Ends a membership; an existing person is informed at the next sign-in. */
export async function deleteMember(tx: TenantTx, { id, personId }: MemberRow): Promise<void> {
  await redirectInvitation(tx, id, null)
  if (personId) await tx.updateTable('person').set({ removed_at: new Date() }).where('id', '=', personId).execute()
  await tx.deleteFrom('membership').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  await changed(tx, 'user', [id])
}

/** The identity provider's issuer and subject of a person. */
export async function identityOf(tx: TenantTx, personId: string): Promise<{ issuer: string; subject: string }> {
  return tx.selectFrom('person').select(['issuer', 'subject']).where('id', '=', personId).executeTakeFirstOrThrow()
}

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

export async function clientName(tx: TenantTx): Promise<string> {
  const tenant = await tx
    .selectFrom('tenant')
    .select('display_name')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return tenant.display_name
}
