import { filtersBehind, listingBehind } from '@caretaker/rules/alerts/behind.ts'
import type { ScopeNames } from '@caretaker/rules/alerts/scope.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import { countRows } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deviceList } from '../devices/list.ts'

/** Whoever an e-mail goes to is told of all: a reader from whom no restriction keeps anything. */
const reader = (tenant: string): Actor => ({
  ...{ userId: '', memberId: '', tenant, role: 'Manager' },
  ...{ tags: [], features: [], capabilities: [] },
})

const gateways = productsOfFamily('gateway')

/** How many lights each of these takes with it that is a gateway: as many as the listing shows that its e-mail leads to. */
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
    const wanted = { listing: listingBehind, sorts: [], search: '' } as const
    counts.push(
      serial === undefined
        ? 0
        : Number(
            await countRows(deviceList, tx, reader(tx.tenant), {
              ...wanted,
              filters: filtersBehind(covers, [serial]),
            }),
          ),
    )
  }
  return counts
}
