import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { read, utils } from '@e965/xlsx'
import type { WorkBook } from '@e965/xlsx'
import { sql } from 'kysely'
import { getMonthlyReport, getReport } from '@caretaker/contract/reports.ts'
import { meanOutside } from '@caretaker/rules/properties/damp.ts'
import { reports, reportTypes } from '@caretaker/rules/reports/kinds.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { monthAfter, monthNames, monthOf, monthSpan } from '@caretaker/rules/reports/months.ts'
import { makeDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import type { NewDevice } from '../../testing/furnish/devices.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { packHours } from '../telemetry/hours.ts'
import { assessDamp } from '../damp/assess.ts'
import { writeReports } from './job.ts'
import { gatherMonth, knownMonth, monthKey } from './months.ts'

const tenant = 'north'
const zones = { north: 'Europe/London', east: 'America/New_York' } as const
type Tenant = keyof typeof zones
const zone = zones.north
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
/** The EPC rating of each property; the last one differs. */
const ratings = ['D', 'D', 'D', 'D', 'D', 'B']
/** By index: the property of a room, and its location. */
const rooms = [
  { home: 0, room: 'Hall' },
  { home: 0, room: 'Bedroom' },
  ...[1, 2, 3, 4, 5].map((home) => ({ home, room: 'Kitchen' })),
]
const lights = [
  { home: 0, room: 'Stair', status: 'Ok', isConnected: true },
  { home: 0, room: 'Landing', status: 'FailedEquipment', isConnected: false },
  { home: 1, room: 'Stair', status: 'FailedDevice', isConnected: true },
  { home: 2, room: 'Stair', status: 'Allocated', isConnected: true },
  { home: 3, room: 'Stair', status: 'Inventory', isConnected: false },
] as const
let app: TestApp

/** The devices of a client: sensors and lights in order, and the boiler of its first property. */
interface Placed {
  sensors: string[]
  lights: string[]
  boiler: string
}
const placed = {} as Record<Tenant, Placed>
let sensor = ''

beforeAll(async () => {
  app = await testApp()
  for (const id of Object.keys(zones) as Tenant[]) {
    await app.addTenant(id, { features: ['PropertyCentric', 'AwaabsLaw'], capabilities: ['ViewProperties'] })
    await app.database.owner.query('update tenant set time_zone = $2 where id = $1', [id, zones[id]])
    if (zones[id] !== 'Europe/London')
      await app.database.owner.query('update tenant set settings = $2 where id = $1', [id, { damp: { outside: 5 } }])
    await app.addMember(id, managerOf(id), 'Manager')
    const homes: string[] = []
    for (const [at, rating] of ratings.entries()) {
      homes.push(randomUUID())
      await app.database.owner.query(
        `insert into property (tenant_id, id, reference, address1, postcode, epc_rating) values ($1, $2, $3, $4, 'LS6 1AB', $5)`,
        [id, homes[at], `H-${at}`, `${at} Mill Lane`, rating],
      )
    }
    const put = async (given: NewDevice, { home, room }: { home: number; room: string }, isConnected = true) => {
      const device = await addDevice(app, id, given)
      await app.database.owner.query(
        `update device set property_id = $3, room = $4, created_at = '2023-01-01', connection_status = $5
         where tenant_id = $1 and id = $2`,
        [id, device, homes[home], room, isConnected ? 'Connected' : 'NotConnected'],
      )
      return device
    }
    const [sensors, ofLights]: [string[], string[]] = [[], []]
    for (const [at, one] of rooms.entries()) sensors.push(await put({ product: 'MD', serial: `MD100000${at}X` }, one))
    for (const [at, one] of lights.entries())
      ofLights.push(await put({ product: 'EM', serial: `EM100000${at}X`, status: one.status }, one, one.isConnected))
    placed[id] = { sensors, lights: ofLights, boiler: await put({ product: 'BX' }, { home: 0, room: 'Loft' }) }
  }
  sensor = placed.north.sensors[0]!
  await app.database.owner.query('delete from condition')
})
afterAll(() => app.close())

const managerOf = (id: Tenant) => `manager@${id}.test`

/** The local time of an instant for a client, computed independently of the product. */
const clocks = Object.fromEntries(
  Object.values(zones).map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short' }),
  ]),
)
function dayOf(at: number, timeZone: string): { month: string; monday: string } {
  const [date, month, year] = clocks[timeZone]!.format(at).split('/').map(Number) as [number, number, number]
  const monday = new Date(Date.UTC(year, month - 1, date))
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7))
  return { month: `${year}-${month}`, monday: monday.toISOString().slice(0, 10) }
}

