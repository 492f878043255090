import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, test } from 'vitest'
import { sql } from 'kysely'
import type { Reading } from '@caretaker/rules/telemetry/readings.ts'
import type { Readings } from '@caretaker/rules/telemetry/thin.ts'
import { thin } from '@caretaker/rules/telemetry/thin.ts'
import { readConfig } from '../../config.ts'
import { makeAllDue } from '../../postgres/due.ts'
import { ensurePartitions, partitionOf } from '../../postgres/partitions.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { isDistributed, testDatabase } from '../../testing/database.ts'
import { eventually } from '../../testing/device-link.ts'
import { eraseReadings } from './erase.ts'
import { firstHour, readDaysOfCounts, readHourMeans } from './hours.ts'
import { ingestTelemetry, seriesCache } from './ingest.ts'
import { packedBefore, packPoints } from './pack.ts'
import { readPoints } from './points.ts'
import { forgetTelemetry } from './retention.ts'
import { skipBecause } from '../../testing/skipping.ts'

const tenant = 'north'
const minute = 60_000
const day = 86_400_000
const now = new Date()
const today = Math.floor(+now / day) * day

const distributed = await isDistributed()

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
  await ensurePartitions(database.owner, now, new Date(+now - 60 * day))
})
afterAll(() => database.drop())

const within = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(database.db, tenant, work)

async function addDevice(): Promise<string> {
  const id = crypto.randomUUID()
  await within((tx) =>
    tx
      .insertInto('device')
      .values({ tenant_id: tenant, id, serial: id, product: 'MD', name: 'Dot', status: 'Ok', severity: 2 })
      .execute(),
  )
  return id
}

const store = (deviceId: string, payload: Reading[]) =>
  within((tx) => ingestTelemetry(tx, [{ deviceId, payload, raw: Buffer.alloc(0) } as never], seriesCache()))
const warmth = (ts: number, temperature: number): Reading => ({ ts, values: { temperature } }) as Reading

async function pack(at = now) {
  await makeAllDue(database.owner, tenant)
  return packPoints(database.db, at)
}

async function seriesOf(deviceId: string): Promise<number> {
  const { rows } = await database.owner.query<{ id: number }>('select id from series where device_id = $1', [deviceId])
  return rows[0]!.id
}

async function read(deviceId: string, from = 0, to = +now): Promise<[number, number][]> {
  const series = await seriesOf(deviceId)
  const found = await within((tx) => readPoints(tx, [series], { from: new Date(from), to: new Date(to) }))
  const { dates, values } = found.get(series)!()
  return Array.from(dates, (date, place) => [date, values[place]!])
}

const hour = 3_600_000

/** The mean of each hour and the bounds of each day between two instants, whether packed or not. */
async function readHours(deviceId: string, from: number, to: number) {
  const asked = { metrics: ['temperature'], from, to } as const
  return within(async (tx) => {
    const means = (await readHourMeans(tx, [deviceId], asked)).get(deviceId)?.temperature ?? new Float64Array()
    const first = firstHour(from)
    const known = [...means].flatMap((mean, place) => (Number.isNaN(mean) ? [] : [[first + place * hour, mean]]))
    return { means: known, days: (await readDaysOfCounts(tx, [deviceId], asked)).get(deviceId) ?? [] }
  })
}

/** The same, computed directly from readings. */
function hoursOf(readings: [number, number][], from: number, to: number) {
  const inHours = [...Map.groupBy(readings, ([at]) => at - (at % hour))].filter(([at]) => at >= from && at < to)
  const days = [...Map.groupBy(inHours, ([at]) => at - (at % (24 * hour)))].toSorted(([a], [b]) => a - b)
  return {
    means: inHours.map(([at, some]) => [at, some.reduce((sum, [, value]) => sum + value, 0) / some.length]),
    days: days.map(([day, of]) => {
      const values = of.flatMap(([, some]) => some.map(([, value]) => value))
      return { day, low: Math.min(...values), high: Math.max(...values) }
    }),
  }
}

function assertHours(found: Awaited<ReturnType<typeof readHours>>, expected: ReturnType<typeof hoursOf>) {
  assert.deepEqual(found.days, expected.days)
  assert.deepEqual(
    found.means.map(([at]) => at),
    expected.means.map(([at]) => at),
  )
  for (const [place, [, mean]] of found.means.entries())
    assert.ok(Math.abs(mean! - expected.means[place]![1]!) < 1e-9, `${mean} is not ${expected.means[place]![1]}`)
}

