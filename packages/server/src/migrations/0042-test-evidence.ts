import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * What a test's result rests on, and what a person made of it: the light's own word, its status bits, and what the rule said
 * before somebody put it right. All of it is null for tests that were stored before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table emergency_test
      add column told_result text,
      -- {failure, emergency, durationResult}, as far as the light sent them.
      add column status_bits jsonb,
      -- {result, reason, componentStates} as the rule had it before the first correction.
      add column judged jsonb,
      add column corrected_at timestamptz,
      add column corrected_by text`.execute(db)
}
