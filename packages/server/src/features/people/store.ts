import { sql } from 'kysely'
import type { MemberRow } from '../../people/members.ts'
import { memberColumns } from '../../people/members.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** Every member, by name. */
export async function listMembers(tx: TenantTx): Promise<MemberRow[]> {
  return tx
    .selectFrom('membership')
    .select(memberColumns)
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`name`))
    .orderBy('id')
    .execute()
}

/** Every member, locked until the transaction ends, so that decisions about members are made one after the other. */
export async function holdMembers(tx: TenantTx): Promise<MemberRow[]> {
  return tx
    .selectFrom('membership')
    .select(memberColumns)
    .where('tenant_id', '=', tx.tenant)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/**
 * Members with these ids, e-mail addresses or persons, and the managers without restrictions, on whom it depends
 * whether one may go; locked like all members, but without the others.
 */
export async function holdMembersOf(
  tx: TenantTx,
  { ids, emails, personIds }: { ids: readonly string[]; emails: readonly string[]; personIds: readonly string[] },
): Promise<MemberRow[]> {
  return tx
    .selectFrom('membership')
    .select(memberColumns)
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
  // The oldest person with an address comes last and is kept.
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
    .select(memberColumns)
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

/**
 * The members whose role and details are determined by the client's directory; if no ids are given, of all members.
 * Without a valid key, the directory determines none.
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

/** The identity provider's issuer and subject of a person. */
export async function identityOf(tx: TenantTx, personId: string): Promise<{ issuer: string; subject: string }> {
  return tx.selectFrom('person').select(['issuer', 'subject']).where('id', '=', personId).executeTakeFirstOrThrow()
}

export async function clientName(tx: TenantTx): Promise<string> {
  const tenant = await tx
    .selectFrom('tenant')
    .select('display_name')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return tenant.display_name
}
