import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import type { DomainEvent } from './event.ts'
import { isOf } from './event.ts'

/** Events that may change the tags of the device's current property. */
const concernsHome = isOf(
  'DeviceCreated',
  'DeviceMoved',
  'DeviceImported',
  'DeviceTagsChanged',
  'DeviceAccessRightsTagChanged',
  'DeviceTagDeleted',
)

/** The properties that devices have or may have left. */
function leftHomesOf(event: DomainEvent): string[] {
  switch (event.type) {
    case 'DeviceUninstalled':
    case 'DeviceRemoved':
      return [event.propertyId].filter((id) => id !== null)
    case 'DeviceImported':
      return [event.leftPropertyId].filter((id) => id !== null)
    case 'DeviceMoved':
      return [event.from.propertyId].filter((id) => id !== null && id !== event.to.propertyId) as string[]
    default:
      return []
  }
}

const isInSameHome = (event: DomainEvent) =>
  event.type === 'DeviceMoved' && event.from.propertyId === event.to.propertyId

/** The devices whose properties are affected by events, and the properties that devices have left. */
export function homesOf(events: readonly DomainEvent[]): { deviceIds: string[]; leftIds: string[] } {
  const devices = events.filter(concernsHome).filter((event) => !isInSameHome(event))
  return {
    deviceIds: [...new Set(devices.map(({ deviceId }) => deviceId))],
    leftIds: [...new Set(events.flatMap(leftHomesOf))],
  }
}

/**
 * Marks the properties whose tags a job must recompute. It must not wait for locks on properties: this transaction has
 * locked devices, while others lock properties before their devices.
 */
export async function markHomes(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  const { deviceIds, leftIds } = homesOf(events)
  if (!deviceIds.length && !leftIds.length) return
  await sql`
    insert into property_retagged (tenant_id, property_id)
    select ${tx.tenant}, property_id from (
      select property_id from device
      where tenant_id = ${tx.tenant} and id = any(${deviceIds}::uuid[]) and property_id is not null
      union
      select id from unnest(${leftIds}::uuid[]) as home (id)
    ) as home
    on conflict do nothing`.execute(tx)
}
