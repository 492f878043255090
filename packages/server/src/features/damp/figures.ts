import { z } from 'zod'
import type { DampFigures } from '@caretaker/rules/properties/damp.ts'
import { dampDefaults, dampFiguresFault, ownDampFigures } from '@caretaker/rules/properties/damp.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const Settings = z.object({ damp: z.partialRecord(z.enum(ownDampFigures as [string, ...string[]]), z.number()) })

/** The figures for damp and mould that stand in the settings of a tenant, the usual ones where it has none of its own. */
export function dampFiguresIn(settings: Record<string, unknown>): DampFigures {
  const figures = { ...dampDefaults, ...Settings.safeParse(settings).data?.damp } as DampFigures
  return dampFiguresFault(figures) === undefined ? figures : dampDefaults
}

export async function dampFiguresOf(tx: TenantTx): Promise<DampFigures> {
  const { settings } = await tx
    .selectFrom('tenant')
    .select('settings')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return dampFiguresIn(settings)
}
