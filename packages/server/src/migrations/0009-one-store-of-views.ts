import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Which views belong to the lists that documents could be of, when documents were kept apart. */
const roots = {
  EmergencyLights: 'emered',
  Boilers: 'boiler',
  NetworkingDevices: 'networking',
  ThirdParty: 'thirdParty',
  Bcms: 'bcm',
  HomeHubs: 'homeHub',
  VStats: 'vStat',
  MultiDots: 'multiDot',
}

/**
 * A document of a grid is a view that its owner keeps for themselves: both stand in one table from now on. Nothing reads
 * `user_document` any more; it stays for a version, so that one can go back, and is dropped then.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  const named = Object.entries(roots).map(([name, root]) => `when '${name}' then '${root}'`)
  const rootOf = sql.raw(`case metadata ->> 'userViewType' ${named.join(' ')} end`)
  for (const { id } of rows) {
    const tenant = sql.raw(`'${id.replaceAll("'", "''")}'`)
    await sql`set local app.tenant = ${tenant}`.execute(db)
    // A name that its owner has for a view of the same list already is told apart by a number.
    await sql`
      insert into view_definition (tenant_id, id, root, label, private, owner_id, columns, filters, sorts, created_at, updated_at)
      select ${tenant}, id, root,
        case when exists (select from view_definition as other where other.tenant_id = ${tenant} and other.private
            and other.owner_id = document.owner_id and other.root = document.root and lower(other.label) = lower(document.label))
          then left(label, 56) || ' (2)' else label end,
        true, owner_id, columns, filters, sorts, created_at, updated_at
      from (
        select id, owner_id, ${rootOf} as root, metadata ->> 'userViewName' as label, content -> 'columns' as columns,
          coalesce(content -> 'filters', '[]') as filters, coalesce(content -> 'sorts', '[]') as sorts, created_at, updated_at
        from user_document where tenant_id = ${tenant}
      ) as document
      where root is not null and columns is not null
      on conflict do nothing`.execute(db)
  }
}
