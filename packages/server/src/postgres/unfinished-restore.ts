import type pg from 'pg'
import { SettingError } from '../config.ts'

/**
 * Stands in a database from before the first row of a backup is written into it until all of them are there: in a schema of its
 * own, because there is no other yet. It also lists the files that such a restore may leave in the store.
 */
export const restoreSchema = 'caretaker_restore'

export async function isRestoring(client: pg.ClientBase | pg.Pool): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [restoreSchema])
  return rowCount === 1
}

/** Throws a SettingError where a backup is being restored, or was not brought to its end: nothing may be served from that. */
export async function refuseUnfinishedRestore(client: pg.ClientBase | pg.Pool): Promise<void> {
  if (await isRestoring(client))
    throw new SettingError(
      'A backup is being restored into this database, or that was broken off: wait for its end, ' +
        'or run "npm run caretaker -- restore FILE" again.',
    )
}
