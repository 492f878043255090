import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { CompiledQuery } from 'kysely'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { opsOf } from '@caretaker/rules/lists/fields.ts'
import { changed } from '../../changes/changed.ts'
import { openFeed } from '../../changes/feed.ts'
import type { Db } from '../../postgres/pool.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { isDistributed, testDatabase } from '../../testing/database.ts'
import { countDevices } from '../dashboard/counts.ts'
import { worklistOf } from '../dashboard/worklist.ts'
import { exportedRows } from '../../lists/export.ts'
import type { Wanted } from '../../lists/read.ts'
import { choicesIn, pageOf } from '../../lists/read.ts'
import { changedDevices } from './changed.ts'
import { deviceList } from './list.ts'
import { changeable, countSelected } from './selection.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { skipBecause } from '../../testing/skipping.ts'

let database: TestDatabase
/** A database connection that reports every query. */
let db: Db
let compiled: CompiledQuery[] = []
let walled: string[] = []
const tenant = 'large'
const actor: Actor = { userId: '', memberId: '', tenant, role: 'Manager', tags: [], features: [], capabilities: [] }

beforeAll(async () => {
  database = await testDatabase()
  const dialect = new PostgresDialect({ pool: database.app })
  db = new Kysely<Database>({ dialect, log: (event) => void compiled.push(event.query) })
  const { owner } = database
  for (const [id, devices] of [
    [tenant, 20_000],
    ['other', 3000],
    ['third', 3000],
  ] as const) {
    await owner.query('insert into tenant (id, display_name) values ($1, $1)', [id])
    await owner.query(
      `insert into tag (tenant_id, id, name) select $1, gen_random_uuid(), 'Tag ' || n from generate_series(1, 500) n`,
      [id],
    )
    await owner.query(
      `insert into access_rights_tag (tenant_id, id, display_name)
       select $1, gen_random_uuid(), 'Patch ' || n from generate_series(1, 500) n`,
      [id],
    )
    await owner.query(
      `insert into device (tenant_id, id, serial, product, name, listing, status, severity, connection_status,
         building_name, floor_number, floor_name, room, address, postcode, property_reference, location,
         location_details, monitoring, reported, last_test_at, status_at, latitude, longitude, access_rights_tag_id)
       select $1, gen_random_uuid(), product || lpad(n::text, 7, '0'), product, 'Corridor ' || n % 300, listing,
         case n % 20 when 0 then 'FailedEquipment' when 1 then 'Inventory' else 'Ok' end,
         case n % 20 when 0 then 5 when 1 then 1 else 2 end,
         case n % 30 when 0 then 'NotConnected' else 'Connected' end,
         'House ' || n % 700, n % 8, 'Floor ' || n % 8, 'Stair ' || n % 5, n % 2000 || ' High Street, Leeds', 'LS' || n % 500,
         'NG-' || n / 4, 'Hall', 'Behind door ' || n % 50, 'Boiler',
         case n % 40 when 0 then '{"faultCode":"E119"}' else '{}' end::jsonb, now() - n * interval '1 minute',
         now() - n * interval '1 hour', 53 + n / 1e5, -1 - n / 1e5,
         (select id from access_rights_tag where tenant_id = $1 and display_name = 'Patch ' || 1 + n % 9)
       from (select n, case n % 2 when 0 then 'EM' else 'BX' end as product,
         case n % 2 when 0 then 'EmergencyLights' else 'Boilers' end as listing from generate_series(1, $2::int) n) made`,
      [id, devices],
    )
    await owner.query(
      `insert into device_tag select $1, id, (select id from tag where tenant_id = $1 and name = 'Tag ' || 1 + substr(serial, 8)::int % 9)
       from device where tenant_id = $1`,
      [id],
    )
    await owner.query(
      `insert into emergency_equipment (tenant_id, device_id, name, lamp_type, inverter_type, battery_type, battery_voltage,
         battery_capacity, battery_installed)
       select $1, id, 'Luminaire ' || n % 12, 'LED', 'Integral', case n % 3 when 0 then 'Nickel Cadmium' else 'Lithium Ion' end,
         case n % 4 when 0 then 3.6 else 4.8 end, 4, date '2019-01-01' + (n % 2500)::int
       from (select id, substr(serial, 3)::int / 2 as n from device where tenant_id = $1 and product = 'EM') light`,
      [id],
    )
    await owner.query(
      `insert into repair_form (tenant_id, id, device_id, at, part, parts, description, repaired_by, repaired_on, person_name)
       select $1, gen_random_uuid(), id, now(), 'equipment', case n % 2 when 0 then '{"battery":true}' else '{"lamp":true}' end::jsonb,
         '', 'Sam', '2026-02-01', 'Sam'
       from (select id, substr(serial, 3)::int / 2 as n from device where tenant_id = $1 and product = 'EM') light where n % 3 = 0`,
      [id],
    )
    await owner.query(`insert into device_link (tenant_id, device_id) select $1, id from device where tenant_id = $1`, [
      id,
    ])
  }
  await owner.query(
    'vacuum analyze device, device_tag, device_link, tag, access_rights_tag, emergency_equipment, repair_form',
  )
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace`,
  )
  walled = rows.map(({ name }) => name)
})
afterAll(() => database.drop())

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}

const scansOf = ({ 'Node Type': node, 'Relation Name': table, Plans = [] }: Plan): string[] => [
  ...(node === 'Seq Scan' && walled.includes(table!) ? [table!] : []),
  ...Plans.flatMap(scansOf),
]

/** Runs the work and fails for every query that scans a tenant table. */
async function readsIndexes(name: string, work: (tx: TenantTx) => Promise<unknown>): Promise<void> {
  await inTenant(db, tenant, async (tx) => {
    compiled = []
    await work(tx)
    const queries = compiled.filter(({ sql }) => /^\s*(select|with|declare|\()/i.test(sql))
    assert.ok(queries.length, name)
    for (const query of queries) {
      const text = query.sql.replace(/^\s*declare exported no scroll cursor for/, '')
      const { rows } = await tx.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
        ...query,
        sql: `explain (format json) ${text}`,
      })
      assert.deepEqual(scansOf(rows[0]!['QUERY PLAN'][0].Plan), [], `${name}: ${text}`)
    }
  })
}

const shown = ['EmergencyLights', 'Boilers'] as const satisfies ListingName[]
const everything = { sorts: [], filters: [], search: '' }
const page = (wanted: Wanted<ListingName>, at = 1, who = actor) =>
  [
    `${JSON.stringify(wanted)} page ${at}`,
    (tx: TenantTx) => pageOf(deviceList, tx, who, { ...wanted, page: at, pageSize: 100 }),
  ] as const

const values: Record<string, Filter['value']> = {
  string: 'ok',
  stringarray: 'tag 3',
  number: 53.05,
  date: new Date().toISOString().slice(0, 10),
  bool: true,
}

const skip = (await isDistributed()) && 'the plans are those of the nodes, which the coordinator does not tell'

for (const listing of shown) {
  const fields = fieldsOf(listings[listing], false)

  test(`${listing}: no page of any order scans a table`, skipBecause(skip), async () => {
    for (const at of [1, 50, 100]) await readsIndexes(...page({ listing, ...everything }, at))
    for (const { fieldId } of fields.filter((field) => field.sortable))
      for (const descending of [false, true])
        for (const at of [1, 50])
          await readsIndexes(...page({ listing, ...everything, sorts: [{ fieldId, descending }] }, at))
  })

  test(`${listing}: no filter and no search scans a table`, skipBecause(skip), async () => {
    for (const { fieldId, dataType } of fields.filter((field) => field.viewFilterable))
      for (const filterOp of opsOf[dataType]) {
        const one = values[dataType]!
        const value = filterOp === 'present' ? true : filterOp.endsWith('of') ? [String(one)] : one
        await readsIndexes(...page({ listing, ...everything, filters: [{ fieldId, filterOp, value }] }))
      }
    await readsIndexes(...page({ listing, ...everything, search: 'house 12' }))
  })

  test(`${listing}: a limited user's pages, choices, selection and file scan no table`, skipBecause(skip), async () => {
    const { rows } = await database.owner.query<{ id: string }>(
      `select id from access_rights_tag where tenant_id = $1 and display_name = 'Patch 3'`,
      [tenant],
    )
    const limited = { ...actor, tags: [rows[0]!.id] }
    await readsIndexes(...page({ listing, ...everything }, 1, limited))
    await readsIndexes(...page({ listing, ...everything, search: 'stair' }, 1, limited))
    // Reasons are a fixed list that needs no query.
    const asked = fields.filter((field) => field.viewFilterable && field.dataType.startsWith('string'))
    for (const { fieldId } of asked.filter((field) => field.fieldId !== 'anyReason'))
      await readsIndexes(`choices of ${fieldId}`, (tx) =>
        choicesIn(deviceList, tx, actor, listing, { fieldId, search: 'a' }),
      )
    const selection = { query: { listing, search: '' }, except: [crypto.randomUUID()] }
    await readsIndexes('selection', async (tx) => (await changeable(tx, actor, selection)).execute())
    await readsIndexes('counted selection', (tx) => countSelected(tx, limited, selection))
    await readsIndexes('file', async (tx) => {
      for await (const some of exportedRows(deviceList, tx, actor, { listing, ...everything }, ['serial']))
        if (some.length > 1) break
    })
  })
}

