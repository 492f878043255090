import { sql } from 'kysely'
import type { DampFigures, DampState } from '@caretaker/rules/properties/damp.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { unpackHours } from './hours.ts'

/** What is kept of a room, and up to which hour it was reckoned, in ms. */
export interface KeptRoom {
  state: DampState
  until: number
}

/**
 * What is kept of the rooms of some sensors, those reckoned up to an hour after `since` and not after `until`. Who has it need not
 * read the six weeks of hours that it was made of.
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
    // Those that wait to be reckoned by other figures say nothing any more.
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