interface Air {
  at: number
  temperature: number
  humidity: number
}

const hoursFrom = (from: number, to: number) => Array.from({ length: (to - from) / hour }, (_, at) => from + at * hour)

/** Hourly readings from a day before the month until a day after it, with every thirteenth missing. */
function weather({ from, to }: { from: number; to: number }, seed: number): Air[] {
  let state = seed
  // Park–Miller generator: the same in every run.
  const chance = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  return hoursFrom(from - day, to + day)
    .map((at) => ({ at, temperature: Math.round(80 + chance() * 160) / 8, humidity: Math.round(40 + chance() * 60) }))
    .filter((_, index) => index % 13 !== 0)
}

type Reading = { at: number } & Partial<Record<Metric, number>>
type Metric = 'temperature' | 'humidity' | 'setPoint' | 'burnerHours' | 'electricityConsumption'

async function store(readings: readonly Reading[], device = sensor, id: Tenant = tenant) {
  await inTenant(app.database.db, id, async (tx) => {
    for (const metric of Object.keys(readings[0]!).filter((key) => key !== 'at') as Metric[]) {
      await tx
        .insertInto('series')
        .values({ tenant_id: id, device_id: device, metric })
        .onConflict((same) => same.doNothing())
        .execute()
      const { id: series } = await tx
        .selectFrom('series')
        .select('id')
        .where('tenant_id', '=', id)
        .where('device_id', '=', device)
        .where('metric', '=', metric)
        .executeTakeFirstOrThrow()
      const values = readings.map((one) => one[metric])
      await sql`
        insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
        select ${id}, ${series}, labelled.at, 1, labelled.value, labelled.value, labelled.value, labelled.at, labelled.value
        from unnest(${readings.map(({ at }) => new Date(at).toISOString())}::timestamptz[], ${values}::float8[]) as labelled (at, value)
        on conflict do nothing`.execute(tx)
    }
  })
}

interface Tested {
  /** The index of the light. */
  light: number
  at: number
  type: 'T0' | 'T180'
  result: 'Passed' | 'Failed'
}
interface Silence {
  light: number
  began: number
  ended: number
  kind: 'notHeard' | 'noContact' | 'fault' | 'testFailed'
}

async function happens(id: Tenant, tests: readonly Tested[], conditions: readonly Silence[]) {
  await app.database.owner.query('delete from emergency_test where tenant_id = $1', [id])
  await app.database.owner.query('delete from condition where tenant_id = $1', [id])
  for (const { light, at, type, result } of tests)
    await app.database.owner.query(
      `insert into emergency_test (tenant_id, event_id, device_id, test_type, started_at, result, reason, component_states, series)
       values ($1, gen_random_uuid(), $2, $3, $4, $5, 'as told', $6, '[]')`,
      [
        ...[id, placed[id].lights[light], type, new Date(at), result],
        result === 'Failed' ? { Battery: 'Failed', Lamp: 'Ok' } : {},
      ],
    )
  for (const { light, began, ended, kind } of conditions)
    await app.database.owner.query(
      `insert into condition (tenant_id, id, device_id, kind, key, began_at, last_seen_at, evidence, ended_at)
       values ($1, gen_random_uuid(), $2, $3, '', $4, $4, '{}', $5)`,
      [id, placed[id].lights[light], kind, new Date(began), new Date(ended)],
    )
}

/** Runs the worker for what is due for a client at an instant. */
async function work(id: Tenant, now: Date) {
  await app.database.owner.query('delete from due')
  await inTenant(app.database.db, id, (tx) => makeDue(tx, 'write reports', now))
  await writeReports(app.context, undefined, () => now)
}

async function forgetMonths(id: Tenant) {
  await app.database.owner.query('delete from report_month where tenant_id = $1', [id])
}

