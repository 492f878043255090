import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt } from '../calendar/days.ts'
import type { DampFigures, DampHour, DampLevel } from '../properties/damp.ts'
import { dampDefaults, dampRisk, isHeatingSeason } from '../properties/damp.ts'

const hour = 3_600_000

/** Of a room: % from which air is humid, and °C below which it is cold (the report's description). */
export const roomLimits = { humidity: 70, cold: 16 } as const
/** °C below which a home is too cold to be healthy (UKHSA, Keep Warm Keep Well), and severely so. */
export const homeLimits = { cold: 18, severe: 16 } as const
/** Share of a month's hours that must be known for a figure of it. */
export const monthCoverage = dampDefaults.coverage
/** Homes with figures that a comparison takes at least: of fewer one could tell which they are. */
export const fewestAlike = 5

/** What is known of a room over a month. Hours are counted by their means; figures are null where too few are known. */
export interface RoomFigures {
  hoursKnown: number
  /** Hours that the month had by then. */
  hours: number
  humidHours: number | null
  coldHours: number | null
  /** The Monday of the week with most humid hours, and how many it had. */
  worstWeek: Day | null
  worstWeekHours: number | null
  meanTemperature: number | null
  meanHumidity: number | null
  risk: DampLevel
  reason: string
}

/** A span of time as instants in ms, in a zone by whose clocks days are told. */
export interface Span {
  from: number
  to: number
  zone: string
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits))
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** The hours of a span that can be known. */
export const hoursOf = ({ from, to }: Span) => Math.max(0, Math.floor((to - from) / hour))

/** Of a room's hours, those before the span included as far as mould grows over weeks. */
export function roomFigures(hours: readonly DampHour[], span: Span, figures: DampFigures = dampDefaults): RoomFigures {
  const inSpan = hours.filter(({ at }) => at >= span.from && at < span.to)
  const risk = dampRisk(hours, { now: span.to, isSeason: isHeatingSeason(dayAt(span.to - 1, span.zone)), figures })
  const known = { hoursKnown: inSpan.length, hours: hoursOf(span), risk: risk.level, reason: risk.reason }
  const none = { humidHours: null, coldHours: null, worstWeek: null, worstWeekHours: null }
  if (inSpan.length < monthCoverage * known.hours || !inSpan.length)
    return { ...known, ...none, meanTemperature: null, meanHumidity: null }
  const humid = inSpan.filter(({ humidity }) => humidity > roomLimits.humidity)
  const weeks = [...Map.groupBy(humid, ({ at }) => mondayOf(dayAt(at, span.zone)))]
  const worst = weeks.reduce<(typeof weeks)[number] | undefined>(
    (most, week) => (!most || week[1].length > most[1].length ? week : most),
    undefined,
  )
  return {
    ...known,
    humidHours: humid.length,
    coldHours: inSpan.filter(({ temperature }) => temperature < roomLimits.cold).length,
    worstWeek: worst?.[0] ?? null,
    worstWeekHours: worst?.[1].length ?? null,
    meanTemperature: rounded(mean(inSpan.map(({ temperature }) => temperature)), 1),
    meanHumidity: rounded(mean(inSpan.map(({ humidity }) => humidity)), 0),
  }
}

/** The Monday of the week that a day lies in. */
export function mondayOf(day: Day): Day {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  return dayAfter(day, -weekday)
}

export const warmthLevels = ['not assessed', 'warm enough', 'under-heated', 'severely under-heated'] as const
export type WarmthLevel = (typeof warmthLevels)[number]
export const warmthWords: Record<WarmthLevel, string> = {
  'not assessed': 'Not assessed',
  'warm enough': 'Warm enough',
  'under-heated': 'Under-heated',
  'severely under-heated': 'Severely under-heated',
}

/** What a home's devices say of its warmth over a month. */
export interface HomeFigures {
  hoursKnown: number
  hours: number
  /** °C, over all rooms and hours. */
  meanTemperature: number | null
  /** Hours in which the rooms together were below 18 °C. */
  coldHours: number | null
  /** °C that was asked for, over the hours in which a thermostat said so. */
  setPoint: number | null
  /** Hours that the burner ran, by its counter. */
  burnerHours: number | null
  /** kWh of electricity that heating took. */
  energy: number | null
  level: WarmthLevel
}

