import { sql } from 'kysely'
import type { z } from 'zod'
import type { Provisioning } from '@caretaker/contract/provisioning.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findGroups } from './group-store.ts'
import { listKeys } from './keys.ts'
import { scimPath } from './resources.ts'
import { countUsers, linkedMembers, usersWithoutAccess } from './store.ts'

/** Maximum number of users without access listed in the settings. */
const mostListed = 100

/** Whether new users of the directory get an invitation by e-mail. */
export async function invitesOf(tx: TenantTx): Promise<boolean> {
  const row = await tx
    .selectFrom('tenant')
    .select(sql<boolean>`coalesce(settings->'provisioning'->'invites' = 'true', false)`.as('invites'))
    .where('id', '=', tx.tenant)
    .executeTakeFirst()
  return row?.invites ?? false
}

export async function provisioningOf(tx: TenantTx, origin: string): Promise<z.input<typeof Provisioning>> {
  return {
    address: `${origin}${scimPath}`,
    invites: await invitesOf(tx),
    keys: await listKeys(tx),
    users: await countUsers(tx),
    members: (await linkedMembers(tx)).size,
    groups: (await findGroups(tx, [], { offset: 0, limit: 0 })).total,
    withoutAccess: await usersWithoutAccess(tx, mostListed),
  }
}
