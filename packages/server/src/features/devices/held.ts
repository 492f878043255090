import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { ActionDevice } from '@caretaker/rules/actions/actions.ts'
import type { Operation } from '@caretaker/rules/actions/operations.ts'
import { rightTo, unfitFor } from '@caretaker/rules/actions/operations.ts'
import { faultIn, isThermostat, supportsRemoteReset } from '@caretaker/rules/devices/fault.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { isOfConnection, withHub } from './visible.ts'

/** A device locked until the transaction ends, with everything that actions need. */
export interface HeldDevice extends ActionDevice {
  serial: string
  status: DeviceStatus
  accessRightsTagId: string | null
}

/** A device as the subject of an audit entry. */
export const deviceSubject = ({ deviceId, serial }: Pick<HeldDevice, 'deviceId' | 'serial'>) =>
  ({ type: 'device', id: deviceId, name: serial }) as const

/**
 * Locks these devices, always in the order of their ids, and reads them; unknown ids are left out. Tags that are
 * being added are locked first.
 */
export async function holdDevices(tx: TenantTx, deviceIds: readonly string[]): Promise<Map<string, HeldDevice>> {
  const rows = await tx
    .selectFrom('device')
    .leftJoin('device as parent', (join) =>
      join.on('parent.tenant_id', '=', tx.tenant).onRef('parent.id', '=', 'device.parent_id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    // A join: measured ten times faster than `= any` while the table has no statistics.
    .where(sql<boolean>`device.id in (select unnest(${deviceIds}::uuid[]))`)
    .select([
      'device.id',
      'device.serial',
      'device.product',
      'device.status',
      'device.in_wholesale',
      'device.access_rights_tag_id',
      'device.reported',
      'parent.product as parent_product',
      withHub(tx),
      isOfConnection(tx),
    ])
    .orderBy('device.id')
    .forNoKeyUpdate('device')
    .execute()
  return new Map(
    rows.map((row): [string, HeldDevice] => [
      row.id,
      {
        deviceId: row.id,
        serial: row.serial,
        product: row.product,
        status: row.status,
        inWholesale: row.in_wholesale,
        isOfConnection: row.is_of_connection,
        accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
        accessRightsTagId: row.access_rights_tag_id,
        fault: faultIn(row.reported),
        remoteResetSupported: supportsRemoteReset(row.reported),
        parentProduct: row.parent_product,
        isThermostatWithHomeHub: row.with_hub && isThermostat(row.reported),
      },
    ]),
  )
}

/** Locks one device that the actor may see; a hidden one is not found. */
export async function holdDevice(tx: TenantTx, actor: Actor, deviceId: string): Promise<HeldDevice> {
  const device = (await holdDevices(tx, [deviceId])).get(deviceId)
  if (!device || !can(actor, 'see device', device)) throw refuse('not found')
  return device
}

/** Locks one device for an action that this actor can do in its current state; refuses with the reason otherwise. */
export async function holdDeviceFor(
  tx: TenantTx,
  actor: Actor,
  operation: Operation,
  deviceId: string,
): Promise<HeldDevice> {
  const device = await holdDevice(tx, actor, deviceId)
  const unfit = unfitFor(operation, device, actor)
  if (unfit) throw refuse('refused', unfit)
  if (!can(actor, rightTo[operation], device)) throw refuse('forbidden')
  return device
}
