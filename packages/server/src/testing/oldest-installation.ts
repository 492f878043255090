import type pg from 'pg'
import { migrations } from '../migrations/index.ts'
import { migrate } from '../postgres/migrate.ts'
import { baseline } from '../postgres/squashed.ts'

/**
 * Creates the database of an installation from the baseline, with data of that time, and migrates it. It has one more
 * table: Kysely's migrator, used in the first versions, created it for its lock.
 */
export async function makeOldestInstallation(owner: pg.Pool): Promise<void> {
  await migrate(owner, { migrations: { [baseline]: migrations[baseline]! } })
  await owner.query(`create table kysely_migration_lock (id varchar(255) primary key, is_locked integer default 0 not null);
    insert into kysely_migration_lock (id) values ('migration_lock')`)
  for (const [at, tenant] of ['north', 'south'].entries()) {
    const id = (n: number) => `00000000-0000-4000-8000-0000000${at + 1}000${n}`
    await owner.query(`
      begin;
      set local app.tenant = '${tenant}';
      insert into tenant (id, display_name) values ('${tenant}', '${tenant}');
      insert into person (id, issuer, subject, email, name)
        values ('${id(1)}', 'embedded', '${id(1)}', 'one@${tenant}.test', 'One');
      insert into idp.account (id, email, name, password_hash) values ('${id(1)}', 'one@${tenant}.test', 'One', 'hash');
      insert into membership (tenant_id, id, person_id, email, name, role)
        values ('${tenant}', '${id(2)}', '${id(1)}', 'one@${tenant}.test', 'One', 'Manager');
      insert into tag (tenant_id, id, name) values ('${tenant}', '${id(3)}', 'Stairs');
      insert into device (tenant_id, id, serial, product, name, listing, status, severity)
        values ('${tenant}', '${id(4)}', 'EM100000${at}X', 'EM', 'Light', 'EmergencyLights', 'Ok', 2);
      insert into device_route (device_id, tenant_id) values ('${id(4)}', '${tenant}');
      insert into device_tag (tenant_id, device_id, tag_id) values ('${tenant}', '${id(4)}', '${id(3)}');
      insert into series (tenant_id, device_id, metric) values ('${tenant}', '${id(4)}', 'batteryVoltage');
      insert into hourly select tenant_id, id, '2026-01-05T12:00:00Z', 1, 3.6, 3.6, 3.6, '2026-01-05T12:00:00Z', 3.6
        from series where tenant_id = '${tenant}';
      commit`)
  }
  await migrate(owner)
}
