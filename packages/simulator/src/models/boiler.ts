import type { Habits } from './home.ts'
import { activity, habitsOf, heatingLimit, steadyTemperature, wantedTemperature, warmed } from './home.ts'
import { fraction, wander } from '../random.ts'
import { weather } from '../weather.ts'
import type { Fault } from './fault.ts'
import { faultEvent, reportedFault, reset, storiedFault } from './fault.ts'
import type { Answer, Context, Model, Nature, Outcome } from './model.ts'
import { clamp, measured, number, word } from './model.ts'
import type { HeatingSettings } from './settings.ts'
import { mostHeat, reportedSettings, settingCommands, settingsAtFirst } from './settings.ts'
import { backupVoltage, firmware, gsmSignal } from './signal.ts'
import type { Spell } from './spell.ts'
import { followed } from './spell.ts'

export interface BoilerState {
  /** Temperatures in °C. */
  room: number
  flow: number
  /** In %; 0 while the burner is off. */
  modulation: number
  /** Seconds until the burner may start again. */
  rest: number
  burnerHours: number
  pumpHours: number
  burnerStarts: number
  settings: HeatingSettings
  /** Until when a command makes it fire without a heat demand (ms); 0 if there was none. */
  firingUntil: number
  fault: Fault | undefined
  /** Whether the fault still has to be reported. */
  isUnreported: boolean
  /** Set while the water pressure of the heating is low. */
  low: Spell | undefined
}

/** The step of the internal simulation in seconds, and the longest absence that it catches up on. */
const turn = 30
const longest = 2 * 3600
/** Low pressure is reported below the first value, and its end above the second (bar). */
const lowPressure = 0.8
const refilled = 1
/** The shortest time in seconds that a burner stays off, to limit its starts. */
const antiCycle = 180

/** The flow temperature in °C while a command fires it, regardless of the limits on its heating. */
const firingFlow = 60

/**
 * The requested flow temperature: hot water first, otherwise radiators according to the weather; undefined without a heat demand.
 */
function wantedFlow(state: BoilerState, now: number, device: Nature, habits: Habits, outside: number) {
  if (state.firingUntil >= now) return { flow: firingFlow, most: 88 }
  // A trait can set the heat demand regardless of time and weather.
  const calledFor = word(device, 'callsFor', '')
  const tap = calledFor
    ? calledFor === 'hot water'
    : activity(now, device, habits) > 0.25 && wander(`${device.home} hot water`, now, 420_000) > 0.55
  // The water in the heat exchanger is hotter than at the tap.
  if (tap) return { flow: state.settings.dhwSetPoint + 10, most: 88 }
  const call = calledFor
    ? calledFor === 'radiators'
    : outside < heatingLimit && state.room < wantedTemperature(now, device, habits) + 0.15
  const most = mostHeat(state.settings)
  return call ? { flow: Math.min(most, clamp(68 - outside * 1.3, 42, 75)), most } : undefined
}

function turned(state: BoilerState, at: number, seconds: number, device: Nature, habits: Habits): BoilerState {
  const outside = weather(at, device.place).temperature
  const wanted = state.fault ? undefined : wantedFlow(state, at, device, habits, outside)
  const rest = Math.max(0, state.rest - seconds)
  const lit = state.modulation > 0
  const stop = wanted && Math.min(wanted.flow + 5, wanted.most)
  const burn = stop !== undefined && (lit ? state.flow < stop : rest === 0 && state.flow < stop - 9)
  const modulation = burn ? clamp((stop - 1 - state.flow) * 6, 22, 100) : 0
  const minutes = seconds / 60
  const gain = 6 * (modulation / 100)
  const loss = (wanted === undefined ? 0.015 : 0.05) * (state.flow - state.room)
  return {
    ...state,
    flow: clamp(state.flow + (gain - loss) * minutes, Math.min(state.room, 5), 88),
    modulation,
    rest: lit && !burn ? antiCycle : rest,
    burnerHours: state.burnerHours + (burn ? seconds / 3600 : 0),
    pumpHours: state.pumpHours + (wanted === undefined ? 0 : seconds / 3600),
    burnerStarts: state.burnerStarts + (burn && !lit ? 1 : 0),
  }
}

