import type { Answer, Context, Model, Outcome } from './model.ts'
import { measured } from './model.ts'
import { firmware, linkQuality } from './signal.ts'

export interface PowerSwitchState {
  /** Relay number to on or off. */
  relays: Record<string, boolean>
}

function start({ device }: Context): PowerSwitchState {
  const initial = (relay: string) => device.traits[`relay${relay}`]
  return {
    relays: Object.fromEntries(
      ['1', '2']
        .filter((relay) => relay === '1' || initial(relay) !== undefined)
        .map((relay) => [relay, initial(relay) !== false]),
    ),
  }
}

function step(state: PowerSwitchState, context: Context): Outcome<PowerSwitchState> {
  return {
    state,
    readings: measured({ linkQuality: linkQuality(context) }),
    events: [],
    reported: { firmware: firmware(context.device), relays: state.relays },
    supply: state.relays,
  }
}

/** Seconds between the reply and the report of the relay states. */
const soon = 1

function setRelay(
  state: PowerSwitchState,
  { device }: Context,
  args: Record<string, unknown>,
): Answer<PowerSwitchState> {
  const { relay, on } = args
  if (typeof relay !== 'string' || typeof on !== 'boolean' || !Object.hasOwn(state.relays, relay))
    return { state, status: 'failed', message: `${device.serial} has no relay ${String(relay)}` }
  return { state: { relays: { ...state.relays, [relay]: on } }, status: 'confirmed', next: soon }
}

/** A power switch: the relays of a heat saviour. */
export const powerSwitch: Model<PowerSwitchState> = { start, step, commands: { setRelay } }
