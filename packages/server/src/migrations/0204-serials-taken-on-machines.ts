import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The look behind other walls again, as a statement that reaches the other machines of a distributed database: a call does not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create or replace function serials_taken_elsewhere(serials text[])
    returns setof text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      own text := current_setting('app.tenant', true);
      other text;
    begin
      if coalesce(own, '') = '' then
        raise exception 'the transaction is behind no wall' using errcode = 'insufficient_privilege';
      end if;
      for other in select tenant.id from tenant where tenant.id <> own loop
        execute format('set local app.tenant = %L', other);
        return query select device.serial from device where device.tenant_id = other and device.serial = any(serials);
      end loop;
      execute format('set local app.tenant = %L', own);
    end $$`,
    )
    .execute(db)
}