async function workbook(reportType: string, month: Month | null, id: Tenant = tenant): Promise<WorkBook> {
  const params = { tenant: id, reportType, ...(month ?? { year: 0, month: 0 }) }
  const route = month ? getMonthlyReport : getReport
  const url = route.path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof params) => String(params[name]))
  const headers = { authorization: `Bearer ${await app.token(managerOf(id))}` }
  const response = await app.app.inject({
    ...{ url, headers, method: route.method },
    ...(!month && { payload: { reportType } }),
  })
  assert.equal(response.statusCode, 200, response.body)
  return read(response.rawPayload, { cellDates: true })
}
type SheetRow = Record<string, unknown>
const dataOf = (book: WorkBook) => utils.sheet_to_json<SheetRow>(book.Sheets['Data']!)
const summaryOf = (book: WorkBook) => utils.sheet_to_json<unknown[]>(book.Sheets['Summary']!, { header: 1 })
const notesOf = (book: WorkBook) => summaryOf(book).flatMap(([name, text]) => (name === 'Note' ? [String(text)] : []))
const pick = (row: SheetRow | undefined, names: readonly string[]) => names.map((name) => row?.[name])
/** A figure is the rounded exact value; a sum in another order may fall on the other side of a half. */
const isAbout = (cell: unknown, exact: number, what: string, half = 0.05) =>
  assert.ok(typeof cell === 'number' && Math.abs(cell - exact) <= half + 1e-9, `${what}: ${String(cell)}, not ${exact}`)
const meanOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length

