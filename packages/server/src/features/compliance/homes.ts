import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import { deadlineAfter, deadlineBefore } from '@caretaker/rules/compliance/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { DueRules } from './figures.ts'

/** The columns of a property's last gas check that was entered without a certificate. */
export interface GasCheck {
  last_gas_safety_check_on: Day | null
  gas_check_due_at: Date | null
  gas_check_after: Day | null
}

/** The columns for a check on a day; `known` are the due dates that it may keep. */
export function gasCheckOn(day: Day | null, known: readonly (Day | null)[], { zone, figures }: DueRules): GasCheck {
  if (day === null) return { last_gas_safety_check_on: null, gas_check_due_at: null, gas_check_after: null }
  const before = deadlineBefore(day, known, figures.GasSafety)
  const due = deadlineAfter(day, before, figures.GasSafety)
  return {
    last_gas_safety_check_on: day,
    gas_check_due_at: new Date(startOfDay(due, zone)),
    gas_check_after: before ?? null,
  }
}

/** Locks the property of a device. Lock order: properties before devices. */
export async function holdHomeOf(tx: TenantTx, deviceId: string): Promise<void> {
  await holdHomesOf(tx, [deviceId])
}

/** Locks the properties of many devices; returns them. */
export async function holdHomesOf(tx: TenantTx, deviceIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from property where tenant_id = ${tx.tenant} and id in (
      select property_id from device where device.tenant_id = ${tx.tenant} and device.id = any(${deviceIds}::uuid[]))
    order by id for no key update`.execute(tx)
  return rows.map(({ id }) => id)
}
