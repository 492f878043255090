import { sql } from 'kysely'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { detailSubjects } from '@caretaker/rules/changes/changes.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { auditAll } from '../../audit/audit.ts'
import type { Recorded } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import { noPlace } from '../../postgres/places.ts'
import { makeDue } from '../../postgres/due.ts'
import { retagged } from '../../postgres/retagged.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reckoningOf } from '../compliance/figures.ts'
import { dropCommands } from '../commands/store.ts'
import { forgetConditions } from '../conditions/store.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'
import { leaveGroups } from '../groups/save.ts'
import { reachChanged } from './device-tags.ts'

/** What belongs to a device and goes with its installation, besides commands and readings. */
const belongings = [
  'emergency_test',
  'test_run_light',
  'event',
  'bad_message',
  'refused_message',
  'device_tag',
  'device_message',
  'repair_form',
  'device_note',
  // Certificates go with their records.
  'compliance_record',
  'void_effect',
  'void_firing',
] as const

/**
 * Returns held devices to inventory: they lose their place, their tags and all data, for good. Their connections end, and they
 * are refused until they are installed again, with the keys that they keep.
 */
export async function uninstall(tx: TenantTx, person: Recorded, devices: readonly HeldDevice[]): Promise<void> {
  if (!devices.length) return
  const ids = devices.map((device) => device.deviceId)
  // Which building a light has left is asked years later.
  const buildings = await tx
    .selectFrom('device')
    .select(['id', 'building_name'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('building_id', 'is not', null)
    .execute()
  const buildingOf = new Map(buildings.map(({ id, building_name: name }) => [id, name]))
  await keepCheckDates(tx, ids)
  await retagged(tx, ids)
  await dropCommands(tx, ids)
  await leaveGroups(tx, ids)
  for (const table of belongings)
    await tx
      .deleteFrom(table)
      .where('tenant_id', '=', tx.tenant)
      .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
      .execute()
  await forgetReadings(tx, ids)
  const now = new Date()
  // Also a new version of the route: whoever stores readings looks up the series of the device again.
  await sql`
    update device_route set uninstalled_at = ${now}
    where tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[])`.execute(tx)
  await announceRoutes(tx, ids)
  await tx
    .updateTable('device')
    .set({
      // What their conditions will come to, written with the rest: each row is written once.
      status: 'Inventory',
      severity: severityOf('Inventory'),
      status_at: now,
      building_id: null,
      floor_id: null,
      property_id: null,
      parent_id: null,
      access_rights_tag_id: null,
      room: null,
      location: null,
      location_details: null,
      power_clamps: null,
      latitude: null,
      longitude: null,
      last_test_at: null,
      last_full_test_at: null,
      // As of a device without records.
      gas_due_at: null,
      gas_state: null,
      water_due_at: null,
      water_state: null,
      compliance_turns_at: null,
      ...noPlace,
      desired: {},
      // What it says of its hardware stays true; what it said of its work there does not.
      reported: sql`reported - 'fault' - 'faultCode' - 'installedAs'`,
    })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  await forgetConditions(tx, ids, now)
  for (const subject of ['device', ...detailSubjects] as const) await changed(tx, subject, ids)
  await reachChanged(tx, devices)
  await auditAll(
    tx,
    person,
    'device uninstalled',
    devices.map((device) => {
      const building = buildingOf.get(device.deviceId)
      return {
        subject: deviceSubject(device),
        before: { status: device.status, ...(building && { building }) },
        after: { status: 'Inventory', ...(building && { building: null }) },
      }
    }),
  )
}

/** The certificates go with the device. Its home keeps the date of the last check that passed, stated without a certificate. */
async function keepCheckDates(tx: TenantTx, ids: readonly string[]): Promise<void> {
  const { zone } = await reckoningOf(tx)
  const { rows } = await sql<{ id: string; type: RecordType; at: Date }>`
    select device.property_id as id, record.type, max(record.recorded_at) as at from compliance_record as record
    join device on device.tenant_id = ${tx.tenant} and device.id = record.device_id and device.property_id is not null
    where record.tenant_id = ${tx.tenant} and record.device_id = any(${ids}::uuid[]) and record.status = 'Pass'
      and not record.is_draft and record.withdrawn_at is null
    group by device.property_id, record.type`.execute(tx)
  for (const { id, type, at } of rows) {
    const column = type === 'GasSafety' ? 'last_gas_safety_check_on' : 'last_chemical_test_on'
    const day = dayAt(+at, zone)
    await tx
      .updateTable('property')
      .set({ [column]: day })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', id)
      .where(sql<boolean>`coalesce(${sql.ref(column)} < ${day}::date, true)`)
      .execute()
  }
}

/** Takes the series away at once; their points and roll-ups are deleted by a job. */
async function forgetReadings(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await sql`
    with gone as (
      delete from series where tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[]) returning id
    )
    insert into erasure (tenant_id, series_id) select ${tx.tenant}, id from gone on conflict do nothing`.execute(tx)
  await makeDue(tx, 'erase readings')
}
