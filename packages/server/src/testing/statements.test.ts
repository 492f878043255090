import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { faultsOf, loadModule } from './statements.ts'
import { testDatabase } from './database.ts'
import { inTenant } from '../postgres/tenant.ts'

beforeAll(loadModule)

const tables = new Set(['device', 'tag', 'device_tag', 'membership'])
const faults = (text: string) => faultsOf(text, tables)

const good: Record<string, string> = {
  'one table': 'select id from device where tenant_id = $1 and id = $2',
  'a literal tenant': `delete from tag where 'north' = tenant_id`,
  'a typed parameter': 'select id from device as d where d.tenant_id = $1::text',
  'a join': `select d.id from device d left join tag t on t.tenant_id = $1 and t.id = d.tag_id where d.tenant_id = $1`,
  'a join with a shared table':
    'select d.id from device d join tenant on tenant.id = d.tenant_id where d.tenant_id = $1',
  'a subquery': 'select id from tag where tenant_id = $1 and exists (select from device d where d.tenant_id = $1)',
  "a person's own memberships": 'select id from membership join tenant on tenant.id = tenant_id where person_id = $1',
  'an insert of rows': 'insert into tag (id, tenant_id) values ($1, $2), ($3, $4)',
  'an insert of a selection': `insert into tag (tenant_id, id) select $1, id from unnest($2::uuid[]) as id on conflict do nothing`,
  'an insert that tells': 'insert into tag (tenant_id, id) select $1, id from unnest($2::uuid[]) as id returning id',
  'an update by a list':
    'update device set name = given.name from unnest($1::uuid[], $2::text[]) as given (id, name) where tenant_id = $3 and device.id = given.id',
  'a clock in a condition': 'update tag set name = $1 where tenant_id = $2 and at < now()',
  'a clock in what an insert selects by':
    'insert into tag (tenant_id, id) select $1, id from device where tenant_id = $1 and coalesce(at, now()) < $2 on conflict do nothing',
  'a case with conditions': 'update tag set name = case when id = $1 then $2 else name end where tenant_id = $3',
  'what one part writes, fed to an insert':
    'with gone as (delete from device where tenant_id = $1 returning id) insert into tag (tenant_id, id) select $1, id from gone on conflict do nothing',
  'a column that is cast in a part of WITH':
    'with given as materialized (select ids::uuid[] from unnest($1::text[]) as told (ids)) update tag set ids = given.ids from given where tenant_id = $2',
  'a view by itself': 'select id from idp.open_session where id = $1',
  'another schema': 'insert into idp.secret (at) values (now())',
  'no table': 'select pg_notify($1, $2); set local app.tenant = $$north$$',
}

