import { sql } from 'kysely'
import { recordTypesOf, withoutRecords } from '@caretaker/rules/boilers/compliance.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { Check } from '@caretaker/rules/compliance/due.ts'
import { complianceRank } from '@caretaker/rules/compliance/due.ts'
import type { CheckState } from '@caretaker/rules/compliance/home.ts'
import { checksOfHome, checksOfLooseDevice } from '@caretaker/rules/compliance/home.ts'
import type { RecordStatus, RecordType } from '@caretaker/rules/compliance/records.ts'
import { recordTypes } from '@caretaker/rules/compliance/records.ts'
import type { CheckKind } from '@caretaker/rules/conditions/conditions.ts'
import { checkKindOf, checkKinds } from '@caretaker/rules/conditions/conditions.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { displayGroup, displayGroups } from '@caretaker/rules/devices/status.ts'
import { changed } from '../../changes/changed.ts'
import { setDeviceChecks } from '../../devices/checks.ts'
import { doDue, inBatches, makeDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { PropertyChecks } from '../../properties/checks.ts'
import { recordChecks, setCheckFacts, setPropertyChecks } from '../../properties/checks.ts'
import { happened, openConditions } from '../conditions/store.ts'
import { columnsOf } from '../devices/compliance.ts'
import { dueRulesOf } from './figures.ts'
import { holdHomesOf } from './homes.ts'

/** The items to recompute: properties with all of their appliances, and devices without a property. */
interface RecomputedItems {
  homes?: readonly string[]
  devices?: readonly string[]
}

/** Recomputes devices, each together with its property, which the caller locks before the device. */
export async function recomputeCompliance(tx: TenantTx, deviceIds: readonly string[], now: Date): Promise<void> {
  if (!deviceIds.length) return
  const homes = await holdHomesOf(tx, deviceIds)
  await storeCheckStates(tx, { homes, devices: deviceIds }, now)
  await changed(tx, 'device records', deviceIds)
}

interface Held {
  id: string
  serial: string
  product: Product
  monitoring: string | null
  status: DeviceStatus
  home: string | null
}

interface HeldHome {
  id: string
  gasOn: Day | null
  gasAfter: Day | null
  waterOn: Day | null
}

interface StoredCheck {
  of: string
  type: RecordType
  recorded_at: Date
  status: RecordStatus
  serial_number: string
}

/** The states of properties and of everything in them that has records. */
interface FoundStates {
  /** The devices that can have records, in the order of their ids. */
  held: readonly Held[]
  /** For devices, and for appliances without a device. */
  appliances: Map<string, States>
  homes: Map<string, HomeStates>
}

/**
 * Computes the current states of properties and devices from their records. If locking, properties come first, then
 * devices in the order of their ids; records are read last, so that of two concurrent additions the later one sees
 * both records.
 */
export async function findStates(
  tx: TenantTx,
  { homes = [], devices = [] }: RecomputedItems,
  now: Date,
  { areHeld = false } = {},
): Promise<FoundStates> {
  const { zone, figures } = await dueRulesOf(tx)
  const today = dayAt(+now, zone)
  const holding = areHeld ? sql`for no key update` : sql``
  const { rows: places } = await sql<HeldHome>`
    select id, to_char(last_gas_safety_check_on, 'YYYY-MM-DD') as "gasOn", to_char(gas_check_after, 'YYYY-MM-DD') as "gasAfter",
      to_char(last_chemical_test_on, 'YYYY-MM-DD') as "waterOn"
    from property where tenant_id = ${tx.tenant} and id = any(${homes}::uuid[]) order by id ${holding}`.execute(tx)
  const { rows: held } = await sql<Held>`
    select id, serial, product, monitoring, status, property_id as home from device
    where tenant_id = ${tx.tenant} and product in ${productsOfRecords}
      and (id = any(${devices}::uuid[]) or property_id = any(${homes}::uuid[]))
    order by id ${holding}`.execute(tx)
  const { rows: unconnected } = await sql<{ id: string; home: string }>`
    select id, property_id as home from home_appliance
    where tenant_id = ${tx.tenant} and property_id = any(${homes}::uuid[]) and removed_at is null order by id`.execute(
    tx,
  )
  const checks = await checksOf(
    tx,
    held.map(({ id }) => id),
    unconnected.map(({ id }) => id),
  )
  const found: FoundStates = { held, appliances: new Map(), homes: new Map() }
  for (const type of recordTypes) {
    const recorded = (id: string): Check[] =>
      (checks.get(`${type} ${id}`) ?? []).map(({ recorded_at, status }) => ({ day: dayAt(+recorded_at, zone), status }))
    const inHome = Map.groupBy(
      held.filter((device) => typesOfDevice(device).includes(type)),
      ({ home }) => home,
    )
    const others = Map.groupBy(type === 'GasSafety' ? unconnected : [], ({ home }) => home)
    for (const place of places) {
      const ids = [...(inHome.get(place.id) ?? []), ...(others.get(place.id) ?? [])].map(({ id }) => id)
      const isGas = type === 'GasSafety'
      const stated = isGas ? { statedOn: place.gasOn, statedAfter: place.gasAfter } : { statedOn: place.waterOn }
      const appliances = ids.map((id) => ({ id, checks: recorded(id) }))
      const states = checksOfHome({ type, appliances, ...stated }, today, figures[type])
      for (const [id, state] of states.appliances) put(found.appliances, id, type, state)
      const last = ids
        .flatMap((id) => checks.get(`${type} ${id}`) ?? [])
        .toSorted((a, b) => +a.recorded_at - +b.recorded_at)
        .at(-1)
      const home = states.home && { ...states.home, certificate: last?.serial_number ?? null }
      found.homes.set(place.id, { ...found.homes.get(place.id), [type]: home })
    }
    for (const { id } of inHome.get(null) ?? [])
      put(found.appliances, id, type, checksOfLooseDevice(recorded(id), today, figures[type]))
  }
  return found
}

/** Stores the current states of properties and devices: the only place where they change. */
export async function storeCheckStates(tx: TenantTx, items: RecomputedItems, now: Date): Promise<void> {
  const { homes = [], devices = [] } = items
  if (homes.length + devices.length === 0) return
  const { zone } = await dueRulesOf(tx)
  const found = await findStates(tx, items, now, { areHeld: true })
  const turns: Day[] = []
  const concerned = await writeDevices(tx, found.held, found.appliances, zone, turns)
  await setPropertyChecks(tx, propertyChecks(found.homes, zone, turns))
  await updateDeviceConditions(tx, found, { now, zone })
  await writeFacts(tx, homes)
  // Alerts of a property depend on each of its appliances, even if the worst state is unchanged.
  const around = found.held.flatMap(({ id, home }) => (home !== null && concerned.includes(id) ? [home] : []))
  recordChecks(tx, [...new Set(around)])
  const [next] = turns.toSorted()
  if (next) await makeDue(tx, 'turn compliance', new Date(startOfDay(next, zone)))
}

/** By record type; undefined where there are no records of that type. */
export type States = Partial<Record<RecordType, CheckState>>
export type HomeStates = Partial<Record<RecordType, (CheckState & { certificate: string | null }) | null>>

function put(states: Map<string, States>, id: string, type: RecordType, state: CheckState): void {
  states.set(id, { ...states.get(id), [type]: state })
}

/** The record types of a device: none for one that is in stock or removed. */
function typesOfDevice({ product, monitoring, status }: Held): RecordType[] {
  if (displayGroup(status) === 'NotInstalled') return []
  return recordTypesOf({ product, monitoring: monitoringIn(monitoring) })
}

/** The records that count, by type and appliance, in their order. */
async function checksOf(
  tx: TenantTx,
  devices: readonly string[],
  appliances: readonly string[],
): Promise<Map<string, StoredCheck[]>> {
  const { rows } = await sql<StoredCheck>`
    select coalesce(device_id, appliance_id) as of, type, recorded_at, status, serial_number from compliance_record
    where tenant_id = ${tx.tenant} and (device_id = any(${devices}::uuid[]) or appliance_id = any(${appliances}::uuid[]))
      and not is_draft and withdrawn_at is null
    order by recorded_at, created_at, id`.execute(tx)
  return Map.groupBy(rows, ({ of, type }) => `${type} ${of}`)
}

const startOf = (day: Day | null | undefined, zone: string) =>
  day ? new Date(startOfDay(day, zone)).toISOString() : null

/** The first day on which a state changes by itself; also collected for the job. */
function firstTurn(states: readonly (CheckState | null | undefined)[], turns: Day[]): Day | null {
  const days = states.flatMap((state) => state?.turnsOn ?? []).toSorted()
  if (days[0]) turns.push(days[0])
  return days[0] ?? null
}

/** A device without a record and without an obligation has no state. */
const written = (state: CheckState | undefined) => (state && state.state !== 'NoRecord' ? state.state : null)

/** Writes the devices that differ, and returns them. */
async function writeDevices(
  tx: TenantTx,
  held: readonly Held[],
  states: ReadonlyMap<string, States>,
  zone: string,
  turns: Day[],
): Promise<string[]> {
  const rows = held.map(({ id }) => {
    const of = states.get(id) ?? {}
    return {
      id,
      gas_due_at: startOf(of.GasSafety?.dueOn, zone),
      gas_state: written(of.GasSafety),
      water_due_at: startOf(of.WaterTreatment?.dueOn, zone),
      water_state: written(of.WaterTreatment),
      turns_at: startOf(firstTurn([of.GasSafety, of.WaterTreatment], turns), zone),
    }
  })
  return setDeviceChecks(tx, rows)
}

/** The checks of properties as they are stored. */
function propertyChecks(states: ReadonlyMap<string, HomeStates>, zone: string, turns: Day[]): PropertyChecks[] {
  return [...states].map(([id, { GasSafety: gas, WaterTreatment: water }]) => ({
    id,
    gas_check_state: gas?.state ?? null,
    gas_rank: complianceRank(gas?.state ?? null),
    gas_due_at: startOf(gas?.dueOn, zone),
    gas_failed_on: gas?.failedOn ?? null,
    gas_last_on: gas?.lastOn ?? null,
    gas_certificate: gas?.certificate ?? null,
    water_check_state: water?.state ?? null,
    water_rank: complianceRank(water?.state ?? null),
    water_check_due_at: startOf(water?.dueOn, zone),
    water_failed_on: water?.failedOn ?? null,
    water_last_on: water?.lastOn ?? null,
    turns_at: startOf(firstTurn([gas, water], turns), zone),
  }))
}

/**
 * Begins and ends conditions of devices from the checks of their property, or their own checks if they are in none: a
 * boiler whose check failed is not Passed.
 */
async function updateDeviceConditions(
  tx: TenantTx,
  { held, homes, appliances }: FoundStates,
  { now, zone }: { now: Date; zone: string },
): Promise<void> {
  const open = await openConditions(
    tx,
    held.map(({ id }) => id),
  )
  const happenings = held.flatMap((device) => {
    const states: States | HomeStates | undefined =
      device.home === null ? appliances.get(device.id) : homes.get(device.home)
    const wanted = new Map(
      typesOfDevice(device).flatMap((type) => {
        const state = states?.[type]
        const kind = checkKindOf(type, state?.state ?? null)
        return kind ? [[kind, state!] as const] : []
      }),
    )
    const isOpen = (kind: CheckKind) => (open.get(device.id) ?? []).some((one) => one.kind === kind)
    return checkKinds
      .filter((kind) => isOpen(kind) !== wanted.has(kind))
      .map((kind) => ({
        deviceId: device.id,
        occurrence: {
          what: 'check' as const,
          kind,
          holds: wanted.has(kind),
          at: Math.min(+now, begunAt(kind, wanted.get(kind), zone) ?? +now),
        },
      }))
  })
  if (happenings.length) await happened(tx, happenings)
}

/** When it began, in ms: on the day of the failed check, or at the end of the due date. */
function begunAt(kind: CheckKind, state: CheckState | undefined, zone: string): number | undefined {
  if (!state) return undefined
  const isFailed = kind === 'gasCheckFailed' || kind === 'waterTreatmentFailed'
  if (isFailed) return state.failedOn ? startOfDay(state.failedOn, zone) : undefined
  return state.dueOn && kind !== 'gasNeverChecked' ? startOfDay(state.dueOn, zone) + 86_400_000 : undefined
}

const productsOfRecords = sql`('BC', 'BX', 'ASHP', 'HIU')`

/** A hash of the facts from which the states of properties are computed; null if there are none. */
const factsOf = (tx: TenantTx, homes?: readonly string[]) => sql`
  select property.id, case when device.facts is null and appliance.facts is null and last_gas_safety_check_on is null
      and last_chemical_test_on is null then null
    else md5(concat_ws('|', device.facts, appliance.facts, last_gas_safety_check_on - date '2000-01-01', last_chemical_test_on
      - date '2000-01-01', gas_check_after - date '2000-01-01'))::uuid end as facts
  from property
  left join (
    select property_id, string_agg(concat_ws(' ', id, product, monitoring, gas_state, water_state, extract(epoch from gas_due_at),
      extract(epoch from water_due_at), status = any(${[...displayGroups.NotInstalled]}::text[])), ',' order by id) as facts
    from device where tenant_id = ${tx.tenant} and listing = 'Boilers' and product in ${productsOfRecords} and property_id is not null
      ${homes ? sql`and property_id = any(${homes}::uuid[])` : sql``}
    group by property_id
  ) as device on device.property_id = property.id
  left join (
    select property_id, string_agg(id::text, ',' order by id) as facts from home_appliance
    where tenant_id = ${tx.tenant} and removed_at is null
      ${homes ? sql`and property_id = any(${homes}::uuid[])` : sql``}
    group by property_id
  ) as appliance on appliance.property_id = property.id
  where property.tenant_id = ${tx.tenant} ${homes ? sql`and property.id = any(${homes}::uuid[])` : sql``}`

async function writeFacts(tx: TenantTx, homes: readonly string[]): Promise<void> {
  if (!homes.length) return
  const { rows } = await sql<{ id: string; facts: string | null }>`${factsOf(tx, homes)}`.execute(tx)
  await setCheckFacts(tx, rows)
}

/** Properties whose states were computed from other devices, appliances or dates than they have now. */
export const homesWithOtherFacts = (tx: TenantTx) => sql<{ id: string }>`
  select property.id from property join (${factsOf(tx)}) as now on now.id = property.id
  where property.tenant_id = ${tx.tenant} and property.archived_at is null
    and property.compliance_facts is distinct from now.facts`

/** Properties or devices recomputed in one transaction. */
const batch = 1000

/** Recomputes properties whose devices or appliances changed; skips locked ones. Returns how many. */
export async function recomputeChangedHomes(tx: TenantTx, now: Date): Promise<number> {
  // Materialized: as a subquery with a limit it may run again for each locked property.
  const { rows } = await sql<{ id: string }>`
    with differing as materialized (${homesWithOtherFacts(tx)} limit ${batch})
    select property.id from property
    where property.tenant_id = ${tx.tenant} and property.id in (select id from differing)
    order by property.id for no key update skip locked`.execute(tx)
  await storeCheckStates(tx, { homes: rows.map(({ id }) => id) }, now)
  return rows.length
}

const batchByBatch = (db: Db, tenant: string, some: (tx: TenantTx) => Promise<number>) =>
  inBatches(() => inTenant(db, tenant, some), batch)

/** Recomputes the properties and devices whose state changes with a new day, in all tenants; returns how many. */
export async function turnCompliance(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'turn compliance',
    now,
    run: (tenant) =>
      batchByBatch(db, tenant, async (tx) => {
        const turning = await dueTurns(tx, now)
        await storeCheckStates(tx, turning, now)
        return turning.homes.length + turning.devices.length
      }),
    next: async (tx) => {
      const { rows } = await sql<{ at: Date | null }>`
        select least(
          (select min(compliance_turns_at) from property where property.tenant_id = ${tx.tenant}),
          (select min(compliance_turns_at) from device
            where device.tenant_id = ${tx.tenant} and listing = 'Boilers' and property_id is null)) as at`.execute(tx)
      return rows[0]!.at
    },
  })
}

