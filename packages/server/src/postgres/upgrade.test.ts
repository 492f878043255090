import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, test } from 'vitest'
import pg from 'pg'
import { migrations } from '../migrations/index.ts'
import type { TestDatabase } from '../testing/database.ts'
import { emptyDatabase, isDistributed, testDatabase } from '../testing/database.ts'
import { skipBecause } from '../testing/skipping.ts'
import { checkSchema, migrate } from './migrate.ts'
import { asBaseline, baseline, isBeforeBaseline, squashed } from './squashed.ts'

/**
 * The database of a small demo with the last squashed migrations, dumped with `pg_dump --inserts`, with readings of a
 * few series only. It cannot be generated again.
 */
const dump = new URL('../testing/before-baseline.sql.gz', import.meta.url)

const skip = (await isDistributed()) && 'a dump says nothing of how tables are distributed'
let fresh: TestDatabase
let database: TestDatabase
/** As in an organisation's database: it owns the database, may create roles, and is subject to row-level security. */
let owner: pg.Pool
let role: string
let before: Map<string, string>

beforeAll(async () => {
  if (skip) return
  fresh = await testDatabase()
  database = await emptyDatabase()
  const name = new URL(database.url).pathname.slice(1)
  role = `owner_of_${name}`
  await database.owner.query(`create role ${role} nologin createrole`)
  await database.owner.query(`grant caretaker_app, caretaker_idp to ${role} with admin option`)
  await database.owner.query(`alter database ${name} owner to ${role}`)
  owner = new pg.Pool({ connectionString: database.url, max: 2, options: `-c role=${role}` })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(gunzipSync(readFileSync(dump)).toString())
  await client.end()
  await database.owner.query(`
    do $$ declare one record; begin
      for one in select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where nspname in ('public', 'idp') and relkind in ('r', 'p', 'v') loop
        execute 'alter table ' || one.name || ' owner to ${role}';
      end loop;
      for one in select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace loop
        execute 'alter function ' || one.name || ' owner to ${role}';
      end loop;
    end $$;
    alter schema idp owner to ${role}`)
  before = await contentsOf(await tables())
})
afterAll(async () => {
  if (skip) return
  await owner.end()
  await database.owner.query(`reassign owned by ${role} to current_user`)
  await database.owner.query(`drop owned by ${role}`)
  await database.drop()
  await fresh.owner.query(`drop role ${role}`)
  await fresh.drop()
})

const namesOf = async (from: pg.Pool): Promise<string[]> =>
  (await from.query<{ name: string }>('select name from kysely_migration order by name')).rows.map(({ name }) => name)

/** Every table with its schema, except partitions and the list of migrations. */
async function tables(): Promise<string[]> {
  const { rows } = await database.owner.query<{ name: string }>(`
    select relnamespace::regnamespace || '.' || relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relname <> 'kysely_migration'
      and relnamespace::regnamespace::text in ('public', 'idp') order by 1`)
  return rows.map(({ name }) => name)
}

/** The number of rows of each table, and a hash of their content. */
async function contentsOf(names: readonly string[]): Promise<Map<string, string>> {
  const contents = new Map<string, string>()
  for (const name of names) {
    const { rows } = await database.owner.query<{ held: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(one::text, 0)), 0) as held from ${name} as one`,
    )
    contents.set(name, rows[0]!.held)
  }
  return contents
}

/** Columns, constraints, indexes, policies, grants and functions, as text for comparison. */
async function schemaOf(from: pg.Pool): Promise<string[]> {
  const { rows } = await from.query<{ line: string }>(`
    with relation as (
      select pg_class.oid, nspname || '.' || relname as name, reloptions, relrowsecurity, relforcerowsecurity, relacl
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname in ('public', 'idp') and relkind in ('r', 'p', 'v') and not relispartition)
    select name || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull || ' ' || attidentity::text || attgenerated::text
      || attstorage::text || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') as line
      from relation join pg_attribute on attrelid = relation.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all select name || ' ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
      from relation join pg_constraint on conrelid = relation.oid where contype <> 'n'
    union all select pg_get_indexdef(indexrelid) from relation join pg_index on indrelid = relation.oid
    union all select name || ' ' || polname || ' ' || coalesce(pg_get_expr(polqual, polrelid), '') from relation
      join pg_policy on polrelid = relation.oid
    union all select name || ' ' || coalesce(reloptions::text, '') || relrowsecurity || relforcerowsecurity from relation
    union all select name || ' ' || grantee::regrole || ' ' || privilege_type from relation, aclexplode(relacl)
      where grantee::regrole::text in ('caretaker_app', 'caretaker_idp')
    union all select pg_get_functiondef(pg_proc.oid) from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`)
  return rows.map(({ line }) => line)
}

test(
  'a database of the last squashed migration is checked, recorded at the baseline, and keeps every row',
  skipBecause(skip),
  async () => {
    assert.deepEqual(await namesOf(database.owner), squashed)
    assert.ok([...before.values()].filter((held) => !held.startsWith('0 ')).length > 60, 'the dump has rows')
    // If an operator migrates by hand, the new version reports the baseline before any later migration.
    assert.deepEqual(asBaseline(squashed), [baseline])
    assert.deepEqual(await migrate(owner, { migrations: { [baseline]: migrations[baseline]! } }), [baseline])
    assert.deepEqual(await namesOf(database.owner), [baseline])
    assert.deepEqual(await contentsOf([...before.keys()]), before)
    await migrate(owner)
    await checkSchema(owner)
    assert.deepEqual(await namesOf(database.owner), Object.keys(migrations))
  },
)

test('its schema is then that of a new database', skipBecause(skip), async () => {
  assert.deepEqual(await schemaOf(database.owner), await schemaOf(fresh.owner))
})

test(
  'a database with only some of the squashed migrations, or without what they created, is left unchanged and the gaps are named',
  skipBecause(skip),
  async () => {
    const other = await testDatabase()
    try {
      const record = async (names: readonly string[]) => {
        await other.owner.query('delete from kysely_migration')
        await other.owner.query('insert into kysely_migration select name, $2 from unnest($1::text[]) as name', [
          names,
          '',
        ])
      }
      const early = squashed.slice(0, 100)
      await record(early)
      assert.ok(isBeforeBaseline(early))
      await assert.rejects(
        migrate(other.owner),
        /lacks some of them: run "npm run caretaker -- migrate" of commit \w+ first/,
      )
      await assert.rejects(checkSchema(other.owner), /lacks some of them/)
      assert.deepEqual(await namesOf(other.owner), early)
      await record(squashed)
      await other.owner.query(
        'alter table building drop column latitude; drop function serials_taken_elsewhere(text[])',
      )
      await assert.rejects(
        migrate(other.owner),
        /lacks items that they create: public\.building\.latitude, public\.serials_taken_elsewhere\(text\[\]\)/,
      )
      assert.deepEqual(await namesOf(other.owner), squashed)
    } finally {
      await other.drop()
    }
  },
)