/** Values of one series hour by hour: the start of each in ms, and its mean. */
export type Hourly = ReadonlyMap<number, number>

interface HomeReadings {
  /** Of each room. */
  temperatures: readonly Hourly[]
  setPoints: readonly Hourly[]
  /** The counter of each burner: the lowest and the highest of the span; null where it said nothing. */
  burners: readonly { low: number; high: number }[]
  /** kW */
  electricity: readonly Hourly[]
}

/** What is known of a home in a span; readings are those of the span alone. */
export function homeFigures({ temperatures, setPoints, burners, electricity }: HomeReadings, span: Span): HomeFigures {
  const rooms = meansOf(temperatures)
  const wanted = [...meansOf(setPoints).values()]
  const power = [...sumsOf(electricity).values()]
  const all = [...rooms.values()]
  const hours = hoursOf(span)
  const isKnown = all.length > 0 && all.length >= monthCoverage * hours
  const meanTemperature = isKnown ? rounded(mean(all), 1) : null
  return {
    ...{ hoursKnown: all.length, hours, meanTemperature },
    coldHours: isKnown ? all.filter((value) => value < homeLimits.cold).length : null,
    setPoint: wanted.length ? rounded(mean(wanted), 1) : null,
    burnerHours: burners.length
      ? rounded(
          burners.reduce((sum, { low, high }) => sum + high - low, 0),
          1,
        )
      : null,
    // A mean of so many kW over an hour is as many kWh.
    energy: power.length
      ? rounded(
          power.reduce((sum, value) => sum + value, 0),
          1,
        )
      : null,
    level: levelOf(meanTemperature, dayAt(span.to - 1, span.zone)),
  }
}

function levelOf(meanTemperature: number | null, day: Day): WarmthLevel {
  if (meanTemperature === null || !isHeatingSeason(day)) return 'not assessed'
  if (meanTemperature < homeLimits.severe) return 'severely under-heated'
  return meanTemperature < homeLimits.cold ? 'under-heated' : 'warm enough'
}

function gathered(series: readonly Hourly[]): Map<number, number[]> {
  const found = new Map<number, number[]>()
  for (const one of series) for (const [at, value] of one) found.set(at, [...(found.get(at) ?? []), value])
  return found
}

const meansOf = (series: readonly Hourly[]) => new Map([...gathered(series)].map(([at, values]) => [at, mean(values)]))
const sumsOf = (series: readonly Hourly[]) =>
  new Map([...gathered(series)].map(([at, values]) => [at, values.reduce((sum, value) => sum + value, 0)]))

/** A home among those that it can be compared with: of the same EPC rating and architype, or all of the client. */
export interface Comparison {
  /** °C by which the homes like it were warmer on average; null where there are too few. */
  gap: number | null
  alike: number
  among: 'same rating and architype' | 'all homes' | null
}

/** Mean temperatures of homes, by what homes are compared by: sums in °C, and of how many. */
export class Warmth {
  readonly #groups = new Map<string, { sum: number; count: number }>()

  constructor(groups: readonly (Dwelling & { sum: number; count: number })[]) {
    for (const { sum, count, ...home } of groups)
      for (const key of [keyOf(home), all]) {
        const known = this.#groups.get(key) ?? { sum: 0, count: 0 }
        this.#groups.set(key, { sum: known.sum + sum, count: known.count + count })
      }
  }

  of(home: Dwelling, meanTemperature: number | null): Comparison {
    const some = this.#groups.get(keyOf(home))
    const isAlike = (some?.count ?? 0) >= fewestAlike
    const group = isAlike ? some : this.#groups.get(all)
    if (meanTemperature === null || !group || group.count < fewestAlike) return { gap: null, alike: 0, among: null }
    return {
      gap: rounded(group.sum / group.count - meanTemperature, 1),
      alike: group.count,
      among: isAlike ? 'same rating and architype' : 'all homes',
    }
  }
}

export interface Dwelling {
  epcRating: string | null
  architype: string | null
}

const all = '*'
const keyOf = ({ epcRating, architype }: Dwelling) => `${epcRating ?? ''}|${architype ?? ''}`
