import type pg from 'pg'
import { SettingError } from '../config.ts'

/**
 * Present in a database from before the first row of a backup is restored until all are there; a separate schema,
 * because no other exists yet. It also lists the files that an interrupted restore may leave in the store.
 */
export const restoreSchema = 'caretaker_restore'

export async function isRestoring(client: pg.ClientBase | pg.Pool): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [restoreSchema])
  return rowCount === 1
}

/**
 * Throws a SettingError if a backup is being restored or its restore was not completed: such a database must not be
 * served.
 */
export async function refuseUnfinishedRestore(client: pg.ClientBase | pg.Pool): Promise<void> {
  if (await isRestoring(client))
    throw new SettingError(
      'A backup is being restored into this database, or the restore was interrupted: wait for its end, ' +
        'or run "npm run caretaker -- restore FILE" again.',
    )
}
