import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { applicationRole } from './tenant-table.ts'

/** Functions that run as the owner of the tables: they do for the application's role what it may not do by itself. */
export async function createFunctions(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // The application's role may read the features and capabilities of a client and not write them. This function writes them, for a
  // developer alone, and leaves an entry in the audit.
  await run(`create function switch_tenant_flag(acting uuid, client text, kind text, flag text, enabled boolean)
    returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      developer text;
      changed integer;
    begin
      if client is distinct from current_setting('app.tenant', true) then
        raise exception 'the transaction is not behind the wall of %', client using errcode = 'insufficient_privilege';
      end if;
      -- People read their own memberships in all tenants: a developer of any is one of the vendor's.
      execute format('set local app.person = %L', acting);
      select person.name into developer from membership join person on person.id = membership.person_id
        where membership.person_id = acting and membership.role = 'Developer' limit 1;
      set local app.person = '';
      if developer is null then
        raise exception 'only a developer switches features' using errcode = 'insufficient_privilege';
      end if;
      if kind = 'feature' and enabled then
        insert into tenant_feature (tenant_id, feature) values (client, flag) on conflict do nothing;
      elsif kind = 'feature' then
        delete from tenant_feature where tenant_id = client and feature = flag;
      elsif kind = 'capability' and enabled then
        insert into tenant_capability (tenant_id, capability) values (client, flag) on conflict do nothing;
      elsif kind = 'capability' then
        delete from tenant_capability where tenant_id = client and capability = flag;
      else
        raise exception 'there is no flag of kind %', kind using errcode = 'invalid_parameter_value';
      end if;
      get diagnostics changed = row_count;
      if changed = 0 then
        return false;
      end if;
      insert into audit_entry (tenant_id, person_id, person_name, action, subject_type, subject_id, subject_name, before, after)
      values (client, acting, developer, kind || ' switched', 'client', client, client,
        jsonb_build_object(flag, not enabled), jsonb_build_object(flag, enabled));
      return true;
    end $$`)
  const switching = 'switch_tenant_flag(uuid, text, text, text, boolean)'
  await run(`revoke all on function ${switching} from public`)
  await run(`grant execute on function ${switching} to ${applicationRole}`)

  // Which of these serial numbers another client has, and not which client. It enters each client in turn and returns to its own.
  // Each is entered by a statement, which reaches the other machines of a distributed database: a call of set_config would not.
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
        execute format('set local app.tenant = %L', other);
        return query select device.serial from device where device.tenant_id = other and device.serial = any(serials);
      end loop;
      execute format('set local app.tenant = %L', own);
    end $$`)
  const looking = 'serials_taken_elsewhere(text[])'
  await run(`revoke all on function ${looking} from public`)
  await run(`grant execute on function ${looking} to ${applicationRole}`)
}
