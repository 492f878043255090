import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Statuses that people or nobody gave a reason for, and the kind of condition that each becomes. */
const carriedOver = {
  Allocated: 'allocated',
  AwaitingRecycling: 'awaitingRecycling',
  DISPOSED: 'disposed',
  DisabledNonPayment: 'disabledNonPayment',
  DisabledOther: 'disabledOther',
  Factory: 'inFactory',
  FailedDevice: 'deviceBroken',
  FailedEquipment: 'equipmentBroken',
  Inventory: 'inStock',
  PreventativeMaintenance: 'maintenance',
  REMOVED: 'removed',
  RepairedDevice: 'deviceRepaired',
  RepairedEquipment: 'equipmentRepaired',
  Unknown: 'unaccounted',
}
const outOfService = [
  'Allocated',
  'AwaitingRecycling',
  'DISPOSED',
  'Factory',
  'Inventory',
  'REMOVED',
  'Unknown',
] as const

const pairs = Object.entries(carriedOver)
  .map(([status, kind]) => `('${status}', '${kind}')`)
  .join(', ')
const stages = outOfService.map((status) => `'${status}'`).join(', ')

/** How long a type of test lasts, so that a longer one can speak for a shorter one. */
const minutes = `(values ('T0', 0), ('T5', 5), ('T60', 60), ('T180', 180))`

/** The statuses that conditions found by devices give, worst first, with their severity. */
const derived = `case
  when bool_or(kind in ('fault', 'testFailed')) then 'FailedEquipment'
  when bool_or(kind = 'deviceTestFailed') then 'FailedDevice'
  when bool_or(kind = 'testDegraded') then 'PreventativeMaintenance'
  else 'Installed' end`
const severityOf = `case status when 'FailedEquipment' then 5 when 'FailedDevice' then 3 else 4 end`

