import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

/** The person who signs in with a verified e-mail. */
interface Invited extends Recorded {
  id: string
  email: string
}

/**
 * Gives a person the membership that their verified e-mail was invited to, unless the issuer in use knows the person of
 * that membership.
 */
export async function acceptInvitation(tx: TenantTx, id: string, issuer: string, person: Invited): Promise<void> {
  // Locks the row against changes to the member: only then is it certain whom the invitation is for.
  const member = await tx
    .selectFrom('membership')
    .select(['name', 'person_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  const taken = await tx
    .deleteFrom('invitation')
    .where('tenant_id', '=', tx.tenant)
    .where('membership_id', '=', id)
    .where('email', '=', person.email)
    .executeTakeFirst()
  if (!member || taken.numDeletedRows === 0n) return
  const former = member.person_id === null ? null : await formerIssuer(tx, member.person_id, issuer)
  // A membership whose person the issuer in use knows stays with that person.
  if (member.person_id !== null && former === null) return
  const bound = await tx
    .updateTable('membership')
    .set({ person_id: person.id })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    // A person who is already a member under another e-mail keeps that one membership.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('membership as other')
            .select('other.id')
            .where('other.tenant_id', '=', tx.tenant)
            .where('other.person_id', '=', person.id),
        ),
      ),
    )
    .executeTakeFirst()
  if (bound.numUpdatedRows === 0n) await deleteSecond(tx, id, person)
  else if (former !== null)
    record(tx, [
      {
        ...{ type: 'UserIssuerChanged', userId: id, userName: member.name, by: person },
        ...{ before: { identityProvider: former }, after: { identityProvider: issuer } },
      },
    ])
  record(tx, [{ type: 'InvitationAccepted', userId: id }])
}

/** The issuer that knows a person, if it is not the one in use; otherwise null. */
async function formerIssuer(tx: TenantTx, personId: string, inUse: string): Promise<string | null> {
  const { issuer } = await tx.selectFrom('person').select('issuer').where('id', '=', personId).executeTakeFirstOrThrow()
  return issuer === inUse ? null : issuer
}

/**
 * Deletes a second membership that the same person was invited to; otherwise it would stay listed as invited for ever.
 */
async function deleteSecond(tx: TenantTx, id: string, person: Invited): Promise<void> {
  const second = await tx
    .deleteFrom('membership')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('person_id', 'is', null)
    .returning(['name', 'email', 'role'])
    .executeTakeFirst()
  if (second)
    record(tx, [{ type: 'UserDeleted', userId: id, userName: second.name, by: person, before: second, after: null }])
}
