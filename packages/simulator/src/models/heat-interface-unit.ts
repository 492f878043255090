import { activity, habitsOf, heatingLimit, steadyTemperature, wantedTemperature, warmed } from './home.ts'
import { wander } from '../random.ts'
import { weather } from '../weather.ts'
import type { Context, Model, Outcome } from './model.ts'
import { clamp, measured, number } from './model.ts'
import { firmware, gsmSignal } from './signal.ts'

export interface HeatInterfaceUnitState {
  /** °C */
  room: number
  flow: number
}

function step(before: HeatInterfaceUnitState, context: Context): Outcome<HeatInterfaceUnitState> {
  const { device, now, elapsed, random } = context
  const habits = habitsOf(device)
  const room = warmed(before.room, device, habits, now, elapsed)
  const outside = weather(now, device.place).temperature
  const tap = activity(now, device, habits) > 0.25 && wander(`${device.home} hot water`, now, 420_000) > 0.55
  const heating = outside < heatingLimit && room < wantedTemperature(now, device, habits) + 0.15
  const target = tap ? 58 : heating ? clamp(60 - outside, 40, 65) : room + 6
  // The flow temperature follows the heat network through the valve, with a lag of some minutes.
  const flow = target + (before.flow - target) * Math.exp(-elapsed / 240)
  const flowRate = tap ? 11 : heating ? 5 : 0
  const spread = (flow - room) * (flowRate > 0 ? 0.4 : 0.1)
  return {
    state: { room, flow },
    readings: measured({
      flowTemperature: flow + (random() - 0.5) * 0.2,
      returnTemperature: flow - spread,
      systemPressure:
        number(device, 'systemPressure', 1.7) + 0.05 * wander(`${device.deviceId} pressure`, now, 43_200_000),
      flowRate,
      // Converts litres a minute times kelvin to kW.
      heatOutput: flowRate * spread * 0.0698,
      gsmSignal: gsmSignal(context),
    }),
    events: [],
    reported: { firmware: firmware(device), faultCode: 'None', fault: null },
  }
}

/** A heat interface unit: it supplies a flat with heat and hot water from a heat network. */
export const heatInterfaceUnit: Model<HeatInterfaceUnitState> = {
  start: (context) => {
    const room = steadyTemperature(context.now, context.device, habitsOf(context.device))
    return { room, flow: room + 6 }
  },
  step,
}
