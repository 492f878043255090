import type { DashboardData } from '@caretaker/contract/dashboard.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { connectionStates, connectionStatuses, genericConnection } from '@caretaker/rules/devices/connection.ts'
import type { Product, SummaryFamily } from '@caretaker/rules/devices/products.ts'
import { productsOfFamily, summaryFamilies } from '@caretaker/rules/devices/products.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { summarise } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listingNames, listings } from '@caretaker/rules/devices/list.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import { monitorings } from '@caretaker/rules/devices/monitoring.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'

/** All dashboard counts of the devices that the actor may see: a few aggregates, read from indexes alone. */
export async function countDevices(tx: TenantTx, actor: Actor): Promise<Omit<DashboardData, 'homesNeedingAttention'>> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .select(['product', 'status', 'monitoring', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy(['product', 'status', 'monitoring'])
    .execute()
  type Row = (typeof rows)[number]
  const countedIf = (fits: (row: Row) => boolean): DeviceSummary =>
    summarise(rows.filter(fits).map((row) => [row.status, row.count] as const))
  const countedOf = (products: readonly Product[]) => countedIf((row) => products.includes(row.product))
  const bcms: readonly Product[] = listings.Bcms.products
  return {
    ...(mapped(summaryFamilies, (family) => countedOf(productsOfFamily(family))) as Record<
      SummaryFamily,
      DeviceSummary
    >),
    listings: mapped(listingNames, (name: ListingName) => countedOf(listings[name].products)),
    monitoring: mapped(monitorings, (kind: Monitoring) =>
      countedIf((row) => bcms.includes(row.product) && monitoringOf(row.monitoring) === kind),
    ),
    ...(await countConnections(tx, actor)),
  }
}

/** An unset value is unknown, as in the listing's column. */
const monitoringOf = (stored: string | null): string => stored ?? ('Unknown' satisfies Monitoring)

async function countConnections(tx: TenantTx, actor: Actor): Promise<Pick<DashboardData, 'homeHubs' | 'lights'>> {
  const { offline, intermittent } = connectionStates
  const hubs = await connectionsOf(tx, actor, 'HomeHubs', connectionStatuses)
  // Most lights are connected, so those are not read at all.
  const lights = await connectionsOf(tx, actor, 'EmergencyLights', [offline, intermittent])
  const having = (state: 'Online' | 'Offline') =>
    hubs.filter((row) => genericConnection(row.connection_status) === state).reduce((sum, { count }) => sum + count, 0)
  const lightsIn = (state: ConnectionStatus) => lights.find((row) => row.connection_status === state)?.count ?? 0
  return {
    homeHubs: { online: having('Online'), offline: having('Offline') },
    lights: { notConnected: lightsIn(offline), intermittent: lightsIn(intermittent) },
  }
}

const connectionsOf = (tx: TenantTx, actor: Actor, listing: ListingName, states: readonly ConnectionStatus[]) =>
  visible(tx.selectFrom('device'), actor)
    .where('listing', '=', listing)
    .where('connection_status', 'in', [...states])
    .select(['connection_status', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('connection_status')
    .execute()

/** The six counts of the third-party devices. */
export async function countThirdParty(tx: TenantTx, actor: Actor): Promise<DeviceSummary> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('product', 'in', productsOfFamily('thirdParty'))
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  return summarise(rows.map((row) => [row.status, row.count] as const))
}

function mapped<K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>
}
