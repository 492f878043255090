import type { Model } from './model.ts'
import { firmware } from './signal.ts'

/** A device whose measurements the link does not know. It only reports its presence and firmware. */
export const presenceOnly: Model<null> = {
  start: () => null,
  step: (state, { device }) => ({ state, readings: {}, events: [], reported: { firmware: firmware(device) } }),
}
