import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasLevel } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from './visible.ts'

/** Ids of visible devices of these products that changed after the date, the last changed first; at most 1,000 of them. */
export async function changedDevices(
  tx: TenantTx,
  actor: Actor,
  types: readonly Product[],
  since: Date,
): Promise<string[]> {
  const seen = types.filter((product) => hasLevel(actor, areaOf(product), levels.read))
  if (!seen.length) return []
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('product', 'in', seen)
    .where('updated_at', '>', since)
    .select('device.id')
    .orderBy('updated_at', 'desc')
    .limit(1000)
    .execute()
  return rows.map((row) => row.id)
}
