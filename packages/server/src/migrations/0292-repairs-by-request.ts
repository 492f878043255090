import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** A repair and a photograph of it by the id that their browser has given them: each is recorded once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const once = 'on TABLE (tenant_id, request_id) where request_id is not null'
  for (const table of ['repair_form', 'repair_photo'])
    await concurrentIndex(db, `${table}_request`, once.replace('TABLE', table), { unique: true })
}
