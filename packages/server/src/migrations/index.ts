import type { Kysely } from 'kysely'
import * as baseline from './0297-baseline.ts'

export interface Migration {
  up(db: Kysely<unknown>): Promise<void>
  /**
   * `false`: its statements are committed one by one, as those of indexes that are built while people work
   * (`concurrent-index.ts`). One that failed half way is run again from its beginning.
   */
  transaction?: boolean
}

/** Every migration in its order. They only go forward: a mistake is mended by the next one. */
export const migrations: Record<string, Migration> = {
  '0297-baseline': baseline,
}
