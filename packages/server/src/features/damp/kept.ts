import { sql } from 'kysely'
import type { DampFigures, DampState } from '@caretaker/rules/properties/damp.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { unpackHours } from './hours.ts'

/** The stored assessment of a room, and the hour up to which it was computed, in ms. */
export interface KeptRoom {
  state: DampState
  until: number
}

/**
 * The stored assessments of some sensors' rooms, computed up to an hour after `since` and not after `until`. They save
 * reading the six weeks of hours behind them.
 */
export async function keptRooms(
  tx: TenantTx,
  ids: readonly string[],
  { since, until }: { since: number; until: number },
  figures: DampFigures,
): Promise<Map<string, KeptRoom>> {
  const rows = await tx
    .selectFrom('damp_room')
    .select(['device_id', 'hours', 'mould', 'dry', 'until'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .where('until', '>', new Date(since))
    .where('until', '<=', new Date(until))
    // Assessments marked for recomputation no longer count.
    .where('reckoned_at', '>', new Date(0))
    .execute()
  return new Map(
    rows.map((room) => [
      room.device_id,
      {
        state: {
          mould: { index: room.mould, dry: room.dry },
          hours: unpackHours(room.hours, +room.until, figures.outside),
        },
        until: +room.until,
      },
    ]),
  )
}
