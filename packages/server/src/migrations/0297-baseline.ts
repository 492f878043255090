import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { createAlerts } from './baseline-alerts.ts'
import { createCommands } from './baseline-commands.ts'
import { createCompliance } from './baseline-compliance.ts'
import { createDevices } from './baseline-devices.ts'
import { createFunctions } from './baseline-functions.ts'
import { createIdentity } from './baseline-identity.ts'
import { createLighting } from './baseline-lighting.ts'
import { createPeople } from './baseline-people.ts'
import { createPlaces } from './baseline-places.ts'
import { createProperties } from './baseline-properties.ts'
import { createReports } from './baseline-reports.ts'
import { createTelemetry } from './baseline-telemetry.ts'
import { createTenants } from './baseline-tenants.ts'
import { createWork } from './baseline-work.ts'
import { applicationRole, identityRole } from './tenant-table.ts'

/**
 * The schema at which the 128 migrations of the time before the first release were squashed, a file for each subject. A table stands
 * after those to which it refers. `postgres/squashed.ts` recognises databases that those migrations made.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  for (const role of [applicationRole, identityRole]) {
    await run(`do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login nosuperuser nobypassrls; end if;
    end $$`)
    await run(`grant ${role} to current_user`)
  }
  await run('revoke create on schema public from public')
  await run(`grant usage on schema public to ${applicationRole}`)

  await createTenants(db)
  await createPeople(db)
  await createIdentity(db)
  await createWork(db)
  await createPlaces(db)
  await createProperties(db)
  await createDevices(db)
  await createTelemetry(db)
  await createCommands(db)
  await createLighting(db)
  await createCompliance(db)
  await createAlerts(db)
  await createReports(db)
  await createFunctions(db)
}
