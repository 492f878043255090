import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { sql } from 'kysely'
import { readConfig } from '../../config.ts'
import { makeAllDue } from '../../postgres/due.ts'
import { hourlyOf, looseDays } from '../../postgres/hourly.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { readHours } from '../damp/assess.ts'
import { exportedSubjects } from '../tenants/export/subjects.ts'
import { rollUpDays } from './days.ts'
import { eraseReadings } from './erase.ts'
import { readDays, readFigure, readPerformance, readWorstHour } from './figures.ts'
import { readDaysOfCounts, readHourMeans } from './hours.ts'
import { forgetTelemetry } from './retention.ts'
import { packRollUps } from './roll-ups.ts'
import { readSeries } from './store.ts'

const tenant = 'north'
const [hour, day] = [3_600_000, 86_400_000]
const now = new Date()
const today = Math.floor(+now / day) * day

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
})
afterAll(() => database.drop())

const within = <T>(work: Parameters<typeof inTenant<T>>[2], of = tenant) => inTenant(database.db, of, work)

async function pack(of = tenant) {
  await makeAllDue(database.owner, of)
  return packRollUps(database.db, now)
}

const measured = [
  'temperature',
  'humidity',
  'outsideTemperature',
  'burnerStarts',
  'heatOutput',
  'electricityConsumption',
  'power',
] as const
type Measured = (typeof measured)[number]

/** The same each time. */
function chance(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
}

interface Home {
  deviceId: string
  propertyId: string
  series: Record<Measured, number>
}

/**
 * A device with most of the hours of `days` days, up to `until` days ago: counters that grow and restart, and values
 * that go up and down.
 */
async function measuring(days: number, { until = 0, of = tenant, seed = 1 } = {}): Promise<Home> {
  const [deviceId, propertyId] = [crypto.randomUUID(), crypto.randomUUID()]
  return within(async (tx) => {
    await tx
      .insertInto('property')
      .values({
        ...{ tenant_id: of, id: propertyId, reference: propertyId, latitude: null, longitude: null },
        access_rights_tag_id: null,
      })
      .execute()
    await tx
      .insertInto('device')
      .values({
        tenant_id: of,
        id: deviceId,
        serial: deviceId,
        product: 'ASHP',
        name: 'Pump',
        property_id: propertyId,
        ...ok,
      })
      .execute()
    const next = chance(seed)
    const series = {} as Home['series']
    for (const metric of measured) {
      const { id } = await tx
        .insertInto('series')
        .values({ tenant_id: of, device_id: deviceId, metric })
        .returning('id')
        .executeTakeFirstOrThrow()
      series[metric] = id
      let count = 0
      const rows = []
      for (let at = today - days * day; at < today - until * day; at += hour) {
        if (next() < 0.1) continue
        count = next() < 0.01 ? 0 : count + Math.floor(next() * 4)
        const [low, high] = [10 + next(), 20 + next() * 10]
        const value = metric === 'burnerStarts' ? count : low
        rows.push({ hour: at, n: 4, total: low * 3 + high, low, high, last: at + Math.floor(next() * hour), value })
      }
      await sql`
        insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
        select ${of}, ${id}, to_timestamp(hour / 1000), n, total, low, high, to_timestamp(last / 1000), value
        from json_to_recordset(${JSON.stringify(rows)}::json) as row (
          hour float8, n integer, total float8, low float8, high float8, last float8, value float8)
        on conflict do nothing`.execute(tx)
    }
    return { deviceId, propertyId, series }
  }, of)
}
const ok = { status: 'Ok', severity: 2 } as const

