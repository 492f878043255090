import type { Kysely } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * What devices said besides readings, as it came, for some days: readings are put together from where they are stored, so
 * that nothing is written twice where most is written. The key is the only index: old ones are found device by device.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'device_message',
    columns: `device_id uuid not null,
      at timestamptz not null,
      id uuid not null,
      channel text not null,
      -- Its beginning, where it is too long to be kept whole.
      payload text not null,
      bytes integer not null,
      -- Of a state: what the fields were that it changed.
      was jsonb,
      primary key (tenant_id, device_id, at, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
    grants: 'select, insert, delete',
  })
}