for (const [what, id, month] of [
  ['February of a leap year', 'north', { year: 2024, month: 2 }],
  ['March, in which clocks go forward', 'north', { year: 2025, month: 3 }],
  ['October, in which clocks go back', 'north', { year: 2025, month: 10 }],
  ['March in New York, where clocks go forward on another day', 'east', { year: 2025, month: 3 }],
] as const)
  test(`${what}: figures equal those of a simple model, in workbooks that another library opens [est-7.5-1]`, async () => {
    const own = zones[id]
    const { from, to } = monthSpan(month, own)
    await forgetMonths(id)
    await app.database.owner.query('delete from hourly; delete from packed_hours')
    // Six weeks: the bedroom is dry, the first kitchen very wet, and the second has no data for the last week.
    const steady = (temperature: number, humidity: number, until = to) =>
      hoursFrom(to - 42 * day, until).map((at) => ({ at, temperature, humidity }))
    const airs: Air[][] = [
      weather({ from, to }, month.month),
      steady(20.5, 40),
      steady(12, 96),
      steady(17, 50, to - 7 * day),
      // Its cold surfaces became humid four days ago.
      steady(18, 45).map((one) => (one.at < to - 4 * day ? one : { ...one, humidity: 80 })),
      ...[19, 21].map((temperature) => steady(temperature, 45)),
    ]
    const risks = [undefined, 'Low', 'High', 'Not assessed', 'Watch', 'Low', 'Low']
    for (const [at, air] of airs.entries()) await store(air, placed[id].sensors[at], id)
    // A counter that is constant for the first half, a set point for some hours, and a pump of half a kilowatt by
    // day.
    const boiler = hoursFrom(from - day, to + day).map((at) => ({
      at,
      burnerHours: 1000 + Math.max(0, at - (from + to) / 2) / hour / 4,
    }))
    const warmed = hoursFrom(from + 3 * day, to - 5 * day).map((at) => ({
      ...{ at, setPoint: 16 + ((at / hour) % 5), electricityConsumption: (at / hour) % 2 },
    }))
    await store(boiler, placed[id].boiler, id)
    await store(warmed, placed[id].boiler, id)
    // As the nightly jobs leave them: most days are packed at the end of the month, the last ones are not.
    const packed = new Date(Math.floor(to / day - 3) * day)
    await inTenant(app.database.db, id, async (tx) => {
      const series = await tx.selectFrom('series').select('id').where('tenant_id', '=', id).execute()
      await packHours(
        tx,
        series.map((one) => one.id),
        packed,
      )
    })
    const tests: Tested[] = [from - 1, from, to - 1, to].map((at) => ({ light: 0, at, type: 'T0', result: 'Passed' }))
    for (const [light, at, type, result] of [
      [0, from - 9 * day, 'T180', 'Failed'],
      [1, from + day, 'T180', 'Failed'],
      [1, from + 2 * day, 'T0', 'Failed'],
      [2, from + day, 'T0', 'Failed'],
      [2, from + 2 * day, 'T180', 'Passed'],
    ] as const)
      tests.push({ light, at, type, result })
    const conditions: Silence[] = [
      { light: 0, began: from - 2 * hour, ended: from + 3 * hour, kind: 'notHeard' },
      { light: 0, began: to - 90 * minute, ended: to + hour, kind: 'noContact' },
      { light: 1, began: from + day, ended: from + 2 * day, kind: 'notHeard' },
      { light: 0, began: from - 1, ended: from + day, kind: 'fault' },
      { light: 0, began: from, ended: from + day, kind: 'fault' },
      { light: 2, began: to - 1, ended: to + day, kind: 'testFailed' },
      { light: 2, began: to, ended: to + day, kind: 'fault' },
    ]
    await happens(id, tests, conditions)
    await work(id, new Date(to + minute))

    const isIn = (at: number) => dayOf(at, own).month === `${month.year}-${month.month}`
    const allHours = hoursFrom(from - day, to + day).filter(isIn).length
    const books = new Map<string, WorkBook>()
    for (const type of reportTypes) books.set(type, await workbook(type, reports[type].isMonthly ? month : null, id))

    // Every room.
    const damp = dataOf(books.get('DampAndMould')!)
    assert.equal(damp.length, rooms.length)
    for (const [at, { home, room }] of rooms.entries()) {
      const row = damp.find((one) => one.Sensor === `MD100000${at}X`)
      const inMonth = airs[at]!.filter((one) => isIn(one.at))
      const humid = inMonth.filter(({ humidity }) => humidity > 70)
      const weeks = new Map<string, number>()
      for (const one of humid) weeks.set(dayOf(one.at, own).monday, (weeks.get(dayOf(one.at, own).monday) ?? 0) + 1)
      const most = Math.max(0, ...weeks.values())
      const names = [
        'Property REF',
        'Room',
        'Hours with readings',
        'Hours above 70 %',
        'Hours below 16 °C',
        'Hours in that week',
      ]
      assert.deepEqual(pick(row, names), [
        ...[`H-${home}`, room, inMonth.length, humid.length],
        inMonth.filter(({ temperature }) => temperature < 16).length,
        most || undefined,
      ])
      isAbout(row!['Mean °C'], meanOf(inMonth.map((one) => one.temperature)), `mean °C ${at}`)
      isAbout(row!['Mean %'], meanOf(inMonth.map((one) => one.humidity)), `mean % ${at}`, 0.5)
      if (most) assert.ok([...weeks].some(([monday, count]) => count === most && monday === dayIn(row!['Worst week'])))
      else assert.equal(row!['Worst week'], undefined)
      if (risks[at]) assert.equal(row!.Risk, risks[at], `risk ${at}`)
      // The weather of the last week is that of the report's month, however long ago it was.
      const [mean, name] = [Math.round(meanOutside[month.month - 1]!), monthNames[month.month - 1]]
      const assumed =
        own === 'Europe/London'
          ? `Assumed outside temperature: about ${mean} °C in ${name}`
          : 'Assumed outside temperature: 5 °C'
      if (row!.Risk !== 'Not assessed') assert.ok(String(row!.Why).includes(assumed), `${String(row!.Why)}: ${assumed}`)
    }

    // Every property with data about its warmth.
    const warmth = dataOf(books.get('FuelPoverty')!)
    assert.deepEqual(
      warmth.map((row) => row['Property REF']),
      ratings.map((_, at) => `H-${at}`),
    )
    const hourly = ratings.map((_, home) => {
      const perHour = new Map<number, number[]>()
      for (const [at, air] of airs.entries())
        if (rooms[at]!.home === home)
          for (const one of air)
            if (isIn(one.at)) perHour.set(one.at, [...(perHour.get(one.at) ?? []), one.temperature])
      return [...perHour.values()].map(meanOf)
    })
    const means = hourly.map((all) => Number(meanOf(all).toFixed(1)))
    for (const [home, row] of warmth.entries()) {
      const alike = ratings.flatMap((rating, at) => (rating === ratings[home] ? [means[at]!] : []))
      const group = alike.length >= 5 ? alike : means
      const mean = means[home]!
      const names = ['EPC', 'Hours with readings', 'Hours below 18 °C', 'Heating', 'Compared with']
      assert.deepEqual(pick(row, names), [
        ...[ratings[home], hourly[home]!.length, hourly[home]!.filter((one) => one < 18).length],
        mean < 16 ? 'Severely under-heated' : mean < 18 ? 'Under-heated' : 'Warm enough',
        `${group.length} properties: ${alike.length >= 5 ? 'same rating and architype' : 'all properties'}`,
      ])
      isAbout(row['Mean °C'], meanOf(hourly[home]!), `mean of home ${home}`)
      isAbout(row['Gap °C'], meanOf(group) - mean, `gap of home ${home}`)
      if (home)
        assert.deepEqual(pick(row, ['Set point °C', 'Heating hours', 'Electricity kWh']), [
          undefined,
          undefined,
          undefined,
        ])
    }
    const counted = boiler.filter(({ at }) => isIn(at)).map((one) => one.burnerHours)
    isAbout(warmth[0]!['Heating hours'], Math.max(...counted) - Math.min(...counted), 'heating hours')
    isAbout(warmth[0]!['Set point °C'], meanOf(warmed.map((one) => one.setPoint)), 'set point')
    isAbout(
      warmth[0]!['Electricity kWh'],
      warmed.reduce((sum, one) => sum + one.electricityConsumption, 0),
      'energy',
    )

    // Every property with its devices.
    const overview = dataOf(books.get('Overview')!)
    assert.equal(overview.length, ratings.length)
    const groups = {
      Ok: 'Passed',
      FailedEquipment: 'Failed',
      FailedDevice: 'Device failed',
      Allocated: 'Warning',
      Inventory: 'Not installed',
    } as const
    const order = ['Failed', 'Warning', 'Device failed', 'Passed', 'Not installed']
    for (const [home, row] of overview.entries()) {
      const inside = lights.map((one, light) => ({ ...one, light })).filter((one) => one.home === home)
      const others = rooms.filter((one) => one.home === home).length + (home === 0 ? 1 : 0)
      const words = [...inside.map(({ status }) => groups[status]), ...Array.from({ length: others }, () => 'Passed')]
      const isHere = ({ light }: { light: number }) => inside.some((one) => one.light === light)
      let silent = 0
      for (const one of conditions.filter(isHere))
        if (one.kind === 'notHeard' || one.kind === 'noContact')
          for (let at = one.began; at < one.ended; at += minute) if (isIn(at)) silent++
      const here = tests.filter(isHere).filter(({ at }) => isIn(at))
      const worst = order.find((word) => words.includes(word))
      assert.deepEqual(
        pick(row, [
          'Devices',
          ...order,
          'Connected',
          'Hours without contact',
          'New faults',
          'Tests passed',
          'Tests failed',
        ]),
        [
          words.length,
          ...order.map((word) => words.filter((one) => one === word).length),
          others + inside.filter((one) => one.isConnected).length,
          silent / 60,
          conditions.filter(
            (one) => isHere(one) && one.kind !== 'notHeard' && one.kind !== 'noContact' && isIn(one.began),
          ).length,
          ...['Passed', 'Failed'].map((result) => here.filter((one) => one.result === result).length),
        ],
      )
      assert.equal((row.Status as string | undefined)?.split(':')[0], worst, `status of home ${home}`)
    }

    // Every light with its last tests, in whichever month.
    const newest = (light: number, type?: string) =>
      tests.filter((one) => one.light === light && (!type || one.type === type)).toSorted((a, b) => b.at - a.at)[0]
    // By status, as in lists and on the dashboard, whatever their tests.
    const failed = lights.flatMap((one, light) => (/failed/i.test(groups[one.status]) ? [{ ...one, light }] : []))
    const bySerial = (a: SheetRow, b: SheetRow) => String(a.Serial).localeCompare(String(b.Serial))
    assert.deepEqual(
      dataOf(books.get('FailedEmeredReport')!).map((row) => pick(row, ['Serial', 'Room', 'Test', 'Part', 'Reason'])),
      failed.map(({ light, room }) => [`EM100000${light}X`, room, undefined, undefined, 'Broken']),
    )
    const compliance = dataOf(books.get('EmeredComplianceReport')!).toSorted(bySerial)
    assert.deepEqual(
      compliance.map((row) => pick(row, ['Serial', 'Result', 'Yearly result'])),
      lights.map((_, light) => [...[`EM100000${light}X`, newest(light, 'T0')?.result, newest(light, 'T180')?.result]]),
    )
    for (const [light, row] of compliance.entries())
      for (const [name, type] of [
        ['Monthly test', 'T0'],
        ['Yearly test', 'T180'],
      ] as const) {
        const at = newest(light, type)?.at
        assert.equal(row[name] instanceof Date, at !== undefined)
        // To the second, in the client's time zone.
        if (at)
          assert.equal(localTimeIn(row[name]), new Date(at).toLocaleString('sv-SE', { timeZone: own }).slice(0, 16))
      }

    for (const type of reportTypes) isSound(books.get(type)!, type, dataOf(books.get(type)!).length)
    assert.equal(
      summaryOf(books.get('DampAndMould')!).some(([name, known]) => name === 'Rows' && known === rooms.length),
      true,
    )
    for (const type of ['Overview', 'DampAndMould', 'FuelPoverty']) {
      const notes = notesOf(books.get(type)!).join('\n')
      assert.match(notes, /the end of the month that began on .*; later moves and tags are not included/)
      assert.doesNotMatch(notes, /was recorded late/)
    }
    assert.ok(allHours >= 672)
  })

