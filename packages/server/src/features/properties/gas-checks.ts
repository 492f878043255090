import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import { monthsAfter } from '@caretaker/rules/compliance/due.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Reckoning } from '../compliance/figures.ts'
import { reckoningOf } from '../compliance/figures.ts'

/** The first instant of the day on which a home's next gas safety check is due. */
export const gasCheckDueAt = (checkedOn: Day, { zone, figures }: Reckoning): Date =>
  new Date(startOfDay(monthsAfter(checkedOn, figures.GasSafety.months), zone))

/** Counts the due days of all homes anew, because the tenant counts by other figures now. */
export async function settleGasChecks(tx: TenantTx): Promise<void> {
  const reckoning = await reckoningOf(tx)
  const { rows } = await sql<{ day: Day }>`
    select distinct to_char(last_gas_safety_check_on, 'YYYY-MM-DD') as day from property
    where tenant_id = ${tx.tenant} and last_gas_safety_check_on is not null`.execute(tx)
  if (!rows.length) return
  await sql`
    update property set gas_check_due_at = told.due_at
    from unnest(${rows.map(({ day }) => day)}::date[],
      ${rows.map(({ day }) => gasCheckDueAt(day, reckoning).toISOString())}::timestamptz[]) as told (day, due_at)
    where property.tenant_id = ${tx.tenant} and property.last_gas_safety_check_on = told.day
      and property.gas_check_due_at is distinct from told.due_at`.execute(tx)
  await changed(tx, 'property', null)
}
