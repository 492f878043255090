import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { activity, habitsOf } from './home.ts'
import { fraction, wander } from '../random.ts'
import type { Answer, Context, Model, Nature, Outcome } from './model.ts'
import { clamp, measured, number } from './model.ts'
import { firmware, linkQuality } from './signal.ts'

const minute = 60_000

/** The power in W of three circuits of the property. */
function circuits({ device, now, random }: Context): [number, number, number] {
  const habits = habitsOf(device)
  const activityLevel = activity(now, device, habits)
  const base = number(device, 'baseLoad', habits.occupants === 0 ? 18 : 90 + fraction(`${device.home} base`) * 90)
  const fridge = wander(`${device.home} fridge`, now, 17 * minute) > 0.1 ? 85 : 4
  const cooking =
    activityLevel > 0.4 && wander(`${device.home} cooker`, now, 9 * minute) > 0.35 ? 1900 * activityLevel : 0
  const kettle = activityLevel > 0.15 && wander(`${device.home} kettle`, now, 3 * minute) > 0.8 ? 2600 : 0
  const noise = 1 + (random() - 0.5) * 0.03
  const everyday = base + (habits.occupants > 0 ? fridge : 0) + 260 * activityLevel
  return [everyday * noise, cooking * noise, kettle * noise]
}

export interface PowerMeterState {
  /** For model F, which can cut the electricity: whether it is held off, and whether any current flows. */
  supply: { isHeld: boolean; flows: boolean }
}

const cuts = ({ serial }: Nature) => splitSerialNumber(serial).model === 'F'

function start({ device }: Context): PowerMeterState {
  const isHeld = device.traits['supplyHeld'] === true
  return { supply: { isHeld, flows: !isHeld } }
}

function step(state: PowerMeterState, context: Context): Outcome<PowerMeterState> {
  const { device } = context
  const clamps = clamp(Math.round(number(device, 'clamps', 3)), 1, 3)
  const drawn = state.supply.flows ? circuits(context) : [0, 0, 0]
  const [first, second, third] = drawn.map((watts) => Math.round(watts)) as [number, number, number]
  const byClamp =
    clamps === 1
      ? { power1: first + second + third }
      : clamps === 2
        ? { power1: first, power2: second + third }
        : { power1: first, power2: second, power3: third }
  return {
    state,
    readings: measured({ power: first + second + third, ...byClamp, linkQuality: linkQuality(context) }),
    events: [],
    reported: {
      firmware: firmware(device),
      ...(cuts(device) && { supplyHeld: state.supply.isHeld, supply: state.supply.flows }),
    },
  }
}

/** Seconds between the reply and the report of the new state. */
const soon = 1

/**
 * When held, the meter cuts the current. When released, it allows an engineer to restore the supply, and does not
 * restore it itself.
 */
function setSupplyHold(
  state: PowerMeterState,
  { device }: Context,
  { isHeld }: Record<string, unknown>,
): Answer<PowerMeterState> {
  if (!cuts(device) || typeof isHeld !== 'boolean')
    return { state, status: 'failed', message: `${device.serial} cannot cut the electricity` }
  return { state: { supply: { isHeld, flows: isHeld ? false : state.supply.flows } }, status: 'confirmed', next: soon }
}

/** A power meter with up to three clamps around the circuits of a property. Model F can also cut the electricity. */
export const powerMeter: Model<PowerMeterState> = { start, step, commands: { setSupplyHold } }