const bad: Record<string, [text: string, fault: RegExp]> = {
  'a view beside a table': [
    'select id, exists (select from idp.open_session where id = $1) from person where subject = $2',
    /^open_session: a view/,
  ],
  'no tenant': ['select id from device where id = $1', /^device: its tenant_id is not compared/],
  'a tenant by a neighbour': [
    'select d.id from device d join tag t on t.tenant_id = d.tenant_id where d.tenant_id = $1',
    /^t: its tenant_id/,
  ],
  'a tenant on one side of an or': ['select id from device where tenant_id = $1 or id = $2', /^device: its tenant_id/],
  'tenants of a list': ['select id from device where tenant_id = any($1)', /^device: its tenant_id/],
  'a subquery without one': [
    'select id from tag where tenant_id = $1 and id in (select tag_id from device_tag)',
    /^device_tag: its tenant_id/,
  ],
  'a lateral join without one': [
    `select d.id from device d left join lateral (select from tag where tag.tenant_id = d.tenant_id) t on true
     where d.tenant_id = $1`,
    /^tag: its tenant_id/,
  ],
  'a part of WITH without one': [
    'with known as (select id from device) update tag set name = $1 from known where tag.tenant_id = $2',
    /^device: its tenant_id/,
  ],
  'a part of WITH that hides a table': [
    'with tag as (select id from tag) select id from tag where tenant_id = $1',
    /^tag: a part of WITH has the name/,
  ],
  'a cursor without one': ['declare rows cursor for select id from device', /^device: its tenant_id/],
  'one half of a union without one': [
    'select id from device where tenant_id = $1 union all select id from tag',
    /^tag: its tenant_id/,
  ],
  'an update without one': ['update device set name = $1 where id = $2', /^device: its tenant_id/],
  'a delete with a list without one': [
    'delete from tag using unnest($1::uuid[]) as gone where tag.id = gone',
    /^tag: its tenant_id/,
  ],
  "a person's tags": ['select id from tag where person_id = $1', /^tag: its tenant_id/],
  'an inserted tenant that is computed': ['insert into tag (id, tenant_id) values ($1, lower($2))', /no parameter/],
  'an insert of a selection that is a COPY': [
    'insert into tag (tenant_id, id) select $1, id from unnest($2::uuid[]) as id',
    /neither on conflict nor returning/,
  ],
  'a parameter beside a selection': [
    `insert into tag (tenant_id, id) select $1, id from unnest($2::uuid[]) as id
     on conflict (tenant_id, id) do update set name = $3`,
    /a parameter after on conflict/,
  ],
  'a clock that is set': ['update device set at = now() where tenant_id = $1', /the clock/],
  'a clock in the standard words': ['insert into tag (tenant_id, at) values ($1, current_timestamp)', /the clock/],
  'a clock on conflict': [
    'insert into tag (tenant_id) values ($1) on conflict (tenant_id) do update set at = clock_timestamp()',
    /the clock/,
  ],
  'a clock in a shared table': ['update command_outbox set due_at = now()', /the clock/],
  'interval arithmetic': [`update tag set at = at + interval '1 day' where tenant_id = $1`, /interval/],
  'an interval that is made': [
    'update tag set at = greatest(at, $1 + make_interval(secs => $2)) where tenant_id = $3',
    /interval/,
  ],
  'an interval in a choice of a condition': [
    `update tag set name = $1 where tenant_id = $2 and coalesce(at + interval '1 day', $3) < $3`,
    /interval/,
  ],
  'a column that is cast': [
    'update tag set ids = given.ids::uuid[] from unnest($1::text[]) as given (ids) where tenant_id = $2',
    /a column is cast/,
  ],
  'columns that are cast': [
    `update tag set ids = coalesce(given.ids, '{}')::uuid[] from unnest($1::text[]) as given (ids) where tenant_id = $2`,
    /a column is cast/,
  ],
  'a column that is cast in a subquery': [
    `update tag set ids = given.ids from (select ids::uuid[] from unnest($1::text[]) as told (ids)) as given
     where tenant_id = $2`,
    /a column is cast/,
  ],
  'a case of values': [`update tag set n = case name when $1 then 1 end where tenant_id = $2`, /case … when a value/],
  'a day that is put into words': [
    `update tag set name = $1 where tenant_id = $2 returning to_char(at, 'YYYY-MM')`,
    /returning to_char: return the column/,
  ],
  merge: ['merge into tag using device on true when matched then delete', /merge/],
}

describe('a statement may run on a distributed database', () => {
  for (const [name, text] of Object.entries(good)) test(name, () => assert.deepEqual(faults(text), []))
})

describe('a forbidden statement is reported with the reason', () => {
  for (const [name, [text, fault]] of Object.entries(bad)) test(name, () => assert.match(faults(text).join(), fault))
})

test('a forbidden statement fails where it is sent, and a test file that ignores the error fails too', async () => {
  const database = await testDatabase()
  await assert.rejects(
    inTenant(database.db, 'north', (tx) => tx.selectFrom('device').selectAll().execute()),
    /A distributed database does not take this statement: device: its tenant_id/,
  )
  await assert.rejects(database.product.owner.query('delete from device'), /does not take this statement/)
  // The test's own statements are not checked.
  assert.deepEqual((await database.owner.query('select from device')).rows, [])
  await assert.rejects(database.drop(), /does not take this statement/)
})