/** Checks that apply to any workbook: its sheets, cell types, column explanations, and the counts of its chart. */
function isSound(book: WorkBook, type: (typeof reportTypes)[number], count: number) {
  assert.deepEqual(book.SheetNames, ['Summary', 'Data'])
  const summary = summaryOf(book)
  const labelled = new Map(summary.map(([name, ...rest]) => [name, rest]))
  assert.equal(labelled.get('Rows')?.[0], count, type)
  assert.ok(labelled.get('Written')?.[0] instanceof Date)
  assert.ok(labelled.get('As at')?.[0] instanceof Date)
  const rows = dataOf(book)
  for (const { label } of reports[type].columns) {
    assert.deepEqual(
      (labelled.get(label) as unknown[]).slice(0, 3).map((text) => typeof text),
      ['string', 'string', 'string'],
      `${type} ${label}`,
    )
    // One cell type per column, with no text among numbers.
    const kinds = new Set(
      rows.flatMap((row) =>
        row[label] === undefined ? [] : [row[label] instanceof Date ? 'date' : typeof row[label]],
      ),
    )
    const wanted =
      /^(Hours|Devices|Passed|Warning|Failed(?! since)|Device failed|Not installed|Connected|New faults|Tests|Mean|Set point|Heating hours|Electricity|Gap|Gas appliances)/.test(
        label,
      )
        ? 'number'
        : /^(Worst week|Began|Monthly test|Yearly test|Failed since)/.test(label)
          ? 'date'
          : 'string'
    assert.deepEqual(
      [...kinds].filter((kind) => kind !== wanted),
      [],
      `${type} ${label}`,
    )
  }
  // The counts of the chart are between its header and the next empty row, and add up to the rows or to their
  // devices.
  const head = summary.findIndex(([, name]) => name === 'Count')
  const counts = summary.slice(
    head + 1,
    summary.findIndex((row, at) => at > head && !row.length),
  )
  const total = counts.reduce((sum, [, number]) => sum + Number(number), 0)
  const devices = type === 'Overview' ? rows.reduce((sum, row) => sum + Number(row.Devices), 0) : count
  assert.equal(total, devices, type)
}

