import { sql } from 'kysely'
import type { RecordStanding } from '@caretaker/rules/alerts/signals.ts'
import { lawEventsOn } from '@caretaker/rules/alerts/law.ts'
import type { AlertableEventName } from '@caretaker/rules/alerts/triggers.ts'
import { recordTypesOf } from '@caretaker/rules/boilers/compliance.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { complianceStates, nearTo, pressingStates } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses, isInService } from '@caretaker/rules/devices/status.ts'
import { heatingOffStates } from '@caretaker/rules/properties/heating.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reckoningOf } from '../compliance/figures.ts'

/** What alerts know of homes: each fact by one function, so that there is one place in which it is taken from where it is decided. */

/** The first device in service of its home: alerts are of devices, and this one stands for the home. */
const standsForHome = (tx: TenantTx) => sql<boolean>`device.status <> all(${notThere}::text[]) and not exists (
  select from device as other
  where other.tenant_id = ${tx.tenant} and other.property_id = device.property_id and other.id < device.id
    and other.status <> all(${notThere}::text[]))`
/** What is in stock, on its way or gone stands for no home: nothing of it is alerted. */
const notThere = deviceStatuses.filter((status) => !isInService(status))

/** Whether the home is in a worse state than each of its devices: that is then the state of an appliance that is not connected. */
const hasChecksElsewhere = (tx: TenantTx, type: 'gas' | 'water') => sql<boolean>`(
  ${sql.ref(`property.${type}_check_state`)} is not null
  and array_position(${states}::text[], ${sql.ref(`property.${type}_check_state`)}) > all(
    select coalesce(array_position(${states}::text[], ${sql.ref(`boiler.${type}_state`)}), 0) from device as boiler
    where boiler.tenant_id = ${tx.tenant} and boiler.property_id = device.property_id and boiler.listing = 'Boilers'))`
const states = [...complianceStates]

/** The checks of these devices. Those of appliances that are not connected are found at the device that stands for the home. */
export async function checksOf(
  tx: TenantTx,
  deviceIds: readonly string[],
): Promise<Map<string, Record<RecordType, RecordStanding>>> {
  const { rows } = await sql<{
    id: string
    product: Product
    monitoring: string | null
    gas: ComplianceState | null
    gasDueAt: Date | null
    water: ComplianceState | null
    waterDueAt: Date | null
    isTreated: boolean
  }>`
    select * from (
      select device.id, product, monitoring, listing, last_chemical_test_on is not null as "isTreated",
        case when of_home and gas_elsewhere then gas_check_state else gas_state end as gas,
        case when of_home and gas_elsewhere then gas_check_due_at else device.gas_due_at end as "gasDueAt",
        case when of_home and water_elsewhere then water_check_state else water_state end as water,
        case when of_home and water_elsewhere then water_check_due_at else water_due_at end as "waterDueAt"
      from device left join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
      cross join lateral (
        select ${standsForHome(tx)} as of_home, ${hasChecksElsewhere(tx, 'gas')} as gas_elsewhere,
          ${hasChecksElsewhere(tx, 'water')} as water_elsewhere
      ) as home
      where device.tenant_id = ${tx.tenant} and device.id = any(${uuids(deviceIds)}::uuid[])
    ) as checked
    where gas is not null or water is not null or listing = 'Boilers'`.execute(tx)
  if (!rows.length) return new Map()
  const { zone, figures } = await reckoningOf(tx)
  const standing = (
    type: RecordType,
    state: ComplianceState | null,
    dueAt: Date | null,
    isNever: boolean,
  ): RecordStanding => {
    const dueOn = dueAt && dayAt(+dueAt, zone)
    // A check is due from the day from which it is near; one that failed, at once.
    const isDated = state !== 'Failed' && dueOn
    return {
      state,
      dueSince: isDated ? startOfDay(nearTo(dueOn, figures[type]), zone) : null,
      overdueSince: isDated ? startOfDay(dayAfter(dueOn, 1), zone) : null,
      isNever,
    }
  }
  // Nothing obliges anyone to treat the water, so no state says that it never was.
  const isUntreated = ({ product, monitoring, water, isTreated }: (typeof rows)[number]) =>
    (water === null || water === 'NoRecord') &&
    !isTreated &&
    recordTypesOf({ product, monitoring: monitoringIn(monitoring) }).includes('WaterTreatment')
  return new Map(
    rows.map((row) => [
      row.id,
      {
        GasSafety: standing('GasSafety', row.gas, row.gasDueAt, row.gas === 'NeverChecked'),
        WaterTreatment: standing('WaterTreatment', row.water, row.waterDueAt, isUntreated(row)),
      },
    ]),
  )
}

