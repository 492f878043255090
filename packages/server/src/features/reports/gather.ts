import { CompiledQuery, sql } from 'kysely'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { AssumedWeather, DampFigures, DampHour } from '@caretaker/rules/properties/damp.ts'
import {
  dampHour,
  dampMemory,
  dampStateAfter,
  dampUntil,
  isHeatingSeason,
  noDamp,
  outsideOf,
  riskOf,
} from '@caretaker/rules/properties/damp.ts'
import type { HomeFigures, Hourly, RoomAir, RoomFigures, Span } from '@caretaker/rules/reports/figures.ts'
import { homeFigures, roomFigures } from '@caretaker/rules/reports/figures.ts'
import { counterLimit, grownOver } from '@caretaker/rules/telemetry/counters.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dampFiguresOf } from '../damp/figures.ts'
import type { KeptRoom } from '../damp/kept.ts'
import { keptRooms } from '../damp/kept.ts'
import { firstHour, readDaysOfCounts, readHourMeans } from '../telemetry/hours.ts'

/** A device in a monthly report. */
export interface MonthDevice {
  device_id: string
  property_id: string | null
  building_name: string | null
  serial: string
  product: Product
  room: string | null
  status: DeviceStatus
  is_connected: boolean
  access_rights_tag_id: string | null
  hours_not_heard: number
  faults_begun: number
  tests_passed: number
  tests_failed: number
  figures: RoomFigures | null
}

export interface Gathered {
  devices: MonthDevice[]
  homes: { propertyId: string; figures: HomeFigures }[]
}

/** Devices read in one batch, and devices whose hours are read in one batch. */
const rowsAtOnce = 1000
const sensorsAtOnce = 200
const hour = 3_600_000
/** How far the stored assessment of a room may be behind, in ms; later hours are added to it. */
const keptBehind = 24 * hour

const faults = ['fault', 'testFailed', 'deviceFault', 'deviceTestFailed']
const climateMetrics = ['temperature', 'humidity', 'setPoint', 'electricityConsumption'] as const
type ClimateMetric = (typeof climateMetrics)[number]

/** The data gathered in addition to devices: room air and property warmth. */
export interface Climate {
  /**
   * The span ends now: the damp of a room is its last stored assessment, as on the property's page, plus the hours
   * since. Otherwise all relevant hours are read, including late ones.
   */
  isRunning: boolean
}

/**
 * Every device of the tenant with a place, in its current state and with the data of the span and, if asked, room air
 * and property warmth: in batches of whole properties.
 */
export async function* gather(tx: TenantTx, span: Span, climate: Climate | undefined): AsyncGenerator<Gathered> {
  const query = tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where('created_at', '<', new Date(span.to))
    .where(({ or, eb }) => or([eb('property_id', 'is not', null), eb('building_id', 'is not', null)]))
    .select(['id as device_id', 'property_id', 'building_name', 'serial', 'product', 'status', 'access_rights_tag_id'])
    .select(sql<string | null>`coalesce(room, location)`.as('room'))
    .select(sql<boolean>`connection_status = 'Connected'`.as('is_connected'))
    .orderBy('property_id')
    .orderBy('id')
    .compile()
  await tx.executeQuery(CompiledQuery.raw(`declare gathered no scroll cursor for ${query.sql}`, [...query.parameters]))
  const reading = climate && { ...climate, damp: await dampFiguresOf(tx) }
  let left: DeviceOfMonth[] = []
  for (;;) {
    const { rows } = await sql<DeviceOfMonth>`fetch ${sql.lit(rowsAtOnce)} from gathered`.execute(tx)
    const all = [...left, ...rows]
    if (!all.length) break
    // The last property may continue in the next rows.
    const last = all.at(-1)!.property_id
    const whole = rows.length && last !== null ? all.findIndex(({ property_id: id }) => id === last) : all.length
    left = all.slice(whole)
    if (whole) yield await withFigures(tx, all.slice(0, whole), span, reading)
    if (!rows.length) break
  }
  await tx.executeQuery(CompiledQuery.raw('close gathered'))
}

