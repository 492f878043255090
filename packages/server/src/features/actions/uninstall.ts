import { sql } from 'kysely'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { Recorded } from '../../audit/audit.ts'
import { returnToInventory } from '../../devices/install.ts'
import { deleteBadMessagesOf } from '../../mqtt/bad-messages.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { keepCheckDate } from '../../properties/checks.ts'
import { deletePlannedLightsOf } from '../../test-runs/plan.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { deleteRecordsOf } from '../compliance/store.ts'
import { dropCommands } from '../commands/store.ts'
import { forgetConditions } from '../conditions/store.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deleteEventsOf } from '../devices/retention.ts'
import { leaveGroups } from '../groups/save.ts'
import { deleteTestsOf } from '../lighting/store.ts'
import { deleteMaintenanceOf } from '../maintenance/store.ts'
import { deleteMessagesOf } from '../messages/store.ts'
import { forgetReadings } from '../telemetry/erase.ts'
import { deleteEffectsOf } from '../void/effects.ts'
import { deleteFiringsOf } from '../void/firings.ts'

/** Delete the rows of a device's installation, apart from commands, groups, readings and conditions. */
const deletions = [
  deleteTestsOf,
  deletePlannedLightsOf,
  deleteEventsOf,
  deleteBadMessagesOf,
  deleteMessagesOf,
  deleteMaintenanceOf,
  deleteRecordsOf,
  deleteEffectsOf,
  deleteFiringsOf,
] as const

/**
 * Returns locked devices to inventory: their place, tags and data are permanently deleted. Their connections end, and
 * they are refused until they are installed again with the keys that they keep.
 */
export async function uninstall(tx: TenantTx, person: Recorded, devices: readonly HeldDevice[]): Promise<void> {
  if (!devices.length) return
  const ids = devices.map((device) => device.deviceId)
  await keepCheckDates(tx, ids)
  await dropCommands(tx, ids)
  await leaveGroups(tx, ids)
  for (const deleteRowsOf of deletions) await deleteRowsOf(tx, ids)
  await forgetReadings(tx, ids)
  const now = new Date()
  await announceRoutes(tx, ids)
  await returnToInventory(tx, person, devices, now)
  await forgetConditions(tx, ids, now)
}

/**
 * Certificates are deleted with the device. Its property keeps the date of the last passed check, stated without a
 * certificate.
 */
async function keepCheckDates(tx: TenantTx, ids: readonly string[]): Promise<void> {
  const { zone } = await dueRulesOf(tx)
  const { rows } = await sql<{ id: string; type: RecordType; at: Date }>`
    select device.property_id as id, record.type, max(record.recorded_at) as at from compliance_record as record
    join device on device.tenant_id = ${tx.tenant} and device.id = record.device_id and device.property_id is not null
    where record.tenant_id = ${tx.tenant} and record.device_id = any(${ids}::uuid[]) and record.status = 'Pass'
      and not record.is_draft and record.withdrawn_at is null
    group by device.property_id, record.type`.execute(tx)
  for (const { id, type, at } of rows) await keepCheckDate(tx, id, type, dayAt(+at, zone))
}