async function lie(deviceId: string) {
  const { rows } = await database.owner.query<{ loose: number; days: number; packed: number; summed: number }>(
    `select (select count(*)::int from point where series_id = $1) as loose,
       (select count(*)::int from packed_day where series_id = $1) as days,
       (select coalesce(sum(n), 0)::int from packed_day where series_id = $1) as packed,
       (select coalesce(sum(n), 0)::int from hourly where series_id = $1) as summed`,
    [await seriesOf(deviceId)],
  )
  return rows[0]!
}

/** The same each time. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below
}

test('query results are the same whenever days are packed, with late and repeated readings and any range', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const next = chance(seed)
    const deviceId = await addDevice()
    const known = new Map<number, number>()
    for (let round = 0; round < 6; round++) {
      const some = Array.from({ length: 40 }, () => {
        const ts = today - 6 * day + next(6 * day + 3_600_000)
        return warmth(Math.min(ts, +now), next(400) / 10)
      })
      // A message may contain an instant twice; the first value stays too.
      some.push(...some.filter(() => next(3) === 0).map(({ ts }) => warmth(ts, next(400) / 10)))
      // Of two values for one instant the first stays, even if it came in an earlier round and is packed.
      const again = [...known.keys()].filter(() => next(3) === 0).map((ts) => warmth(ts, 99))
      await store(deviceId, [...again, ...some])
      for (const { ts, values } of some) if (!known.has(ts)) known.set(ts, values.temperature!)
      if (next(10) < 5) await pack()
      // A late reading counts in its hour at once, whether that was packed or not.
      const sorted = [...known].sort(([one], [other]) => one - other)
      const from = today - next(7) * day - next(30) * hour
      const to = Math.min(+now, from + next(6 * 24) * hour)
      assertHours(await readHours(deviceId, from, to), hoursOf(sorted, from, to))
    }
    await pack()
    const expected = [...known].sort(([one], [other]) => one - other)
    assert.deepEqual(await read(deviceId), expected)
    const { loose, packed, summed } = await lie(deviceId)
    const old = expected.filter(([at]) => at < +packedBefore(now)).length
    assert.deepEqual({ loose, packed, summed }, { loose: known.size - old, packed: old, summed: known.size })
    for (let range = 0; range < 20; range++) {
      const from = expected[next(expected.length)]![0] - next(2)
      const to = from + next(3 * day)
      const inRange = expected.filter(([at]) => at >= from && at <= to)
      assert.deepEqual(await read(deviceId, from, to), inRange)
    }
  }
})

test('a line over packed days is drawn from their outlines, the same as from all readings', async () => {
  const [length, bucket, silence] = [6 * day, 15 * minute, 20 * minute]
  const next = chance(11)
  const deviceId = await addDevice()
  /** Some of the minutes of six days, and none in some hours. */
  const some = (share: number) =>
    Array.from({ length: 6 * 1440 }, (_, n) =>
      warmth(today - 7 * day + n * minute + next(minute), next(400) / 10),
    ).filter(({ ts }) => next(10) < share && (ts / hour) % 7 > 1)
  const drawn = async (from: number, to: number, width = bucket) => {
    const id = await seriesOf(deviceId)
    const range = { from: new Date(from), to: new Date(to) }
    const read = (bucket: number) => within(async (tx) => (await readPoints(tx, [id], range, bucket)).get(id)!())
    const [whole, part] = [await read(0), await read(width)]
    const thinned = (readings: Readings) => thin(readings, { width, silence })
    assert.deepEqual(thinned(part), thinned(whole))
    return part.dates.length / whole.dates.length
  }
  await store(deviceId, some(9))
  await pack()
  const [begin, end] = [today - 7 * day, today - day]
  assert.ok((await drawn(begin, end)) < 0.5)
  // Late readings are in the outline made with them.
  await store(deviceId, some(1))
  await pack()
  for (let round = 0; round < 20; round++) {
    const from = begin + next(3 * day)
    await drawn(from, Math.min(end, from + length / 2 + next(3 * day)), [bucket, 30 * minute, hour][next(3)]!)
  }
  const outlined = await drawn(begin, end)
  assert.ok(outlined < 0.5)
  // Finer buckets need every reading.
  assert.equal(await drawn(begin, end, 10 * minute), 1)

  // A reading added by a process of the previous version is in no outline.
  await database.owner.query(
    `update packed_day set n = n + 1, gaps = gaps || 1, readings = readings || 99::float8
     where series_id = $1 and day = $2`,
    [await seriesOf(deviceId), new Date(begin + 2 * day)],
  )
  assert.ok((await drawn(begin, end)) > outlined + 0.05)
})