type DeviceOfMonth = Omit<MonthDevice, 'hours_not_heard' | 'faults_begun' | 'tests_passed' | 'tests_failed' | 'figures'>

type Reading = Climate & { damp: DampFigures }

async function withFigures(
  tx: TenantTx,
  devices: DeviceOfMonth[],
  span: Span,
  reading: Reading | undefined,
): Promise<Gathered> {
  const ids = devices.map(({ device_id: id }) => id)
  const happened = await happenedTo(tx, ids, span)
  const none = { hours_not_heard: 0, faults_begun: 0, tests_passed: 0, tests_failed: 0 }
  const rooms = new Map<string, RoomFigures>()
  const homes: Gathered['homes'] = []
  if (reading) {
    const reporting = await reportingDevices(tx, ids)
    const kept = reading.isRunning ? await keptOf(tx, reporting, span, reading.damp) : new Map<string, KeptRoom>()
    const isUnkept = ({ device_id: id }: DeviceOfMonth) => reporting.get(id) === 'air' && !kept.has(id)
    const all = homesOf(devices.filter(({ device_id: id }) => reporting.has(id)))
    // Mould grows over weeks: for rooms without a stored assessment, earlier hours are read too.
    const long = all.filter((inside) => inside.some(isUnkept))
    const short = all.filter((inside) => !inside.some(isUnkept))
    const untilOf = (some: DeviceOfMonth[][]) =>
      Math.min(span.to, ...some.flat().flatMap(({ device_id: id }) => kept.get(id)?.until ?? []))
    const month = Math.min(span.from, span.to - keptBehind)
    const memory = Math.min(span.from, span.to - dampMemory)
    const asked: Asked[] = [
      ...[...parts(short)].map((some) => ({ some, since: month, weatherSince: untilOf(some) })),
      ...[...parts(long)].map((some) => ({ some, since: memory, weatherSince: memory })),
    ]
    const read = async (one: Asked) => ({ ...one, readings: await readingsOf(tx, one, span) })
    for await (const { some, readings } of ahead(asked, read)) {
      for (const inside of some) {
        const figures = climateOf(inside, { ...readings, kept }, span, reading.damp)
        for (const [id, room] of figures.rooms) rooms.set(id, room)
        const propertyId = inside[0]!.property_id
        if (figures.home && propertyId) homes.push({ propertyId, figures: figures.home })
      }
    }
  }
  return {
    devices: devices.map((one) => ({
      ...one,
      ...(happened.get(one.device_id) ?? none),
      figures: rooms.get(one.device_id) ?? null,
    })),
    homes,
  }
}

/**
 * Maps items asynchronously and prepares the next while one is being processed, because the database and this process
 * take about equally long.
 */
async function* ahead<In, Out>(all: Iterable<In>, read: (one: In) => Promise<Out>): AsyncGenerator<Out> {
  let next: Promise<Out> | undefined
  for (const one of all) {
    const before = next
    next = read(one)
    // The caller that awaits it gets the error; after an earlier failure nobody awaits it.
    next.catch(() => {})
    if (before) yield await before
  }
  if (next) yield await next
}

/** Devices by property; a device without a property is a group of its own. */
const homesOf = (devices: readonly DeviceOfMonth[]): DeviceOfMonth[][] => [
  ...Map.groupBy(devices, ({ property_id: id, device_id: own }) => id ?? own).values(),
]

/** Whole properties, a few sensors at a time. */
function* parts(homes: readonly DeviceOfMonth[][]): Generator<DeviceOfMonth[][]> {
  let [part, sensors]: [DeviceOfMonth[][], number] = [[], 0]
  for (const inside of homes) {
    part.push(inside)
    sensors += inside.length
    if (sensors < sensorsAtOnce) continue
    yield part
    ;[part, sensors] = [[], 0]
  }
  if (part.length) yield part
}

