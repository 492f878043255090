import type { Habits } from './home.ts'
import { activity, habitsOf, heatingLimit, londonTime, steadyTemperature, wantedTemperature, warmed } from './home.ts'
import { fraction, wander } from '../random.ts'
import { weather } from '../weather.ts'
import type { Context, Model, Outcome } from './model.ts'
import { clamp, measured, number } from './model.ts'
import type { HeatingSettings } from './settings.ts'
import { mostHeat, reportedSettings, settingCommands, settingsAtFirst } from './settings.ts'
import { firmware, gsmSignal } from './signal.ts'
import type { Spell } from './spell.ts'
import { followed } from './spell.ts'

export interface HeatPumpState {
  /** Temperatures in °C. */
  room: number
  flow: number
  cylinder: number
  /** Revolutions a minute, 0 when idle. */
  compressor: number
  heatingWater: boolean
  pumpHours: number
  settings: HeatingSettings
  /** Set while the outdoor unit is being defrosted. */
  defrost: Spell | undefined
}

const turn = 60
const longest = 2 * 3600
const slowest = 1500
const fastest = 5700

/** The coefficient of performance: lower in colder weather and with hotter water. */
export function performance(outside: number, flow: number): number {
  return clamp(6.2 - 0.075 * (flow - outside), 1.6, 5.5)
}

/** The relays of the property's heat saviour, named after what they switch. */
const heatPumpRelay = '1'
const immersionRelay = '2'

/** It runs unless a power switch has turned it off. */
const isPowered = (supply: Context['supply']) => supply[heatPumpRelay] !== false

/** The immersion heater warms the cylinder while its relay is on and the water is too cool. */
const immersionOn = ({ cylinder, settings }: HeatPumpState, supply: Context['supply']) =>
  supply[immersionRelay] === true && cylinder < settings.dhwSetPoint
/** Its power, in kW. */
const immersionPower = 3

/** The cylinder is heated in the early morning and after lunch, or when it has become too cool. */
function loads(state: HeatPumpState, at: number): boolean {
  const { hour } = londonTime(at)
  const { dhwSetPoint } = state.settings
  if (state.cylinder < dhwSetPoint - 10) return true
  const programme = (hour >= 4 && hour < 6) || (hour >= 13 && hour < 15)
  return programme && state.cylinder < (state.heatingWater ? dhwSetPoint : dhwSetPoint - 4)
}

function turned(
  state: HeatPumpState,
  at: number,
  seconds: number,
  { device, supply }: Pick<Context, 'device' | 'supply'>,
  habits: Habits,
): HeatPumpState {
  const outside = weather(at, device.place).temperature
  const powered = isPowered(supply)
  const heatingWater = powered && loads(state, at)
  const cold = state.room < wantedTemperature(at, device, habits) + (state.compressor > 0 ? 0.4 : 0)
  const radiators = Math.min(mostHeat(state.settings), clamp(42 - outside * 0.6, 30, 48))
  const heats = powered && cold && outside < heatingLimit
  const target = heatingWater ? state.settings.dhwSetPoint + 3 : heats ? radiators : undefined
  const minutes = seconds / 60
  const compressor = target === undefined ? 0 : clamp(slowest + (target - state.flow) * 450, slowest, fastest)
  const sink = heatingWater ? state.cylinder : state.room
  const gain = compressor > 0 ? 1.6 * (compressor / fastest) : 0
  const loss = (target === undefined ? 0.02 : 0.045) * (state.flow - sink)
  const immersion = immersionOn(state, supply) ? 0.25 : 0
  const drawn = activity(at, device, habits) * 0.035 + 0.002
  return {
    ...state,
    flow: clamp(state.flow + (gain - loss) * minutes, 5, 68),
    cylinder: clamp(state.cylinder + ((heatingWater ? 0.3 : 0) + immersion - drawn) * minutes, 12, 68),
    compressor,
    heatingWater,
    pumpHours: state.pumpHours + (compressor > 0 ? seconds / 3600 : 0),
  }
}

function advanced(state: HeatPumpState, context: Context, habits: Habits): HeatPumpState {
  const { device, now, elapsed } = context
  const seconds = Math.min(elapsed, longest)
  const room = warmed(state.room, device, habits, now, seconds)
  let result: HeatPumpState = state
  for (let left = seconds; left > 0; left -= turn)
    result = turned(result, now - Math.max(0, left - turn) * 1000, Math.min(left, turn), context, habits)
  return { ...result, room }
}

function start(context: Context): HeatPumpState {
  const { device, now } = context
  const habits = habitsOf(device)
  const room = steadyTemperature(now, device, habits)
  const pumpHours = number(device, 'pumpHours', 2000 + fraction(`${device.deviceId} age`) * 12_000)
  const settings = settingsAtFirst(device, { chMax: 55, dhwSetPoint: 50 })
  const cylinder = settings.dhwSetPoint - 3
  const still = {
    room,
    flow: room + 4,
    cylinder,
    compressor: 0,
    heatingWater: false,
    pumpHours,
    settings,
    defrost: undefined,
  }
  return { ...advanced(still, { ...context, elapsed: 3600 }, habits), room, pumpHours }
}

function step(before: HeatPumpState, context: Context): Outcome<HeatPumpState> {
  const { device, now, random } = context
  const state = advanced(before, context, habitsOf(device))
  const outside = weather(now, device.place).temperature
  const load = state.compressor / fastest
  const capacity = number(device, 'capacity', 8)
  const electricity = load * capacity * 0.4
  const flow = state.flow + (random() - 0.5) * 0.2
  const spread = Math.min(3 + 3 * load, Math.max(0, state.flow - state.room) * 0.4)
  const running = state.compressor > 0
  // Near freezing, moist air makes the outdoor unit ice up about every hour.
  const isIced = running && outside < 4 && wander(`${device.deviceId} ice`, now, 2_700_000) > 0.7
  const defrost = followed(state.defrost, isIced, context, {
    severity: 'Low',
    category: 'Defrost',
    description: 'Defrost: ice is melted off the outdoor unit',
  })
  return {
    state: { ...state, defrost: defrost.spell },
    readings: measured({
      flowTemperature: flow,
      returnTemperature: flow - (running ? spread : 0.3),
      dhwTemperature: state.cylinder,
      outsideTemperature: outside,
      systemPressure: 1.6 + 0.08 * wander(`${device.deviceId} pressure`, now, 43_200_000) + (state.flow - 30) * 0.004,
      flowRate: running ? 12 + 6 * load : 0,
      // On standby it keeps its controller and crankcase warm.
      electricityConsumption: isPowered(context.supply) ? electricity + 0.03 : 0,
      ...(immersionRelay in context.supply && {
        immersionPower: immersionOn(state, context.supply) ? immersionPower : 0,
      }),
      heatOutput: Math.min(capacity * 1.1, electricity * performance(outside, state.flow)),
      compressorSpeed: Math.round(state.compressor),
      pumpHours: state.pumpHours,
      gsmSignal: gsmSignal(context),
    }),
    events: defrost.events,
    reported: {
      firmware: firmware(device),
      monitoring: 'HeatPump',
      ...reportedSettings(device, state.settings),
      faultCode: 'None',
      fault: null,
    },
  }
}

/** An air source heat pump with a hot water cylinder, standalone or monitored by a boiler control module. */
export const heatPump: Model<HeatPumpState> = { start, step, commands: settingCommands }
