import { CompiledQuery, sql } from 'kysely'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { DampFigures, DampHour } from '@caretaker/rules/properties/damp.ts'
import { dampMemory } from '@caretaker/rules/properties/damp.ts'
import type { HomeFigures, Hourly, RoomFigures, Span } from '@caretaker/rules/reports/figures.ts'
import { homeFigures, roomFigures } from '@caretaker/rules/reports/figures.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dampFiguresOf } from '../damp/figures.ts'

/** A device as a report of a month knows it. */
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

/** Devices read at once, and those whose hours are. */
const rowsAtOnce = 1000
const sensorsAtOnce = 30

const faults = ['fault', 'testFailed', 'deviceFault', 'deviceTestFailed']
const climate = ['temperature', 'humidity', 'outsideTemperature', 'setPoint', 'electricityConsumption'] as const
type Climate = (typeof climate)[number]

/**
 * Every device of the tenant that stands somewhere, as it is now and with what the span knows of it, and, if asked, the air of
 * rooms and the warmth of homes: some homes at a time, each whole.
 */
export async function* gather(tx: TenantTx, span: Span, hasClimate: boolean): AsyncGenerator<Gathered> {
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
  const damp = hasClimate ? await dampFiguresOf(tx) : undefined
  let left: Stands[] = []
  for (;;) {
    const { rows } = await sql<Stands>`fetch ${sql.lit(rowsAtOnce)} from gathered`.execute(tx)
    const all = [...left, ...rows]
    if (!all.length) break
    // The last home may go on in the next rows.
    const last = all.at(-1)!.property_id
    const whole = rows.length && last !== null ? all.findIndex(({ property_id: id }) => id === last) : all.length
    left = all.slice(whole)
    if (whole) yield await withFigures(tx, all.slice(0, whole), span, damp)
    if (!rows.length) break
  }
  await tx.executeQuery(CompiledQuery.raw('close gathered'))
}

type Stands = Omit<MonthDevice, 'hours_not_heard' | 'faults_begun' | 'tests_passed' | 'tests_failed' | 'figures'>

async function withFigures(
  tx: TenantTx,
  devices: Stands[],
  span: Span,
  damp: DampFigures | undefined,
): Promise<Gathered> {
  const ids = devices.map(({ device_id: id }) => id)
  const happened = await happenedTo(tx, ids, span)
  const none = { hours_not_heard: 0, faults_begun: 0, tests_passed: 0, tests_failed: 0 }
  const rooms = new Map<string, RoomFigures>()
  const homes: Gathered['homes'] = []
  const telling = damp ? await tellingOf(tx, ids) : new Set()
  for (const some of parts(devices.filter(({ device_id: id }) => telling.has(id)))) {
    const readings = await readingsOf(
      tx,
      some.map(({ device_id: id }) => id),
      span,
    )
    for (const [propertyId, inside] of Map.groupBy(some, ({ property_id: id, device_id: own }) => id ?? own)) {
      const figures = climateOf(inside, readings, span, damp!)
      for (const [id, room] of figures.rooms) rooms.set(id, room)
      if (figures.home && inside[0]!.property_id) homes.push({ propertyId, figures: figures.home })
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

/** Whole homes, some sensors at a time. */
function* parts(devices: readonly Stands[]): Generator<Stands[]> {
  let part: Stands[] = []
  for (const some of Map.groupBy(devices, ({ property_id: id, device_id: own }) => id ?? own).values()) {
    part.push(...some)
    if (part.length < sensorsAtOnce) continue
    yield part
    part = []
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
          filter (where kind = 'notHeard') as hours,
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

/** Those of some devices that tell of air, warmth or heating: most, such as lights, never do. */
async function tellingOf(tx: TenantTx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('series')
    .select('device_id')
    .distinct()
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .where('metric', 'in', [...climate, 'burnerHours' satisfies MetricKey])
    .execute()
  return new Set(rows.map(({ device_id: id }) => id))
}

interface Readings {
  hours: Map<string, Partial<Record<Climate, Map<number, number>>>>
  burners: Map<string, { low: number; high: number }>
}

/** Of devices, what their rooms and heating were like hour by hour, and how far burner counters went on in the span. */
async function readingsOf(tx: TenantTx, ids: readonly string[], span: Span): Promise<Readings> {
  // Mould grows over weeks: those before the month's end count.
  const since = new Date(Math.min(span.from, span.to - dampMemory))
  const [from, to] = [new Date(span.from), new Date(span.to)]
  const { rows } = await sql<{ id: string; metric: Climate; hours: number[]; means: number[] }>`
    select series.device_id as id, series.metric,
      array_agg(extract(epoch from hourly.hour)::float8 * 1000) as hours, array_agg(hourly.total / hourly.n) as means
    from series join hourly on hourly.tenant_id = ${tx.tenant} and hourly.series_id = series.id
    where series.tenant_id = ${tx.tenant} and series.device_id = any(${ids}::uuid[])
      and series.metric = any(${[...climate]}::text[])
      and hourly.hour >= ${since} and hourly.hour < ${to} and hourly.n > 0
    group by 1, 2`.execute(tx)
  const burners = await sql<{ id: string; low: number; high: number }>`
    select series.device_id as id, min(hourly.low) as low, max(hourly.high) as high
    from series join hourly on hourly.tenant_id = ${tx.tenant} and hourly.series_id = series.id
    where series.tenant_id = ${tx.tenant} and series.device_id = any(${ids}::uuid[])
      and series.metric = ${'burnerHours' satisfies MetricKey}
      and hourly.hour >= ${from} and hourly.hour < ${to} and hourly.n > 0
    group by 1`.execute(tx)
  const hours: Readings['hours'] = new Map()
  for (const { id, metric, hours: at, means } of rows) {
    const known = hours.get(id) ?? {}
    known[metric] = new Map(at.map((hour, index) => [hour, means[index]!]))
    hours.set(id, known)
  }
  return { hours, burners: new Map(burners.rows.map(({ id, low, high }) => [id, { low, high }])) }
}

/** What the devices of one home say of its rooms and of its warmth; a device in no home stands for itself. */
function climateOf(devices: readonly Stands[], { hours, burners }: Readings, span: Span, damp: DampFigures) {
  const known = devices.map(({ device_id: id }) => ({ id, ...hours.get(id) }))
  const series = (metric: Climate) => known.flatMap((one) => one[metric] ?? [])
  const outside = new Map(series('outsideTemperature').flatMap((one) => [...one]))
  const rooms = known.flatMap(({ id, temperature, humidity }): [string, RoomFigures][] => {
    if (!temperature || !humidity) return []
    const all = [...temperature].flatMap(([at, value]): DampHour[] => {
      const moist = humidity.get(at)
      return moist === undefined
        ? []
        : [{ at, temperature: value, humidity: moist, outside: outside.get(at) ?? damp.outside }]
    })
    return [[id, roomFigures(all, span, damp)]]
  })
  const inSpan = (one: Hourly): Hourly => new Map([...one].filter(([at]) => at >= span.from))
  const counters = known.flatMap(({ id }) => burners.get(id) ?? [])
  const [temperatures, setPoints, electricity] = (['temperature', 'setPoint', 'electricityConsumption'] as const).map(
    (metric) => series(metric).map(inSpan),
  ) as [Hourly[], Hourly[], Hourly[]]
  const tells = temperatures.length || setPoints.length || electricity.length || counters.length
  return { rooms, home: tells ? homeFigures({ temperatures, setPoints, burners: counters, electricity }, span) : null }
}
