/** A calendar day as 'YYYY-MM-DD'. */
export type Day = string

/** A span of whole days; an end that is not given is open. */
export interface DayRange {
  from?: Day | undefined
  to?: Day | undefined
}

/** Days that a date range picker offers at one press, back from today (estate specification, section 9). */
export const presetDays = [1, 7, 30] as const

const dayLength = 86_400_000

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterIn(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  formatters.set(zone, made)
  return made
}

/** What the clocks of a zone show at an instant, as if it were UTC, to the second. */
export function wallTime(at: number, zone: string): number {
  return Math.floor(at / 1000) * 1000 + offsetAt(at, zone)
}

/** The offset from UTC is kept for instants so far apart, in ms: no zone has changed its clocks twice within eight days. */
const step = 8 * dayLength
const stepsByZone = new Map<string, Map<number, number>>()
/** So many per zone span a century. More come only of instants that someone makes up. */
const mostSteps = 5000

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(at: number, zone: string): number {
  const count = Math.floor(at / step)
  const offset = offsetAtStep(count, zone)
  return offset === offsetAtStep(count + 1, zone) ? offset : readOffset(at, zone)
}

function offsetAtStep(count: number, zone: string): number {
  const steps = stepsByZone.get(zone) ?? new Map<number, number>()
  const known = steps.get(count)
  if (known !== undefined) return known
  const offset = readOffset(count * step, zone)
  if (steps.size >= mostSteps) steps.clear()
  stepsByZone.set(zone, steps.set(count, offset))
  return offset
}

/** Asks the time zone database, which takes fifty times as long as looking up an offset that is known. */
function readOffset(at: number, zone: string): number {
  // '21/11/2026, 07:42:09': reading it takes half the time of asking for its parts.
  const [day, month, year, hour, minute, second] = formatterIn(zone).format(at).match(/\d+/g)!.map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/** The day that it is in a zone at an instant. */
export function dayAt(at: number, zone: string): Day {
  return new Date(wallTime(at, zone)).toISOString().slice(0, 10)
}

const names = new Map<string, Intl.DateTimeFormat>()
/** How long before and after a change of clocks it is looked at, in ms: no zone changes them by more, or twice within it. */
const around = 3 * 3_600_000

/**
 * What the clocks of a zone are called at an instant, 'BST' or 'GMT', where they show its time twice because they were put
 * back: without it nobody can tell which of the two is meant. Undefined at all other times.
 */
export function clockName(at: number, zone: string): string | undefined {
  const second = Math.floor(at / 1000) * 1000
  const back = offsetAt(second - around, zone) - offsetAt(second + around, zone)
  if (back <= 0) return undefined
  const wall = wallTime(second, zone)
  if (wallTime(second - back, zone) !== wall && wallTime(second + back, zone) !== wall) return undefined
  return zoneName(at, zone)
}

/** The name of the clocks of a zone at an instant: 'BST' or 'GMT', and 'GMT+5:30' where they have no name in British English. */
export function zoneName(at: number, zone: string): string {
  const format = names.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' })
  names.set(zone, format)
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone
}

/** A text of an instant by the clocks of a zone, which says, too, which clocks where they show the time twice. */
export function withClockName(text: string, at: number, zone: string): string {
  const name = clockName(at, zone)
  return name === undefined ? text : `${text} ${name}`
}

/**
 * The first instant of a day in a zone, in milliseconds since the epoch. Where clocks leap over midnight the day begins when
 * they do, where they show it twice it begins the first time, and a day that a zone has left out is empty.
 */
export function startOfDay(day: Day, zone: string): number {
  return instantOf(Date.parse(`${day}T00:00:00Z`), zone)
}

/**
 * The first instant at which the clocks of a zone show a time, given as if it were UTC, or a later one: what they leap over
 * is when they leap, what they show twice is the first.
 */
export function instantOf(wall: number, zone: string): number {
  const offsets = [offsetAt(wall - dayLength, zone), offsetAt(wall + dayLength, zone)]
  let early = wall - Math.max(...offsets)
  if (wallTime(early, zone) >= wall) return early
  let late = wall - Math.min(...offsets)
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (wallTime(middle, zone) >= wall) late = middle
    else early = middle
  }
  return late
}

/** The last millisecond of a day in a zone: a range counts its end day whole. */
export function endOfDay(day: Day, zone: string): number {
  return startOfDay(dayAfter(day, 1), zone) - 1
}

/** The day that is some days later, or earlier for a negative count. */
export function dayAfter(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayLength).toISOString().slice(0, 10)
}

/** The range of a preset: so many days back from today, today included. */
export function presetRange(days: number, today: Day): Required<DayRange> {
  return { from: dayAfter(today, -days), to: today }
}

/** A day as people write it: 'dd/MM/y'. */
export function dayText(day: Day): string {
  const [year, month, date] = day.split('-')
  return `${date}/${month}/${year}`
}

/** An instant by the clocks of a zone, to the second: '21/11/2026 07:42:09'. */
export function clockText(at: number, zone: string): string {
  const [day, time] = new Date(wallTime(at, zone)).toISOString().split('T')
  return `${dayText(day!)} ${time!.slice(0, 8)}`
}

/** The same to the minute, as tests and messages show it with the name of the clocks: '21/11/2026, 07:42 GMT'. */
export function zonedText(at: number, zone: string): string {
  const [day, time] = new Date(wallTime(at, zone)).toISOString().split('T')
  return `${dayText(day!)}, ${time!.slice(0, 5)} ${zoneName(at, zone)}`
}

/** An instant by the clocks of a zone, with their offset: `2026-07-01T00:05:00+01:00`. */
export function isoTime(at: number, zone: string): string {
  const wall = wallTime(at, zone)
  const minutes = Math.round((wall - at) / 60_000)
  const pad = (number: number) => String(number).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`
  return new Date(wall).toISOString().slice(0, 19) + offset
}

/** The day that a text means, written as 'dd/MM/y' with or without leading zeros; undefined for anything else. */
export function dayFrom(text: string): Day | undefined {
  const [, date, month, year] = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(text) ?? []
  if (!date || !month || !year) return undefined
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  const parsed = new Date(`${day}T00:00:00Z`)
  // 31/02 would become a day in March.
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== day ? undefined : day
}

/** Whether a text is a day that exists, and a range of them may hold: for what stands in an address. */
export function isDay(value: unknown): value is Day {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && dayFrom(dayText(value)) === value
}

/** What is wrong with the text of one end of a range; undefined when nothing is. An empty text is an open end. */
export function dayFault(text: string, today: Day): string | undefined {
  if (text.trim() === '') return undefined
  const day = dayFrom(text)
  if (day === undefined) return 'Enter a date as DD/MM/YYYY'
  return day > today ? 'A date cannot be later than today' : undefined
}
