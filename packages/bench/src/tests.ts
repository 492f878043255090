import { parseArgs } from 'node:util'
import type pg from 'pg'
import type { Sent } from '@caretaker/contract/route.ts'
import { getAllTests, testSorts } from '@caretaker/contract/lighting.ts'
import type { Estate } from './estate.ts'
import { inEstate } from './estate.ts'
import { percentile, rounded, timed } from './figures.ts'
import { ofItsSize } from './own-server.ts'

/** Tests of a light in a year: a flick test a month, one of three hours. */
const perYear = 13

type Asked = Omit<Sent<typeof getAllTests>['body'], 'tenant'>

/**
 * A page of all test results at the API: p50 and p95 in ms by what is asked for, every filter in every order. Without other options
 * 100,000 lights of ten years, which take a while to make: `--lights N`, `--years N`, `--data FOLDER` keeps it; `--ways PATTERN` asks in
 * these ways only.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      lights: { type: 'string', default: '100000' },
      years: { type: 'string', default: '10' },
      runs: { type: 'string', default: '50' },
      data: { type: 'string' },
      ways: { type: 'string', default: '.' },
    },
  })
  const asked = new RegExp(values.ways)
  const measure = async (estate: Estate) => {
    const rows = await seed(estate, Number(values.lights), Number(values.years) * perYear)
    const { tenant, call, database } = estate
    const { rows: buildings } = await database.owner.query<{ id: string; lights: number }>(
      `select building_id as id, count(*)::int as lights from device
       where tenant_id = $1 and product = 'EM' and building_id is not null group by 1 order by 2`,
      [tenant],
    )
    const usual = { limit: 50, withSeries: false }
    const { data: first } = await call(getAllTests, { body: { tenant, ...usual } })
    const narrowed: Record<string, Asked> = {
      'all tests': usual,
      'a word of none': { ...usual, text: 'nothing is called this' },
      'words of few lights': { ...usual, text: 'Bench light 777' },
      'words of some lights': { ...usual, text: 'Bench light 77' },
      'a word of most lights': { ...usual, text: 'bench' },
      'small building': { ...usual, buildingId: buildings[0]!.id },
      'large building': { ...usual, buildingId: buildings.at(-1)!.id },
      'a word in a building': { ...usual, buildingId: buildings.at(-1)!.id, text: '7' },
      'a group': { ...usual, groupId: await group(estate) },
      'a month': { ...usual, from: daysAgo(90), to: daysAgo(60) },
      'words of few lights, a year': { ...usual, text: 'Bench light 777', from: daysAgo(720), to: daysAgo(360) },
      failed: { ...usual, result: 'Failed' },
      T180: { ...usual, testType: 'T180' },
      'T180 failed': { ...usual, testType: 'T180', result: 'Failed' },
      'of no result': { ...usual, result: 'Suppressed' },
      'words of few lights, of no type': { ...usual, text: 'Bench light 777', testType: 'T60' },
      'words of few lights, T180 failed': { ...usual, text: 'Bench light 777', testType: 'T180', result: 'Failed' },
      'words of some lights, failed': { ...usual, text: 'Bench light 77', result: 'Failed' },
      'words of some lights, T0 failed': { ...usual, text: 'Bench light 77', testType: 'T0', result: 'Failed' },
      'words of some lights, T180 failed': { ...usual, text: 'Bench light 77', testType: 'T180', result: 'Failed' },
      'one test': { ...usual, eventId: first!.tests[0]!.eventId },
    }
    const cases: Record<string, Asked> = {
      'ten with their curves': { limit: 10, withSeries: true },
      'next page': { ...usual, after: first!.next! },
    }
    for (const sort of testSorts)
      for (const descending of [true, false]) {
        const order = `by ${sort}${descending ? ', falling' : ''}`
        for (const [name, wanted] of Object.entries(narrowed))
          cases[`${name}, ${order}`] = { ...wanted, sort, descending }
        if (asked.test(`after 5,000 tests, ${order}`))
          cases[`after 5,000 tests, ${order}`] = {
            ...usual,
            sort,
            descending,
            after: await after5000(estate, { sort, descending }),
          }
      }
    // In turns: what else the machine does in a second meets a call of each way, not many of one.
    const ways = Object.entries(cases).filter(([name]) => asked.test(name))
    const samples = await timed(
      Number(values.runs),
      ...ways.map(
        ([, wanted]) =>
          () =>
            call(getAllTests, { body: { tenant, ...wanted } }),
      ),
    )
    const figures = Object.fromEntries(
      ways.map(([name], at) => {
        const [p50, p95] = [percentile(samples[at]!, 0.5), percentile(samples[at]!, 0.95)]
        return [name, { p50: rounded(p50), p95: rounded(p95) }]
      }),
    )
    const slowest = Math.max(...Object.values(figures).map(({ p95 }) => p95))
    const building = buildings.at(-1)!.lights
    console.log(JSON.stringify({ tests: rows, largestBuilding: building, figures: slowestFirst(figures) }, null, 2))
    console.log(
      `tests: the slowest of ${Object.keys(figures).length} pages, p95 ${slowest} ms (must be at most ${mostMs})`,
    )
    if (slowest > mostMs) process.exitCode = 1
  }
  await inEstate({ devices: 2000, kept: values.data, settings: ofItsSize }, measure)
}

const slowestFirst = (figures: Record<string, { p50: number; p95: number }>) =>
  Object.fromEntries(Object.entries(figures).toSorted(([, a], [, b]) => b.p95 - a.p95))

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** Of a page of the tests of 100,000 lights. */
const mostMs = 60

