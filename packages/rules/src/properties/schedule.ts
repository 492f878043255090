/** The week of a thermostat as its page has it (estate specification, sections 2.3 and 3). */
export const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export type WeekDay = (typeof weekDays)[number]

/** Pairs of a time and a temperature in a day. */
export const setPoints = [1, 2, 3, 4] as const
type SetPoint = (typeof setPoints)[number]
export type SetPointField = `${'time' | 'temp'}SetPoint${SetPoint}`

/** A day: times are minutes after midnight, temperatures °C. */
export type SchedulerRow = { weekDay: WeekDay } & Record<SetPointField, number>

/** What each number may be. */
export const setPointBounds = { time: { max: 24 * 60 - 1 }, temp: { max: 80 } } as const

/** A week in which nothing is set yet: everything is 0. */
export const emptyWeek = (): SchedulerRow[] =>
  weekDays.map((weekDay) => ({
    weekDay,
    ...{ timeSetPoint1: 0, timeSetPoint2: 0, timeSetPoint3: 0, timeSetPoint4: 0 },
    ...{ tempSetPoint1: 0, tempSetPoint2: 0, tempSetPoint3: 0, tempSetPoint4: 0 },
  }))

/** The week with another value in one of its fields. */
export const withSetPoint = (week: readonly SchedulerRow[], day: WeekDay, field: SetPointField, value: number) =>
  week.map((row): SchedulerRow => (row.weekDay === day ? { ...row, [field]: value } : row))

/** The week in which the other days are like one of it. */
export function copiedDay(week: readonly SchedulerRow[], from: WeekDay, to: readonly WeekDay[]): SchedulerRow[] {
  const source = week.find((row) => row.weekDay === from)!
  return week.map((row) => (to.includes(row.weekDay) ? { ...source, weekDay: row.weekDay } : row))
}

/** Minutes after midnight on a clock: 'HH:mm'. */
export const clockOf = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')

/** Minutes after midnight of what somebody typed, with a colon or without ('06:30', '6.30', '0630'); undefined for what is no time of a day. */
export function minutesOf(text: string): number | undefined {
  const [, hour, minute] = /^\s*([01]?\d|2[0-3])[:.]?([0-5]\d)\s*$/.exec(text) ?? []
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute)
}

/** A time of a day in which one temperature is wanted; minutes after midnight. */
export interface Band {
  from: number
  to: number
  temperature: number
}

/** A day in one piece after the other: before its first set point that of the day before goes on, of two at one time the later counts. */
export function bandsOf(week: readonly SchedulerRow[], day: WeekDay): Band[] {
  const at = weekDays.indexOf(day)
  const pointsOf = (weekDay: WeekDay) => {
    const row = week.find((one) => one.weekDay === weekDay)!
    return setPoints
      .map((point) => ({ from: row[`timeSetPoint${point}`], temperature: row[`tempSetPoint${point}`] }))
      .toSorted((a, b) => a.from - b.from)
  }
  const before = pointsOf(weekDays[(at + weekDays.length - 1) % weekDays.length]!).at(-1)!
  const starts = [{ ...before, from: 0 }, ...pointsOf(day)]
  return starts
    .map((start, index) => ({ ...start, to: starts[index + 1]?.from ?? 24 * 60 }))
    .filter(({ from, to }) => to > from)
}
