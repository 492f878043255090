import type { Kysely } from 'kysely'
import { sharedTable } from './tenant-table.ts'

/** Where post codes are, from open data that the operator brings in: the same for all tenants, who only read it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sharedTable(
    db,
    'postcode',
    `postcode text primary key,
     latitude double precision not null check (latitude between -90 and 90),
     longitude double precision not null check (longitude between -180 and 180)`,
    'select',
  )
}
