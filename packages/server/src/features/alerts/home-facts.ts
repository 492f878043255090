import { sql } from 'kysely'
import type { RecordStanding } from '@caretaker/rules/alerts/signals.ts'
import { lawEventsOn } from '@caretaker/rules/alerts/law.ts'
import type { AlertableEventName } from '@caretaker/rules/alerts/triggers.ts'
import { recordTypesOf } from '@caretaker/rules/boilers/compliance.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reckoningOf } from '../compliance/figures.ts'

/** What alerts know of homes: each fact by one function, so that there is one place in which it is taken from where it is decided. */

/** How it stands with the checks of these devices. */
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
    hasGasDate: boolean
    hasWaterDate: boolean
  }>`
    select device.id, product, monitoring, gas_state as gas, device.gas_due_at as "gasDueAt", water_state as water,
      water_due_at as "waterDueAt", last_gas_safety_check_on is not null as "hasGasDate",
      last_chemical_test_on is not null as "hasWaterDate"
    from device left join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and device.id = any(${uuids(deviceIds)}::uuid[]) and listing = 'Boilers'`.execute(
    tx,
  )
  if (!rows.length) return new Map()
  const { zone, figures } = await reckoningOf(tx)
  return new Map(
    rows.map((row) => {
      const types = recordTypesOf({ product: row.product, monitoring: monitoringIn(row.monitoring) })
      const standing = (
        type: RecordType,
        state: ComplianceState | null,
        dueAt: Date | null,
        hasDate: boolean,
      ): RecordStanding => {
        const dueOn = dueAt && dayAt(+dueAt, zone)
        // A check is due some days before its deadline, or for what has failed at once.
        const isDated = state !== 'Failed' && dueOn
        return {
          state,
          dueSince: isDated ? startOfDay(dayAfter(dueOn, -figures[type].notice), zone) : null,
          overdueSince: isDated ? startOfDay(dayAfter(dueOn, 1), zone) : null,
          isNever: types.includes(type) && (state === null || state === 'NoRecord') && !hasDate,
        }
      }
      return [
        row.id,
        {
          GasSafety: standing('GasSafety', row.gas, row.gasDueAt, row.hasGasDate),
          WaterTreatment: standing('WaterTreatment', row.water, row.waterDueAt, row.hasWaterDate),
        },
      ]
    }),
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
      and device.severity <> ${severityOf('Inventory')} and not exists (
        select from device as other
        where other.tenant_id = ${tx.tenant} and other.property_id = device.property_id and other.id < device.id
          and other.severity <> ${severityOf('Inventory')}
      ) and exists (
        select from tenant_feature where tenant_feature.tenant_id = ${tx.tenant} and feature = 'AwaabsLaw'
      )`.execute(tx)
  if (!rows.length) return new Map()
  const { zone } = await reckoningOf(tx)
  const at = ({ key, since }: ReturnType<typeof lawEventsOn>[number]) => ({ key, since: startOfDay(since, zone) })
  return new Map(
    rows.map(({ id, dueAt }) => [id, lawEventsOn(dayAt(+dueAt, zone), dayAt(now, zone)).map((event) => at(event))]),
  )
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

/** What of homes is found at a device. */
const ofHomes: AlertableEventName[] = ['gasNeverChecked', 'waterNeverTreated', 'heatingOff']

/**
 * The devices that tell of something that may have changed with these homes, or with any home as a day begins: of homes with a deadline,
 * and those that told of their home before.
 */
export async function tellersOf(tx: TenantTx, homes: readonly string[] | 'all'): Promise<string[]> {
  if (!homes.length) return []
  const some = homes === 'all' ? sql`true` : sql`device.property_id = any(${uuids(homes)}::uuid[])`
  const { rows } = await sql<{ id: string }>`
    select device.id from device join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and awaabs_law_due_at is not null and ${some}
    union
    select device.id from device join device_spell on device_spell.tenant_id = ${tx.tenant}
      and device_spell.device_id = device.id and ended_at is null and kind = 'ALERTABLEEVENT'
      and (key like 'awaabsLaw%' or key = any(${ofHomes}::text[]))
    where device.tenant_id = ${tx.tenant} and ${some}`.execute(tx)
  return rows.map(({ id }) => id)
}