/**
 * What holds by now of the deadlines of Awaab's Law of homes, by the device that stands for each home: the first of those in
 * service, for alerts are of devices.
 */
export async function lawEventsOf(
  tx: TenantTx,
  deviceIds: readonly string[],
  now: number,
): Promise<Map<string, { key: AlertableEventName; since: number }[]>> {
  const { rows } = await sql<{ id: string; dueAt: Date }>`
    select device.id, awaabs_law_due_at as "dueAt"
    from device join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and device.id = any(${uuids(deviceIds)}::uuid[]) and awaabs_law_due_at is not null
      and property.archived_at is null and ${standsForHome(tx)} and exists (
        select from tenant_feature where tenant_feature.tenant_id = ${tx.tenant} and feature = 'AwaabsLaw'
      )`.execute(tx)
  if (!rows.length) return new Map()
  const { zone } = await reckoningOf(tx)
  const at = ({ key, since }: ReturnType<typeof lawEventsOn>[number]) => ({ key, since: startOfDay(since, zone) })
  return new Map(
    rows.map(({ id, dueAt }) => [id, lawEventsOn(dayAt(+dueAt, zone), dayAt(now, zone)).map((event) => at(event))]),
  )
}

/** Since when a room of their home is near freezing, by the device that stands for each home. */
export async function frostsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; since: Date }>`
    select device.id, frost_since as since
    from device join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and device.id = any(${uuids(deviceIds)}::uuid[]) and frost_since is not null
      and property.archived_at is null and ${standsForHome(tx)}`.execute(tx)
  return new Map(rows.map(({ id, since }) => [id, +since]))
}

/** Which of these devices are in a home in which people live, as far as anybody knows: not void, and not said to be without. */
export async function livedIn(tx: TenantTx, deviceIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select device.id from device join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and device.id = any(${uuids(deviceIds)}::uuid[])
      and property.void_flag <> 'Void' and property.archived_at is null
      and property.number_of_inhabitants is distinct from 0`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/**
 * The devices that stand for these homes, where a deadline runs or a check is due, and those at which something of the home was found
 * before. As a day begins, those of all homes with a deadline: checks that turn with the day change their homes.
 */
export async function tellersOf(tx: TenantTx, homes: readonly string[], isNewDay: boolean): Promise<string[]> {
  if (!homes.length && !isNewDay) return []
  const isChanged = sql`device.property_id = any(${uuids(homes)}::uuid[])`
  const pressing = sql`array[${sql.join(pressingStates)}]::text[]`
  const { rows } = await sql<{ id: string }>`
    select device.id from device join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and awaabs_law_due_at is not null and ${isNewDay ? sql`true` : isChanged}
    union
    select device.id from device join device_spell on device_spell.tenant_id = ${tx.tenant}
      and device_spell.device_id = device.id and ended_at is null and kind = 'ALERTABLEEVENT' and key like 'awaabsLaw%'
    where device.tenant_id = ${tx.tenant} and ${isNewDay ? sql`true` : isChanged}
    union
    select device.id from device join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and ${isChanged}
      and (gas_check_state = any(${pressing}) or water_check_state = any(${pressing})
        or heating_state = any(array[${sql.join(heatingOffStates)}]::text[]) or frost_since is not null)
    union
    select device.id from device join device_spell on device_spell.tenant_id = ${tx.tenant}
      and device_spell.device_id = device.id and ended_at is null and kind = 'ALERTABLEEVENT'
      and (key in ('heatingOff', 'frostRisk') or key like 'gas%' or key like 'water%')
    where device.tenant_id = ${tx.tenant} and ${isChanged}`.execute(tx)
  return rows.map(({ id }) => id)
}
