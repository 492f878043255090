/** The weekly schedule of a thermostat as edited on its page (estate specification, sections 2.3 and 3). */
export const weekDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export type WeekDay = (typeof weekDays)[number]

/** Pairs of time and temperature per day. */
export const setPoints = [1, 2, 3, 4] as const
type SetPoint = (typeof setPoints)[number]
export type SetPointField = `${'time' | 'temp'}SetPoint${SetPoint}`

/** One day: times in minutes after midnight, temperatures in °C. */
export type SchedulerRow = { weekDay: WeekDay } & Record<SetPointField, number>

/** Limits: minutes, and the °C range of a V-Stat. Temperature 0 means not set. */
export const setPointBounds = { time: { max: 24 * 60 - 1 }, temp: { min: 5, max: 35 } } as const

/** A typed temperature limited to the range of a V-Stat; 0 stays 'not set'. */
export const boundedTemperature = (value: number): number =>
  value <= 0 ? 0 : Math.min(setPointBounds.temp.max, Math.max(setPointBounds.temp.min, value))

/** A temperature stepped up or down: below the minimum is only 'not set', from which a step up leads to the minimum. */
export function steppedTemperature(value: number, by: number): number {
  const { min, max } = setPointBounds.temp
  if (by === 0) return value
  if (value === 0 && by < 0) return 0
  const next = value === 0 ? min + by - Math.min(by, 0.5) : value + by
  return next < min ? 0 : Number(Math.min(max, next).toFixed(1))
}

/** A week without set points: all values are 0. */
export const emptyWeek = (): SchedulerRow[] =>
  weekDays.map((weekDay) => ({
    weekDay,
    ...{ timeSetPoint1: 0, timeSetPoint2: 0, timeSetPoint3: 0, timeSetPoint4: 0 },
    ...{ tempSetPoint1: 0, tempSetPoint2: 0, tempSetPoint3: 0, tempSetPoint4: 0 },
  }))

/** The week with one field changed. */
export const withSetPoint = (week: readonly SchedulerRow[], day: WeekDay, field: SetPointField, value: number) =>
  week.map((row): SchedulerRow => (row.weekDay === day ? { ...row, [field]: value } : row))

/** The week with one day copied to others. */
export function copiedDay(week: readonly SchedulerRow[], from: WeekDay, to: readonly WeekDay[]): SchedulerRow[] {
  const source = week.find((row) => row.weekDay === from)!
  return week.map((row) => (to.includes(row.weekDay) ? { ...source, weekDay: row.weekDay } : row))
}

/** Minutes after midnight as 'HH:mm'. */
export const clockOf = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')

/**
 * Minutes after midnight of a typed time, with or without a separator ('06:30', '6.30', '0630'); undefined if invalid.
 */
export function minutesOf(text: string): number | undefined {
  const [, hour, minute] = /^\s*([01]?\d|2[0-3])[:.]?([0-5]\d)\s*$/.exec(text) ?? []
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute)
}

/** A period of a day with one temperature; minutes after midnight. */
export interface Band {
  from: number
  to: number
  temperature: number
}

/**
 * The consecutive periods of a day: before its first set point the previous day's last one applies; of two at the same
 * time the later counts.
 */
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

/**
 * A schedule in the format of a V-Stat: the set points of each day, minutes after midnight with °C, in order of time.
 */
export type ScheduleWeek = Record<WeekDay, [minutes: number, temperature: number][]>

/** The schedule to send for a week: only set points that are set; of two at the same time the later counts. */
export function scheduleOf(week: readonly SchedulerRow[]): ScheduleWeek {
  const day = (row: SchedulerRow) => {
    const points = setPoints
      .map((at): [number, number] => [row[`timeSetPoint${at}`], row[`tempSetPoint${at}`]])
      .filter(([, temperature]) => temperature > 0)
    return [...new Map(points)].toSorted(([a], [b]) => a - b)
  }
  return Object.fromEntries(week.map((row) => [row.weekDay, day(row)])) as ScheduleWeek
}

/** A schedule as the week that the page edits. */
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

/** Whether no day has a set point. */
export const isEmptySchedule = (schedule: ScheduleWeek): boolean => weekDays.every((day) => schedule[day].length === 0)

const isPoint = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number')

/** A schedule in the state of a device; null if missing or invalid. */
export function scheduleIn(state: Readonly<Record<string, unknown>>, part: SchedulePart): ScheduleWeek | null {
  const of = (state['schedules'] as Record<string, unknown> | null | undefined)?.[part]
  if (typeof of !== 'object' || of === null) return null
  const days = weekDays.map((day) => [day, (of as Record<string, unknown>)[day]] as const)
  const isRead = days.every(([, points]) => Array.isArray(points) && points.length <= 4 && points.every(isPoint))
  return isRead ? (Object.fromEntries(days) as ScheduleWeek) : null
}

/** Whether the firmware of a V-Stat reports support for schedules. */
export const takesSchedules = (reported: Readonly<Record<string, unknown>>): boolean =>
  reported['takesSchedules'] === true

/**
 * The scheduled °C at a time of day; null for an empty schedule. Before the first set point of a day the previous one
 * applies.
 */
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

/** Parses a stored week, such as a draft; undefined if invalid. */
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

/** A row limited to the range of a V-Stat. */
function bounded(row: SchedulerRow): SchedulerRow {
  const numbers = setPoints.flatMap((at) => [
    [`timeSetPoint${at}`, Math.round(Math.min(setPointBounds.time.max, Math.max(0, row[`timeSetPoint${at}`])))],
    [`tempSetPoint${at}`, boundedTemperature(row[`tempSetPoint${at}`])],
  ])
  return { weekDay: row.weekDay, ...Object.fromEntries(numbers) } as SchedulerRow
}
