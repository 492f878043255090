import type { Fault } from '@caretaker/rules/devices/messages.ts'
import { badMessage } from './bad-messages.ts'
import type { Delivery, IntakeState } from './intake-state.ts'
import type { DeviceRoute } from './routes.ts'

/** The source of a rejected message. */
export interface Origin {
  /** The device whose page shows it; undefined if no one could read it. */
  device: { deviceId: string; tenant: string } | undefined
  channel: string
  payload: Buffer
  sender?: DeviceRoute
  done(): void
}

/** The pause per bad message that is not even kept, in ms. */
const rubbishPause = 100
/** Bad messages kept per device and minute; others are only counted, so that one device cannot fill the table. */
const keptPerMinute = 30

/** Counts a bad message for the operator and the device page, and stores it with its reason. */
export function reject(state: IntakeState, origin: Origin, faults: readonly Fault[]): void {
  const { device, channel, payload, sender, done } = origin
  count(state, device, faults)
  if (device && state.mayKeep(device.deviceId)) {
    const message = badMessage(device.deviceId, channel, payload, new Date(), faults)
    state.reports.add({ channel: 'bad', tenant: device.tenant, message, done })
    // A device that sends garbage is slowed down; a broker connection carries the messages of all devices and is not.
  } else setTimeout(done, sender ? rubbishPause : 0)
}

/** Counts the invalid parts of a message whose valid parts are stored, and stores them with their reasons. */
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

/** Counts a message that is rejected in full and not even kept. */
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

/** Rejects a message and stores it for the sender only: it must not learn whether other devices exist. */
export function rejectForSender(
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