async function dueTurns(tx: TenantTx, now: Date): Promise<{ homes: string[]; devices: string[] }> {
  const { rows: homes } = await sql<{ id: string }>`
    select id from property where tenant_id = ${tx.tenant} and compliance_turns_at <= ${now}
    order by id limit ${batch / 2}`.execute(tx)
  const { rows: devices } = await sql<{ id: string }>`
    select id from device where tenant_id = ${tx.tenant} and listing = 'Boilers' and property_id is null
      and compliance_turns_at <= ${now} order by id limit ${batch / 2}`.execute(tx)
  return { homes: homes.map(({ id }) => id), devices: devices.map(({ id }) => id) }
}

/**
 * Recomputes, in all tenants, devices with a state for something that they do not monitor, left by earlier versions;
 * returns how many. A recomputed device no longer has such a state, so an interrupted run loses nothing.
 */
export async function recomputeUnmonitored(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'settle unwatched',
    now,
    run: (tenant) =>
      batchByBatch(db, tenant, async (tx) => {
        const ids = await unwatched(tx)
        await recomputeCompliance(tx, ids, now)
        return ids.length
      }),
    next: () => Promise.resolve(null),
  })
}

async function unwatched(tx: TenantTx): Promise<string[]> {
  const stale = recordTypes.map(
    (type) =>
      sql`(${sql.ref(`${columnsOf[type]}_state`)} is not null and monitoring = any(${withoutRecords[type]}::text[]))`,
  )
  const { rows } = await sql<{ id: string }>`
    select id from device where tenant_id = ${tx.tenant} and listing = 'Boilers' and (${sql.join(stale, sql` or `)})
    order by id limit ${batch}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Recomputes all properties of the tenant and all devices with records, because its figures or time zone changed. */
export async function recomputeAllCompliance(tx: TenantTx, now: Date): Promise<void> {
  const { rows: homes } = await sql<{ id: string }>`
    select id from property where tenant_id = ${tx.tenant} and archived_at is null
      and (compliance_facts is not null or last_gas_safety_check_on is not null or last_chemical_test_on is not null or exists (
        select from device where device.tenant_id = ${tx.tenant} and device.property_id = property.id
          and device.product in ${productsOfRecords}))
    order by id`.execute(tx)
  const { rows: devices } = await sql<{ id: string }>`
    select distinct device.id from compliance_record as record
    join device on device.tenant_id = ${tx.tenant} and device.id = record.device_id and device.property_id is null
    where record.tenant_id = ${tx.tenant} and not record.is_draft order by 1`.execute(tx)
  for (let at = 0; at < homes.length; at += batch)
    await storeCheckStates(tx, { homes: homes.slice(at, at + batch).map(({ id }) => id) }, now)
  for (let at = 0; at < devices.length; at += batch)
    await storeCheckStates(tx, { devices: devices.slice(at, at + batch).map(({ id }) => id) }, now)
}
