import { withClockName } from '@caretaker/rules/calendar/days.ts'

/** An instant: milliseconds since the epoch, ISO text, or a date. */
export type Instant = number | string | Date

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
  formatters.set(key, made)
  return made
}

const day = { day: '2-digit', month: '2-digit', year: 'numeric' } as const
const minute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** DD/MM/YYYY. */
export function dateText(at: Instant, zone: string): string {
  return formatter(zone, day).format(new Date(at))
}

/** 'November 2025' */
export function monthText(at: Instant, zone: string): string {
  return formatter(zone, { month: 'long', year: 'numeric' }).format(new Date(at))
}

/** DD/MM/YYYY HH:mm, with the zone name if the time occurs twice: '25/10/2026 01:30 BST'. */
export function dateTimeText(at: Instant, zone: string): string {
  const date = new Date(at)
  const text = `${formatter(zone, day).format(date)} ${formatter(zone, minute).format(date)}`
  return withClockName(text, date.getTime(), zone)
}

/** DD/MM/YYYY HH:mm:ss. */
export function dateSecondText(at: Instant, zone: string): string {
  const date = new Date(at)
  return `${formatter(zone, day).format(date)} ${formatter(zone, { ...minute, second: '2-digit' }).format(date)}`
}

/** 'Thu 19 Nov, 07:30', for times within the weeks of a chart. */
export function shortTimeText(at: Instant, zone: string): string {
  return `${shortDay(at, zone)}, ${clockTime(at, zone)}`
}

/** 'Thu 19 Nov, 07:30 to 08:15', the end with its day if that differs; an instant is shown once. */
export function shortSpanText(from: Instant, to: Instant, zone: string): string {
  const begun = shortTimeText(from, zone)
  const ended = shortTimeText(to, zone)
  if (begun === ended) return begun
  return `${begun} to ${shortDay(from, zone) === shortDay(to, zone) ? clockTime(to, zone) : ended}`
}

function shortDay(at: Instant, zone: string): string {
  const parts = formatter(zone, { weekday: 'short', day: 'numeric', month: 'short' }).formatToParts(new Date(at))
  const part = (type: string) => parts.find((one) => one.type === type)?.value
  return `${part('weekday')} ${part('day')} ${part('month')}`
}

/** HH:mm. */
export function clockTime(at: Instant, zone: string): string {
  const date = new Date(at)
  return withClockName(formatter(zone, minute).format(date), date.getTime(), zone)
}

const minuteLength = 60_000
const hourLength = 3_600_000

/** A duration as one figure: '12 min', '6 h', '8 days', '3 months', '2 years'. */
export function spanText(since: Instant, now: number): string {
  const length = Math.max(0, now - new Date(since).getTime())
  if (length < hourLength) return `${Math.floor(length / minuteLength)} min`
  const hours = Math.floor(length / hourLength)
  if (hours < 48) return `${hours} h`
  const days = Math.floor(hours / 24)
  if (days < 60) return `${days} days`
  const months = Math.floor(days / 30.44)
  return months < 24 ? `${months} months` : `${Math.floor(months / 12)} years`
}

/**
 * How long ago something was: '8 s ago', '2 min ago', after an hour as DD/MM/YYYY HH:mm. A device clock that is ahead
 * by up to an hour reads '0 s ago'.
 */
export function ageText(at: Instant, now: number, zone: string): string {
  const age = now - new Date(at).getTime()
  if (Math.abs(age) >= hourLength) return dateTimeText(at, zone)
  if (age < minuteLength) return `${Math.max(0, Math.floor(age / 1000))} s ago`
  return `${Math.floor(age / minuteLength)} min ago`
}

/** A duration to the minute: '55 min', '4 h 22 min', '5 h', '2 days 3 h'; below a minute in seconds. */
export function lengthText(length: number): string {
  if (length < minuteLength) return `${Math.max(0, Math.floor(length / 1000))} s`
  const minutes = Math.floor(length / minuteLength)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  if (days > 0) return [`${days} ${days === 1 ? 'day' : 'days'}`, hours > 0 && `${hours} h`].filter(Boolean).join(' ')
  return [hours > 0 && `${hours} h`, minutes % 60 > 0 && `${minutes % 60} min`].filter(Boolean).join(' ')
}

/** '07:42 today', or DD/MM/YYYY HH:mm for another day. */
export function momentText(at: Instant, now: number, zone: string): string {
  if (dateText(at, zone) !== dateText(now, zone)) return dateTimeText(at, zone)
  return `${formatter(zone, minute).format(new Date(at))} today`
}