/**
 * Why a device has its status: conditions with a beginning and an end. What stands is explained as far as it can be: faults
 * by what the device reports, failures of lights by their tests since one as long has passed, lights without a test by that.
 * Whatever else had a status keeps it, as recorded before reasons were kept.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'condition',
    columns: `id uuid not null default gen_random_uuid(),
      device_id uuid not null,
      kind text not null,
      key text not null default '',
      began_at timestamptz not null,
      last_seen_at timestamptz,
      states jsonb,
      evidence jsonb not null default '{}',
      until_at timestamptz,
      ended_at timestamptz,
      ending text,
      end_evidence jsonb,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run(`create unique index condition_open on condition (tenant_id, device_id, kind, key) where ended_at is null`)
  await run(`create index condition_device on condition (tenant_id, device_id, began_at desc)`)
  await run(`create index condition_until on condition (tenant_id, until_at) where ended_at is null`)
  // Since when a device has failed, which lists sort by: of the few that have.
  await run(`create index device_by_failed_at on device
    (tenant_id, listing, (case when severity in (3, 5) then status_at end), serial) include (id, access_rights_tag_id, product)`)
  // Since when a device is connected or away, which lists sort by too.
  await run('alter table device add column connection_at timestamptz')
  // Lights by their last test, or by since when they wait for the first.
  await run(`create index device_by_tested_at on device
    (tenant_id, listing, (coalesce(last_test_at, status_at)), serial) include (id, access_rights_tag_id, product)
    where listing in ('EmergencyLights')`)
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id } of rows) {
    await run(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${id}'`)
    await explain(db, id)
    await sql`
      update device set connection_at = heard_at from device_link as link
      where device.tenant_id = ${id} and link.tenant_id = ${id} and link.device_id = device.id
        and connection_status = 'NotConnected'`.execute(db)
  }
  await run(`create index device_by_connection_at on device (tenant_id, listing, connection_at, serial)
    include (id, access_rights_tag_id, product)`)
}

async function explain(db: Kysely<unknown>, tenant: string): Promise<void> {
  // Faults, as devices report them now.
  await sql`
    insert into condition (tenant_id, device_id, kind, key, began_at, evidence)
    select tenant_id, id, 'fault',
      case reported #>> '{fault,faultSource}' when 'autofill' then 'autofill ' else 'boiler ' end || fault_code, status_at,
      jsonb_build_object('carriedOver', true, 'description', reported #>> '{fault,description}')
    from device
    where tenant_id = ${tenant} and fault_code is not null and status not in (${sql.raw(stages)})
    on conflict do nothing`.execute(db)
  // Failures that no test as long as theirs has passed since.
  await sql`
    insert into condition (tenant_id, device_id, kind, key, began_at, last_seen_at, states, evidence)
    select tenant_id, device_id, kind, test_type, min(started_at), max(started_at),
      (array_agg(component_states order by started_at desc))[1],
      jsonb_build_object('eventId', (array_agg(event_id order by started_at desc))[1])
    from (
      select tried.*, case
        when result = 'Degraded' then 'testDegraded'
        when component_states ->> 'Emered' = 'Failed' and not exists (
          select from jsonb_each_text(component_states) as part where key <> 'Emered' and value = 'Failed')
          then 'deviceTestFailed'
        else 'testFailed' end as kind
      from emergency_test as tried
      join device on device.tenant_id = ${tenant} and device.id = tried.device_id
      where tried.tenant_id = ${tenant} and result in ('Failed', 'Degraded')
        and device.status not in (${sql.raw(stages)})
        and not exists (
          select from emergency_test as passed
          join ${sql.raw(minutes)} as their (type, minutes) on their.type = passed.test_type
          where passed.tenant_id = ${tenant} and passed.device_id = tried.device_id and passed.result = 'Passed'
            and passed.started_at >= tried.started_at
            and their.minutes >= (select minutes from ${sql.raw(minutes)} as our (type, minutes) where type = tried.test_type))
    ) as failing
    group by tenant_id, device_id, kind, test_type`.execute(db)
  await sql`
    insert into condition (tenant_id, device_id, kind, began_at)
    select tenant_id, id, 'neverTested', status_at from device
    where tenant_id = ${tenant} and product in ('EM', 'EL') and status not in (${sql.raw(stages)})
      and not exists (
        select from emergency_test as test
        where test.tenant_id = ${tenant} and test.device_id = device.id and result in ('Passed', 'Degraded', 'Failed'))
    `.execute(db)
  await sql`
    insert into condition (tenant_id, device_id, kind, began_at)
    select tenant_id, id, 'neverHeard', status_at from device
    where tenant_id = ${tenant} and connection_status = 'neverconnected' and status not in (${sql.raw(stages)})
      and not exists (
        select from device_link as link
        where link.tenant_id = ${tenant} and link.device_id = device.id and heard_at is not null)`.execute(db)
  // What nothing of this explains.
  await sql`
    insert into condition (tenant_id, device_id, kind, began_at, evidence)
    select tenant_id, id, known.kind, status_at, '{"carriedOver": true}'
    from device join (values ${sql.raw(pairs)}) as known (status, kind) on known.status = device.status
    where tenant_id = ${tenant} and not (
      device.status in ('FailedEquipment', 'FailedDevice', 'PreventativeMaintenance') and exists (
        select from condition as found
        where found.tenant_id = ${tenant} and found.device_id = device.id
          and found.kind in ('fault', 'testFailed', 'deviceTestFailed', 'testDegraded')))
    on conflict do nothing`.execute(db)
  // What passed on the word of a flick test, or without any, has the status of its conditions from now on.
  await sql`
    update device set status = told.status, severity = ${sql.raw(severityOf.replace('status', 'told.status'))}, status_at = told.began
    from (
      select device_id, ${sql.raw(derived)} as status, min(began_at) as began
      from condition where tenant_id = ${tenant} and ended_at is null group by device_id
    ) as told
    where device.tenant_id = ${tenant} and device.id = told.device_id
      and device.status in ('Ok', 'Installed', 'FailedEquipment', 'FailedDevice', 'PreventativeMaintenance')
      and device.status <> told.status and not exists (
        select from condition as stated
        where stated.tenant_id = ${tenant} and stated.device_id = device.id
          and stated.evidence ? 'carriedOver' and stated.kind <> 'fault')`.execute(db)
  await sql`
    update device set status = 'Ok', severity = 2
    where tenant_id = ${tenant} and status = 'Installed' and not exists (
      select from condition where condition.tenant_id = ${tenant} and condition.device_id = device.id)`.execute(db)
}