test('a day whose outline would be most of its readings has none', async () => {
  const deviceId = await addDevice()
  await store(
    deviceId,
    Array.from({ length: 96 }, (_, n) => warmth(today - 5 * day + n * 15 * minute, n % 7)),
  )
  await pack()
  const { rows } = await database.owner.query(
    'select outline_of, outline_gaps, outline_readings from packed_day where series_id = $1',
    [await seriesOf(deviceId)],
  )
  assert.deepEqual(rows, [{ outline_of: null, outline_gaps: null, outline_readings: null }])
})

test('readings that arrive while their day is packed are neither lost nor counted twice', async () => {
  const deviceId = await addDevice()
  const begin = today - 4 * day
  const readings = Array.from({ length: 400 }, (_, place) => warmth(begin + place * minute, place))
  await store(deviceId, readings.slice(0, 200))
  await makeAllDue(database.owner, tenant)
  const packing = (async () => {
    for (let round = 0; round < 10; round++) await packPoints(database.db, now)
  })()
  // Each is sent twice, as by a broker that got no acknowledgement.
  for (let at = 0; at < 400; at += 20) {
    await store(deviceId, readings.slice(at, at + 20))
    await store(deviceId, readings.slice(at, at + 20))
  }
  await packing
  await pack()
  assert.deepEqual(
    await read(deviceId),
    readings.map(({ ts, values }) => [ts, values.temperature]),
  )
  assert.deepEqual(await lie(deviceId), { loose: 0, days: 1, packed: 400, summed: 400 })
})

test('a reader sees each reading exactly once at every moment while days are packed', async () => {
  const deviceId = await addDevice()
  const begin = today - 6 * day
  const readings = Array.from({ length: 5 * 288 }, (_, place) => warmth(begin + place * 5 * minute, place))
  await store(deviceId, readings)
  const expected = readings.map(({ ts, values }): [number, number] => [ts, values.temperature!])
  await makeAllDue(database.owner, tenant)
  let [packing, looks, between] = [true, 0, 0]
  const reader = async () => {
    while (packing) {
      const { loose, packed } = await lie(deviceId)
      if (loose && packed) between++
      assert.deepEqual(await read(deviceId), expected)
      looks++
    }
  }
  // Each day is a transaction of its own, delayed at its end so that readers come in between.
  if (!distributed) await holdUp('perform pg_sleep(0.05)')
  const readers = Promise.all([reader(), reader(), reader()])
  try {
    await packPoints(database.db, now)
  } finally {
    packing = false
    if (!distributed) await releaseInsert()
  }
  await readers
  assert.ok(looks > 5, `${looks} looks`)
  if (!distributed) assert.ok(between > 0, 'nobody looked while some days were packed and others were not')
  assert.deepEqual(await lie(deviceId), { loose: 0, days: 5, packed: readings.length, summed: readings.length })
  assert.deepEqual(await read(deviceId), expected)
})

/** Runs a statement whenever a packed day is written, in the same transaction. */
async function holdUp(what: string): Promise<void> {
  await database.owner.query(
    `create function hold_up() returns trigger language plpgsql as $$ begin ${what}; return new; end $$`,
  )
  await database.owner.query(
    'create trigger hold_up before insert on packed_day for each row execute function hold_up()',
  )
}
const releaseInsert = () => database.owner.query('drop function hold_up cascade')

const skip = distributed && 'a distributed table takes no trigger to cut it off'

test(
  'an interrupted packing run leaves everything unchanged, and the next run completes it',
  skipBecause(skip),
  async () => {
    const deviceId = await addDevice()
    const readings = Array.from({ length: 300 }, (_, place) => warmth(today - 3 * day + place * minute, place / 10))
    await store(deviceId, readings)
    await database.owner.query(`
    create function cut_off() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`)
    await database.owner.query(
      'create trigger cut_off before insert on packed_day for each row execute function cut_off()',
    )
    await assert.rejects(pack())
    assert.deepEqual(await lie(deviceId), { loose: 300, days: 0, packed: 0, summed: 300 })
    await database.owner.query('drop trigger cut_off on packed_day')
    await pack()
    assert.deepEqual(await lie(deviceId), { loose: 0, days: 1, packed: 300, summed: 300 })
    assert.equal((await read(deviceId)).length, 300)
  },
)