/** Everything that pages, reports and files show of a device's hours between two instants. */
async function shown({ deviceId, propertyId }: Home, from: number, to: number, of = tenant) {
  const wanted = (metric: Measured) => [{ deviceId, metric }]
  const range = { from, to }
  const dates = { from: new Date(from), to: new Date(to) }
  const sides = [...wanted('heatOutput'), ...wanted('electricityConsumption')]
  return within(async (tx) => {
    const asked = { metrics: ['temperature', 'humidity'], from, to } as const
    const means = await readHourMeans(tx, [deviceId], asked)
    const room = { device_id: deviceId, property_id: propertyId }
    return {
      lines: await readSeries(tx, [{ id: deviceId, reportingInterval: 3600, metrics: measured }], dates),
      mean: await readFigure(tx, wanted('temperature'), 'mean', range),
      newest: await readFigure(tx, wanted('temperature'), 'newest', range),
      growth: await readFigure(tx, wanted('burnerStarts'), 'growth', range),
      energy: await readFigure(tx, wanted('power'), 'energy', range),
      performance: await readPerformance(tx, sides, range),
      worst: await readWorstHour(tx, wanted('burnerStarts'), range),
      growthOfDays: await readDays(tx, wanted('burnerStarts'), 'growth', range, 'Europe/London'),
      energyOfDays: await readDays(tx, wanted('power'), 'energy', range, 'Europe/London'),
      means: Object.fromEntries(
        Object.entries(means.get(deviceId) ?? {}).map(([metric, hours]) => [metric, [...hours].map(String)]),
      ),
      bounds: (await readDaysOfCounts(tx, [deviceId], asked)).get(deviceId),
      damp: (await readHours(tx, { until: to, figures: {} as never }, [room], from))(room),
    }
  }, of)
}

/** The hours in an export. */
async function exported(of = tenant) {
  const { columns, from } = exportedSubjects.find(({ name }) => name === 'telemetry-hourly')!
  const list = Object.entries(columns).map(([name, value]) => `${value} as "${name}"`)
  const { rows } = await database.owner.query(`select ${list.join()} from ${from} order by 1, 2, 3`, [of])
  return rows
}

async function lie({ series }: Home) {
  const { rows } = await database.owner.query<{ rows: number; days: number; hours: number; readings: number }>(
    `select (select count(*)::int from hourly where series_id = any($1)) as rows,
       (select count(*)::int from packed_roll_up where series_id = any($1)) as days,
       (select coalesce(sum(cardinality(hours)), 0)::int from packed_roll_up where series_id = any($1)) as hours,
       (select coalesce(sum(n), 0)::int from hourly where series_id = any($1))
         + (select coalesce(sum(one), 0)::int from packed_roll_up, unnest(n) as one where series_id = any($1)) as readings`,
    [Object.values(series)],
  )
  return rows[0]!
}

test('all results about hours stay the same when old ones are packed, over any range', async () => {
  const home = await measuring(150)
  const ranges = [
    [150, 0],
    [95, 3],
    [140, 90],
    [20, 0],
    [64, 60],
    [7, 0],
    [100.3, 61.7],
  ].map(([from, to]) => [today - from! * day, today - to! * day] as const)
  const before = await lie(home)
  const known = [await Promise.all(ranges.map(([from, to]) => shown(home, from, to))), await exported()] as const
  assert.ok((known[1] as unknown[]).length > 10_000)
  assert.equal(await pack(), (150 - looseDays) * measured.length)
  const after = await lie(home)
  assert.equal(after.readings, before.readings)
  assert.equal(after.rows + after.hours, before.rows)
  assert.ok(after.rows <= looseDays * 24 * measured.length)
  for (const [at, [from, to]] of ranges.entries())
    assertAlike(await shown(home, from, to), known[0][at], `${(today - from) / day} to ${(today - to) / day}`)
  assertAlike(await exported(), known[1], 'export')
  assert.equal(await pack(), 0)
})

/** Sums of the same numbers depend on the order of addition. */
function assertAlike(found: unknown, expected: unknown, where: string): void {
  if (typeof found === 'number' && typeof expected === 'number')
    return assert.ok(
      Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
      `${where}: ${found}, ${expected}`,
    )
  if (typeof found !== 'object' || found === null || found instanceof Date || typeof expected !== 'object' || !expected)
    return assert.deepEqual(found, expected, where)
  assert.deepEqual(Object.keys(found), Object.keys(expected), where)
  for (const key of Object.keys(found))
    assertAlike((found as Record<string, unknown>)[key], (expected as Record<string, unknown>)[key], `${where}.${key}`)
}

