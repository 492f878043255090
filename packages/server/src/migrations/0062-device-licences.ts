import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** What was bought for single devices, for months from a day; the managed service is bought for homes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'device_licence',
    columns: `id uuid not null,
      device_id uuid not null,
      type text not null,
      start_on date not null,
      period_months integer not null check (period_months > 0),
      renewed_on date,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await sql.raw('create index device_licence_device on device_licence (tenant_id, device_id)').execute(db)
}