async function after5000({ tenant, call }: Estate, order: Pick<Asked, 'sort' | 'descending'>): Promise<string> {
  let after: string | undefined
  for (let page = 0; page < 10; page++) {
    const body = { tenant, limit: 500, withSeries: false, ...order, ...(after && { after }) }
    after = (await call(getAllTests, { body })).data!.next ?? undefined
  }
  return after!
}

/** A group of lights all over the estate. */
async function group({ tenant, database: { owner } }: Estate): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    `insert into light_group (tenant_id, id, name, name_key, building_id, t180_start, created_at)
     select $1, gen_random_uuid(), 'Bench', 'bench', id, '2026-01-05 22:00', now() from building where tenant_id = $1 order by id limit 1
     on conflict (tenant_id, name_key) do update set name = excluded.name returning id`,
    [tenant],
  )
  await owner.query(
    `insert into light_group_member (tenant_id, group_id, device_id, added_at)
     select $1, $2, id, now() from device where tenant_id = $1 and name like 'Bench light %37'
     on conflict do nothing`,
    [tenant, rows[0]!.id],
  )
  return rows[0]!.id
}

/** Gives the tenant so many lights, in its buildings, each with so many tests; returns how many tests there are. */
async function seed({ tenant, database: { owner } }: Estate, lights: number, tests: number): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::int as count from device where tenant_id = $1 and name like 'Bench light%'`,
    [tenant],
  )
  if (!rows[0]!.count) {
    await owner.query(
      `insert into device (tenant_id, id, serial, product, name, listing, status, severity, building_id, building_name)
       select $1, gen_random_uuid(), 'EMB' || n || 'X', 'EM', 'Bench light ' || n, 'EmergencyLights', 'Ok', 2, place.id, place.name
       from generate_series(1, $2::int) as n
       left join (select id, name, row_number() over (order by id) as at, count(*) over () as all from building where tenant_id = $1)
         as place on place.at = n % place.all + 1`,
      [tenant, lights],
    )
    await withoutIndexes(owner, (client) => addTests(client, tenant, tests))
  }
  await owner.query('vacuum analyze emergency_test, device')
  const counted = await owner.query<{ count: number }>(
    'select count(*)::int as count from emergency_test where tenant_id = $1',
    [tenant],
  )
  return counted.rows[0]!.count
}

/** A month of all lights at a time, the oldest first, as they come in; their ids in that order too. */
async function addTests(client: pg.PoolClient, tenant: string, tests: number): Promise<void> {
  const curve = JSON.stringify(
    Array.from({ length: 60 }, (_, at) => ({ seconds: at * 180, batteryVoltage: 4 - at / 100 })),
  )
  for (let n = tests; n > 0; n--)
    await client.query(
      `insert into emergency_test (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
       select $1, lpad(to_hex($2::bigint * 10000000 + row_number() over ()), 32, '0')::uuid, id, $3,
         now() - $4::int * interval '28 days' - random() * interval '5 days', result,
         case result when 'Passed' then 'Device successfully completed test.'
           when 'Failed' then 'Predicted Failed Components: ' || (array['Battery', 'Inverter', 'Lamp'])[1 + n % 3] || '.'
           else 'Predicted degraded Components: Battery.' || case when n % 50 = 0 then ' Looked at by hand, ' || n else '' end end,
         '{"Battery": "Ok", "Lamp": "Ok"}', $5::jsonb
       from (select id, row_number() over () as n,
           (array['Passed', 'Passed', 'Passed', 'Passed', 'Passed', 'Passed', 'Passed', 'Passed', 'Degraded', 'Failed'])
             [1 + floor(random() * 10)::int] as result
         from device where tenant_id = $1 and name like 'Bench light%') as light`,
      [tenant, tests - n + 1, n % perYear ? 'T0' : 'T180', n, n === perYear ? curve : '[]'],
    )
}

/** Millions of rows are written into a table whose indexes are built afterwards, and whose references are known to be right. */
async function withoutIndexes(owner: pg.Pool, write: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await owner.connect()
  try {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = 'emergency_test'::regclass and not indisunique`,
    )
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'`,
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    await write(client)
    for (const { definition } of indexes) await client.query(definition)
  } finally {
    client.release(true)
  }
}