interface Happened {
  hours_not_heard: number
  faults_begun: number
  tests_passed: number
  tests_failed: number
}

async function happenedTo(tx: TenantTx, ids: readonly string[], span: Span): Promise<Map<string, Happened>> {
  const [from, to] = [new Date(span.from), new Date(span.to)]
  const { rows } = await sql<Happened & { id: string }>`
    select device.id,
      coalesce(silence.hours, 0)::float8 as hours_not_heard, coalesce(silence.begun, 0)::int as faults_begun,
      coalesce(tests.passed, 0)::int as tests_passed, coalesce(tests.failed, 0)::int as tests_failed
    from unnest(${ids}::uuid[]) as device (id)
    left join (
      select device_id,
        sum(extract(epoch from least(coalesce(ended_at, ${to}), ${to}) - greatest(began_at, ${from})) / 3600)
          filter (where kind = 'notHeard' or kind = 'noContact' and exists (
            select from device where device.tenant_id = ${tx.tenant} and device.id = condition.device_id and listing = 'EmergencyLights'
          )) as hours,
        count(*) filter (where kind = any(${faults}::text[]) and began_at >= ${from}) as begun
      from condition
      where tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[])
        and began_at < ${to} and (ended_at is null or ended_at > ${from})
      group by device_id) silence on silence.device_id = device.id
    left join (
      select device_id, count(*) filter (where result = 'Passed') as passed, count(*) filter (where result = 'Failed') as failed
      from emergency_test
      where tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[]) and started_at >= ${from} and started_at < ${to}
      group by device_id) tests on tests.device_id = device.id
    where silence.device_id is not null or tests.device_id is not null`.execute(tx)
  return new Map(
    rows.map(({ id, ...happened }) => [
      id,
      { ...happened, hours_not_heard: Math.round(happened.hours_not_heard * 10) / 10 },
    ]),
  )
}

/**
 * The devices that report air, warmth or heating; most, such as lights, never do. 'air' marks those whose readings
 * damp is computed from.
 */
async function reportingDevices(tx: TenantTx, ids: readonly string[]): Promise<Map<string, 'air' | 'other'>> {
  const rows = await tx
    .selectFrom('series')
    .select('device_id')
    .select(sql<boolean>`count(*) filter (where metric in ('temperature', 'humidity')) = 2`.as('is_air'))
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .where('metric', 'in', [...climateMetrics, 'outsideTemperature', 'burnerHours' satisfies MetricKey])
    .groupBy('device_id')
    .execute()
  return new Map(rows.map(({ device_id: id, is_air: isAir }) => [id, isAir ? 'air' : 'other']))
}

/** The stored assessments of the rooms among them. */
function keptOf(tx: TenantTx, reporting: ReadonlyMap<string, 'air' | 'other'>, { to }: Span, damp: DampFigures) {
  const ids = [...reporting].flatMap(([id, what]) => (what === 'air' ? [id] : []))
  return keptRooms(tx, ids, { since: to - keptBehind, until: to }, damp)
}

/** Whole properties, and the first instants, in ms, of their hours and of the weather. */
interface Asked {
  some: readonly DeviceOfMonth[][]
  since: number
  weatherSince: number
}

interface Readings {
  hours: Awaited<ReturnType<typeof readHourMeans>>
  /** The first hour that is read, in ms. */
  first: number
  weather: { hours: Awaited<ReturnType<typeof readHourMeans>>; first: number }
  /** The growth of each counter. */
  burners: Map<string, number>
  kept: ReadonlyMap<string, KeptRoom>
}

