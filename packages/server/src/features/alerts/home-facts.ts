import { sql } from 'kysely'
import { lawEventsAt } from '@caretaker/rules/alerts/law.ts'
import type { HomeFacts, RecordStanding } from '@caretaker/rules/alerts/signals.ts'
import { recordTypesOf } from '@caretaker/rules/boilers/compliance.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { clockText, dayAfter, dayAt, dayText, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { nearTo } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { Due } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { caseNumberText, lateFrom } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import type { DampLevel } from '@caretaker/rules/properties/damp.ts'
import { dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import type { HeatingState } from '@caretaker/rules/properties/heating.ts'
import { heatingStateWords } from '@caretaker/rules/properties/heating.ts'
import { eachOf, uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dueRulesOf } from '../compliance/figures.ts'

/**
 * The facts of properties that alerts use, each from the same column as on the property's page, in the list and on
 * the dashboard.
 */

type DueRules = Awaited<ReturnType<typeof dueRulesOf>>

interface Standing {
  state: ComplianceState | null
  dueAt: Date | null
  failedOn?: Day | null
  isNever: boolean
}

function standingOf(
  type: RecordType,
  { state, dueAt, failedOn, isNever }: Standing,
  { zone, figures }: DueRules,
  now: number,
): RecordStanding {
  const dueOn = dueAt && dayAt(+dueAt, zone)
  // A check has a date from the day on which it counts as due; a failed check has none.
  const isDated = state !== 'Failed' && dueOn
  return {
    state,
    dueSince: isDated ? startOfDay(nearTo(dueOn, figures[type]), zone) : null,
    overdueSince: dueOn ? startOfDay(dayAfter(dueOn, 1), zone) : null,
    failedSince: failedOn ? startOfDay(failedOn, zone) : null,
    isOverdue: dueOn !== null && dayAt(now, zone) > dueOn,
    isNever,
  }
}

/**
 * The checks of these devices that are not in a property. The checks of other devices are facts of their
 * property.
 */
export async function checksOf(
  tx: TenantTx,
  deviceIds: readonly string[],
  now: number,
): Promise<Map<string, Record<RecordType, RecordStanding>>> {
  const { rows } = await sql<{
    id: string
    product: Product
    monitoring: string | null
    gas: ComplianceState | null
    gasDueAt: Date | null
    water: ComplianceState | null
    waterDueAt: Date | null
  }>`
    select id, product, monitoring, gas_state as gas, gas_due_at as "gasDueAt", water_state as water, water_due_at as "waterDueAt"
    from device where tenant_id = ${tx.tenant} and id = any(${uuids(deviceIds)}::uuid[]) and property_id is null
      and (gas_state is not null or water_state is not null or listing = 'Boilers')`.execute(tx)
  if (!rows.length) return new Map()
  const dueRules = await dueRulesOf(tx)
  // Water treatment is not a legal duty, so no state reports that it was never done.
  const isUntreated = ({ product, monitoring, water }: (typeof rows)[number]) =>
    (water === null || water === 'NoRecord') &&
    recordTypesOf({ product, monitoring: monitoringIn(monitoring) }).includes('WaterTreatment')
  return new Map(
    rows.map((row) => {
      const gas = { state: row.gas, dueAt: row.gasDueAt, isNever: row.gas === 'NeverChecked' }
      const water = { state: row.water, dueAt: row.waterDueAt, isNever: isUntreated(row) }
      const GasSafety = standingOf('GasSafety', gas, dueRules, now)
      return [row.id, { GasSafety, WaterTreatment: standingOf('WaterTreatment', water, dueRules, now) }]
    }),
  )
}

/**
 * Whether a property whose gas check failed has another appliance that was never checked: the state of the property
 * shows only the worst.
 */
const hasUncheckedAppliance = (tx: TenantTx) => sql`
  gas_check_state = 'Failed' and (
    exists (
      select from device where device.tenant_id = ${tx.tenant} and device.property_id = property.id and gas_state = 'NeverChecked'
    ) or last_gas_safety_check_on is null and exists (
      select from home_appliance as appliance
      where appliance.tenant_id = ${tx.tenant} and appliance.property_id = property.id and removed_at is null and not exists (
        select from compliance_record as record
        where record.tenant_id = ${tx.tenant} and record.appliance_id = appliance.id and type = 'GasSafety' and not is_draft
          and withdrawn_at is null)))`

/** The facts of these properties, if they are in use. */
export async function homeFactsOf(
  tx: TenantTx,
  ids: readonly string[],
  now: number,
): Promise<Map<string, HomeFacts & { place: string }>> {
  const { rows } = await sql<{
    id: string
    place: string
    buildingId: string | null
    isVoid: boolean
    hasPeople: boolean
    gas: ComplianceState | null
    gasDueAt: Date | null
    gasFailedOn: Day | null
    hasUnchecked: boolean
    water: ComplianceState | null
    waterDueAt: Date | null
    waterFailedOn: Day | null
    heating: HeatingState | null
    heatingSince: Date | null
    frostSince: Date | null
    dampLevel: DampLevel
    dampSince: Date | null
    pressingSince: Date | null
    tagIds: string[]
  }>`
    select wanted.id, home.* from ${eachOf(ids)} cross join lateral (
      select ${placeOfHome(tx)} as place, ${buildingOfHome(tx)} as "buildingId", void_flag = 'Void' as "isVoid",
        void_flag <> 'Void' and number_of_inhabitants is distinct from 0 as "hasPeople",
        gas_check_state as gas, gas_check_due_at as "gasDueAt", to_char(gas_failed_on, 'YYYY-MM-DD') as "gasFailedOn",
        ${hasUncheckedAppliance(tx)} as "hasUnchecked", water_check_state as water, water_check_due_at as "waterDueAt", to_char(water_failed_on, 'YYYY-MM-DD') as "waterFailedOn",
        heating_state as heating, heating_since as "heatingSince", frost_since as "frostSince",
        damp_level as "dampLevel", damp_since as "dampSince", (
          select min(pressing_since) from device
          join damp_room on damp_room.tenant_id = ${tx.tenant} and damp_room.device_id = device.id
          where device.tenant_id = ${tx.tenant} and device.property_id = property.id
        ) as "pressingSince", array(
          select distinct tag_id from device
          join device_tag on device_tag.tenant_id = ${tx.tenant} and device_tag.device_id = device.id
          where device.tenant_id = ${tx.tenant} and device.property_id = property.id
        ) as "tagIds"
      from property where tenant_id = ${tx.tenant} and id = wanted.id and archived_at is null offset 0
    ) as home`.execute(tx)
  if (!rows.length) return new Map()
  const dueRules = await dueRulesOf(tx)
  const law = await lawDeadlinesOf(tx, ids)
  const ms = (at: Date | null) => at && +at
  return new Map(
    rows.map((row) => {
      const { gasFailedOn, waterFailedOn } = row
      const isUnchecked = row.gas === 'NeverChecked' || row.hasUnchecked
      const gas = { state: row.gas, dueAt: row.gasDueAt, failedOn: gasFailedOn, isNever: isUnchecked }
      // Water treatment is not a legal duty: a property with an appliance and no record counts as never treated.
      const isUntreated = row.water === 'NoRecord'
      const water = { state: row.water, dueAt: row.waterDueAt, failedOn: waterFailedOn, isNever: isUntreated }
      return [
        row.id,
        {
          ...{ place: row.place, tagIds: row.tagIds, buildingId: row.buildingId },
          ...{ isVoid: row.isVoid, hasPeople: row.hasPeople },
          records: {
            GasSafety: standingOf('GasSafety', gas, dueRules, now),
            WaterTreatment: standingOf('WaterTreatment', water, dueRules, now),
          },
          heating: row.heating && { state: row.heating, since: ms(row.heatingSince) },
          frostSince: ms(row.frostSince),
          damp: { level: row.dampLevel, since: ms(row.dampSince), pressingSince: ms(row.pressingSince) },
          law: (law.get(row.id) ?? []).flatMap(({ due, about }) =>
            lawEventsAt(due, now, dueRules.zone).map((event) => ({ ...event, about })),
          ),
        },
      ]
    }),
  )
}

/** The building of a property; if it has none, the building of its devices. */
const buildingOfHome = (tx: TenantTx) => sql`coalesce(property.building_id, (
  select device.building_id from device
  where device.tenant_id = ${tx.tenant} and device.property_id = property.id and device.building_id is not null
  order by device.building_id limit 1))`

/**
 * The place of a property's alerts: its building, or the property itself. Alerts that become due together in one place
 * share an e-mail.
 */
export const placeOfHome = (tx: TenantTx) => sql`coalesce(${buildingOfHome(tx)}, property.id)::text`

/** A running deadline of an open case under Awaab's Law. */
export interface RunningDeadline {
  due: Due
  /** The case and the step: 'AL-0012 Repairs'. The second deadline of the same step is 'AL-0012 Repairs (2)'. */
  about: string
}

const isRunning = sql`deadline.done_on is null and deadline.ended_on is null and deadline.moved_at is null`
/** Clients without Awaab's Law have no deadlines, even if cases are left from earlier. */
const hasLaw = (tx: TenantTx) => sql`exists (
  select from tenant_feature where tenant_feature.tenant_id = ${tx.tenant} and feature = 'AwaabsLaw')`

/** The running deadlines of these properties. */
export async function lawDeadlinesOf(tx: TenantTx, ids: readonly string[]): Promise<Map<string, RunningDeadline[]>> {
  const { rows } = await sql<{ home: string; number: number; step: string; turn: number; on: Day; at: Date | null }>`
    select home, number, step, turn, "on", at from (
      select deadline.property_id as home, one.number, deadline.step, to_char(deadline.due_on, 'YYYY-MM-DD') as "on",
        deadline.due_at as at, deadline.place, ${isRunning} as running,
        (row_number() over (partition by deadline.case_id, deadline.step order by deadline.moved_at is not null, deadline.place))::int as turn
      from awaabs_law_deadline as deadline
      join awaabs_law_case as one on one.tenant_id = ${tx.tenant} and one.id = deadline.case_id and one.status <> 'None'
      where deadline.tenant_id = ${tx.tenant} and deadline.property_id = any(${uuids(ids)}::uuid[]) and ${hasLaw(tx)}
    ) as deadline where running order by home, place`.execute(tx)
  const about = ({ number, step, turn }: (typeof rows)[number]) =>
    `${caseNumberText(number)} ${step}${turn > 1 ? ` (${turn})` : ''}`
  return new Map(
    [...Map.groupBy(rows, ({ home }) => home)].map(([home, some]) => [
      home,
      some.map((row) => ({ due: { on: row.on, at: row.at && +row.at }, about: about(row) })),
    ]),
  )
}

/** Local midnight falls on a quarter of an hour in every time zone. In ms. */
const quarter = 900_000

/**
 * The properties with a deadline that, since an instant, became near or was missed by the passing of time alone: with a
 * new day, or at its hour.
 */
export async function homesByClock(tx: TenantTx, before: number, now: number): Promise<string[]> {
  const { rows: byHour } = await sql<{ id: string }>`
    select distinct property_id as id from awaabs_law_deadline as deadline
    where tenant_id = ${tx.tenant} and due_on between ${new Date(before - day)}::timestamptz::date and ${new Date(now + day)}::timestamptz::date
      and due_at > ${new Date(before)} and due_at <= ${new Date(now)} and ${isRunning}`.execute(tx)
  const ids = byHour.map(({ id }) => id)
  if (Math.floor(before / quarter) === Math.floor(now / quarter)) return ids
  const { zone } = await dueRulesOf(tx)
  if (dayAt(before, zone) === dayAt(now, zone)) return ids
  const { rows: byDay } = await sql<{ id: string }>`
    select distinct property_id as id from awaabs_law_deadline as deadline
    where tenant_id = ${tx.tenant} and ${isRunning}`.execute(tx)
  return [...ids, ...byDay.map(({ id }) => id)]
}
const day = 86_400_000

/** The next instant at which an emergency deadline is missed; null when none is running. */
export async function nextHour(tx: TenantTx, now: number): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(due_at) as at from awaabs_law_deadline as deadline
    where tenant_id = ${tx.tenant} and due_on >= ${new Date(now - day)}::timestamptz::date and due_at > ${new Date(now)}
      and ${isRunning}`.execute(tx)
  return rows[0]!.at
}

/** A fact of a property that an alert is about. */
export interface AboutHome {
  propertyId: string
  condition: string
  about: string
  isOver: boolean
}

/**
 * The current state of these facts in a few words: the deadline with its step, or the day of a check. Empty for ended
 * alerts, because the current state of their property contradicts them.
 */
export async function homeReasonsOf(tx: TenantTx, alerts: readonly AboutHome[]): Promise<(alert: AboutHome) => string> {
  const ids = [...new Set(alerts.flatMap(({ propertyId, isOver }) => (isOver ? [] : [propertyId])))]
  if (!ids.length) return ({ about }) => about
  const { rows } = await sql<{
    id: string
    gasDueAt: Date | null
    gasFailedOn: Day | null
    waterDueAt: Date | null
    waterFailedOn: Day | null
    heating: HeatingState | null
    damp: DampLevel
  }>`
    select id, gas_check_due_at as "gasDueAt", to_char(gas_failed_on, 'YYYY-MM-DD') as "gasFailedOn",
      water_check_due_at as "waterDueAt", to_char(water_failed_on, 'YYYY-MM-DD') as "waterFailedOn",
      heating_state as heating, damp_level as damp
    from property where tenant_id = ${tx.tenant} and id = any(${uuids(ids)}::uuid[])`.execute(tx)
  const homes = new Map(rows.map((row) => [row.id, row]))
  const { zone } = await dueRulesOf(tx)
  const law = await lawDeadlinesOf(tx, ids)
  const check = (condition: string, dueAt: Date | null, failedOn: Day | null) => {
    if (condition.endsWith('NeverChecked')) return 'never checked'
    if (condition.endsWith('NeverTreated')) return 'never treated'
    // A check is also due because it failed; then no day is shown.
    const isOfDate = condition.endsWith('Overdue') || failedOn === null
    if (!condition.endsWith('Failed') && isOfDate) return dueAt ? `due by ${dayText(dayAt(+dueAt, zone))}` : ''
    return failedOn ? `failed on ${dayText(failedOn)}` : ''
  }
  return ({ propertyId, condition, about, isOver }) => {
    const home = homes.get(propertyId)
    if (isOver || !home) return about
    if (about) {
      const due = law.get(propertyId)?.find((one) => one.about === about)?.due
      if (!due) return about
      const by = due.at === null ? dayText(due.on) : clockText(lateFrom(due, zone), zone).slice(0, 16)
      return `${about}, due by ${by}`
    }
    if (condition.startsWith('gas')) return check(condition, home.gasDueAt, home.gasFailedOn)
    if (condition.startsWith('water')) return check(condition, home.waterDueAt, home.waterFailedOn)
    if (condition === 'heatingOff' && home.heating) return heatingStateWords[home.heating].toLowerCase()
    return condition.startsWith('damp') ? dampLevelWords[home.damp].toLowerCase() : ''
  }
}