test('a counter continues after months without readings, from an hour that is packed by now', async () => {
  const home = await measuring(120, { until: 100, seed: 5 })
  await within((tx) =>
    sql`insert into hourly select ${tenant}, id, ${new Date(today)}, 1, 999, 999, 999, ${new Date(today)}, 999
      from unnest(${Object.values(home.series)}::bigint[]) as id on conflict do nothing`.execute(tx),
  )
  const range = [today - 5 * day, today + 10 * hour] as const
  const before = await shown(home, ...range)
  assert.ok(before.growth! > 500)
  assert.ok((await pack()) > 0)
  assert.equal((await lie(home)).rows, measured.length)
  assertAlike(await shown(home, ...range), before, 'after')
})

test('no hour of a night with a clock change is lost, in any time zone of the database', async () => {
  const home = await measuring(5, { seed: 31 })
  const series = home.series.temperature
  const hours = [22, 23]
  const value = hours.map(() => 1)
  await within((tx) =>
    tx
      .insertInto('packed_roll_up')
      .values({
        ...{ tenant_id: tenant, series_id: series, day: new Date('2026-03-29T00:00:00Z'), hours, n: value },
        ...{ totals: value, lows: value, highs: value, last_ms: value, last_values: value },
      })
      .execute(),
  )
  const from = new Date('2026-03-29T23:00:00Z')
  const read = await within(async (tx) => {
    await sql`set local timezone = 'Europe/London'`.execute(tx)
    const range = { from, to: new Date('2026-03-30T12:00:00Z') }
    return (
      await sql<{ hour: Date }>`select hour from ${hourlyOf(tx, sql`${series}::bigint`, range)} as hourly`.execute(tx)
    ).rows
  })
  assert.deepEqual(
    read.map(({ hour }) => hour),
    [from],
  )
})

test('a series without new readings keeps its hours as rows: the newest is its latest value', async () => {
  const home = await measuring(100, { until: 80, seed: 3 })
  const before = await shown(home, today - 100 * day, today)
  assert.ok(before.lines[0]![0]!.latest)
  assert.equal(await pack(), 0)
  assert.deepEqual(await shown(home, today - 100 * day, today), before)
})

test('days are summed up before their hours are packed, and another client is left alone', async () => {
  const [home, theirs] = [await measuring(90, { seed: 8 }), await measuring(90, { seed: 9, of: 'south' })]
  const untouched = await lie(theirs)
  await pack()
  assert.deepEqual(await lie(theirs), untouched)
  const days = async () =>
    (
      await database.owner.query('select * from daily where series_id = any($1) order by series_id, day', [
        Object.values(home.series),
      ])
    ).rows
  const summed = await days()
  assert.ok(summed.length > 80 * measured.length)
  await makeAllDue(database.owner, tenant)
  await rollUpDays(database.db, now)
  assert.deepEqual(await days(), summed)
})

test('packed hours expire by the settings, a day with its last hour, and erasing deletes them', async () => {
  const home = await measuring(160, { seed: 11 })
  await pack()
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', CARETAKER_TELEMETRY_DAYS: '30' })
  await makeAllDue(database.owner, tenant)
  await forgetTelemetry({ config, db: database.db, owner: database.owner }, now)
  const oldest = async () => {
    const found = await database.owner.query<{ at: Date }>(
      'select min(day) as at from packed_roll_up where series_id = any($1)',
      [Object.values(home.series)],
    )
    return found.rows[0]!.at
  }
  assert.equal(+(await oldest()), Math.ceil((+now - 151 * day) / day) * day)
  const series = home.series.temperature
  await within((tx) => sql`insert into erasure (tenant_id, series_id) values (${tenant}, ${series})`.execute(tx))
  await makeAllDue(database.owner, tenant)
  await eraseReadings(database.db, new Date())
  const { rows } = await database.owner.query(
    'select day from packed_roll_up where series_id = $1 union all select hour from hourly where series_id = $1',
    [series],
  )
  assert.equal(rows.length, 0)
})

test('a packed hour takes less than 80 bytes with its share of the index', async () => {
  await database.owner.query('truncate packed_roll_up')
  const homes = []
  for (let seed = 20; seed < 24; seed++) homes.push(await measuring(150, { seed }))
  await pack()
  let hours = 0
  for (const home of homes) hours += (await lie(home)).hours
  const { rows } = await database.owner.query<{ bytes: number }>(
    `select pg_total_relation_size('packed_roll_up')::int as bytes`,
  )
  assert.ok(rows[0]!.bytes / hours < 80, `${rows[0]!.bytes / hours} bytes`)
})
