import { setTimeout as sleep } from 'node:timers/promises'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { parseTopic } from '@caretaker/contract/mqtt/topics.ts'
import { openPayload } from './payloads.ts'
import type { Delivery, IntakeState } from './intake-state.ts'
import { laneCount } from './intake-state.ts'
import { overLimit } from './limits.ts'
import { nameParts, refuseUnread, reject, rejectForSender } from './reject.ts'
import type { DeviceRoute } from './routes.ts'
import { mayPublishFor } from './routes.ts'
import type { Pending, Reported } from './store.ts'

/** The minimum interval between updates of a device's last contact time, in ms. */
const heardEvery = 1000
/** Delay before a route is looked up again while the database is unreachable, in ms. */
const askAgain = 500

/** Step 1: determine the device, the channel and the device's route. */
export function receive(state: IntakeState, message: Delivery, done: () => void): void {
  const found = parseTopic(message.topic)
  if (!found || found.channel === 'commands') return rejectForSender(state, message, 'not allowed', done)
  const { deviceId, channel } = found
  const route = state.routes.known(deviceId)
  if (route !== undefined) return admit(state, route, channel, message, done)
  lookUp(state, deviceId, (asked) => admit(state, asked, channel, message, done))
}

/** Step 2: check that the sender may publish this message and is within its limits. */
function admit(
  state: IntakeState,
  route: DeviceRoute | null,
  channel: UpChannel,
  message: Delivery,
  done: () => void,
): void {
  if (!route) rejectForSender(state, message, 'unknown device', done)
  else if (message.sender && !mayPublishFor(message.sender, route)) rejectForSender(state, message, 'not allowed', done)
  else if (route.refusal) refuseUnread(state, route, message, route.refusal, done)
  else {
    const { payload, sender } = message
    const over = overLimit(state.limits, route.budget, { channel, bytes: payload.length }, Date.now())
    if (over === undefined) {
      state.sharing.took(route.deviceId, route.budget)
      accept(state, route, channel, message, done)
    } else
      reject(state, { device: route, channel, payload, sender, done }, [{ reason: 'over the limit', detail: over }])
  }
}

/** Step 3: parse the payload and queue it for storing. */
export function accept(
  state: IntakeState,
  route: DeviceRoute,
  channel: UpChannel,
  { payload: raw, sender }: Omit<Delivery, 'topic'>,
  done: () => void,
): void {
  const { deviceId, tenant } = route
  const now = Date.now()
  const sinceStart = performance.now()
  if (sinceStart - route.heardAt >= heardEvery) {
    route.heardAt = sinceStart
    state.links.add({ deviceId, tenant, at: now })
  }
  const { payload, faults } = openPayload(channel, raw, now, route.keepsUnknown)
  if (faults.length) {
    const origin = { device: route, channel, payload: raw, sender }
    if (payload) nameParts(state, origin, faults)
    else reject(state, { ...origin, done }, faults)
  }
  if (!payload) return
  const pending = { channel, tenant, message: { deviceId, tenant, payload, receivedAt: new Date(now) }, raw, done }
  if (channel === 'telemetry') state.lanes[laneOf(deviceId)]!.add(pending as Pending<'telemetry'>)
  else state.reports.add(pending as Reported)
}

const laneOf = (deviceId: string) => deviceId.charCodeAt(deviceId.length - 1) % laneCount

/**
 * Looks up the route. While the database is unreachable, the message waits. `refresh` skips a query that is already
 * running, because its result may be outdated.
 */
export function lookUp(
  state: IntakeState,
  deviceId: string,
  decide: (route: DeviceRoute | null) => void,
  { refresh = false } = {},
): void {
  state.lookingUp++
  void ask(state, deviceId, refresh).then((route) => {
    state.lookingUp--
    decide(route)
  })
}

async function ask(state: IntakeState, deviceId: string, refresh: boolean): Promise<DeviceRoute | null> {
  for (;;) {
    try {
      if (refresh) await state.routes.refresh([deviceId])
      return (refresh ? state.routes.known(deviceId) : undefined) ?? (await state.routes.find(deviceId))
    } catch {
      if (state.stopped) return new Promise(() => {})
      await sleep(askAgain)
    }
  }
}