test('a report of a month written while it ran is not its final report, even if the month is not closed yet', async () => {
  const month = { year: 2025, month: 7 }
  const { from, to } = monthSpan(month, zone)
  await forgetMonths(tenant)
  await store(hoursFrom(from, to).map((at) => ({ at, temperature: 15, humidity: 50 })))
  const gathered = async (of: Month, at: Date, hasClimate: boolean) => {
    await inTenant(app.database.db, tenant, (tx) => gatherMonth(tx, of, { now: at, hasClimate }))
    return inTenant(app.database.db, tenant, (tx) => knownMonth(tx, of, at))
  }
  const early = await gathered(month, new Date(from + 9 * day), true)
  assert.equal(early?.isRunning, true)
  const known = async () => {
    const { rows } = await app.database.owner.query<{ hours: number }>(
      `select (figures ->> 'hoursKnown')::int as hours from report_device where device_id = $1 and month = $2`,
      [sensor, monthKey(month)],
    )
    return rows[0]!.hours
  }
  assert.equal(await known(), 9 * 24)
  // A moment after its end, before the worker has run.
  const now = new Date(to + minute)
  const over = await gathered(month, now, false)
  assert.deepEqual([over, await known()], [{ month, asAt: now, isRunning: false }, 31 * 24])
  // The worker has nothing left to do for it.
  await work(tenant, new Date(to + 2 * minute))
  const [row] = dataOf(await workbook('DampAndMould', month))
  assert.equal(row!['Hours below 16 °C'], 31 * 24)
  assert.match(notesOf(await workbook('Overview', month)).join(), /after the end of the month/)
})

