import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** What stands between a gateway and a light is found without the lights themselves, which are ten times as many and parents of nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'device_between',
    `on device (tenant_id, parent_id) include (id) where parent_id is not null and listing is distinct from 'EmergencyLights'`,
  )
}
