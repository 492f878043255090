import type { DeviceDebug } from '@caretaker/contract/messages.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { messagesNotTaken } from '../devices/store.ts'
import { countSince, hasOwnKey } from './store.ts'

const day = 86_400_000

/** The stored state of a device and its connection, with messages counted since the start of the day. */
export async function readDebug(tx: TenantTx, deviceId: string, today: Date): Promise<DeviceDebug> {
  const row = await tx
    .selectFrom('device')
    .leftJoin('device_link', (join) =>
      join.on('device_link.tenant_id', '=', tx.tenant).onRef('device_link.device_id', '=', 'device.id'),
    )
    .select([
      'id',
      'serial',
      'product',
      'model',
      'monitoring',
      'listing',
      'parent_id',
      'property_id',
      'building_id',
      'floor_id',
      'access_rights_tag_id',
      'created_at',
      'desired',
      'reported',
      'reporting_interval',
      'heard_at',
      'connected',
      'drops',
    ])
    .where('device.tenant_id', '=', tx.tenant)
    .where('device.id', '=', deviceId)
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  const since = Date.now() - day
  return {
    desired: row.desired,
    reported: row.reported,
    record: {
      deviceId: row.id,
      serialNumber: row.serial,
      product: row.product,
      model: row.model,
      monitoring: row.monitoring,
      listing: row.listing,
      parentId: row.parent_id,
      propertyId: row.property_id,
      buildingId: row.building_id,
      floorId: row.floor_id,
      accessRightsTagId: row.access_rights_tag_id,
      createdAt: row.created_at.toISOString(),
    },
    link: {
      hasOwnKey: await hasOwnKey(tx, deviceId),
      connected: row.connected ?? false,
      heardAt: row.heard_at?.toISOString() ?? null,
      drops: (row.drops ?? [])
        .filter((at) => at.getTime() > since)
        .sort((a, b) => b.getTime() - a.getTime())
        .map((at) => at.toISOString()),
      reportingInterval: row.reporting_interval,
      messagesToday: await countSince(tx, deviceId, today),
    },
    refused: await messagesNotTaken(tx, deviceId),
  }
}