test('months that ended while nothing was running are closed from the records, and state what is unknown', async () => {
  const [august, september, october] = [8, 9, 10].map((month) => ({ year: 2025, month })) as [Month, Month, Month]
  await forgetMonths(tenant)
  await work(tenant, new Date(monthSpan(august, zone).to + minute))
  const inSeptember = monthSpan(september, zone)
  await store(
    hoursFrom(inSeptember.from, inSeptember.to).map((at) => ({ at, temperature: 15, humidity: 50 })),
    placed.north.sensors[0],
  )
  await happens(
    tenant,
    [0, 1, 2].map((days) => ({ light: 0, at: inSeptember.from + days * day, type: 'T0', result: 'Passed' })),
    [{ light: 0, began: inSeptember.from, ended: inSeptember.from + 5 * hour, kind: 'notHeard' }],
  )
  await inTenant(app.database.db, tenant, (tx) =>
    gatherMonth(tx, september, { now: new Date(inSeptember.from + 9 * day), hasClimate: true }),
  )
  const now = new Date(monthSpan(october, zone).to + minute)
  await work(tenant, now)
  const { rows } = await app.database.owner.query<{ month: string; closed: boolean }>(
    `select to_char(month, 'YYYY-MM') as month, gathered_at = closed_at as closed from report_month where tenant_id = $1 order by 1`,
    [tenant],
  )
  assert.deepEqual(
    rows,
    ['2025-08', '2025-09', '2025-10'].map((month) => ({ month, closed: true })),
  )
  const overview = await workbook('Overview', september)
  assert.deepEqual(pick(dataOf(overview)[0], ['Tests passed', 'Hours without contact']), [3, 5])
  assert.match(
    notesOf(overview).join('\n'),
    /The state at the end of this month was recorded late, on 01\/11\/2025\..*status and connection are those of that day/,
  )
  const damp = dataOf(await workbook('DampAndMould', september))
  assert.equal(damp.find((row) => row.Sensor === 'MD1000000X')!['Hours with readings'], 30 * 24)
  assert.doesNotMatch(notesOf(await workbook('Overview', october)).join('\n'), /was recorded late/)
  // Months before the first closed one are never made up.
  assert.match(notesOf(await workbook('Overview', monthAfter(august, -1))).join('\n'), /were not recorded/)
})

test('the damp of a room in the current month is its stored assessment plus the hours since, equal to a full computation', async () => {
  await forgetMonths(tenant)
  const now = Math.floor(Date.now() / hour) * hour + 20 * minute
  const running = monthOf(new Date(now).toISOString().slice(0, 10))
  let cold = 0
  // Six weeks of mould growth, each with a few dry days.
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

  // The room was assessed three hours ago.
  await inTenant(app.database.db, tenant, (tx) => makeDue(tx, 'assess damp', new Date(0)))
  assert.equal(await assessDamp(app.database.db, new Date(now - 3 * hour)), rooms.length)
  assert.equal(+(await kept())[0]!.until, now - 20 * minute - 3 * hour)
  const { hours: __, hoursKnown: __known, ...gone } = await figures()
  assert.deepEqual(gone, read)

  // The stored assessment counts: the weeks before were not read again.
  await app.database.owner.query('update damp_room set mould = 5')
  assert.equal((await figures()).risk, 'severe')
  await app.database.owner.query(`update damp_room set reckoned_at = 'epoch'`)
  assert.equal((await figures()).risk, read.risk)
})

/** A date cell as a day, whatever the time zone of this machine. */
function dayIn(cell: unknown): string {
  assert.ok(cell instanceof Date, String(cell))
  const at = new Date(+cell + 12 * hour)
  return at.toISOString().slice(0, 10)
}

/** A date and time cell to the minute: the library reads it as an instant in this machine's zone. */
function localTimeIn(cell: unknown): string {
  assert.ok(cell instanceof Date, String(cell))
  return new Date(+cell + 500).toLocaleString('sv-SE').slice(0, 16)
}
