import type pg from 'pg'

/** When the installation was last backed up, and when a backup was last restored on trial; ISO 8601. */
export interface BackupRecord {
  madeAt?: string
  bytes?: number
  /** The number of files that were missing in the file store; 0 if the backup is whole. */
  missing?: number
  /** When a trial restore of the newest verified backup ended. */
  verifiedAt?: string
  /** Why the last trial restore failed; null if it did not. */
  fault?: string | null
}

/** Stored next to the addresses of the installation. */
const name = 'backups'

export async function storeBackupRecord(owner: pg.Pool, record: BackupRecord): Promise<void> {
  await owner.query(
    `insert into idp.secret as stored (name, value) values ($1, $2)
     on conflict (name) do update set value = stored.value || excluded.value`,
    [name, record],
  )
}

export async function storedBackupRecord(owner: pg.Pool, patience?: number): Promise<BackupRecord | undefined> {
  const question = { text: 'select value from idp.secret where name = $1', values: [name], query_timeout: patience }
  const { rows } = await owner.query<{ value: BackupRecord }>(question)
  return rows[0]?.value
}

/** Deletes the record from a restored installation: its backups were those of another one. */
export async function forgetBackupRecord(owner: pg.Pool): Promise<void> {
  await owner.query('delete from idp.secret where name = $1', [name])
}
