import { dayAfter, dayAt, localTime } from '@caretaker/rules/calendar/days.ts'
import type { WeekDay } from '@caretaker/rules/properties/schedule.ts'
import { weekDays } from '@caretaker/rules/properties/schedule.ts'

/** The readings of a sensor on one weekday: minutes after midnight and °C, with null for gaps. */
export interface Measured {
  name: string
  points: { minute: number; value: number | null }[]
  low: number
  high: number
}

interface TemperatureSeries {
  deviceId: string
  propertyLocationId: string | null
  label: string
  series: readonly { date: number; value: number | null }[]
}

const minute = 60_000
const minutesOfDay = 24 * 60

/** The room temperature on the last such weekday before today; undefined if unknown. */
export function measuredOn(
  day: WeekDay,
  temperatures: readonly TemperatureSeries[],
  { now, zone, thermostats }: { now: number; zone: string; thermostats: ReadonlySet<string> },
): Measured | undefined {
  const chosen = temperatures.find(({ deviceId }) => thermostats.has(deviceId)) ?? temperatures[0]
  if (!chosen) return undefined
  const date = lastDay(day, dayAt(now, zone))
  const points = chosen.series
    .filter((point) => dayAt(point.date, zone) === date)
    .map((point) => ({
      minute: Math.floor(localTime(point.date, zone) / minute) % minutesOfDay,
      value: point.value,
    }))
  const values = points.flatMap(({ value }) => value ?? [])
  if (values.length < 2) return undefined
  const name = chosen.propertyLocationId ?? chosen.label
  return { name, points, low: Math.min(...values), high: Math.max(...values) }
}

function lastDay(day: WeekDay, today: string): string {
  for (let back = 1; back < 7; back++) {
    const date = dayAfter(today, -back)
    if (weekDays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] === day) return date
  }
  return dayAfter(today, -7)
}
