import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { accept, lookUp } from './admit.ts'
import type { Fault } from '@caretaker/rules/devices/messages.ts'
import type { Payloads } from './payloads.ts'
import { wrongShape } from './payloads.ts'
import type { IntakeState } from './intake-state.ts'
import type { DeviceRoute } from './routes.ts'
import { reject } from './reject.ts'
import type { Pending, Rejected, Reported } from './store.ts'

/** Why a message of a channel is rejected when it is stored. */
const storeFaults: Record<UpChannel, Fault> = {
  telemetry: { reason: 'unknown device', detail: '' },
  state: wrongShape('too much state'),
  events: { reason: 'unknown device', detail: '' },
  tests: { reason: 'not allowed', detail: 'no emergency light, or a test of another one' },
  replies: { reason: 'not allowed', detail: 'no command of this device' },
}

/** Called for committed messages: acknowledges and counts them. */
export function acknowledgeStored(
  { metrics }: IntakeState,
  items: (Reported | Rejected | Pending<'telemetry'>)[],
): void {
  const counts = new Map<UpChannel, number>()
  for (const { channel, done } of items) {
    if (channel !== 'bad') counts.set(channel, (counts.get(channel) ?? 0) + 1)
    done()
  }
  for (const [channel, count] of counts) metrics.stored.inc({ channel }, count)
}

/** Called for a message that was not stored: its device is unknown, or it can never be written. */
export function handleUnstored(state: IntakeState, pending: Reported | Pending<'telemetry'>, error?: unknown): void {
  const { channel, tenant, message, raw, done } = pending
  const giveUp = (fault: Fault) =>
    reject(state, { device: { deviceId: message.deviceId, tenant }, channel, payload: raw, done }, [fault])
  if (error) {
    state.log.error({ channel, code: (error as { code?: string }).code }, 'a message could not be stored')
    return giveUp(wrongShape('could not be stored'))
  }
  // The device may have moved to another tenant since its route was read.
  const decide = (route: DeviceRoute | null) => {
    if (!route || route.tenant === tenant) return giveUp(storeFaults[channel])
    accept(state, route, channel, { payload: raw }, done)
  }
  lookUp(state, message.deviceId, decide, { refresh: true })
}

/** The number of rows that a telemetry message becomes. */
export function rowsOf(readings: Payloads['telemetry']): number {
  let rows = 0
  for (const { values } of readings) for (const _ in values) rows++
  return rows
}
