import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** A mail may bring a file along. It is gone from the mail once that is sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mail add column attachment_id uuid, add column attachment_name text`.execute(db)
  await sql`alter table mail add foreign key (tenant_id, attachment_id) references file (tenant_id, id)`.execute(db)
}
