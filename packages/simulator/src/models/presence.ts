import type { Model } from './model.ts'
import { firmware } from './signal.ts'

/** A device with measurements that the device link does not support. It only reports its presence and firmware. */
export const presenceOnly: Model<null> = {
  start: () => null,
  step: (state, { device }) => ({ state, readings: {}, events: [], reported: { firmware: firmware(device) } }),
}
