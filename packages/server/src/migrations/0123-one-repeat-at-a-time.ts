import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** A run that was missed is repeated by one run at a time, whoever plans it at the same moment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'test_run_repeat',
    `on test_run (tenant_id, repeats) where repeats is not null and state in ('planned', 'running')`,
    { unique: true },
  )
}
