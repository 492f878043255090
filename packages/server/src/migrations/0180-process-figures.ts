import type { Kysely } from 'kysely'
import { sharedTable } from './tenant-table.ts'

/** What each process knows of itself alone, told every few seconds, so that whoever answers can tell of all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sharedTable(
    db,
    'process_figure',
    `process uuid not null,
     name text not null,
     value double precision not null,
     told_at timestamptz not null,
     primary key (process, name)`,
    'select',
    { local: true },
  )
}
