import { sql } from 'kysely'
import type { DeviceKey } from '@caretaker/contract/device-keys.ts'
import { deviceKeyState } from '@caretaker/rules/devices/keys.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Devices with their route and link; the caller adds the condition. */
function devices(tx: TenantTx) {
  return tx
    .selectFrom('device')
    .innerJoin('device_route as route', (join) =>
      join.on('route.tenant_id', '=', tx.tenant).onRef('route.device_id', '=', 'device.id'),
    )
    .leftJoin('device_link as link', (join) =>
      join.on('link.tenant_id', '=', tx.tenant).onRef('link.device_id', '=', 'device.id'),
    )
    .leftJoin('device as gateway', (join) =>
      join.on('gateway.tenant_id', '=', tx.tenant).onRef('gateway.id', '=', 'route.parent_id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .select(['device.id', 'device.serial', 'device.product', 'device.status'])
    .select(sql<boolean>`route.key_hash is not null`.as('hasKey'))
    .select(['route.key_made_at', 'route.key_revoked_at', 'route.uninstalled_at'])
    .select(['link.connected', 'link.connected_at', 'link.heard_at'])
    .select(['gateway.id as gatewayId', 'gateway.serial as gatewaySerial'])
}

type Row = Awaited<ReturnType<ReturnType<typeof devices>['executeTakeFirstOrThrow']>>

const instant = (at: Date | null) => at?.toISOString() ?? null

const keyOf = (row: Row): DeviceKey => ({
  ...{ deviceId: row.id, serialNumber: row.serial, productId: row.product, deviceStatus: row.status },
  state: deviceKeyState({ hasKey: row.hasKey, isRevoked: row.key_revoked_at !== null }),
  madeAt: row.hasKey ? instant(row.key_made_at) : null,
  revokedAt: instant(row.key_revoked_at),
  isConnected: row.connected ?? false,
  lastConnectedAt: instant(row.connected_at),
  lastHeard: instant(row.heard_at),
  uninstalledAt: instant(row.uninstalled_at),
  gateway: row.gatewayId && row.gatewaySerial ? { deviceId: row.gatewayId, serialNumber: row.gatewaySerial } : null,
})

export async function findKey(tx: TenantTx, deviceId: string): Promise<DeviceKey> {
  return keyOf(await devices(tx).where('device.id', '=', deviceId).executeTakeFirstOrThrow())
}

interface Page {
  /** Of these products and, unless null, with one of these access rights tags. */
  products?: readonly string[]
  tags?: readonly string[] | null
  after?: string | undefined
  limit: number
}

/** Keys in the order of serial numbers. */
export async function keysAfter(tx: TenantTx, { products, tags, after, limit }: Page): Promise<DeviceKey[]> {
  const rows = await devices(tx)
    .$if(products !== undefined, (query) => query.where(sql<boolean>`device.product = any(${products}::text[])`))
    .$if(Boolean(tags), (query) => query.where(sql<boolean>`device.access_rights_tag_id = any(${tags}::uuid[])`))
    .$if(after !== undefined, (query) => query.where('device.serial', '>', after!))
    .orderBy('device.serial')
    .limit(limit)
    .execute()
  return rows.map(keyOf)
}
