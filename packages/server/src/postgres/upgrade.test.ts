import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import pg from 'pg'
import { migrations } from '../migrations/index.ts'
import type { TestDatabase } from '../testing/database.ts'
import { emptyDatabase, isDistributed, testDatabase } from '../testing/database.ts'
import { migrate } from './migrate.ts'
import { skipBecause } from '../testing/skipping.ts'

type Row = Record<string, unknown>

/** What later migrations change on purpose in what the first schema held: `table.column`, and since when. */
const changed: Record<string, string> = {
  'device.listing': '0003: products that had none',
  'device.status': '0021: a device that was never heard is installed, not Ok',
  'device.severity': '0021: as its status',
}

/** Columns and tables of the first schema that are there no more, and what holds their content since when. */
const gone: Record<string, string> = {}

const ids = ['north', 'south'].map((tenant, at) => ({
  tenant,
  id: (n: number) => `00000000-0000-4000-8000-00000000${at + 1}0${String(n).padStart(2, '0')}`,
}))

/** Rows of a tenant for every table of the first schema, by statement; `$1` is the tenant. */
const contents = (id: (n: number) => string) => [
  `insert into tenant (id, display_name, contacts, settings) values ($1, $1 || ' homes', 'call us', '{"logo": null}')`,
  `insert into person (id, issuer, subject, email, name) values
    ('${id(1)}', 'embedded', '${id(1)}', 'one@' || $1, 'One')`,
  `insert into invitation (tenant_id, membership_id, email) values ($1, '${id(3)}', 'two@' || $1)`,
  `insert into client_error (tenant_id, person_id, message, stack, component_stack) values ($1, '${id(1)}', 'm', 's', 'c')`,
  `insert into tenant_feature values ($1, 'HomeHub')`,
  `insert into tenant_capability values ($1, 'ViewProperties')`,
  `insert into access_rights_tag values ($1, '${id(4)}', 'Default', true)`,
  `insert into tag values ($1, '${id(5)}', 'Stairs')`,
  `insert into membership (tenant_id, id, person_id, email, name, role, tag_ids) values
    ($1, '${id(2)}', '${id(1)}', 'one@' || $1, 'One', 'Manager', '{${id(4)}}'),
    ($1, '${id(3)}', null, 'two@' || $1, 'Two', 'Guest', '{}')`,
  `insert into building values ($1, '${id(6)}', $1 || ' Court', '1 Mill Lane', 'LS6 1AA', 53.8, -1.5)`,
  `insert into floor values ($1, '${id(7)}', '${id(6)}', 2, 'Second floor')`,
  `insert into property (tenant_id, id, reference, address1, town, postcode, access_rights_tag_id) values
    ($1, '${id(8)}', $1 || '-1', '2 Mill Lane', 'Leeds', 'LS6 1AB', '${id(4)}')`,
  `insert into device (tenant_id, id, serial, product, name, listing, status, severity, building_id, floor_id, property_id,
     access_rights_tag_id, room, reported) values
    ($1, '${id(9)}', 'EM1000001X', 'EM', 'Light', 'EmergencyLights', 'Ok', 2, '${id(6)}', '${id(7)}', null, '${id(4)}', 'Hall',
      '{"firmware": "1"}'),
    ($1, '${id(10)}', 'BX1000001X', 'BX', 'Boiler', 'Boilers', 'FailedEquipment', 6, null, null, '${id(8)}', null, null,
      '{"faultCode": "EA"}'),
    ($1, '${id(11)}', 'ZH1000001X', 'ZH', 'Hub', null, 'Ok', 2, null, null, null, null, null, '{}')`,
  `insert into device_tag values ($1, '${id(9)}', '${id(5)}')`,
  `insert into device_route values ('${id(9)}', $1, null, '\\x0102', 900), ('${id(11)}', $1, '${id(10)}', null, 60)`,
  `insert into device_link values ($1, '${id(9)}', '2026-01-05T12:00:00Z', true, '{2026-01-04T12:00:00Z}')`,
  `insert into series (tenant_id, device_id, metric) values ($1, '${id(10)}', 'flowTemperature')`,
  `insert into point select tenant_id, id, '2026-01-05T12:00:00Z', 55 from series where tenant_id = $1`,
  `insert into hourly select tenant_id, id, '2026-01-05T12:00:00Z', 1, 55, 55, 55, '2026-01-05T12:00:00Z', 55
    from series where tenant_id = $1`,
  `insert into daily select tenant_id, id, '2026-01-05T00:00:00Z', 1, 55, 55, 55 from series where tenant_id = $1`,
  `insert into event values ($1, '${id(12)}', '${id(10)}', '2026-01-05T12:00:00Z', null, 'High', 'Boiler', 'EA')`,
  `insert into emergency_test values
    ($1, '${id(13)}', '${id(9)}', 'T0', '2026-01-03T12:00:00Z', 'Passed', '', '{}', '[]'),
    ($1, '${id(14)}', '${id(9)}', 'T180', '2026-01-04T12:00:00Z', 'Passed', '', '{}', '[]')`,
  `insert into command (tenant_id, id, device_id, name, args, created_by, expires_at) values
    ($1, '${id(15)}', '${id(9)}', 'runTest', '{"type": "T0"}', '${id(1)}', '2026-01-05T12:05:00Z')`,
  `insert into command_outbox (command_id, tenant_id, device_id, expires_at) values
    ('${id(15)}', $1, '${id(9)}', '2026-01-05T12:05:00Z')`,
  `insert into bad_message (tenant_id, device_id, channel, reason, detail, payload) values
    ($1, '${id(9)}', 'telemetry', 'no JSON', 'd', 'p')`,
  `insert into idp.account (id, email, name, password_hash) values ('${id(1)}', 'one@' || $1, 'One', 'hash')`,
  `insert into idp.payload (model, id, payload) values ('Session', $1, '{"uid": "x"}')`,
  `insert into idp.secret values ('secret of ' || $1, '{"keys": []}')`,
  `insert into idp.failed_attempt (key) values ('email one@' || $1)`,
]

