import { sql } from 'kysely'
import type { Equipment } from '@caretaker/contract/equipment.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { Luminaire, MonitoredLedCircuit, OperatingMode } from '@caretaker/rules/lighting/luminaire.ts'
import { monitoredLedCircuitWords, operatingModeWords } from '@caretaker/rules/lighting/luminaire.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import { zoneOf } from '../../lists/read.ts'
import { batterySince } from '../devices/battery.ts'

function equipmentRow(tx: TenantTx, deviceId: string) {
  return tx
    .selectFrom('emergency_equipment')
    .select([
      'name',
      'lamp_type',
      'inverter_type',
      'battery_type',
      'battery_voltage',
      'battery_capacity',
      sql<string | null>`to_char(battery_installed, 'YYYY-MM-DD')`.as('battery_installed'),
      'monitored_led_circuit',
      'operating_mode',
      'key_switch',
    ])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
}

/** The equipment of a light; everything is null until it is entered. */
export async function equipmentOf(tx: TenantTx, deviceId: string): Promise<Equipment> {
  const row = await equipmentRow(tx, deviceId)
  const since = await batterySince(tx, deviceId)
  return {
    batterySince: since,
    luminaireName: row?.name ?? null,
    luminaireType: row?.lamp_type ?? null,
    inverter: row?.inverter_type ?? null,
    monitoredLedCircuit: row?.monitored_led_circuit ?? null,
    operatingMode: row?.operating_mode ?? null,
    keySwitch: row?.key_switch ?? null,
    batteries: row?.battery_type
      ? [
          {
            type: row.battery_type,
            voltage: row.battery_voltage!,
            capacity: row.battery_capacity!,
            installedDate: since,
          },
        ]
      : [],
  }
}

/**
 * The highest battery voltage that a light has reported since its battery was fitted, and since when it has reported
 * any.
 */
export async function highestVoltageOf(tx: TenantTx, deviceId: string, putIn: string | null) {
  const from = new Date(putIn === null ? 0 : startOfDay(putIn, await zoneOf(tx)))
  const { rows } = await sql<{ voltage: number | null; since: Date | null }>`
    select max(high) as voltage, min(at) as since from (
      select daily.high, daily.day as at from series join daily
        on daily.tenant_id = ${tx.tenant} and daily.series_id = series.id and daily.day >= ${from}
      where series.tenant_id = ${tx.tenant} and series.device_id = ${deviceId} and series.metric = 'batteryVoltage'
      union all
      select hourly.high, hourly.hour from series join hourly
        on hourly.tenant_id = ${tx.tenant} and hourly.series_id = series.id and hourly.hour >= ${from}
      where series.tenant_id = ${tx.tenant} and series.device_id = ${deviceId} and series.metric = 'batteryVoltage'
    ) as reported`.execute(tx)
  const [reported] = rows
  return reported?.voltage == null ? null : { voltage: reported.voltage, since: reported.since!.toISOString() }
}

/** The label of a light, and when its battery was fitted; null until entered. */
export interface EquipmentFacts extends Record<keyof Luminaire, unknown> {
  name: string | null
  lampType: string | null
  inverterType: string | null
  batteryType: Luminaire['batteryType'] | null
  batteryVoltage: number | null
  batteryCapacity: number | null
  batteryInstalledDate: string | null
}

/** The given fields; undefined ones stay unchanged. */
export type NewEquipment = { [Fact in keyof EquipmentFacts]?: EquipmentFacts[Fact] | undefined }

const columnOf = {
  name: 'name',
  lampType: 'lamp_type',
  inverterType: 'inverter_type',
  batteryType: 'battery_type',
  batteryVoltage: 'battery_voltage',
  batteryCapacity: 'battery_capacity',
  batteryInstalledDate: 'battery_installed',
} as const satisfies Record<keyof EquipmentFacts, keyof EquipmentColumns>
const factNames = Object.keys(columnOf) as (keyof EquipmentFacts)[]

/** The equipment facts of a light, as on its label. */
export async function factsOf(tx: TenantTx, deviceId: string): Promise<EquipmentFacts> {
  const row = await equipmentRow(tx, deviceId)
  return Object.fromEntries(factNames.map((fact) => [fact, row?.[columnOf[fact]] ?? null])) as unknown as EquipmentFacts
}

