import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { AwaabsLawFigures } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawFigureFault, awaabsLawFigureNames, defaultAwaabsLaw } from '@caretaker/rules/properties/awaabs-law.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { awaabsLawIn, settleCases } from './awaabs-law.ts'

/**
 * Gives the tenant figures of its own for the steps under Awaab's Law, or those of the law back where none are given, and counts
 * its open cases anew. What was entered keeps the day that it was told then. Returns the figures.
 */
export async function setAwaabsLawFigures(
  { tx, person }: { tx: TenantTx; person: Recorded },
  own: { readonly [Name in keyof AwaabsLawFigures]?: number | undefined } | undefined,
): Promise<AwaabsLawFigures> {
  const { settings, display_name: name } = await tx
    .selectFrom('tenant')
    .select(['settings', 'display_name'])
    .where('id', '=', tx.tenant)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const before = awaabsLawIn(settings)
  const said = Object.entries(own ?? {}).filter(([, value]) => value !== undefined)
  const figures: AwaabsLawFigures = own ? { ...before, ...Object.fromEntries(said) } : defaultAwaabsLaw
  for (const field of awaabsLawFigureNames) {
    const fault = awaabsLawFigureFault(field, figures[field])
    if (fault) throw refuse('invalid', `${field}: ${fault}`, [{ field, message: fault }])
  }
  const told = differences({ ...before }, { ...figures })
  if (!told) return figures
  await tx
    .updateTable('tenant')
    .set({ settings: sql`settings || ${JSON.stringify({ awaabsLaw: figures })}::jsonb` })
    .where('id', '=', tx.tenant)
    .execute()
  const subject = { type: 'client', id: tx.tenant, name } as const
  await audit(tx, { person, action: "Awaab's Law figures changed", subject, ...told })
  await changed(tx, 'client', null)
  await settleCases(tx)
  return figures
}
