import { topUp } from '@caretaker/rules/boilers/fills.ts'
import { fraction, generator, uuid, wander } from '../random.ts'
import type { Fault } from './fault.ts'
import { faultEvent, reportedFault, reset, storiedFault } from './fault.ts'
import type { Context, EventMessage, Model, Outcome } from './model.ts'
import { measured, number } from './model.ts'
import { firmware, linkQuality } from './signal.ts'

export interface AutofillState {
  /** bar */
  pressure: number
  /** The litres that it has added since it was fitted. */
  water: number
  fault: Fault | undefined
  isUnreported: boolean
}

/** The pressures in bar at which it starts and stops filling. */
const low = 1
const full = 1.5
/** Litres that raise the pressure by one bar, because of the expansion vessel. */
const litresPerBar = 2

function start(context: Context): AutofillState {
  const { device } = context
  const failed = device.story === 'failed autofill'
  const usual = failed ? 0.35 : low + fraction(`${device.deviceId} pressure`) * (full - low)
  const fault = failed
    ? storiedFault(context, {
        code: 'AF1',
        description: 'Autofill lockout: the system did not reach its pressure in time',
        source: 'autofill',
        isResettable: true,
      })
    : undefined
  return {
    pressure: number(device, 'systemPressure', usual),
    water: number(device, 'waterFilled', 60),
    fault,
    isUnreported: failed,
  }
}

function step(before: AutofillState, context: Context): Outcome<AutofillState> {
  const { device, elapsed, now } = context
  // A system loses a little pressure over weeks.
  const leaked = Math.max(0.2, before.pressure - (0.03 * elapsed) / 86_400)
  const fills = !before.fault && leaked < low
  const pressure = fills ? full : leaked
  const water = before.water + (fills ? (full - leaked) * litresPerBar : 0)
  return {
    state: { ...before, pressure, water, isUnreported: false },
    readings: measured({
      systemPressure: pressure + 0.04 * wander(`${device.deviceId} heat`, now, 14_400_000),
      waterFilled: water,
      linkQuality: linkQuality(context),
    }),
    events: [
      ...(before.fault && before.isUnreported ? [faultEvent(before.fault)] : []),
      ...(fills ? [filled(context)] : []),
    ],
    reported: { firmware: firmware(device), ...reportedFault(before.fault) },
  }
}

/** A fill takes a minute and a half and is reported at its end. */
function filled({ device, now }: Context): EventMessage {
  return {
    eventId: uuid(generator(`${device.deviceId} filled ${now}`)),
    start: now - 90_000,
    end: now,
    severity: 'Low',
    category: topUp,
    description: `${topUp}: the heating was filled to its pressure`,
  }
}

/** Maintains the pressure of a heating system until it locks out. */
export const autofill: Model<AutofillState> = { start, step, commands: { resetAutofill: reset } }