/** How a query reads tables and indexes, and whether it sorts the rows. */
async function scansIn(tx: TenantTx, query: CompiledQuery): Promise<string[]> {
  const { rows } = await tx.executeQuery<object>({ ...query, sql: `explain (format json) ${query.sql}` })
  return [...JSON.stringify(rows).matchAll(/"Node Type":"((?!Subquery)[\w ]*Scan|Sort)"/g)].map(([, node]) => node!)
}

/** How the part of a query that uses an index reads its rows. */
async function scansBy(tx: TenantTx, query: CompiledQuery, index: string): Promise<string[]> {
  const { rows } = await tx.executeQuery<object>({ ...query, sql: `explain (format json) ${query.sql}` })
  const scans: string[] = []
  JSON.stringify(rows, (_, value: unknown) => {
    const node = (value ?? {}) as Record<string, string>
    if (node['Node Type'] && node['Index Name'] === index) scans.push(node['Node Type'])
    return value
  })
  return scans
}

test('boilers are counted by the state of their records from an index alone', skipBecause(skip), async () => {
  await inTenant(db, tenant, async (tx) => {
    for (const fieldId of ['gasSafety', 'waterTreatment'])
      for (const [filterOp, value] of [
        ['anyof', ['Overdue']],
        ['noneof', ['NoRecord']],
      ] as const) {
        compiled = []
        const filters: Filter[] = [{ fieldId, filterOp, value: [...value] }]
        const wanted = { listing: 'Boilers', sorts: [], filters, search: '', page: 1, pageSize: 100 } as const
        await pageOf(deviceList, tx, actor, wanted)
        const counted = compiled.findLast(({ sql }) => /count\(\*\)/.test(sql) && sql.includes('_state'))!
        assert.deepEqual(new Set(await scansIn(tx, counted)), new Set(['Index Only Scan']), `${fieldId} ${filterOp}`)
      }
  })
})