/** The hourly room air and heating of properties since an instant, and the growth of burner counters in the span. */
async function readingsOf(
  tx: TenantTx,
  { some, since, weatherSince }: Asked,
  { from, to }: Span,
): Promise<Omit<Readings, 'kept'>> {
  const ids = some.flatMap((inside) => inside.map(({ device_id: id }) => id))
  return {
    hours: await readHourMeans(tx, ids, { metrics: climateMetrics, from: since, to }),
    first: firstHour(since),
    weather: {
      // Usually every past hour is in the stored assessment.
      hours:
        weatherSince < dampUntil(to)
          ? await readHourMeans(tx, ids, { metrics: ['outsideTemperature'], from: weatherSince, to })
          : new Map(),
      first: firstHour(weatherSince),
    },
    burners: await readBurners(tx, ids, { from, to }),
  }
}

async function readBurners(tx: TenantTx, ids: readonly string[], { from, to }: Pick<Span, 'from' | 'to'>) {
  const days = await readDaysOfCounts(tx, ids, { metrics: ['burnerHours'], from, to })
  const limit = counterLimit('burnerHours')!
  return new Map([...days].map(([id, of]) => [id, grownOver(limit, of)]))
}

/** The damp and warmth of one property's rooms, from its devices; a device without a property is treated on its own. */
function climateOf(
  devices: readonly DeviceOfMonth[],
  { hours, first, weather, burners, kept }: Readings,
  span: Span,
  damp: DampFigures,
) {
  const known = devices.map(({ device_id: id }) => ({ id, ...hours.get(id) }))
  const series = (metric: ClimateMetric) => known.flatMap((one) => one[metric] ?? [])
  const outside = {
    first: weather.first,
    series: devices.flatMap(({ device_id: id }) => weather.hours.get(id)?.outsideTemperature ?? []),
    assumed: damp.outside,
  }
  const rooms = known.flatMap(({ id, temperature, humidity }): [string, RoomFigures][] => {
    if (!temperature || !humidity) return []
    const air = { temperature, humidity }
    const own = kept.get(id)
    const until = dampUntil(span.to)
    const more = dampHoursOf(air, { first, from: own?.until ?? until - dampMemory, until, outside })
    const risk = riskOf(dampStateAfter(own?.state ?? noDamp, more, { until, figures: damp }), {
      ...{ now: span.to, figures: damp },
      isSeason: isHeatingSeason(dayAt(span.to - 1, span.zone)),
    })
    return [[id, roomFigures(air, first, span, risk)]]
  })
  const counters = known.flatMap(({ id }) => burners.get(id) ?? [])
  const temperatures = series('temperature')
  const setPoints = series('setPoint')
  const electricity = series('electricityConsumption')
  const hasValues = temperatures.length || setPoints.length || electricity.length || counters.length
  const home = { temperatures, setPoints, burners: counters, electricity }
  return { rooms, home: hasValues ? homeFigures(home, first, span) : null }
}

interface Hours {
  /** The hour at index 0, and the range of the wanted hours, in ms. */
  first: number
  from: number
  until: number
  /** The outdoor readings, with their own first hour, and the assumption for hours without any. */
  outside: { first: number; series: readonly Hourly[]; assumed: AssumedWeather }
}

/**
 * The hours in which all of a room's air is known, with the weather; if there are several sensors, the last one is
 * used. A generator, because the hours of hundreds of rooms at once would need too much memory.
 */
function* dampHoursOf({ temperature, humidity }: RoomAir, { first, from, until, outside }: Hours): Generator<DampHour> {
  for (let place = Math.max(0, Math.ceil((from - first) / hour)); place < temperature.length; place++) {
    const at = first + place * hour
    if (at >= until) return
    const [warm, moist] = [temperature[place]!, humidity[place]!]
    if (Number.isNaN(warm) || Number.isNaN(moist)) continue
    const there = (at - outside.first) / hour
    const measured = outside.series.findLast((one) => one[there] !== undefined && !Number.isNaN(one[there]))
    yield dampHour({ at, temperature: warm, humidity: moist, ...outsideOf(at, measured?.[there], outside.assumed) })
  }
}
