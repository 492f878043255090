import { sql } from 'kysely'
import { storedAtOnce } from '@caretaker/rules/connections/connections.ts'
import { setReportingIntervals } from '../devices/report.ts'
import { doDue, inBatches, makeDue } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { writeMessageResults, waitingMessages } from './messages.ts'
import { holdSensors, intervalsOf, sensorsById } from './sensors.ts'
import { openSensorSeries, storeDecodedMessages } from './store-decoded.ts'

/**
 * Stores the waiting messages of added sensors, oldest first, at most `storedAtOnce` in this transaction. Returns how many: fewer than
 * that if none are left.
 */
export async function storeWaiting(tx: TenantTx, sensorIds: readonly string[], now: Date): Promise<number> {
  const ids = [...sensorIds].toSorted()
  await holdSensors(tx, ids)
  const known = await sensorsById(tx, ids)
  // A sensor's addition may have been undone meanwhile.
  const sensors = new Map(known.flatMap((sensor) => (sensor.deviceId ? [[sensor.id, sensor] as const] : [])))
  const messages = await waitingMessages(tx, [...sensors.keys()], ['Waiting'], { limit: storedAtOnce })
  const results = await storeDecodedMessages(
    tx,
    openSensorSeries(),
    messages.map(({ sensorId, message, decoded, receivedAt }) => ({
      sensor: sensors.get(sensorId)!,
      ...{ message, decoded, receivedAt },
    })),
    now,
  )
  await writeMessageResults(
    tx,
    results.map(({ result, reason, outcome }, at) => ({
      id: messages[at]!.id,
      decoded: messages[at]!.decoded,
      result,
      reason,
      outcome,
    })),
  )
  await setReportingIntervals(tx, await intervalsOf(tx, [...sensors.keys()]))
  return messages.length
}

/** After this time in ms, the job stores messages that the call which added their sensors has not stored. */
const takenOverAfter = 60_000

/** Has the job store the waiting messages of sensors that are added in this transaction, unless the call has done so by then. */
export const storeWaitingLater = (tx: TenantTx, now: Date) =>
  makeDue(tx, 'store waiting messages', new Date(+now + takenOverAfter))

/** Stores messages of added sensors that still wait because the call which added them was cut off. Returns how many. */
export async function storeWaitingMessages(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'store waiting messages',
    now,
    run: (tenant) =>
      inBatches(
        () => inTenant(db, tenant, async (tx) => storeWaiting(tx, await sensorsWithWaiting(tx), now)),
        storedAtOnce,
      ),
    next: async (tx) => ((await sensorsWithWaiting(tx)).length ? now : null),
  })
}

/** Added sensors that have waiting messages: as many as fill one transaction if each has one. */
async function sensorsWithWaiting(tx: TenantTx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from sensor where tenant_id = ${tx.tenant} and device_id is not null and exists (
      select from sensor_message as message where message.tenant_id = ${tx.tenant} and message.sensor_id = sensor.id
        and message.result = 'Waiting')
    order by id limit ${storedAtOnce}`.execute(tx)
  return rows.map(({ id }) => id)
}
