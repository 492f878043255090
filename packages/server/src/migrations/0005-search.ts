import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What the search over everything reads, and names that a person gives to one document at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  // All devices of a tenant are looked at for a text: in an index that holds nothing else.
  await run(`create index device_search on device (tenant_id)
    include (search, search_address, product, access_rights_tag_id, id)`)
  await run(`create index device_building on device (tenant_id, building_id, severity desc)
    include (product, access_rights_tag_id, status) where building_id is not null`)
  await run(`create unique index user_document_name on user_document (tenant_id, owner_id, document_type,
    (metadata ->> 'userViewType'), lower(metadata ->> 'userViewName'))`)
}