test(
  'a process killed while packing leaves everything unchanged, and the next one completes it',
  skipBecause(skip),
  async () => {
    const deviceId = await addDevice()
    const readings = Array.from({ length: 300 }, (_, place) => warmth(today - 3 * day + place * minute, place / 10))
    await store(deviceId, readings)
    await makeAllDue(database.owner, tenant)
    const gate = await database.owner.connect()
    await gate.query('select pg_advisory_lock(4711)')
    await holdUp('perform pg_advisory_xact_lock(4711)')
    const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    const program = `
    import { openDb, openPool } from ${module('../../postgres/pool.ts')}
    import { packPoints } from ${module('./pack.ts')}
    await packPoints(openDb(openPool(${JSON.stringify(database.url)}, 'app', 2)), new Date(${+now}))`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' })
    const ended = once(child, 'exit')
    const atWork = async () =>
      (
        await gate.query<{ n: number }>(
          `select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`,
        )
      ).rows[0]!.n
    try {
      // The points are deleted and the day is written, but nothing is committed.
      await eventually(atWork, (n) => n === 1)
      assert.equal((await read(deviceId)).length, 300)
      child.kill('SIGKILL')
      assert.equal((await ended)[1], 'SIGKILL')
    } finally {
      child.kill('SIGKILL')
      await gate.query('select pg_advisory_unlock(4711)')
      gate.release()
      // At its next message the database notices that the process is gone, and releases the series.
      await releaseInsert()
    }
    assert.deepEqual(await lie(deviceId), { loose: 300, days: 0, packed: 0, summed: 300 })
    await pack()
    assert.deepEqual(await lie(deviceId), { loose: 0, days: 1, packed: 300, summed: 300 })
    assert.equal((await read(deviceId)).length, 300)
  },
)

test('a day that ended less than a day ago is not packed yet', async () => {
  const deviceId = await addDevice()
  const at = new Date(today + day / 2)
  await store(deviceId, [warmth(today - day, 1), warmth(today - 1, 2), warmth(today - day - 1, 3)])
  await pack(at)
  assert.deepEqual(await lie(deviceId), { loose: 2, days: 1, packed: 1, summed: 3 })
})

test('packed days expire by the settings, packed weeks keep their tables for late readings, and erasing deletes them', async () => {
  const deviceId = await addDevice()
  const series = await store(deviceId, [warmth(today - 2 * day, 1)]).then(() => seriesOf(deviceId))
  const old = [29, 31, 45].map((days) => new Date(today - days * day))
  await within((tx) =>
    tx
      .insertInto('point')
      .values(old.map((at) => ({ tenant_id: tenant, series_id: series, at, value: 7 })))
      .execute(),
  )
  const context = {
    config: readConfig({ CARETAKER_DATA: '/nonexistent', CARETAKER_TELEMETRY_DAYS: '30' }),
    ...database,
  }
  // Another client's points keep their week.
  const held = new Date(today - 28 * day)
  await database.owner.query(`insert into point values ('south', 4711, $1, 5)`, [held])
  await pack()
  assert.deepEqual(await lie(deviceId), { loose: 0, days: 4, packed: 4, summed: 1 })
  await makeAllDue(database.owner, tenant)
  const { packed } = await forgetTelemetry(context, now)
  assert.ok(packed >= 2)
  assert.equal((await lie(deviceId)).days, 2)
  const tables = (
    await database.owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'point'::regclass order by 1`,
    )
  ).rows.map(({ name }) => name)
  // Empty weeks stay as long as a late reading may need them.
  assert.deepEqual(
    tables.slice(0, 2),
    [98, 91].map((days) => partitionOf(new Date(+now - days * day)).name),
  )

  await within((tx) => sql`insert into erasure (tenant_id, series_id) values (${tenant}, ${series})`.execute(tx))
  await makeAllDue(database.owner, tenant)
  await eraseReadings(database.db, new Date())
  assert.deepEqual(await lie(deviceId), { loose: 0, days: 0, packed: 0, summed: 0 })
})

test('a day of one reading a minute takes less than 12 bytes per reading', async () => {
  const deviceId = await addDevice()
  const next = chance(7)
  const readings = Array.from({ length: 1440 }, (_, place) =>
    warmth(today - 5 * day + place * minute, Math.round(200 + 50 * Math.sin(place / 200) + next(5)) / 10),
  )
  await store(deviceId, readings)
  await pack()
  const { rows } = await database.owner.query<{ bytes: number }>(
    'select pg_column_size(packed_day.*) as bytes from packed_day where series_id = $1',
    [await seriesOf(deviceId)],
  )
  assert.ok(rows[0]!.bytes / 1440 < 12, `${rows[0]!.bytes / 1440} bytes`)
})