function advanced(state: BoilerState, { device, now, elapsed }: Context, habits: Habits): BoilerState {
  const seconds = Math.min(elapsed, longest)
  const room = warmed(state.room, device, habits, now, seconds)
  let result: BoilerState = state
  for (let left = seconds; left > 0; left -= turn)
    result = turned(result, now - Math.max(0, left - turn) * 1000, Math.min(left, turn), device, habits)
  return { ...result, room }
}

function pressure(flow: number, { device, now }: Context): number {
  const cold = number(device, 'systemPressure', device.story === 'failed autofill' ? 0.5 : 1.35)
  return clamp(cold + (flow - 20) * 0.006 + 0.06 * wander(`${device.deviceId} pressure`, now, 43_200_000), 0, 3)
}

function start(context: Context): BoilerState {
  const { device, now } = context
  const habits = habitsOf(device)
  const age = fraction(`${device.deviceId} age`)
  const locked = device.story === 'boiler lockout'
  const burnerHours = number(device, 'burnerHours', 1500 + age * 9000)
  const room = steadyTemperature(now, device, habits)
  const fault = locked
    ? storiedFault(context, {
        code: 'F28',
        description: 'Ignition lockout: no flame after several attempts to light',
        source: 'boiler',
        isResettable: true,
      })
    : undefined
  const cold: BoilerState = {
    room,
    flow: room + 2,
    modulation: 0,
    rest: 0,
    burnerHours,
    pumpHours: number(device, 'pumpHours', burnerHours * 2.1),
    burnerStarts: Math.round(number(device, 'burnerStarts', burnerHours * 4.2)),
    settings: settingsAtFirst(device, { chMax: 75, dhwSetPoint: 52 }),
    firingUntil: 0,
    fault,
    isUnreported: fault !== undefined,
    low: undefined,
  }
  // The preceding hour is simulated only to find the current flow and burner values; nothing else is taken from it.
  const { flow, modulation, rest } = advanced(cold, { ...context, elapsed: 3600 }, habits)
  return { ...cold, flow: number(device, 'flowTemperature', flow), modulation, rest }
}

function step(before: BoilerState, context: Context): Outcome<BoilerState> {
  const { device } = context
  const state = advanced(before, context, habitsOf(device))
  const flow = state.flow + (context.random() - 0.5) * 0.3
  const pumping = state.modulation > 0 || state.flow > state.room + 15
  const bar = pressure(state.flow, context)
  const low = followed(state.low, bar < (state.low ? refilled : lowPressure), context, {
    severity: 'Medium',
    category: 'Low pressure',
    description: 'Low pressure: water is missing in the heating',
  })
  return {
    state: { ...state, isUnreported: false, low: low.spell },
    readings: measured({
      flowTemperature: flow,
      returnTemperature: flow - Math.max(0, state.flow - state.room) * (pumping ? 0.28 : 0.08),
      modulation: state.modulation,
      burnerHours: state.burnerHours,
      pumpHours: state.pumpHours,
      burnerStarts: state.burnerStarts,
      systemPressure: bar,
      outsideTemperature: weather(context.now, device.place).temperature,
      gsmSignal: gsmSignal(context),
      batteryVoltage: backupVoltage(context),
    }),
    events: [...(state.fault && state.isUnreported ? [faultEvent(state.fault)] : []), ...low.events],
    reported: {
      firmware: firmware(device),
      monitoring: 'Boiler',
      ...reportedSettings(device, state.settings),
      ...(state.firingUntil > 0 && { firing: state.firingUntil > context.now }),
      ...reportedFault(state.fault),
    },
    ...(state.firingUntil > context.now && { next: (state.firingUntil - context.now) / 1000 + soon }),
  }
}

/** Seconds until it reports that it has started or finished. */
const soon = 1

function fireBoiler(state: BoilerState, { now }: Context, { minutes }: Record<string, unknown>): Answer<BoilerState> {
  if (typeof minutes !== 'number' || minutes <= 0)
    return { state, status: 'failed', message: 'minutes is no time that it can be fired for' }
  if (state.fault) return { state, status: 'failed', message: 'The boiler is locked out' }
  return { state: { ...state, rest: 0, firingUntil: now + minutes * 60_000 }, status: 'confirmed', next: soon }
}

/** A gas boiler with its control module: the burner, the circuit and the property that it heats. */
export const boiler: Model<BoilerState> = {
  start,
  step,
  commands: { resetBoiler: reset, fireBoiler, ...settingCommands },
}
