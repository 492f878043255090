import { dayAt, dayText } from '../calendar/days.ts'

const day = 86_400_000

/** '11 an hour at worst, Thursday', or the date if the range is longer than a week. */
export function worstHourText(
  grown: number,
  at: number,
  { from, to }: { from: number; to: number },
  zone: string,
): string {
  const date = dayAt(at, zone)
  const weekday = new Date(`${date}T12:00:00Z`).toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' })
  return `${Math.round(grown)} an hour at worst, ${to - from <= 7 * day ? weekday : dayText(date)}`
}

/** Why there is no heat for 1 kWh although both sides were measured. */
export const gapsText = 'Readings are missing in this period'

/** 'Set point 60 °C' */
export const setPointText = (celsius: number): string => `Set point ${Math.round(celsius * 10) / 10}\u00A0°C`
