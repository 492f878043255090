import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Figures } from '@caretaker/rules/compliance/due.ts'
import { figuresFault } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { mergedSettings, updateTenant } from '../../tenants/tenants.ts'
import { figuresIn } from '../compliance/figures.ts'
import { recomputeAllCompliance } from '../compliance/compliance-states.ts'

interface Changing {
  tx: TenantTx
  person: Recorded
  type: RecordType
  /** The new figures, from those in force so far. */
  next: (before: Figures) => Figures
  /** The refusal of impossible figures with their error. */
  fail: (fault: string) => Error
}

/** Sets the tenant's figures for a type of record, recomputes its boilers and properties, and announces the change. */
export async function changeFigures({ tx, person, type, next, fail }: Changing): Promise<Figures> {
  const { settings, name } = await tx
    .selectFrom('tenant')
    .select(['settings', 'display_name as name'])
    .where('id', '=', tx.tenant)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const before = figuresIn(settings)
  const figures = next(before[type])
  const fault = figuresFault(figures)
  if (fault) throw fail(`${fault[0]!.toUpperCase()}${fault.slice(1)}.`)
  const changes = differences({ ...before[type] }, { ...figures })
  if (!changes) return figures
  const merged = mergedSettings({ compliance: { ...before, [type]: figures } })
  await updateTenant(tx, person, { columns: { settings: merged }, action: 'compliance figures changed', name, changes })
  await recomputeAllCompliance(tx, new Date())
  return figures
}
