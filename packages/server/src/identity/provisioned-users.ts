import { sql } from 'kysely'
import { noAccessTexts } from '@caretaker/rules/provisioning/member.ts'
import type { TenantTx } from '../postgres/tenant.ts'

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

/** Lets the directory decide again about a user who is a member by hand; their role stays until it does. */
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
