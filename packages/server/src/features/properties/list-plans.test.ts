import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { CompiledQuery } from 'kysely'
import { Kysely, PostgresDialect } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { pageOf } from '../../lists/read.ts'
import type { Db } from '../../postgres/pool.ts'
import type { Database } from '../../postgres/database.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { isDistributed, testDatabase } from '../../testing/database.ts'
import { propertyList } from './list.ts'
import { rewriteTagSets } from './tags.ts'
import { skipBecause } from '../../testing/skipping.ts'

let database: TestDatabase
let db: Db
let queries: CompiledQuery[] = []
const tenant = 'large'
const actor: Actor = { userId: '', memberId: '', tenant, role: 'Manager', tags: [], features: [], capabilities: [] }
const skip = (await isDistributed()) && 'the plans are those of the nodes, which the coordinator does not tell'

beforeAll(async () => {
  database = await testDatabase()
  const dialect = new PostgresDialect({ pool: database.app })
  db = new Kysely<Database>({ dialect, log: (event) => void queries.push(event.query) })
  await database.owner.query(`insert into tenant (id, display_name) values ($1, $1), ('other', 'other')`, [tenant])
  // Added one by one with few rows each, which makes the indexes widest compared with the table.
  for (const [id, homes] of [
    [tenant, 20_000],
    ['other', 2000],
  ] as const)
    await database.owner.query(
      `insert into property (tenant_id, id, reference, address1, town, postcode)
       select $1, gen_random_uuid(), 'B-' || lpad(n::text, 6, '0'), n % 97 || ' Mill Lane', 'Leeds', 'LS' || n % 29 || ' 1AB'
       from generate_series(1, $2::int) n`,
      [id, homes],
    )
  await database.owner.query('vacuum analyze property')
})
afterAll(() => database.drop())

const filter = (filterOp: Filter['filterOp'], value: Filter['value']) => ({
  filters: [{ fieldId: 'propertyReference', filterOp, value } as Filter],
  search: '',
})

for (const [name, index, wanted] of [
  ['a letter that nearly all homes have', 'property_search_forms', { filters: [], search: 'e' }],
  ['a text that none has', 'property_search_forms', { filters: [], search: 'qqqq' }],
  ['part of a reference', 'property_in_order_of_reference', filter('contains', '-00')],
  ['having a reference', 'property_in_order_of_reference', filter('present', true)],
  ['another reference', 'property_in_order_of_reference', filter('noneof', ['B-000001'])],
] as const)
  test(`properties are queried ${name} without reading anything else`, skipBecause(skip), async () => {
    await inTenant(db, tenant, async (tx) => {
      queries = []
      await pageOf(propertyList, tx, actor, { listing: 'Properties', sorts: [], ...wanted, page: 1, pageSize: 25 })
      const [counted, ...more] = queries.filter(({ sql }) => sql.includes('"outOf"'))
      assert.deepEqual(more, [])
      const { rows } = await tx.executeQuery<object>({ ...counted!, sql: `explain (format json) ${counted!.sql}` })
      const plan = JSON.stringify(rows)
      assert.match(plan, /"Node Type":"Index Only Scan"/)
      assert.deepEqual(
        [...plan.matchAll(/"Index Name":"(\w+)"/g)].map(([, name]) => name),
        [index],
      )
    })
  })

for (const [fieldId, value, condition] of [
  ['damp', ['high', 'severe'], 'damp_rank'],
  ['status', ['FailedEquipment'], 'device_severity'],
] as const)
  test(`the properties of a ${fieldId} are counted without reading those of another`, skipBecause(skip), async () => {
    await inTenant(db, tenant, async (tx) => {
      queries = []
      const filters: Filter[] = [{ fieldId, filterOp: 'anyof', value: [...value] }]
      const wanted = { listing: 'Properties', sorts: [], filters, search: '', page: 1, pageSize: 25 } as const
      await pageOf(propertyList, tx, actor, wanted)
      const counted = queries.findLast(({ sql }) => sql.includes('count(*) as "count"'))!
      const { rows } = await tx.executeQuery<object>({ ...counted, sql: `explain (format json) ${counted.sql}` })
      const plan = JSON.stringify(rows)
      assert.match(plan, /"Node Type":"Index Only Scan"/)
      assert.match(plan, new RegExp(`"Index Cond":"[^"]*${condition} = ANY`))
    })
  })

test('properties are counted by a tag without reading them or their devices', skipBecause(skip), async () => {
  const { owner } = database
  await owner.query(`insert into tag (tenant_id, id, name) values ($1, gen_random_uuid(), 'Half')`, [tenant])
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, status, severity, property_id)
     select $1, gen_random_uuid(), 'HB' || reference, 'MD', '', 'Ok', 2, id from property where tenant_id = $1`,
    [tenant],
  )
  await owner.query(
    `insert into device_tag (tenant_id, device_id, tag_id) select $1, device.id, tag.id from device
     join tag on tag.tenant_id = $1 where device.tenant_id = $1 and device.serial like '%0'`,
    [tenant],
  )
  assert.equal(await rewriteTagSets(db, tenant), 20_000)
  await owner.query('vacuum analyze property, device, device_tag, tag_set, property_retagged')
  await inTenant(db, tenant, async (tx) => {
    for (const filterOp of ['anyof', 'noneof'] as const) {
      queries = []
      const filters: Filter[] = [{ fieldId: 'tags', filterOp, value: ['half'] }]
      await pageOf(propertyList, tx, actor, {
        ...{ listing: 'Properties', sorts: [], filters, search: '' },
        page: 1,
        pageSize: 25,
      })
      const counted = queries.findLast(({ sql }) => sql.includes('count(*)') && sql.includes('tag_set'))!
      const { rows } = await tx.executeQuery<object>({
        ...counted,
        sql: `explain (analyze, format text) ${counted.sql}`,
      })
      const plan = rows.map((row) => Object.values(row).join('')).filter((line) => !line.includes('never executed'))
      assert.match(plan.join('\n'), /Index Only Scan using property_\w+ on property /)
      assert.doesNotMatch(plan.join('\n'), / on device/)
    }
  })
})
