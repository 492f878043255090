/** A calendar day, 'YYYY-MM-DD'. */
export type Day = string

/** A range of whole days; a missing end is open. */
export interface DayRange {
  from?: Day | undefined
  to?: Day | undefined
}

/** Presets of the date range picker, in days back from today (estate specification, section 9). */
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

/** The local time of a zone at an instant, as if it were UTC, to the second. */
export function localTime(at: number, zone: string): number {
  return Math.floor(at / 1000) * 1000 + offsetAt(at, zone)
}

/**
 * Offsets from UTC are cached in steps of this length, in ms: no zone has changed its clocks twice within eight days.
 */
const step = 8 * dayLength
const stepsByZone = new Map<string, Map<number, number>>()
/** Cache entries per zone: over a century. Only invented instants need more. */
const mostSteps = 5000

/** The offset of a zone from UTC at an instant, in ms. */
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

/** Queries the time zone database: fifty times slower than the cache. */
function readOffset(at: number, zone: string): number {
  // '21/11/2026, 07:42:09': parsing it is twice as fast as formatToParts.
  const [day, month, year, hour, minute, second] = formatterIn(zone).format(at).match(/\d+/g)!.map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/** The day in a zone at an instant. */
export function dayAt(at: number, zone: string): Day {
  return new Date(localTime(at, zone)).toISOString().slice(0, 10)
}

const names = new Map<string, Intl.DateTimeFormat>()
/** The search window around a clock change, in ms: no zone shifts by more, or twice within it. */
const around = 3 * 3_600_000

/**
 * The zone abbreviation at an instant, 'BST' or 'GMT', if the local time occurs twice because clocks went back and
 * would be ambiguous without it; otherwise undefined.
 */
export function clockName(at: number, zone: string): string | undefined {
  const second = Math.floor(at / 1000) * 1000
  const back = offsetAt(second - around, zone) - offsetAt(second + around, zone)
  if (back <= 0) return undefined
  const local = localTime(second, zone)
  if (localTime(second - back, zone) !== local && localTime(second + back, zone) !== local) return undefined
  return zoneName(at, zone)
}

/** The abbreviation of a zone at an instant: 'BST' or 'GMT', or 'GMT+5:30' where British English has no name. */
export function zoneName(at: number, zone: string): string {
  const format = names.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' })
  names.set(zone, format)
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone
}

/** A formatted local time, with the zone abbreviation appended where it is ambiguous. */
export function withClockName(text: string, at: number, zone: string): string {
  const name = clockName(at, zone)
  return name === undefined ? text : `${text} ${name}`
}

/**
 * The first instant of a day in a zone, in ms since the epoch. Where clocks skip midnight, the day begins at the
 * change; where midnight occurs twice, at the first; a day that a zone skipped is empty.
 */
export function startOfDay(day: Day, zone: string): number {
  return instantOf(Date.parse(`${day}T00:00:00Z`), zone)
}

/**
 * The first instant at which a zone shows a local time (given as if it were UTC) or a later one: the moment of the
 * change for a skipped time, the first occurrence for a repeated one.
 */
export function instantOf(local: number, zone: string): number {
  const offsets = [offsetAt(local - dayLength, zone), offsetAt(local + dayLength, zone)]
  let early = local - Math.max(...offsets)
  if (localTime(early, zone) >= local) return early
  let late = local - Math.min(...offsets)
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (localTime(middle, zone) >= local) late = middle
    else early = middle
  }
  return late
}

/** The last millisecond of a day in a zone: ranges include their end day. */
export function endOfDay(day: Day, zone: string): number {
  return startOfDay(dayAfter(day, 1), zone) - 1
}

/** The day `days` later, or earlier if negative. */
export function dayAfter(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayLength).toISOString().slice(0, 10)
}

/** The range of a preset: `days` back from today, today included. */
export function presetRange(days: number, today: Day): Required<DayRange> {
  return { from: dayAfter(today, -days), to: today }
}

/** A day in display format, dd/MM/y. */
export function dayText(day: Day): string {
  const [year, month, date] = day.split('-')
  return `${date}/${month}/${year}`
}

/** A local time to the second: '21/11/2026 07:42:09'. */
export function clockText(at: number, zone: string): string {
  const [day, time] = new Date(localTime(at, zone)).toISOString().split('T')
  return `${dayText(day!)} ${time!.slice(0, 8)}`
}

/** A local time to the minute with its zone, as in tests and messages: '21/11/2026, 07:42 GMT'. */
export function zonedText(at: number, zone: string): string {
  const [day, time] = new Date(localTime(at, zone)).toISOString().split('T')
  return `${dayText(day!)}, ${time!.slice(0, 5)} ${zoneName(at, zone)}`
}

/** A local time with its offset: `2026-07-01T00:05:00+01:00`. */
export function isoTime(at: number, zone: string): string {
  const local = localTime(at, zone)
  const minutes = Math.round((local - at) / 60_000)
  const pad = (number: number) => String(number).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`
  return new Date(local).toISOString().slice(0, 19) + offset
}

/** Parses 'dd/MM/y', with or without leading zeros; undefined for any other text. */
export function dayFrom(text: string): Day | undefined {
  const [, date, month, year] = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(text) ?? []
  if (!date || !month || !year) return undefined
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  const parsed = new Date(`${day}T00:00:00Z`)
  // Date would accept 31/02 as a day in March.
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== day ? undefined : day
}

/** Whether a value, for example from a URL, is an existing day within the supported range. */
export function isDay(value: unknown): value is Day {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && dayFrom(dayText(value)) === value
}

/** The validation error of one end of a range; undefined if there is none. An empty text is an open end. */
export function dayFault(text: string, today: Day): string | undefined {
  if (text.trim() === '') return undefined
  const day = dayFrom(text)
  if (day === undefined) return 'Enter a date as DD/MM/YYYY'
  return day > today ? 'A date cannot be later than today' : undefined
}