test(
  'open work is counted, and deep pages sorted by failure or test time are read, from an index alone',
  skipBecause(skip),
  async () => {
    await inTenant(db, tenant, async (tx) => {
      compiled = []
      await worklistOf(tx, actor)
      const counted = compiled.findLast(({ sql }) => /count\(\*\)/.test(sql) && sql.includes('gas_state'))!
      for (const index of ['device_gas_pressing', 'device_water_pressing'])
        assert.deepEqual(await scansBy(tx, counted, index), ['Index Only Scan'], index)
      for (const [listing, fieldId] of [
        ['Boilers', 'failedSince'],
        ['EmergencyLights', 'failedSince'],
        ['EmergencyLights', 'testedOrInstalled'],
      ] as const)
        for (const descending of [true, false]) {
          compiled = []
          const sorts = [{ fieldId, descending }]
          await pageOf(deviceList, tx, actor, { listing, ...everything, sorts, page: 50, pageSize: 100 })
          const sorted = compiled.findLast(({ sql }) => /order by/.test(sql) && /offset/.test(sql))!
          assert.deepEqual(new Set(await scansIn(tx, sorted)), new Set(['Index Only Scan']), `${listing} by ${fieldId}`)
        }
    })
  },
)

test('the dashboard counts and the changes are read from indexes', skipBecause(skip), async () => {
  await readsIndexes('dashboard', (tx) => countDevices(tx, actor))
  const feed = openFeed()
  const subjects = ['device'] as const
  await inTenant(database.db, tenant, (tx) => changed(tx, 'device', [randomUUID()]))
  for (const date of [0, Date.now() * 1000])
    await readsIndexes(`changes since ${date}`, async (tx) => {
      const found = await feed.since(tx, { date }, { subjects })
      await changedDevices(tx, actor, ['EM', 'BX'], found)
      await changedDevices(tx, actor, ['EM', 'BX'], { ...found, everything: true })
    })
})

test('a query that scans a table is detected', skipBecause(skip), async () => {
  const whole = async (tx: TenantTx) => {
    await sql`set local enable_indexscan = off; set local enable_bitmapscan = off`.execute(tx)
    await tx.selectFrom('device').select('power_clamps').where('tenant_id', '=', tenant).execute()
  }
  await assert.rejects(readsIndexes('whole', whole), /whole/)
})
