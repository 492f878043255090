import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt } from '../calendar/days.ts'
import type { DampLevel, DampRisk } from '../properties/damp.ts'
import { dampDefaults, isHeatingSeason, roomLimits } from '../properties/damp.ts'

const hour = 3_600_000

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

/** The hours of a span that can be known. */
export const hoursOf = ({ from, to }: Span) => Math.max(0, Math.floor((to - from) / hour))

/** Means of a series hour by hour: a place for each hour from the first that was read on, NaN where nothing is known. */
export type Hourly = Float64Array

/** What was read of the air of a room: °C and %. */
export interface RoomAir {
  temperature: Hourly
  humidity: Hourly
}

/**
 * Of a room over a span, from hours of which `first`, in ms, is the first. How damp it is was assessed before: that depends on
 * hours before the span as well.
 */
export function roomFigures(
  { temperature, humidity }: RoomAir,
  first: number,
  span: Span,
  risk: Pick<DampRisk, 'level' | 'reason'>,
): RoomFigures {
  const { begin, end, weekOf, mondays } = placesOf(span, first)
  const humidOf = mondays.map(() => 0)
  let [hoursKnown, humid, cold, warmth, moisture] = [0, 0, 0, 0, 0]
  // One pass, and nothing made for each hour: there are very many rooms.
  for (let place = begin; place < Math.min(end, temperature.length, humidity.length); place++) {
    const [celsius, percent] = [temperature[place]!, humidity[place]!]
    if (Number.isNaN(celsius) || Number.isNaN(percent)) continue
    hoursKnown++
    warmth += celsius
    moisture += percent
    if (celsius < roomLimits.cold) cold++
    if (percent <= roomLimits.humidity) continue
    humid++
    humidOf[weekOf[place - begin]!]!++
  }
  const known = { hoursKnown, hours: hoursOf(span), risk: risk.level, reason: risk.reason }
  const none = { humidHours: null, coldHours: null, worstWeek: null, worstWeekHours: null }
  if (hoursKnown < monthCoverage * known.hours || !hoursKnown)
    return { ...known, ...none, meanTemperature: null, meanHumidity: null }
  const most = Math.max(...humidOf)
  return {
    ...known,
    humidHours: humid,
    coldHours: cold,
    worstWeek: most ? mondays[humidOf.indexOf(most)]! : null,
    worstWeekHours: most || null,
    meanTemperature: rounded(warmth / hoursKnown, 1),
    meanHumidity: rounded(moisture / hoursKnown, 0),
  }
}

/** The places of a span's hours, from `begin` to before `end`, and in which week each lies. */
interface Places {
  first: number
  begin: number
  end: number
  /** For each place from `begin` on, which of the Mondays begins its week. */
  weekOf: Uint8Array
  mondays: Day[]
}

const places = new WeakMap<Span, Places>()

/** All rooms of a report have the same hours, and clocks take long to read. */
function placesOf(span: Span, first: number): Places {
  const known = places.get(span)
  if (known?.first === first) return known
  const begin = Math.max(0, Math.ceil((span.from - first) / hour))
  const end = Math.max(begin, Math.ceil((span.to - first) / hour))
  const mondays: Day[] = []
  const weekOf = Uint8Array.from({ length: end - begin }, (_, index) => {
    const monday = mondayOf(dayAt(first + (begin + index) * hour, span.zone))
    if (mondays.at(-1) !== monday) mondays.push(monday)
    return mondays.length - 1
  })
  const made = { first, begin, end, weekOf, mondays }
  places.set(span, made)
  return made
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

interface HomeReadings {
  /** Of each room. */
  temperatures: readonly Hourly[]
  setPoints: readonly Hourly[]
  /** By how much the counter of each burner grew in the span. */
  burners: readonly number[]
  /** kW */
  electricity: readonly Hourly[]
}

/** What is known of a home in a span, from hours of which `first`, in ms, is the first. */
export function homeFigures(
  { temperatures, setPoints, burners, electricity }: HomeReadings,
  first: number,
  span: Span,
): HomeFigures {
  const rooms = together(temperatures, first, span)
  const wanted = together(setPoints, first, span)
  const power = together(electricity, first, span)
  const hours = hoursOf(span)
  const isKnown = rooms.hours > 0 && rooms.hours >= monthCoverage * hours
  const meanTemperature = isKnown ? rounded(rooms.means / rooms.hours, 1) : null
  return {
    ...{ hoursKnown: rooms.hours, hours, meanTemperature },
    coldHours: isKnown ? rooms.coldHours : null,
    setPoint: wanted.hours ? rounded(wanted.means / wanted.hours, 1) : null,
    burnerHours: burners.length
      ? rounded(
          burners.reduce((sum, grown) => sum + grown, 0),
          1,
        )
      : null,
    // A mean of so many kW over an hour is as many kWh.
    energy: power.hours ? rounded(power.sums, 1) : null,
    level: levelOf(meanTemperature, dayAt(span.to - 1, span.zone)),
  }
}

/**
 * Some series together: in how many hours of the span one of them is known, the sum of what all were in each, that of their means in
 * each, and in how many those means are below the limit of a cold home.
 */
function together(series: readonly Hourly[], first: number, span: Span) {
  const { begin, end } = placesOf(span, first)
  const found = { hours: 0, sums: 0, means: 0, coldHours: 0 }
  for (let place = begin; place < end; place++) {
    let [sum, count] = [0, 0]
    for (const one of series) {
      const value = one[place]
      if (value === undefined || Number.isNaN(value)) continue
      sum += value
      count++
    }
    if (!count) continue
    found.hours++
    found.sums += sum
    found.means += sum / count
    if (sum / count < homeLimits.cold) found.coldHours++
  }
  return found
}

function levelOf(meanTemperature: number | null, day: Day): WarmthLevel {
  if (meanTemperature === null || !isHeatingSeason(day)) return 'not assessed'
  if (meanTemperature < homeLimits.severe) return 'severely under-heated'
  return meanTemperature < homeLimits.cold ? 'under-heated' : 'warm enough'
}

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
