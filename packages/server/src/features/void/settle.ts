import { changed } from '../../changes/changed.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { settleEffects } from './effects.ts'
import { settleFirings } from './firings.ts'
import { holdVoidDevices } from './home.ts'

/**
 * Asks the devices of held homes for all that their void flags mean, in the transaction that stores the flags: neither stands
 * without the other. Of two people who turn it at once the second finds what the first has asked for.
 */
export async function settleVoid(
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
  await settleEffects(tx, devices, { askedBy, now })
  await settleFirings(tx, devices, now)
  // Whoever tells of alerts looks at these devices anew: nobody is told of a void home.
  await changed(tx, 'device', ids)
  await changed(tx, 'device state', ids)
  await makeDue(tx, 'void mode', now)
}
