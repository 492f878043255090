import { randomBytes, randomUUID } from 'node:crypto'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'

/** A directory that provisions users: its key, a user with a group, and the role of the group. */
export async function furnishProvisioning(furnishing: Furnishing) {
  const { tenant, secret, accessRightsTag } = furnishing
  const newProvisioningKey = () =>
    write(furnishing, async (tx) => {
      const id = randomUUID()
      await tx
        .insertInto('scim_key')
        .values({ tenant_id: tenant, id, key_hash: randomBytes(32), created_at: new Date(), created_by: secret })
        .execute()
      return id
    })
  await newProvisioningKey()
  await write(furnishing, async (tx) => {
    const [userId, groupId, now] = [randomUUID(), randomUUID(), new Date()]
    const userName = `${nextNumber()} ${secret}`
    const group = `${secret} group`
    await tx
      .insertInto('scim_user')
      .values({
        ...{ tenant_id: tenant, id: userId, user_name: userName, compared_user_name: userName, active: true },
        ...{ external_id: secret, name: secret, email: null, attributes: JSON.stringify({ displayName: secret }) },
        ...{ membership_id: null, no_access: secret, created_at: now, changed_at: now },
      })
      .execute()
    await tx
      .insertInto('scim_group')
      .values({
        ...{ tenant_id: tenant, id: groupId, display_name: group, compared_name: group, external_id: secret },
        ...{ created_at: now, changed_at: now },
      })
      .execute()
    await tx.insertInto('scim_group_member').values({ tenant_id: tenant, group_id: groupId, user_id: userId }).execute()
    await tx
      .insertInto('group_access')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), group_name: `${secret} staff`, role: 'Guest', position: 0 },
        tag_ids: [accessRightsTag],
      })
      .execute()
  })
  return {
    newProvisioningKey,
    /** A client has at most two keys at a time: with none left, the next call can add one. */
    revokeProvisioningKeys: () =>
      write(furnishing, (tx) =>
        tx.updateTable('scim_key').set({ revoked_at: new Date() }).where('tenant_id', '=', tenant).execute(),
      ),
  }
}
