import { z } from 'zod'
import type { DampFigures } from '@caretaker/rules/properties/damp.ts'
import { dampDefaults, dampFiguresFault, ownDampFigures, usualWeather } from '@caretaker/rules/properties/damp.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const Settings = z.object({ damp: z.partialRecord(z.enum(ownDampFigures as [string, ...string[]]), z.number()) })

/** The figures for damp and mould in the settings of a tenant, or the defaults for its zone. */
export function dampFiguresIn(settings: Record<string, unknown>, zone: string): DampFigures {
  const usual = usualDampFigures(zone)
  const figures: DampFigures = { ...usual, ...Settings.safeParse(settings).data?.damp }
  return dampFiguresFault(figures) === undefined ? figures : usual
}

export const usualDampFigures = (zone: string): DampFigures => ({ ...dampDefaults, outside: usualWeather(zone) })

export async function dampFiguresOf(tx: TenantTx): Promise<DampFigures> {
  const { settings, time_zone: zone } = await tx
    .selectFrom('tenant')
    .select(['settings', 'time_zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return dampFiguresIn(settings, zone)
}
