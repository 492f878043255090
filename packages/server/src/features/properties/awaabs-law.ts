import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Property } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { AwaabsLawFigures, AwaabsLawStep } from '@caretaker/rules/properties/awaabs-law.ts'
import {
  awaabsLawDue,
  awaabsLawHazardNames,
  awaabsLawLimits,
  defaultAwaabsLaw,
} from '@caretaker/rules/properties/awaabs-law.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const Days = z.number().int().min(awaabsLawLimits.least).max(awaabsLawLimits.most).optional()
const Settings = z.object({ awaabsLaw: z.object({ investigation: Days, summary: Days, repairs: Days }).optional() })

/** The tenant's own figures where its settings have any, and the usual ones. */
async function figuresOf(tx: TenantTx): Promise<AwaabsLawFigures> {
  const { settings } = await tx
    .selectFrom('tenant')
    .select('settings')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return awaabsLawIn(settings)
}

/** The figures that stand in the settings of a tenant. */
export function awaabsLawIn(settings: Record<string, unknown>): AwaabsLawFigures {
  const own = Settings.safeParse(settings).data?.awaabsLaw ?? {}
  return {
    investigation: own.investigation ?? defaultAwaabsLaw.investigation,
    summary: own.summary ?? defaultAwaabsLaw.summary,
    repairs: own.repairs ?? defaultAwaabsLaw.repairs,
  }
}

/** The steps of a home's cases in the order in which they were entered. */
export async function awaabsLawHistory(tx: TenantTx, propertyId: string): Promise<Property['awaabsLawHistory']> {
  const rows = await tx
    .selectFrom('awaabs_law_step')
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .orderBy('entered_at')
    .orderBy('id')
    .select([
      ...(['status', 'hazard', 'entered_at', 'entered_by_name'] as const),
      sql<Day>`to_char(happened_on, 'YYYY-MM-DD')`.as('happened'),
      sql<Day | null>`to_char(due_on, 'YYYY-MM-DD')`.as('due'),
    ])
    .execute()
  return rows.map((row) => ({
    status: row.status,
    happenedOn: row.happened,
    hazard: awaabsLawHazardNames.find((name) => name === row.hazard) ?? null,
    enteredAt: row.entered_at.toISOString(),
    enteredBy: row.entered_by_name,
    dueOn: row.due,
  }))
}

/** The day by which a step that is entered now, on a day, has to be done. */
export async function dueOfStep(tx: TenantTx, propertyId: string, step: AwaabsLawStep): Promise<Day | null> {
  const before = await awaabsLawHistory(tx, propertyId)
  const steps = before.map(({ status, happenedOn: on, hazard }) => ({ status, on, hazard }))
  return awaabsLawDue([...steps, step], await figuresOf(tx))
}

/** Writes a step down. What was entered is never changed: a correction is another step. */
export async function enterStep(
  tx: TenantTx,
  person: Recorded,
  propertyId: string,
  { status, on, hazard = null, due, now }: AwaabsLawStep & { due: Day | null; now: Date },
): Promise<void> {
  await tx
    .insertInto('awaabs_law_step')
    .values({
      ...{ tenant_id: tx.tenant, id: randomUUID(), property_id: propertyId, status, hazard, happened_on: on },
      ...{ entered_at: now, entered_by: person.id, entered_by_name: person.name, due_on: due },
    })
    .execute()
}
