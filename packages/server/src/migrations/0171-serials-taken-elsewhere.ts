import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { applicationRole } from './tenant-table.ts'

/**
 * Which of these serial numbers another client has, and not which client: a list of devices is held against all clients by one
 * statement. It looks behind the wall of each in turn, as everybody does, and stands behind its own again when it answers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`create function serials_taken_elsewhere(serials text[])
    returns setof text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      own text := current_setting('app.tenant', true);
      other text;
    begin
      if coalesce(own, '') = '' then
        raise exception 'the transaction is behind no wall' using errcode = 'insufficient_privilege';
      end if;
      for other in select tenant.id from tenant where tenant.id <> own loop
        perform set_config('app.tenant', other, true);
        return query select device.serial from device where device.tenant_id = other and device.serial = any(serials);
      end loop;
      perform set_config('app.tenant', own, true);
    end $$`)
  const signature = 'serials_taken_elsewhere(text[])'
  await run(`revoke all on function ${signature} from public`)
  await run(`grant execute on function ${signature} to ${applicationRole}`)
}