/** 0003 asks of every row what a distributed database does not take, and no version before it ran on one. */
const skip = (await isDistributed()) && 'no distributed database has held rows in the first schema'
let fresh: TestDatabase
let database: TestDatabase
/** As an organisation's database has one: it owns the database, may create roles, and is behind the walls of its tables. */
let owner: pg.Pool
let role: string
beforeAll(async () => {
  if (skip) return
  fresh = await testDatabase()
  database = await emptyDatabase()
  role = `owner_of_${new URL(database.url).pathname.slice(1)}`
  await database.owner.query(`create role ${role} nologin createrole`)
  await database.owner.query(`grant caretaker_app, caretaker_idp to ${role} with admin option`)
  await database.owner.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${role}`)
  owner = new pg.Pool({ connectionString: database.url, max: 2, options: `-c role=${role}` })
})
afterAll(async () => {
  if (skip) return
  await owner.end()
  const admin = new pg.Client({ connectionString: fresh.url })
  await admin.connect()
  await database.owner.query(`reassign owned by ${role} to current_user`)
  await database.owner.query(`drop owned by ${role}`)
  await database.drop()
  await admin.query(`drop role ${role}`)
  await admin.end()
  await fresh.drop()
})

const read = async <T extends Row>(text: string, from: pg.Pool = database.owner) => (await from.query<T>(text)).rows

/** Every table but partitions and the list of migrations, with its schema. */
const tables = async (): Promise<string[]> =>
  (
    await read<{ name: string }>(`
      select relnamespace::regnamespace || '.' || relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relname <> 'kysely_migration'
        and relnamespace::regnamespace::text in ('public', 'idp') order by 1`)
  ).map(({ name }) => name)

const rowsOf = async (table: string): Promise<Row[]> =>
  (await read<{ row: Row }>(`select to_jsonb(one) as row from ${table} as one order by one::text`)).map(
    ({ row }) => row,
  )

test(
  'a database of the first schema, with data in every table, comes to the newest whole',
  skipBecause(skip),
  async () => {
    const [first] = Object.entries(migrations)
    assert.deepEqual(await migrate(owner, { migrations: { [first![0]]: first![1] } }), [first![0]])
    await database.owner.query(
      `create table point_2026 partition of point for values from ('2026-01-01') to ('2026-01-12')`,
    )
    for (const { tenant, id } of ids)
      for (const text of contents(id)) await database.owner.query(text, text.includes('$1') ? [tenant] : [])
    const before = new Map<string, Row[]>()
    for (const table of await tables()) before.set(table.replace(/^public\./, ''), await rowsOf(table))
    assert.ok(before.size >= 27)
    for (const [table, rows] of before) assert.ok(rows.length >= 2, `${table} has data of both tenants`)

    assert.deepEqual(await migrate(owner), Object.keys(migrations).slice(1))

    const columns = new Set(
      (
        await read<{ name: string }>(`select case table_schema when 'public' then '' else table_schema || '.' end
        || table_name || '.' || column_name as name from information_schema.columns`)
      ).map(({ name }) => name),
    )
    for (const [table, rows] of before) {
      if (gone[table]) continue
      const kept = Object.keys(rows[0]!).filter((column) => !gone[`${table}.${column}`])
      for (const column of kept) assert.ok(columns.has(`${table}.${column}`), `${table}.${column} is lost`)
      const compared = kept.filter((column) => !changed[`${table}.${column}`])
      const only = (row: Row) => JSON.stringify(compared.map((column) => row[column]))
      assert.deepEqual((await rowsOf(table)).map(only).sort(), rows.map(only).sort(), table)
    }
  },
)

test(
  'what is copied and derived since is there for the devices of then, of every tenant',
  skipBecause(skip),
  async () => {
    const devices = await read(`
    select tenant_id as tenant, product, listing, building_name as building, floor_number as floor, property_reference as home,
      address, postcode, fault_code as fault, last_test_at as tested, serial_folded as folded from device order by 1, 2`)
    const nowhere = {
      building: null,
      floor: null,
      home: null,
      address: null,
      postcode: null,
      fault: null,
      tested: null,
    }
    assert.deepEqual(
      devices,
      ids.flatMap(({ tenant }) => [
        {
          ...nowhere,
          ...{ tenant, product: 'BX', listing: 'Boilers', folded: 'bx1000001x', fault: 'EA' },
          ...{ home: `${tenant}-1`, address: '2 Mill Lane, Leeds', postcode: 'LS6 1AB' },
        },
        {
          ...nowhere,
          ...{ tenant, product: 'EM', listing: 'EmergencyLights', folded: 'em1000001x' },
          ...{ building: `${tenant} Court`, floor: 2, address: '1 Mill Lane', postcode: 'LS6 1AA' },
          tested: new Date('2026-01-04T12:00:00Z'),
        },
        { ...nowhere, tenant, product: 'ZH', listing: 'HomeHubs', folded: 'zh1000001x' },
      ]),
    )
  },
)

test('what versions before wrote otherwise is due to be settled, of every tenant', skipBecause(skip), async () => {
  const due = await read(`select tenant_id as tenant from due where work = 'settle unwatched' order by 1`)
  assert.deepEqual(
    due,
    ids.map(({ tenant }) => ({ tenant })),
  )
})

test('its schema is then that of a new database', skipBecause(skip), async () => {
  const schema = (from: pg.Pool) =>
    read(
      `select 'column' as kind, concat_ws(' ', table_schema, table_name, column_name, data_type, is_nullable,
         column_default, generation_expression) as what from information_schema.columns
       where table_schema in ('public', 'idp') and table_name !~ '^point_\\d+$'
       union all select 'index', indexdef from pg_indexes
       where schemaname in ('public', 'idp') and tablename !~ '^point_\\d+$'
       union all select 'constraint', conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
       where connamespace::regnamespace::text in ('public', 'idp') and conrelid::regclass::text !~ '^point_\\d+$'
       union all select 'policy', concat_ws(' ', tablename, policyname, cmd, qual, with_check) from pg_policies
       union all select 'grant', concat_ws(' ', grantee, privilege_type, table_name)
       from information_schema.role_table_grants where grantee in ('caretaker_app', 'caretaker_idp')
       union all select 'wall', concat_ws(' ', relname, relrowsecurity, relforcerowsecurity, reloptions) from pg_class
       where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition
       order by 1, 2`,
      from,
    )
  const expected = await schema(fresh.owner)
  assert.ok(expected.length > 300)
  assert.deepEqual(await schema(database.owner), expected)
})
