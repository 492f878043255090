import type { Fault } from '@caretaker/rules/devices/messages.ts'
import { badMessage } from './bad-messages.ts'
import type { Delivery, IntakeState } from './intake-state.ts'
import type { DeviceRoute } from './routes.ts'

/** Where a message that is rejected came from. */
export interface Origin {
  /** On whose page it is shown; undefined when nobody could read it. */
  device: { deviceId: string; tenant: string } | undefined
  channel: string
  payload: Buffer
  sender?: DeviceRoute
  done(): void
}

/** How long a client waits for each bad message that is not even kept, in ms. */
const rubbishPause = 100
/** Of one device so many bad messages a minute are kept, the others are only counted: it must not fill the table. */
const keptPerMinute = 30

/** Counts a bad message, for the operator and for its device's page, and sets it aside with its reason. */
export function reject(state: IntakeState, origin: Origin, faults: readonly Fault[]): void {
  const { device, channel, payload, sender, done } = origin
  count(state, device, faults)
  if (device && state.mayKeep(device.deviceId)) {
    const message = badMessage(device.deviceId, channel, payload, new Date(), faults)
    state.reports.add({ channel: 'bad', tenant: device.tenant, message, done })
    // A client that sends rubbish gets its next turn later; a broker's messages are of all devices.
  } else setTimeout(done, sender ? rubbishPause : 0)
}

/** Counts the bad parts of a message whose good ones are stored, and names them with their reasons. */
export function nameParts(
  state: IntakeState,
  { device, channel, payload }: Omit<Origin, 'done'>,
  faults: readonly Fault[],
): void {
  count(state, device, faults)
  if (!device || !state.mayKeep(device.deviceId)) return
  const message = { ...badMessage(device.deviceId, channel, payload, new Date(), faults), isPartial: true }
  state.reports.add({ channel: 'bad', tenant: device.tenant, message, done: () => {} })
}

function count(state: IntakeState, device: Origin['device'], faults: readonly Fault[]): void {
  for (const [reason, of] of Map.groupBy(faults, (fault) => fault.reason)) {
    state.metrics.bad.inc({ reason }, of.length)
    if (!device) continue
    const { deviceId, tenant } = device
    state.tally.add({ deviceId, tenant, reason, field: of.at(-1)!.field, count: of.length }, Date.now())
  }
}

/** Counts a message of a device that is refused as a whole: nothing of what it sends is stored, not even to be looked at. */
export function refuseUnread(
  state: IntakeState,
  { deviceId, tenant }: DeviceRoute,
  { sender }: Delivery,
  reason: Fault['reason'],
  done: () => void,
): void {
  state.metrics.bad.inc({ reason })
  state.tally.add({ deviceId, tenant, reason, count: 1 }, Date.now())
  setTimeout(done, sender ? rubbishPause : 0)
}

/** Kept for the one who sent it: whether others exist is none of its business. */
export function turnAway(
  state: IntakeState,
  { sender, topic, payload }: Delivery,
  reason: Fault['reason'],
  done: () => void,
): void {
  reject(state, { device: sender, channel: topic, payload, sender, done }, [{ reason, detail: '' }])
}

export function badMessageAllowance(): (deviceId: string) => boolean {
  let minute = -1
  let counts = new Map<string, number>()
  return (deviceId) => {
    const now = Math.floor(performance.now() / 60_000)
    if (now !== minute) [minute, counts] = [now, new Map()]
    const count = (counts.get(deviceId) ?? 0) + 1
    counts.set(deviceId, count)
    return count <= keptPerMinute
  }
}
