import { localTime } from '@caretaker/rules/calendar/days.ts'
import type { SchedulePart } from '@caretaker/rules/properties/schedule.ts'
import { scheduleIn, scheduleParts, temperatureAt, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { activity, habitsOf, presence, steadyTemperature, wantedTemperature, warmed } from './home.ts'
import { fraction, wander } from '../random.ts'
import { weather } from '../weather.ts'
import type { Answer, Context, Model, Nature, Outcome, Readings, Reported } from './model.ts'
import { clamp, measured } from './model.ts'
import { batteryLevel, firmware, linkQuality } from './signal.ts'

export interface RoomState {
  /** °C */
  temperature: number
  /** % */
  humidity: number
  /** ppm */
  co2: number
  /** For a V-Stat: the received schedules. */
  schedules?: Reported
}

/** The values that the air tends towards: humidity from habits, activity, cold rooms and wet weather. */
function airTarget({ device, now }: Context, temperature: number): Pick<RoomState, 'humidity' | 'co2'> {
  const habits = habitsOf(device)
  const activityLevel = activity(now, device, habits)
  const wet = (weather(now, device.place).humidity - 80) * 0.15
  const cool = (habits.warm - temperature) * 0.9
  const humidity =
    habits.humidity + cool + wet + 9 * activityLevel + 2.5 * wander(`${device.deviceId} air`, now, 10_800_000)
  const aired = device.story === 'damp and mould' ? 330 : 230
  const co2 = 430 + aired * habits.occupants * presence(now, device, habits) * (0.75 + 0.5 * activityLevel)
  return { humidity: clamp(humidity, 22, 97), co2: clamp(co2, 400, 4500) }
}

/** The difference between a room's temperature and the property's. */
function offset(context: Context): number {
  const { device, now } = context
  return (fraction(`${device.deviceId} room`) - 0.5) * 1.2 + 0.2 * wander(`${device.deviceId} draught`, now, 5_400_000)
}

function start(context: Context): RoomState {
  const temperature = steadyTemperature(context.now, context.device, habitsOf(context.device))
  return { temperature, ...airTarget(context, temperature) }
}

function aired(before: RoomState, context: Context): RoomState {
  const { device, now, elapsed } = context
  const temperature = warmed(before.temperature, device, habitsOf(device), now, elapsed)
  const target = airTarget(context, temperature)
  const lag = Math.exp(-elapsed / 3600)
  return {
    ...before,
    temperature,
    humidity: target.humidity + (before.humidity - target.humidity) * lag,
    co2: target.co2 + (before.co2 - target.co2) * lag,
  }
}

type Report = (state: RoomState, context: Context, temperature: number) => { readings: Readings; reported?: Reported }

function roomModel(report: Report): Model<RoomState> {
  return {
    start,
    step: (before, context): Outcome<RoomState> => {
      const state = aired(before, context)
      const temperature = state.temperature + offset(context) + (context.random() - 0.5) * 0.08
      const { readings, reported } = report(state, context, temperature)
      return {
        state,
        readings: measured({
          ...readings,
          // A hub is mains powered.
          ...(context.device.product !== 'ZH' && { batteryLevel: batteryLevel(context) }),
          linkQuality: linkQuality(context),
        }),
        events: [],
        reported: { firmware: firmware(context.device), ...reported },
      }
    },
  }
}

/** Temperature and humidity of a room. */
export const multiDot = roomModel((state, _, temperature) => ({ readings: { temperature, humidity: state.humidity } }))

/** Temperature, humidity and carbon dioxide of a room. */
export const enviroDot = roomModel((state, { random }, temperature) => ({
  readings: { temperature, humidity: state.humidity, co2: Math.round(state.co2 + (random() - 0.5) * 20) },
}))

/** Older firmware does not support schedules. */
const takesSchedules = (device: Nature) => device.traits['takesSchedules'] !== false

/** The scheduled temperature in the property's time zone; null without a schedule. */
function scheduledTemperature({ schedules = {} }: RoomState, now: number): number | null {
  const schedule = scheduleIn({ schedules }, 'heating')
  const clock = new Date(localTime(now, 'Europe/London'))
  const day = weekDays[(clock.getUTCDay() + 6) % 7]!
  return schedule && temperatureAt(schedule, day, clock.getUTCHours() * 60 + clock.getUTCMinutes())
}

/** Seconds between the reply and the report of its schedules. */
const soon = 1

function schedule(state: RoomState, { device }: Context, { part, week }: Record<string, unknown>): Answer<RoomState> {
  const isPart = scheduleParts.some((one) => one === part)
  if (!takesSchedules(device) || !isPart || !scheduleIn({ schedules: { [String(part)]: week } }, part as SchedulePart))
    return { state, status: 'failed', message: `${device.serial} takes no such schedule` }
  const schedules = { ...state.schedules, [String(part)]: week } as Reported
  return { state: { ...state, schedules }, status: 'confirmed', next: soon }
}

/** A thermostat: the room, and a set point that follows its schedule, if it has one. */
export const vStat: Model<RoomState> = {
  ...roomModel((state, { device, now }, temperature) => {
    const usual = Math.round(wantedTemperature(now, device, habitsOf(device)) * 2) / 2
    const setPoint = scheduledTemperature(state, now) ?? usual
    return {
      readings: { temperature, humidity: state.humidity, setPoint },
      reported: {
        setPoint,
        takesSchedules: takesSchedules(device),
        ...(state.schedules && { schedules: state.schedules as Record<string, unknown> }),
      },
    }
  }),
  commands: { schedule },
}

/** The hub of a property: the climate of its room, and the sensors in range. */
export const homeHub = roomModel((state, { device }, temperature) => ({
  readings: { temperature, humidity: state.humidity, connectedDevices: device.children },
}))
