import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { Evidence } from '@caretaker/rules/conditions/conditions.ts'
import { defectKinds } from '@caretaker/rules/conditions/conditions.ts'
import { productsOfFamily } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses, isInService } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { HeldTest, LostTest } from '@caretaker/rules/inspection/sheet.ts'
import { lookBack, outcomeOf } from '@caretaker/rules/inspection/sheet.ts'
import { mostGraceDays } from '@caretaker/rules/lighting/again.ts'
import { monitoredLedCircuitWords, operatingModeWords } from '@caretaker/rules/lighting/luminaire.ts'
import type { ResultChange } from '@caretaker/rules/lighting/decisions.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'
import { repeatsOf } from '../groups/again.ts'
import { testedGroups } from '../groups/store.ts'
import { litSeconds } from '../lighting/store.ts'
import { countedResult } from '../lighting/counted.ts'
import { batteryPutIn } from '../devices/battery.ts'
import type { LightEntry, ScheduleEntry } from './parts.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** The instants of a period: its start, and the first one after its end. */
export interface Span {
  from: Date
  end: Date
  zone: string
}

const products = productsOfFamily('emered')

/** A building with its log book facts; `held` locks it until the transaction ends. */
export function findBuilding(tx: TenantTx, id: string, held = false) {
  return tx
    .selectFrom('building')
    .select(['id', 'name', 'address', 'postcode'])
    .select(['responsible_person as responsible', 'completion_certificate as certificate'])
    .select('central_battery as centralBattery')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .$if(held, (one) => one.forUpdate())
    .executeTakeFirst()
}

/** Everyone named as responsible for a building, with the start days, from the audit. */
export async function earlierResponsible(tx: TenantTx, building: string, { end, zone }: Omit<Span, 'from'>) {
  return tx
    .selectFrom('audit_entry as entry')
    .where('entry.tenant_id', '=', tx.tenant)
    .where('entry.subject_type', '=', 'building')
    .where('entry.subject_id', '=', building)
    .where('entry.action', '=', 'building changed')
    .where(sql<boolean>`entry.after ? 'responsible'`)
    .where('entry.at', '<', end)
    .select([sql<string | null>`entry.after ->> 'responsible'`.as('name'), dayOf('entry.at', zone).as('since')])
    .orderBy('entry.at')
    .execute()
}

export function findClient(tx: TenantTx) {
  return tx
    .selectFrom('tenant')
    .select(['display_name as name', 'contacts', 'time_zone as zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
}

/** The emergency lights in service in a building that the actor sees, from the lowest floor up, by room. */
export async function lightsOf(tx: TenantTx, actor: Actor, building: string): Promise<string[]> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('device.building_id', '=', building)
    .where('device.product', 'in', products)
    .select(['device.id', 'device.status'])
    .orderBy(sql`device.floor_number nulls first`)
    .orderBy(sql`${naturally(sql`device.room`)} nulls first`)
    .orderBy(naturally(sql`device.name`))
    .orderBy('device.serial')
    .execute()
  return rows.filter(({ status }) => isInService(status)).map(({ id }) => id)
}

/** The buildings with emergency lights in service that the actor sees, by name. */
export async function buildingsWithLights(tx: TenantTx, actor: Actor): Promise<string[]> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .innerJoin('building', (join) =>
      join.on('building.tenant_id', '=', tx.tenant).onRef('building.id', '=', 'device.building_id'),
    )
    .where('device.product', 'in', products)
    .where('device.status', 'in', deviceStatuses.filter(isInService))
    .groupBy(['building.id', 'building.name'])
    .select('building.id')
    .orderBy(naturally(sql`building.name`))
    .orderBy('building.id')
    .execute()
  return rows.map(({ id }) => id)
}

