import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { recordEach } from './record.ts'

/** The gas check and water treatment of a property. Instants in ISO 8601. */
export interface PropertyChecks {
  id: string
  gas_check_state: string | null
  gas_rank: number
  gas_due_at: string | null
  gas_failed_on: Day | null
  gas_last_on: Day | null
  gas_certificate: string | null
  water_check_state: string | null
  water_rank: number
  water_check_due_at: string | null
  water_failed_on: Day | null
  water_last_on: Day | null
  /** The first instant at which a state changes by itself. */
  turns_at: string | null
}

/** Writes the checks of the locked properties where they differ. */
export async function setPropertyChecks(tx: TenantTx, checks: readonly PropertyChecks[]): Promise<void> {
  if (!checks.length) return
  const columns = sql`next.gas_check_state, next.gas_rank, next.gas_due_at, next.gas_failed_on, next.gas_last_on, next.gas_certificate,
    next.water_check_state, next.water_rank, next.water_check_due_at, next.water_failed_on, next.water_last_on, next.turns_at`
  const { rows } = await sql<{ id: string }>`
    update property set (gas_check_state, gas_rank, gas_check_due_at, gas_failed_on, gas_last_on, gas_certificate, water_check_state, water_rank,
      water_check_due_at, water_failed_on, water_last_on, compliance_turns_at) = (${columns})
    from json_to_recordset(${JSON.stringify(checks)}::json) as next (id uuid, gas_check_state text, gas_rank int2, gas_due_at timestamptz,
      gas_failed_on date, gas_last_on date, gas_certificate text, water_check_state text, water_rank int2, water_check_due_at timestamptz,
      water_failed_on date, water_last_on date, turns_at timestamptz)
    where property.tenant_id = ${tx.tenant} and property.id = next.id
      and (property.gas_check_state, property.gas_rank, property.gas_check_due_at, property.gas_failed_on, property.gas_last_on,
        property.gas_certificate, property.water_check_state, property.water_rank, property.water_check_due_at, property.water_failed_on,
        property.water_last_on, property.compliance_turns_at) is distinct from (${columns})
    returning property.id`.execute(tx)
  recordChecks(
    tx,
    rows.map(({ id }) => id),
  )
}

/**
 * Announces that the check of an appliance changed while its property's state stayed the same: alerts depend on each.
 */
export function recordChecks(tx: TenantTx, propertyIds: readonly string[]): void {
  recordEach(tx, 'PropertyChecksChanged', propertyIds)
}

/** Stores a hash of the facts from which the checks were computed. It is not shown anywhere. */
export async function setCheckFacts(
  tx: TenantTx,
  facts: readonly { id: string; facts: string | null }[],
): Promise<void> {
  await sql`
    update property set compliance_facts = now.facts
    from json_to_recordset(${JSON.stringify(facts)}::json) as now (id uuid, facts uuid)
    where property.tenant_id = ${tx.tenant} and property.id = now.id
      and property.compliance_facts is distinct from now.facts`.execute(tx)
}

/** Keeps the day of a passed check whose record is deleted, unless a later one is known. */
export async function keepCheckDate(tx: TenantTx, propertyId: string, type: RecordType, day: Day): Promise<void> {
  const column = type === 'GasSafety' ? 'last_gas_safety_check_on' : 'last_chemical_test_on'
  const rows = await tx
    .updateTable('property')
    .set({ [column]: day })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', propertyId)
    .where(sql<boolean>`coalesce(${sql.ref(column)} < ${day}::date, true)`)
    .returning('id')
    .execute()
  recordChecks(
    tx,
    rows.map(({ id }) => id),
  )
}

/** Removes the day of the last gas check from the property of a device if no user has entered it. */
export async function forgetCopiedGasCheck(tx: TenantTx, deviceId: string, day: Day): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update property set last_gas_safety_check_on = null, gas_check_after = null
    from device
    where property.tenant_id = ${tx.tenant} and device.tenant_id = ${tx.tenant} and device.id = ${deviceId}
      and property.id = device.property_id and property.last_gas_safety_check_on = ${day}::date and property.gas_stated_at is null
    returning property.id`.execute(tx)
  recordChecks(
    tx,
    rows.map(({ id }) => id),
  )
}
