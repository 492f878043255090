import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { AwaabsLawFigures } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawFigureFault, awaabsLawFigureNames, defaultAwaabsLaw } from '@caretaker/rules/properties/awaabs-law.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { mergedSettings, updateTenant } from '../../tenants/tenants.ts'
import { awaabsLawIn } from './awaabs-law.ts'
import { recomputeCases } from './law-cases.ts'

/**
 * Maximum number of former figures kept; they apply to deadlines that ended or were missed while they were in force.
 */
const mostFormer = 100

/**
 * Sets the tenant's own figures for Awaab's Law, or those of the law if none are given, and recomputes its cases.
 * Refuses figures that are laxer than the law. Ended deadlines keep their former figures. Returns the figures.
 */
export async function setAwaabsLawFigures(
  { tx, person }: { tx: TenantTx; person: Recorded },
  own: { readonly [Name in keyof AwaabsLawFigures]?: number | undefined } | undefined,
  now = new Date(),
): Promise<AwaabsLawFigures> {
  const { settings, display_name: name } = await tx
    .selectFrom('tenant')
    .select(['settings', 'display_name'])
    .where('id', '=', tx.tenant)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const history = awaabsLawIn(settings)
  const before = history.at(-1)!.figures
  const givenFigures = Object.entries(own ?? {}).filter(([, value]) => value !== undefined)
  const figures: AwaabsLawFigures = own ? { ...before, ...Object.fromEntries(givenFigures) } : defaultAwaabsLaw
  for (const field of awaabsLawFigureNames) {
    const fault = awaabsLawFigureFault(field, figures[field])
    if (fault) throw refuse('invalid', `${field}: ${fault}`, [{ field, message: fault }])
  }
  const changes = differences({ ...before }, { ...figures })
  if (!changes) return figures
  const former = [...history.slice(0, -1), { until: +now, figures: before }]
    .slice(-mostFormer)
    .map((one) => ({ ...one, until: new Date(one.until!).toISOString() }))
  await updateTenant(tx, person, {
    columns: { settings: mergedSettings({ awaabsLaw: figures, awaabsLawBefore: former }) },
    ...{ action: "Awaab's Law figures changed", name, changes },
  })
  await recomputeCases(tx)
  return figures
}
