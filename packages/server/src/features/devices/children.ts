import type { ChildDevice, NetworkingDevice } from '@caretaker/contract/devices.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { readable } from './visible.ts'

/** Maximum number of children in an answer; gateways in use connect a few dozen. */
const mostChildren = 500

/** The devices connected through another one that the actor may see, by floor and name. */
export async function childrenOf(
  tx: TenantTx,
  actor: Actor,
  parentId: string,
): Promise<Pick<NetworkingDevice, 'children' | 'childCount'>> {
  const children = readable(tx, actor).where('device.parent_id', '=', parentId)
  const rows = await children
    .leftJoin('device_link', (join) =>
      join.on('device_link.tenant_id', '=', tx.tenant).onRef('device_link.device_id', '=', 'device.id'),
    )
    .select([
      'device.id',
      'device.name',
      'device.serial',
      'device.product',
      'device.status',
      'device.connection_status',
      'device_link.heard_at',
      'device.floor_number',
      'device.floor_name',
      'device.room',
      (all) => all.fn.countAll<string>().over().as('total'),
    ])
    .orderBy('device.floor_number')
    .orderBy('device.name')
    .orderBy('device.serial')
    .limit(mostChildren)
    .execute()
  return {
    children: rows.map((row): ChildDevice => ({
      deviceId: row.id,
      deviceName: row.name,
      serialNumber: row.serial,
      productId: row.product,
      deviceStatus: row.status,
      connectionStatus: row.connection_status,
      lastHeard: row.heard_at?.toISOString() ?? null,
      floor: row.floor_number,
      floorName: row.floor_name,
      room: row.room,
    })),
    childCount: Number(rows[0]?.total ?? 0),
  }
}