/**
 * Sets the luminaire or battery of a locked light and records the change: the audit is the history of its batteries.
 * Returns the changed facts before and after; undefined if nothing changes.
 */
export async function changeEquipment(
  tx: TenantTx,
  person: Recorded,
  device: HeldDevice,
  given: NewEquipment,
): Promise<{ was: Partial<EquipmentFacts>; is: Partial<EquipmentFacts> } | undefined> {
  const known = await factsOf(tx, device.deviceId)
  const names = factNames.filter((fact) => given[fact] !== undefined)
  const of = (facts: NewEquipment) => Object.fromEntries(names.map((fact) => [fact, facts[fact] ?? null]))
  const difference = differences(of(known), of(given))
  if (!difference) return undefined
  await store(tx, device.deviceId, Object.fromEntries(names.map((fact) => [columnOf[fact], given[fact] ?? null])))
  await audit(tx, { person, action: 'luminaire changed', subject: deviceSubject(device), ...difference })
  await changed(tx, 'device state', [device.deviceId])
  await changed(tx, 'device', [device.deviceId])
  // The number of lights per standard luminaire.
  await changed(tx, 'standard luminaire', null)
  return { was: difference.before as Partial<EquipmentFacts>, is: difference.after as Partial<EquipmentFacts> }
}

/** Sets the monitored circuit of a locked light, and records a change. */
export async function setMonitoredLedCircuit(
  tx: TenantTx,
  person: Recorded,
  device: HeldDevice,
  circuit: MonitoredLedCircuit,
): Promise<void> {
  const before = (await equipmentRow(tx, device.deviceId))?.monitored_led_circuit ?? null
  const inWords = (one: MonitoredLedCircuit | null) => ({ circuit: one && monitoredLedCircuitWords[one] })
  const difference = differences(inWords(before), inWords(circuit))
  if (!difference) return
  await store(tx, device.deviceId, { monitored_led_circuit: circuit })
  const subject = deviceSubject(device)
  await audit(tx, { person, action: 'monitored LED circuit changed', subject, ...difference })
  await changed(tx, 'device state', [device.deviceId])
}

/** How a light is operated; undefined fields stay unchanged. */
export interface Operation {
  operatingMode?: OperatingMode | null | undefined
  /** The location of its key switch. */
  keySwitch?: string | null | undefined
}

/** Sets how a locked light is operated, and records the changes. */
export async function setOperation(
  tx: TenantTx,
  person: Recorded,
  device: HeldDevice,
  { operatingMode, keySwitch }: Operation,
): Promise<void> {
  const row = await equipmentRow(tx, device.deviceId)
  const inWords = (mode: OperatingMode | null | undefined, place: string | null | undefined) => ({
    ...(operatingMode !== undefined && { operatingMode: mode ? operatingModeWords[mode] : null }),
    ...(keySwitch !== undefined && { keySwitch: place ?? null }),
  })
  const difference = differences(
    inWords(row?.operating_mode, row?.key_switch),
    inWords(operatingMode, keySwitch || null),
  )
  if (!difference) return
  await store(tx, device.deviceId, {
    ...(operatingMode !== undefined && { operating_mode: operatingMode }),
    ...(keySwitch !== undefined && { key_switch: keySwitch || null }),
  })
  await audit(tx, { person, action: 'light operation changed', subject: deviceSubject(device), ...difference })
  await changed(tx, 'device state', [device.deviceId])
}

/** Locks the light, so that nobody else writes its row meanwhile. */
async function store(tx: TenantTx, deviceId: string, columns: Partial<EquipmentColumns>): Promise<void> {
  await tx
    .insertInto('emergency_equipment')
    .values({ tenant_id: tx.tenant, device_id: deviceId, ...none, ...columns })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'device_id']).doUpdateSet(columns))
    .execute()
}

const none = {
  name: null,
  lamp_type: null,
  inverter_type: null,
  battery_type: null,
  battery_voltage: null,
  battery_capacity: null,
  battery_installed: null as string | null,
  monitored_led_circuit: null,
  operating_mode: null,
  key_switch: null as string | null,
}
interface EquipmentColumns {
  name: string | null
  lamp_type: string | null
  inverter_type: string | null
  battery_type: Luminaire['batteryType'] | null
  battery_voltage: number | null
  battery_capacity: number | null
  battery_installed: string | null
  monitored_led_circuit: MonitoredLedCircuit
  operating_mode: OperatingMode | null
  key_switch: string | null
}
