/** The week of a thermostat as its page has it (estate specification, sections 2.3 and 3). */
export const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export type WeekDay = (typeof weekDays)[number]

/** Pairs of a time and a temperature in a day. */
export const setPoints = [1, 2, 3, 4] as const
type SetPoint = (typeof setPoints)[number]
export type SetPointField = `${'time' | 'temp'}SetPoint${SetPoint}`

/** A day: times are minutes after midnight, temperatures °C. */
export type SchedulerRow = { weekDay: WeekDay } & Record<SetPointField, number>

/** What each number may be: minutes, and the °C that a V-Stat can be set to. A temperature of 0 is one that is not set. */
export const setPointBounds = { time: { max: 24 * 60 - 1 }, temp: { min: 5, max: 35 } } as const

/** A typed temperature as a V-Stat can be set to it; 0 stays 'not set'. */
export const boundedTemperature = (value: number): number =>
  value <= 0 ? 0 : Math.min(setPointBounds.temp.max, Math.max(setPointBounds.temp.min, value))

/** A temperature some degrees warmer or colder: below the least there is only 'not set', from which a step up leads to the least. */
export function steppedTemperature(value: number, by: number): number {
  const { min, max } = setPointBounds.temp
  if (by === 0) return value
  if (value === 0 && by < 0) return 0
  const next = value === 0 ? min + by - Math.min(by, 0.5) : value + by
  return next < min ? 0 : Number(Math.min(max, next).toFixed(1))
}

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

/** The two schedules of a V-Stat. */
export const scheduleParts = ['heating', 'hotWater'] as const
export type SchedulePart = (typeof scheduleParts)[number]
export const schedulePartWords: Record<SchedulePart, string> = { heating: 'Heating', hotWater: 'Domestic Hot Water' }

/** A schedule as a V-Stat takes it: for each day its set points, minutes after midnight with °C, in the order of time. */
export type ScheduleWeek = Record<WeekDay, [minutes: number, temperature: number][]>

/** What is sent of a week: set points that are set; of two at one time the later counts. */
export function scheduleOf(week: readonly SchedulerRow[]): ScheduleWeek {
  const day = (row: SchedulerRow) => {
    const points = setPoints
      .map((at): [number, number] => [row[`timeSetPoint${at}`], row[`tempSetPoint${at}`]])
      .filter(([, temperature]) => temperature > 0)
    return [...new Map(points)].toSorted(([a], [b]) => a - b)
  }
  return Object.fromEntries(week.map((row) => [row.weekDay, day(row)])) as ScheduleWeek
}

/** The week of a schedule, as the page edits it. */
export const weekOf = (schedule: ScheduleWeek): SchedulerRow[] =>
  emptyWeek().map((row) => {
    const points = schedule[row.weekDay].flatMap(([time, temperature], index) => [
      [`timeSetPoint${index + 1}`, time],
      [`tempSetPoint${index + 1}`, temperature],
    ])
    return { ...row, ...Object.fromEntries(points) }
  })

export const isSameSchedule = (one: ScheduleWeek, other: ScheduleWeek): boolean =>
  weekDays.every((day) => JSON.stringify(one[day]) === JSON.stringify(other[day]))

/** Whether nothing is set on any day. */
export const isEmptySchedule = (schedule: ScheduleWeek): boolean => weekDays.every((day) => schedule[day].length === 0)

const isPoint = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number')

/** A schedule in the state of a device; null where there is none that can be read. */
export function scheduleIn(state: Readonly<Record<string, unknown>>, part: SchedulePart): ScheduleWeek | null {
  const of = (state['schedules'] as Record<string, unknown> | null | undefined)?.[part]
  if (typeof of !== 'object' || of === null) return null
  const days = weekDays.map((day) => [day, (of as Record<string, unknown>)[day]] as const)
  const isRead = days.every(([, points]) => Array.isArray(points) && points.length <= 4 && points.every(isPoint))
  return isRead ? (Object.fromEntries(days) as ScheduleWeek) : null
}

/** Whether the firmware of a V-Stat says that it takes schedules. */
export const takesSchedules = (reported: Readonly<Record<string, unknown>>): boolean =>
  reported['takesSchedules'] === true

/** The °C that a schedule asks for at a time of a day; null where nothing is set in it. Before the first set point of a day the last before goes on. */
export function temperatureAt(schedule: ScheduleWeek, day: WeekDay, minutes: number): number | null {
  const at = weekDays.indexOf(day)
  const today = schedule[day].findLast(([from]) => from <= minutes)
  if (today) return today[1]
  for (let back = 1; back <= weekDays.length; back++) {
    const last = schedule[weekDays[(at + weekDays.length - back) % weekDays.length]!].at(-1)
    if (last) return last[1]
  }
  return null
}

/** A week that was kept as text, such as a draft; undefined for anything that is no such week. */
export function weekIn(kept: unknown): SchedulerRow[] | undefined {
  if (!Array.isArray(kept)) return undefined
  const rows = emptyWeek().map((empty): SchedulerRow | undefined => {
    const row = kept.find((one: unknown) => (one as SchedulerRow | null)?.weekDay === empty.weekDay) as
      | Record<string, unknown>
      | undefined
    const isWhole = Object.keys(empty).every((key) => key === 'weekDay' || Number.isFinite(row?.[key]))
    return row && isWhole ? bounded({ ...empty, ...row }) : undefined
  })
  return rows.every((row) => row !== undefined) ? rows : undefined
}

/** A row within what a V-Stat can be set to. */
function bounded(row: SchedulerRow): SchedulerRow {
  const numbers = setPoints.flatMap((at) => [
    [`timeSetPoint${at}`, Math.round(Math.min(setPointBounds.time.max, Math.max(0, row[`timeSetPoint${at}`])))],
    [`tempSetPoint${at}`, boundedTemperature(row[`tempSetPoint${at}`])],
  ])
  return { weekDay: row.weekDay, ...Object.fromEntries(numbers) } as SchedulerRow
}
