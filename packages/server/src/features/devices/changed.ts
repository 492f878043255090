import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasLevel } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { Found } from '../../changes/feed.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from './visible.ts'

/** Maximum number of changed devices in an answer; if more changed, the listing is loaded again. */
const mostChanged = 1000

/** Ids of the visible devices of these products among changes, last changed first; at most 1,000. */
export async function changedDevices(
  tx: TenantTx,
  actor: Actor,
  types: readonly Product[],
  { everything, rows }: Pick<Found, 'everything' | 'rows'>,
): Promise<string[]> {
  const seen = types.filter((product) => hasLevel(actor, areaOf(product), levels.read))
  const changes = rows.filter(({ subject }) => subject === 'device')
  if (!seen.length || (!everything && !changes.length)) return []
  const any = everything || changes.some(({ ids }) => ids === null)
  const named = [...new Set(changes.flatMap(({ ids }) => ids ?? []))]
  const found = await visible(tx.selectFrom('device'), actor)
    .where('product', 'in', seen)
    .$if(!any, (these) => these.where(sql<boolean>`device.id = any(${uuids(named)}::uuid[])`))
    .select('device.id')
    .$if(any, (some) => some.limit(mostChanged))
    .execute()
  if (any) return found.map((row) => row.id)
  const visibleIds = new Set(found.map((row) => row.id))
  return named.filter((id) => visibleIds.has(id)).slice(0, mostChanged)
}
