import { sql } from 'kysely'
import type { Reading } from '@caretaker/rules/telemetry/readings.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { BatteryType } from '@caretaker/rules/lighting/luminaire.ts'
import { chargeTime } from '@caretaker/rules/lighting/runs.ts'
import { isBatteryLow } from '@caretaker/rules/lighting/supply.ts'
import { minutesOf, testTypes } from '@caretaker/rules/lighting/tests.ts'
import type { Incoming } from '../../incoming.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Happening } from '../conditions/store.ts'
import { happened } from '../conditions/store.ts'

/** How long the battery of a light is cached in this process, in ms: labels change seldom. */
const knownFor = 10 * 60_000
const mostKnown = 100_000

interface Battery {
  /** Undefined if the device is not an emergency light in service. */
  label: { nominalVoltage: number | null; batteryType: BatteryType | null } | undefined
  isLow: boolean
  at: number
}

/**
 * Watches battery readings of lights: a battery too low to light the lamp becomes a condition at once. Readings that
 * change nothing cost no statement.
 */
export function watchBatteries() {
  const known = new Map<string, Battery>()
  return async (tx: TenantTx, messages: readonly Incoming<Reading[]>[], now = Date.now()): Promise<void> => {
    const measured = lastOf(messages)
    if (!measured.size) return
    const isFresh = (id: string) => {
      const battery = known.get(`${tx.tenant} ${id}`)
      return battery && now - battery.at < knownFor ? battery : undefined
    }
    const isKnownState = (id: string, last: Measured) => {
      const battery = isFresh(id)
      return battery && (!battery.label || isBatteryLow({ ...last, ...battery.label }) === battery.isLow)
    }
    const ids = [...measured].flatMap(([id, last]) => (isKnownState(id, last) ? [] : [id]))
    if (!ids.length) return
    const lights = await readLights(tx, ids, now)
    const happenings: Happening[] = []
    for (const id of ids) {
      const light = lights.get(id)
      const last = measured.get(id)!
      const isLow = light !== undefined && isBatteryLow({ ...last, ...light })
      // A battery that a test just emptied is charging, and one under test is being emptied.
      const holds = light ? (light.isUsed ? light.isOpen : isLow) : false
      if (light && holds !== light.isOpen)
        happenings.push({ deviceId: id, occurrence: { what: 'reported', kind: 'batteryLow', holds, at: last.at } })
      if (known.size >= mostKnown) known.clear()
      known.set(`${tx.tenant} ${id}`, { label: light, isLow: light?.isUsed ? isLow : holds, at: now })
    }
    await happened(tx, happenings)
  }
}

interface Measured {
  /** V; undefined if the message does not contain it. */
  voltage: number | undefined
  /** Per cent. */
  level: number | undefined
  at: number
}

/** The last battery values in these messages, by device. */
function lastOf(messages: readonly Incoming<Reading[]>[]): Map<string, Measured> {
  const last = new Map<string, Measured>()
  for (const { deviceId, payload } of messages)
    for (const { ts, values } of payload) {
      const { batteryVoltage: voltage, batteryLevel: level } = values
      if (voltage === undefined && level === undefined) continue
      const before = last.get(deviceId)
      if (!before || before.at <= ts)
        last.set(deviceId, { voltage: voltage ?? before?.voltage, level: level ?? before?.level, at: ts })
    }
  return last
}

/** The emergency lights in service among these devices, locked until the transaction ends. */
async function readLights(tx: TenantTx, ids: readonly string[], now: number) {
  const { rows } = await sql<{
    id: string
    nominalVoltage: number | null
    batteryType: BatteryType | null
    isUsed: boolean
    isOpen: boolean
  }>`
    select device.id, equipment.battery_voltage as "nominalVoltage", equipment.battery_type as "batteryType",
      coalesce(jsonb_typeof(reported -> 'runningTest') = 'string', false) or exists (
        select from emergency_test as test
        join unnest(${testTypes as readonly string[]}::text[], ${testTypes.map((type) => minutesOf[type])}::int[])
          as lasts (test_type, minutes) on lasts.test_type = test.test_type
        where test.tenant_id = ${tx.tenant} and test.device_id = device.id and minutes > 0
          and test.started_at + minutes * interval '1 minute' > ${new Date(now - chargeTime)}
      ) as "isUsed", exists (
        select from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
          and kind = 'batteryLow' and ended_at is null
      ) as "isOpen"
    from device left join emergency_equipment as equipment
      on equipment.tenant_id = ${tx.tenant} and equipment.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.id = any(${ids}::uuid[]) and device.listing = 'EmergencyLights'
      and device.severity <> ${severityOf('Inventory')}
    order by device.id for no key update of device`.execute(tx)
  return new Map(rows.map(({ id, ...light }) => [id, light]))
}
