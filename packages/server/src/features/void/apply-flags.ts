import { changed } from '../../changes/changed.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { updateEffects } from './effects.ts'
import { updateFirings } from './firings.ts'
import { holdVoidDevices } from './home.ts'

/**
 * Sends the commands for the void flags of locked properties, in the transaction that stores the flags, so that both
 * are stored or neither. If two users change a flag at once, the second finds the first one's commands.
 */
export async function applyVoidFlags(
  tx: TenantTx,
  { propertyIds, askedBy, now }: { propertyIds: readonly string[]; askedBy: string | null; now: Date },
): Promise<void> {
  const rows = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', 'in', propertyIds)
    .execute()
  const ids = rows.map(({ id }) => id)
  const devices = await holdVoidDevices(tx, ids)
  await updateEffects(tx, devices, { askedBy, now })
  await updateFirings(tx, devices, now)
  // The alerts of these devices are evaluated again, because void properties are muted.
  await changed(tx, 'device', ids)
  await changed(tx, 'device state', ids)
  await makeDue(tx, 'void mode', now)
}
