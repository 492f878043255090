import type { Nature } from './model.ts'
import { number } from './model.ts'
import { fraction, wander } from '../random.ts'
import { weather } from '../weather.ts'

const hour = 3_600_000
const day = 24 * hour

/** 01:00 UTC on the last Sunday of a month, when British clocks change. */
function clockChange(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0))
  return last.getTime() - last.getUTCDay() * day + hour
}

/** The hour of the day in London, with fractions, and whether it is a weekend. */
export function londonTime(now: number): { hour: number; weekend: boolean } {
  const year = new Date(now).getUTCFullYear()
  const summer = now >= clockChange(year, 2) && now < clockChange(year, 9)
  const local = now + (summer ? hour : 0)
  // The first day of the epoch was a Thursday.
  const weekday = (Math.floor(local / day) + 4) % 7
  return { hour: (local % day) / hour, weekend: weekday === 0 || weekday === 6 }
}

/** How a property is used. */
export interface Habits {
  /** Target temperature while heating, °C. */
  warm: number
  /** Target temperature at other times, °C. */
  setback: number
  /** The most that the heating can add, °C an hour. */
  heater: number
  /** When the heating stopped working (ms). */
  coldSince: number
  /** The time constant of heat loss, in hours. */
  holds: number
  /** Usual relative humidity, %. */
  humidity: number
  occupants: number
}

/** The habits of a device's property, from its story and traits. */
export function habitsOf(device: Nature): Habits {
  const trait = (name: string, usual: number) => number(device, name, usual)
  const own = fraction(`${device.home} habits`)
  const usual = {
    warm: 20 + own * 1.5,
    setback: 16.5,
    heater: 3,
    coldSince: Infinity,
    holds: 30,
    humidity: 48 + own * 8,
    occupants: 2,
  }
  const byStory: Partial<Habits> =
    device.story === 'damp and mould'
      ? { warm: 17, setback: 14.5, holds: 18, humidity: 82, occupants: 4 }
      : device.story === 'under-heated'
        ? { warm: 14.5, setback: 11, heater: 1, holds: 16, humidity: 66 }
        : device.story === 'void'
          ? { warm: 8, setback: 8, humidity: 60, occupants: 0 }
          : device.story === 'boiler lockout'
            ? { coldSince: trait('faultSince', -Infinity) }
            : {}
  const habits = { ...usual, ...byStory }
  return {
    ...habits,
    warm: trait('roomTemperature', habits.warm),
    setback: Math.min(habits.setback, trait('roomTemperature', habits.setback)),
    humidity: trait('humidity', habits.humidity),
    occupants: trait('occupants', habits.occupants),
  }
}

/** Each property's daily rhythm is shifted by up to three quarters of an hour. */
function ownHour(now: number, home: string): { hour: number; weekend: boolean } {
  const { hour, weekend } = londonTime(now)
  return { hour: (hour + (fraction(`${home} rhythm`) - 0.5) * 1.5 + 24) % 24, weekend }
}

/** No heating above this outside temperature, °C. */
export const heatingLimit = 16.5

/** Target temperature of the heating programme, °C. */
export function wantedTemperature(now: number, device: Nature, habits: Habits): number {
  const { hour, weekend } = ownHour(now, device.home)
  const warm = weekend ? hour >= 7.5 && hour < 22.5 : (hour >= 6 && hour < 9) || (hour >= 16 && hour < 22.5)
  return warm ? habits.warm : habits.setback
}

/** Activity in the property: 0 if it is empty, 1 if everyone is cooking and washing. */
export function activity(now: number, device: Nature, habits: Habits): number {
  if (habits.occupants === 0) return 0
  const { hour, weekend } = ownHour(now, device.home)
  const bump = (centre: number, width: number) => Math.exp(-(((hour - centre) / width) ** 2))
  const day = weekend ? 0.35 : 0.12
  const usual = Math.max(0.06, bump(7.5, 1.2) * 0.8, bump(18.5, 2.5), hour > 8 && hour < 22 ? day : 0)
  return Math.min(1, Math.max(0, usual * (1 + 0.35 * wander(`${device.home} activity`, now, 1_200_000))))
}

/** The share of occupants at home: all at night, few in working hours. */
export function presence(now: number, device: Nature, habits: Habits): number {
  if (habits.occupants === 0) return 0
  const { hour, weekend } = ownHour(now, device.home)
  const away = hour > 9 && hour < 16.5 ? (weekend ? 0.4 : 0.8) : 0
  return Math.max(0, 1 - away * (1 + 0.25 * wander(`${device.home} presence`, now, 5_400_000)))
}

const step = 900

/** The temperature of a property after some seconds: heated up to the target, cooled by the weather. */
export function warmed(temperature: number, device: Nature, habits: Habits, now: number, seconds: number): number {
  let result = temperature
  for (let left = seconds; left > 0; left -= step) {
    const hours = Math.min(left, step) / 3600
    const at = now - Math.max(0, left - step) * 1000
    const outside = weather(at, device.place).temperature
    const wanted = wantedTemperature(at, device, habits)
    const gains = 3 * activity(at, device, habits)
    const loss = (result - outside - gains) / habits.holds
    // If the heating is strong enough, it keeps the target temperature: it replaces the loss, and delivers more while
    // the property is too cold.
    const heats = result < wanted && outside < heatingLimit && at < habits.coldSince
    const heat = heats ? Math.min(habits.heater, loss + (wanted - result) * 1.5) : 0
    result += (Math.max(0, heat) - loss) * hours
  }
  return result
}

/**
 * The current temperature of a property, simulated from a day and a half ago, so that the starting value no longer
 * matters.
 */
export function steadyTemperature(now: number, device: Nature, habits: Habits): number {
  return warmed(Math.min(habits.warm, 18), device, habits, now, 36 * 3600)
}
