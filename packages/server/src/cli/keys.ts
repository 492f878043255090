import { resealDownlinkTokens } from '../features/connections/store.ts'
import { resealConnections } from '../features/single-sign-on/store.ts'
import { renewKeys } from '../idp/renew-keys.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'

/** Replaces the keys of the embedded identity provider, and encrypts the secrets of accounts and clients with the new ones. */
export async function renewInstallationKeys({ owner, db }: Operator): Promise<void> {
  const tenants = await db.selectFrom('tenant').select('id').orderBy('id').execute()
  await renewKeys(owner, async (reseal) => {
    for (const { id } of tenants)
      await inTenant(db, id, async (tx) => {
        await resealConnections(tx, reseal)
        await resealDownlinkTokens(tx, reseal)
      })
  })
}