const among = (column: string, ids: readonly string[]) => sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`
const dayOf = (column: string, zone: string) => sql<Day>`to_char(${sql.ref(column)} at time zone ${zone}, 'YYYY-MM-DD')`

/** Whole minutes for which a lamp was lit in a test. */
const minutes = sql<number | null>`floor(${litSeconds} / 60)`

/** The register entries of some lights, by id. */
export async function registerOf(
  tx: TenantTx,
  ids: readonly string[],
  { end, zone }: Span,
): Promise<Map<string, LightEntry>> {
  const rows = await tx
    .selectFrom('device')
    .leftJoin('emergency_equipment as box', (join) =>
      join.on('box.tenant_id', '=', tx.tenant).onRef('box.device_id', '=', 'device.id'),
    )
    .leftJoin('light_group_member as member', (join) =>
      join.on('member.tenant_id', '=', tx.tenant).onRef('member.device_id', '=', 'device.id'),
    )
    .leftJoin('light_group as group', (join) =>
      join.on('group.tenant_id', '=', tx.tenant).onRef('group.id', '=', 'member.group_id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .where(among('device.id', ids))
    .select([
      'device.id',
      'device.serial',
      'device.name',
      'device.floor_name',
      'device.room',
      'box.name as luminaire',
      'box.lamp_type',
      'box.inverter_type',
      'box.battery_type',
      'box.battery_voltage',
      'box.battery_capacity',
      batteryPutIn(tx, 'box').as('battery_since'),
      'box.monitored_led_circuit as circuit',
      'box.operating_mode as mode',
      'box.key_switch',
      'group.name as group_name',
    ])
    .execute()
  const full = await lastFullTests(tx, ids, { end, zone })
  return new Map(
    rows.map((row): [string, LightEntry] => [
      row.id,
      {
        serial: row.serial,
        name: row.name,
        floor: row.floor_name,
        room: row.room,
        luminaire: row.luminaire,
        lampType: row.lamp_type,
        inverterType: row.inverter_type,
        battery: row.battery_type && `${row.battery_type}, ${row.battery_voltage} V, ${row.battery_capacity} Ah`,
        batterySince: row.battery_since,
        mode: row.mode && operatingModeWords[row.mode],
        keySwitch: row.key_switch,
        circuit: row.circuit && monitoredLedCircuitWords[row.circuit],
        group: row.group_name,
        lastFull: full.get(row.id) ?? null,
      },
    ]),
  )
}

/** The last T180 with a result of each light before an instant. */
async function lastFullTests(tx: TenantTx, ids: readonly string[], { end, zone }: Omit<Span, 'from'>) {
  const rows = await tx
    .selectFrom('emergency_test as test')
    .distinctOn('test.device_id')
    .where('test.tenant_id', '=', tx.tenant)
    .where(among('test.device_id', ids))
    .where('test.test_type', '=', 'T180')
    .where(countedResult, 'in', ['Passed', 'Degraded', 'Failed'])
    .where('test.started_at', '<', end)
    .select([
      'test.device_id',
      countedResult.as('result'),
      dayOf('test.started_at', zone).as('day'),
      minutes.as('minutes'),
    ])
    .orderBy('test.device_id')
    .orderBy('test.started_at', 'desc')
    .execute()
  return new Map(
    rows.map(({ device_id, day, result, minutes: lasted }) => [
      device_id,
      { day, outcome: outcomeOf(result), minutes: lasted },
    ]),
  )
}

export interface StoredTest extends HeldTest {
  at: Date
  minutes: number | null
  reason: string
  changes: readonly ResultChange[] | null
}

/**
 * The tests of some lights before the end of a span, reaching back far enough that gaps are complete; earliest first.
 */
export async function testsOf(
  tx: TenantTx,
  ids: readonly string[],
  { from, end, zone }: Span,
): Promise<Map<string, StoredTest[]>> {
  const rows = await tx
    .selectFrom('emergency_test as test')
    .where('test.tenant_id', '=', tx.tenant)
    .where(among('test.device_id', ids))
    .where('test.started_at', '>=', new Date(+from - lookBack * 86_400_000))
    .where('test.started_at', '<', end)
    .select([
      'test.device_id',
      'test.test_type as type',
      'test.started_at as at',
      dayOf('test.started_at', zone).as('day'),
      countedResult.as('result'),
      'test.reason',
      'test.changes',
      // The duration of a flick test is irrelevant.
      sql<number | null>`case when test.test_type <> 'T0' then ${minutes} end`.as('minutes'),
    ])
    .orderBy('test.started_at')
    .orderBy('test.event_id')
    .execute()
  return Map.groupBy(rows, ({ device_id }) => device_id)
}

export type StoredLost = LostTest & { at: Date }

/** The planned tests of some lights that have no result, on the same days. */
export async function lostTestsOf(
  tx: TenantTx,
  ids: readonly string[],
  { from, end, zone }: Span,
): Promise<Map<string, StoredLost[]>> {
  const rows = await tx
    .selectFrom('test_run_light as light')
    .innerJoin('test_run as run', (join) =>
      join.on('run.tenant_id', '=', tx.tenant).onRef('run.id', '=', 'light.run_id'),
    )
    .where('light.tenant_id', '=', tx.tenant)
    .where(among('light.device_id', ids))
    .where('light.state', 'in', ['missed', 'notStarted', 'interrupted'])
    .where('run.starts_at', '>=', new Date(+from - lookBack * 86_400_000))
    .where('run.starts_at', '<', end)
    .select([
      'light.device_id',
      'run.test_type as type',
      'run.starts_at as at',
      dayOf('run.starts_at', zone).as('day'),
      'light.state',
      'light.reason',
    ])
    .orderBy('run.starts_at')
    .execute()
  return Map.groupBy(rows as (StoredLost & { device_id: string })[], ({ device_id }) => device_id)
}

/** The number of tests of some lights per result in a span. */
export async function countTests(tx: TenantTx, ids: readonly string[], { from, end }: Span) {
  const rows = await tx
    .selectFrom('emergency_test as test')
    .where('test.tenant_id', '=', tx.tenant)
    .where(among('test.device_id', ids))
    .where('test.started_at', '>=', from)
    .where('test.started_at', '<', end)
    .groupBy(['test.test_type', countedResult])
    .select(['test.test_type as type', countedResult.as('result'), (eb) => eb.fn.countAll<number>().as('count')])
    .execute()
  return rows.map((row): { type: TestType; result: TestResult; count: number } => ({
    ...row,
    count: Number(row.count),
  }))
}

/**
 * The next planned tests of some lights by group, and the repeated ones that some of these lights missed; lights in no
 * group have an entry without a type.
 */
export async function scheduleOf(tx: TenantTx, ids: readonly string[], now: Date): Promise<ScheduleEntry[]> {
  const rows = await tx
    .selectFrom('device')
    .leftJoin('light_group_member as member', (join) =>
      join.on('member.tenant_id', '=', tx.tenant).onRef('member.device_id', '=', 'device.id'),
    )
    .leftJoin('light_group as group', (join) =>
      join.on('group.tenant_id', '=', tx.tenant).onRef('group.id', '=', 'member.group_id'),
    )
    .leftJoin('test_run as run', (join) =>
      join
        .on('run.tenant_id', '=', tx.tenant)
        .onRef('run.group_id', '=', 'group.id')
        .on('run.state', '=', 'planned')
        .on('run.repeats', 'is', null)
        .on('run.starts_at', '>', now),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .where(among('device.id', ids))
    .groupBy(['group.id', 'group.name', 'run.test_type'])
    .select(['group.id as groupId', 'group.name as group', 'run.test_type as type'])
    .select(sql<number>`count(distinct device.id)::int`.as('lights'))
    .select(({ fn }) => fn.min('run.starts_at').as('next'))
    .orderBy(sql`${naturally(sql`"group".name`)} nulls last`)
    .orderBy('next')
    .execute()
  const groupIds = [...new Set(rows.flatMap(({ groupId }) => groupId ?? []))]
  const span = { from: +now, to: +now + againWithin }
  const again = Map.groupBy(
    await repeatsOf(tx, await testedGroups(tx, { ids: groupIds }), span),
    ({ group }) => group.id,
  )
  const own = new Set(ids)
  return [...Map.groupBy(rows, ({ groupId }) => groupId)].flatMap(([groupId, planned]) => [
    ...planned.map(({ groupId: _, ...entry }) => ({ ...entry, isAgain: false })),
    ...(again.get(groupId ?? '') ?? []).flatMap(({ group, testType, startsAt, deviceIds }): ScheduleEntry[] => {
      const lights = deviceIds.filter((id) => own.has(id)).length
      return lights ? [{ group: group.name, type: testType, isAgain: true, lights, next: new Date(startsAt) }] : []
    }),
  ])
}

/** All repeated tests are planned within this many ms. */
const againWithin = (mostGraceDays + 3) * 86_400_000

/** The faults of some lights in a span. */
export async function faultsOf(tx: TenantTx, ids: readonly string[], { from, end }: Span) {
  const rows = await tx
    .selectFrom('condition')
    .where('tenant_id', '=', tx.tenant)
    .where(among('device_id', ids))
    .where('kind', 'in', defectKinds)
    .where('began_at', '<', end)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', from)]))
    .select(['device_id', 'kind', 'key', 'states', 'evidence', 'began_at', 'ended_at', 'ending', 'end_evidence'])
    .select('interim_measure')
    .orderBy('began_at')
    .execute()
  return Map.groupBy(rows, ({ device_id }) => device_id)
}
export type StoredFault = NonNullable<ReturnType<Awaited<ReturnType<typeof faultsOf>>['get']>>[number] & {
  evidence: Evidence
}

export type Removed = Awaited<ReturnType<typeof removedFrom>>[number]

/** Lights that left a building in a span, by its name at the time, which the audit keeps. */
export async function removedFrom(tx: TenantTx, actor: Actor, building: string, { from, end, zone }: Span) {
  const nameThen = sql<string>`coalesce((
    select renamed.before ->> 'name' from audit_entry as renamed
    where renamed.tenant_id = ${tx.tenant} and renamed.subject_type = 'building' and renamed.subject_id = ${building}
      and renamed.action = 'building changed' and renamed.before ? 'name' and renamed.at > entry.at
    order by renamed.at limit 1
  ), (select building.name from building where building.tenant_id = ${tx.tenant} and building.id = ${building}::uuid))`
  // An import records it under the name of its column.
  const [left, to] = ['before', 'after'].map(
    (side) =>
      sql<
        string | null
      >`coalesce(${sql.ref(`entry.${side}`)} ->> 'building', ${sql.ref(`entry.${side}`)} ->> 'buildingName')`,
  ) as [RawBuilder<string | null>, RawBuilder<string | null>]
  return visible(tx.selectFrom('device'), actor)
    .innerJoin('audit_entry as entry', (join) =>
      join.on('entry.tenant_id', '=', tx.tenant).on(sql<boolean>`entry.subject_id = device.id::text`),
    )
    .where('device.product', 'in', products)
    .where('entry.subject_type', '=', 'device')
    .where('entry.action', 'in', ['device uninstalled', 'device moved'])
    .where('entry.at', '>=', from)
    .where('entry.at', '<', end)
    .where(sql<boolean>`${left} is distinct from ${to} and ${left} = ${nameThen}`)
    .select([
      'device.serial',
      'device.name',
      dayOf('entry.at', zone).as('day'),
      to.as('to'),
      sql<boolean>`entry.action = 'device moved'`.as('isMoved'),
      'entry.person_name as by',
    ])
    .orderBy('entry.at')
    .execute()
}

/** The photographs of repairs of some lights in a span, the newest repair first. */
export async function photosOf(tx: TenantTx, ids: readonly string[], { from, end, zone }: Span) {
  const rows = await tx
    .selectFrom('repair_photo as photo')
    .innerJoin('repair_form as repair', (join) =>
      join.on('repair.tenant_id', '=', tx.tenant).onRef('repair.id', '=', 'photo.repair_id'),
    )
    .innerJoin('file', (join) => join.on('file.tenant_id', '=', tx.tenant).onRef('file.id', '=', 'photo.file_id'))
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'repair.device_id'),
    )
    .where('photo.tenant_id', '=', tx.tenant)
    .where(among('repair.device_id', ids))
    .where(sql<boolean>`repair.repaired_on >= to_char(${from}::timestamptz at time zone ${zone}, 'YYYY-MM-DD')`)
    .where(sql<boolean>`repair.repaired_on < to_char(${end}::timestamptz at time zone ${zone}, 'YYYY-MM-DD')`)
    .select(['device.serial', 'device.name as lightName', 'repair.repaired_on as day', 'photo.name'])
    .select(['file.id as fileId', 'file.content_type as contentType'])
    .orderBy('repair.repaired_on', 'desc')
    .orderBy('photo.added_at')
    .orderBy('photo.id')
    .execute()
  return rows.map(({ serial, lightName, ...photo }) => ({ ...photo, light: { serial, name: lightName } }))
}

/** Repairs of some lights by day, and changes to their equipment. */
export async function worksOf(tx: TenantTx, ids: readonly string[], { from, end, zone }: Span) {
  const repairs = await tx
    .selectFrom('repair_form')
    .where('tenant_id', '=', tx.tenant)
    .where(among('device_id', ids))
    .where(sql<boolean>`repaired_on >= to_char(${from}::timestamptz at time zone ${zone}, 'YYYY-MM-DD')`)
    .where(sql<boolean>`repaired_on < to_char(${end}::timestamptz at time zone ${zone}, 'YYYY-MM-DD')`)
    .select(['device_id', 'repaired_on as day', 'part', 'parts', 'description', 'repaired_by as by'])
    .select(['replaced', 'at', 'person_name as enteredBy'])
    .execute()
  const changes = await tx
    .selectFrom('audit_entry')
    .where('tenant_id', '=', tx.tenant)
    .where('subject_type', '=', 'device')
    .where(sql<boolean>`subject_id = any(${ids}::text[])`)
    .where('action', 'in', [
      'luminaire changed',
      'monitored LED circuit changed',
      'light operation changed',
      'device moved',
    ])
    .where('at', '>=', from)
    .where('at', '<', end)
    .select(['subject_id as device_id', dayOf('at', zone).as('day'), 'action', 'before', 'after', 'person_name as by'])
    .execute()
  return {
    zone,
    repairs: Map.groupBy(repairs, ({ device_id }) => device_id),
    changes: Map.groupBy(changes, ({ device_id }) => device_id),
  }
}
