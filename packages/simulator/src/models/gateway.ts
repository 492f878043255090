import { wander } from '../random.ts'
import type { Context, Model, Outcome } from './model.ts'
import { measured, number } from './model.ts'
import { firmware, gsmSignal, linkQuality } from './signal.ts'

function step(state: null, context: Context): Outcome<null> {
  const { device, now } = context
  const known = number(device, 'connectedDevices', device.children)
  // Now and then one of its devices is out of reach.
  const missing = wander(`${device.deviceId} missing`, now, 3_600_000) > 0.8 ? 1 : 0
  const link = device.product === 'ZR' ? { linkQuality: linkQuality(context) } : { gsmSignal: gsmSignal(context) }
  return {
    state,
    readings: measured({ ...link, connectedDevices: Math.max(0, known - missing) }),
    events: [],
    reported: { firmware: firmware(device) },
  }
}

/** A gateway or extender: its link, and how many devices it hears. */
export const gateway: Model<null> = { start: () => null, step }
