import { filtersOfConnected, listingOfConnected } from '@caretaker/rules/alerts/behind.ts'
import type { ScopeNames } from '@caretaker/rules/alerts/scope.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import { countRows } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deviceList } from '../devices/list.ts'

/** An e-mail names every device and property, so its reader has no restriction. */
const reader = (tenant: string): Actor => ({
  ...{ userId: '', memberId: '', tenant, role: 'Manager' },
  ...{ tags: [], features: [], capabilities: [] },
})

const gateways = productsOfFamily('gateway')

/** The number of lights connected through each of these gateways, as shown by the listing that the e-mail links to. */
export async function countBehind(
  tx: TenantTx,
  silent: readonly { deviceId: string; covers: ScopeNames }[],
): Promise<number[]> {
  const ids = [...new Set(silent.map(({ deviceId }) => deviceId))]
  const rows = await tx
    .selectFrom('device')
    .select(['id', 'serial'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', ids)
    .where('product', 'in', gateways)
    .execute()
  const serials = new Map(rows.map(({ id, serial }) => [id, serial]))
  const counts: number[] = []
  for (const { deviceId, covers } of silent) {
    const serial = serials.get(deviceId)
    const wanted = { listing: listingOfConnected, sorts: [], search: '' } as const
    counts.push(
      serial === undefined
        ? 0
        : Number(
            await countRows(deviceList, tx, reader(tx.tenant), {
              ...wanted,
              filters: filtersOfConnected(covers, [serial]),
            }),
          ),
    )
  }
  return counts
}
