import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { read, utils } from '@e965/xlsx'
import type { WorkBook } from '@e965/xlsx'
import { sql } from 'kysely'
import { getMonthlyReport } from '@caretaker/contract/reports.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { monthOf, monthSpan } from '@caretaker/rules/reports/months.ts'
import { makeDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/two-tenants.ts'
import { packHours } from '../telemetry/hours.ts'
import { assessDamp } from '../damp/assess.ts'
import { writeReports } from './job.ts'
import { monthKey } from './months.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const zone = 'Europe/London'
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const home = randomUUID()
let app: TestApp
let [sensor, light] = ['', '']

before(async () => {
  app = await testApp()
  await app.addTenant(tenant, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await app.addMember(tenant, manager, 'Manager')
  await app.database.owner.query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ($1, $2, 'H-1', '1 Mill Lane', 'LS6 1AB')`,
    [tenant, home],
  )
  sensor = await addDevice(app, tenant, { product: 'MD', serial: 'MD1000001X' })
  light = await addDevice(app, tenant, { product: 'EM' })
  await app.database.owner.query(`update device set property_id = $1, room = 'Hall', created_at = '2023-01-01'`, [home])
  await app.database.owner.query('delete from condition')
})
after(() => app.close())

/** What the clocks of the client say of an instant, by another way than that of the product. */
const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short' })
function dayOf(at: number): { month: string; monday: string } {
  const [day, month, year] = clock.format(at).split('/').map(Number) as [number, number, number]
  const date = new Date(Date.UTC(year, month - 1, day))
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return { month: `${year}-${month}`, monday: date.toISOString().slice(0, 10) }
}

interface Air {
  at: number
  temperature: number
  humidity: number
}

/** Readings of each hour from a day before the month until a day after it, of which every thirteenth is missing. */
function weather({ from, to }: { from: number; to: number }, seed: number): Air[] {
  let state = seed
  // Park and Miller: the same in every run.
  const chance = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  return Array.from({ length: (to - from) / hour + 48 }, (_, at) => from + (at - 24) * hour)
    .map((at) => ({ at, temperature: Math.round(80 + chance() * 160) / 8, humidity: Math.round(40 + chance() * 60) }))
    .filter((_, index) => index % 13 !== 0)
}

async function store(readings: readonly Air[]) {
  await inTenant(app.database.db, tenant, async (tx) => {
    for (const metric of ['temperature', 'humidity'] as const) {
      await tx
        .insertInto('series')
        .values({ tenant_id: tenant, device_id: sensor, metric })
        .onConflict((same) => same.doNothing())
        .execute()
      const { id } = await tx
        .selectFrom('series')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('device_id', '=', sensor)
        .where('metric', '=', metric)
        .executeTakeFirstOrThrow()
      const values = readings.map((one) => one[metric])
      await sql`
        insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
        select ${tenant}, ${id}, told.at, 1, told.value, told.value, told.value, told.at, told.value
        from unnest(${readings.map(({ at }) => new Date(at).toISOString())}::timestamptz[], ${values}::float8[]) as told (at, value)
        on conflict do nothing`.execute(tx)
    }
  })
}

const happens = async (tests: readonly number[], silences: readonly (readonly [number, number])[]) => {
  for (const at of tests)
    await app.database.owner.query(
      `insert into emergency_test (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
       values ($1, gen_random_uuid(), $2, 'T0', $3, 'Passed', '', '{}', '[]')`,
      [tenant, light, new Date(at)],
    )
  for (const [began, ended] of silences)
    await app.database.owner.query(
      `insert into condition (tenant_id, id, device_id, kind, key, began_at, last_seen_at, evidence, ended_at)
       values ($1, gen_random_uuid(), $2, 'notHeard', '', $3, $3, '{}', $4)`,
      [tenant, light, new Date(began), new Date(ended)],
    )
}

async function workbook(reportType: string, { year, month }: Month): Promise<WorkBook> {
  const params = { tenant, reportType, year, month }
  const url = getMonthlyReport.path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof params) => String(params[name]))
  const headers = { authorization: `Bearer ${await app.token(manager)}` }
  const response = await app.app.inject({ url, headers })
  assert.equal(response.statusCode, 200, response.body)
  return read(response.rawPayload, { cellDates: true })
}
const dataOf = (book: WorkBook) => utils.sheet_to_json<Record<string, unknown>>(book.Sheets['Data']!)

for (const [what, month] of [
  ['February of a leap year', { year: 2024, month: 2 }],
  ['March, in which clocks go forward', { year: 2025, month: 3 }],
  ['October, in which clocks go back', { year: 2025, month: 10 }],
] as const)
  test(`${what}: figures are those of a naive model, in a workbook that a foreign library opens [est-7.5-1]`, async () => {
    const { from, to } = monthSpan(month, zone)
    const readings = weather({ from, to }, month.month)
    await store(readings)
    // As the nights of the month leave them: most days are packed by its end, the last ones are not.
    const packed = new Date(Math.floor(to / day - 3) * day)
    await inTenant(app.database.db, tenant, async (tx) => {
      const series = await tx.selectFrom('series').select('id').where('tenant_id', '=', tenant).execute()
      await packHours(
        tx,
        series.map(({ id }) => id),
        packed,
      )
    })
    const tests = [from - 1, from, to - 1, to]
    const silences = [
      [from - 2 * hour, from + 3 * hour],
      [to - 90 * minute, to + hour],
    ] as const
    await happens(tests, silences)
    const end = new Date(to + minute)
    await app.database.owner.query('delete from due')
    await inTenant(app.database.db, tenant, (tx) => makeDue(tx, 'write reports', end))
    await writeReports(app.context, undefined, () => end)

    const isIn = (at: number) => dayOf(at).month === `${month.year}-${month.month}`
    const inMonth = readings.filter(({ at }) => isIn(at))
    const humid = inMonth.filter(({ humidity }) => humidity > 70)
    const weeks = new Map<string, number>()
    for (const { at } of humid) weeks.set(dayOf(at).monday, (weeks.get(dayOf(at).monday) ?? 0) + 1)
    const most = Math.max(...weeks.values())
    const mean = (of: (one: Air) => number) => inMonth.reduce((sum, one) => sum + of(one), 0) / inMonth.length
    let silent = 0
    for (const [began, ended] of silences) for (let at = began; at < ended; at += minute) if (isIn(at)) silent++

    const damp = await workbook('DampAndMould', month)
    assert.deepEqual(damp.SheetNames, ['Summary', 'Data'])
    const [room, ...others] = dataOf(damp)
    assert.deepEqual(others, [])
    assert.deepEqual(
      ['Property REF', 'Room', 'Sensor', 'Hours known', 'Hours above 70 %', 'Hours below 16 °C', 'Mean °C'].map(
        (name) => room![name],
      ),
      [
        ...['H-1', 'Hall', 'MD1000001X', inMonth.length, humid.length],
        inMonth.filter(({ temperature }) => temperature < 16).length,
        Number(mean(({ temperature }) => temperature).toFixed(1)),
      ],
    )
    assert.equal(room!['Hours in it'], most)
    assert.ok([...weeks].some(([monday, count]) => count === most && monday === dayIn(room!['Worst week'])))
    const [place] = dataOf(await workbook('Overview', month))
    assert.equal(place!['Tests passed'], tests.filter(isIn).length)
    assert.equal(place!['Hours not heard'], silent / 60)
    // Its cells are numbers and days, and its summary says what they mean.
    const summary = utils.sheet_to_json<unknown[]>(damp.Sheets['Summary']!, { header: 1 })
    const told = new Map(summary.map(([name, value]) => [name, value]))
    assert.equal(told.get('Rows'), 1)
    assert.ok(told.get('Written') instanceof Date)
    for (const name of Object.keys(room!)) assert.equal(typeof told.get(name), 'string', name)
  })

test('how damp a room is in the running month is what is kept of it and the hours since, as if all its hours were read', async () => {
  const now = Math.floor(Date.now() / hour) * hour + 20 * minute
  const running = monthOf(new Date(now).toISOString().slice(0, 10))
  let cold = 0
  // Six weeks in which mould grows, each with a few dry days.
  const readings = Array.from({ length: 42 * 24 }, (_, ago) => now - 20 * minute - (ago + 1) * hour).map((at) => ({
    at,
    temperature: 14 + (cold++ % 3) / 8,
    humidity: Math.floor(at / day) % 7 < 5 ? 84 : 60,
  }))
  await app.database.owner.query('delete from hourly')
  await app.database.owner.query('delete from packed_hours')
  await store(readings)
  const figures = async () => {
    await workbook('DampAndMould', running)
    const { rows } = await app.database.owner.query<{ figures: Record<string, unknown> }>(
      'select figures from report_device where device_id = $1 and month = $2',
      [sensor, monthKey(running)],
    )
    return rows[0]!.figures
  }
  const kept = async () =>
    (await app.database.owner.query<{ until: Date }>('select until from damp_room where device_id = $1', [sensor])).rows
  assert.deepEqual(await kept(), [])
  const { hours: _, hoursKnown: _known, ...read } = await figures()
  assert.ok(['high', 'severe'].includes(String(read.risk)), JSON.stringify(read))

  // Three hours ago the room was assessed.
  await inTenant(app.database.db, tenant, (tx) => makeDue(tx, 'assess damp', new Date(0)))
  assert.equal(await assessDamp(app.database.db, new Date(now - 3 * hour)), 1)
  assert.equal(+(await kept())[0]!.until, now - 20 * minute - 3 * hour)
  const { hours: __, hoursKnown: __known, ...gone } = await figures()
  assert.deepEqual(gone, read)

  // What is kept is what counts: nobody read the weeks before again.
  await app.database.owner.query('update damp_room set mould = 5')
  assert.equal((await figures()).risk, 'severe')
  await app.database.owner.query(`update damp_room set reckoned_at = 'epoch'`)
  assert.equal((await figures()).risk, read.risk)
})

/** A day as a workbook holds it, by whatever zone this machine has. */
function dayIn(cell: unknown): string {
  assert.ok(cell instanceof Date, String(cell))
  const at = new Date(+cell + 12 * hour)
  return at.toISOString().slice(0, 10)
}
