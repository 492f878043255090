import { z } from 'zod'
import type { Figures } from '@caretaker/rules/compliance/due.ts'
import { defaultFigures, figuresFault } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const Some = z
  .object({ months: z.number(), window: z.number(), notice: z.number() })
  .refine((figures) => figuresFault(figures) === undefined)
const Settings = z.object({
  compliance: z.object({ GasSafety: Some.optional(), WaterTreatment: Some.optional() }).default({}),
})

/** The figures that determine when a tenant's checks are due, and its time zone. */
export interface DueRules {
  zone: string
  figures: Record<RecordType, Figures>
}

/** The tenant's figures, with the defaults where it has none. */
export async function dueRulesOf(tx: TenantTx): Promise<DueRules> {
  const { settings, time_zone: zone } = await tx
    .selectFrom('tenant')
    .select(['settings', 'time_zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return { zone, figures: figuresIn(settings) }
}

/** The figures in the settings of a tenant. */
export function figuresIn(settings: Record<string, unknown>): Record<RecordType, Figures> {
  const { data } = Settings.safeParse(settings)
  return { ...defaultFigures, ...data?.compliance }
}
