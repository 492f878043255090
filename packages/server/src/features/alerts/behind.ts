import type { ScopeNames } from '@caretaker/rules/alerts/scope.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { countRows } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deviceList } from '../devices/list.ts'

/** The listing of what gateways take with them: lights. Where it is something of a home, its own page tells. */
export const listingBehind = 'EmergencyLights'

/** What of that listing is shown with gateways that fell silent: those behind them in the buildings and with the tags of the rule, however they are. */
export const filtersBehind = ({ tags, buildings }: ScopeNames, serials: readonly string[]): Filter[] => [
  ...anyOf('tags', tags),
  ...anyOf('building', buildings),
  { fieldId: 'gateway', filterOp: 'anyof', value: [...serials] },
]

const anyOf = (fieldId: 'tags' | 'building', names: readonly string[]): Filter[] => {
  if (!names.length) return []
  return [
    names.length === 1
      ? { fieldId, filterOp: 'equals', value: names[0]! }
      : { fieldId, filterOp: 'anyof', value: [...names] },
  ]
}

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
