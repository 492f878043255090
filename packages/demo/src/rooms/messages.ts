import { demoId } from '../chance.ts'
import { demoDevices } from '../fixtures.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour } from '../plan/device.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { reportedOf } from './devices.ts'

const storied = new Set(Object.values(demoDevices).map(({ deviceId }) => deviceId))
const columns = ['device_id', 'at', 'id', 'channel', 'payload', 'bytes', 'was']

/**
 * Creates the messages of devices with a scenario in the last days, without readings, which are stored as telemetry.
 */
export const seedMessages: DeviceSeeder = async ({ write, now }, devices) => {
  const rows = devices
    .filter(({ id, link }) => storied.has(id) && link.heardAt !== null)
    .flatMap((device) =>
      statesOf(device, now).map(({ at, state, was }, n) => {
        const payload = JSON.stringify(state)
        return [device.id, new Date(at), demoId(`${device.id} state ${n}`), 'state', payload, payload.length, was]
      }),
    )
  if (rows.length) await write('device_message', columns, rows)
}

interface StateMessage {
  at: number
  state: Record<string, unknown>
  was?: Record<string, unknown>
}

/** The full state, as after a start, and the fault at its time. */
function statesOf(device: DemoDevice, now: number): StateMessage[] {
  const { fault, link } = device
  const reported = reportedOf(device)
  const last = Math.min(now, link.heardAt ?? now)
  if (!fault) return [{ at: last - 5 * hour, state: reported }]
  const { faultCode, fault: reportedFault, ...rest } = reported
  const since = Math.max(fault.since, now - 6 * day)
  return [
    { at: since - 5 * hour, state: { ...rest, faultCode: 'None', fault: null } },
    { at: since, state: { faultCode, fault: reportedFault }, was: { faultCode: 'None', fault: null } },
  ]
}
