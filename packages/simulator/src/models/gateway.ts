import { wander } from '../random.ts'
import type { Answer, Context, Model, Outcome } from './model.ts'
import { measured, number } from './model.ts'
import { joinedAtFirst, joinNetwork, leaveNetwork } from './network.ts'
import { backupVoltage, firmware, gsmSignal, linkQuality } from './signal.ts'

export interface GatewayState {
  /** Whether a repeater belongs to the mesh network. A gateway creates that network. */
  joined: boolean
}

function step(state: GatewayState, context: Context): Outcome<GatewayState> {
  const { device, now } = context
  const known = number(device, 'connectedDevices', device.children)
  // Sometimes one of its devices is out of range.
  const missing = wander(`${device.deviceId} missing`, now, 3_600_000) > 0.8 ? 1 : 0
  const repeats = device.product === 'ZR'
  const link = repeats
    ? { linkQuality: linkQuality(context) }
    : { gsmSignal: gsmSignal(context), batteryVoltage: backupVoltage(context) }
  return {
    state,
    readings: measured({ ...link, connectedDevices: Math.max(0, known - missing) }),
    events: [],
    reported: { firmware: firmware(device), ...(repeats && { networkJoined: state.joined }) },
  }
}

const ofRepeaters =
  (command: (state: GatewayState) => Answer<GatewayState>) =>
  (state: GatewayState, { device }: Context): Answer<GatewayState> =>
    device.product === 'ZR' ? command(state) : { state, status: 'failed', message: `${device.serial} is no repeater` }

/** A gateway or extender: its link, and the number of devices in range. */
export const gateway: Model<GatewayState> = {
  start: ({ device }) => ({ joined: joinedAtFirst(device) }),
  step,
  commands: { joinNetwork: ofRepeaters(joinNetwork), leaveNetwork: ofRepeaters(leaveNetwork) },
}
