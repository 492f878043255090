import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt } from '../calendar/days.ts'
import type { DampLevel, DampRisk } from '../properties/damp.ts'
import { dampDefaults, isHeatingSeason, roomLimits } from '../properties/damp.ts'

const hour = 3_600_000

/** °C below which a property is too cold to be healthy (UKHSA, Keep Warm Keep Well), and severely so. */
export const homeLimits = { cold: 18, severe: 16 } as const
/** Required share of a month's hours for a figure. */
export const monthCoverage = dampDefaults.coverage
/** Minimum number of properties in a comparison: with fewer they could be identified. */
export const fewestAlike = 5

/**
 * The figures of a room for a month. Hours are counted according to their means; figures are null if too few hours are
 * known.
 */
export interface RoomFigures {
  hoursKnown: number
  /** Elapsed hours of the month. */
  hours: number
  humidHours: number | null
  coldHours: number | null
  /** The Monday of the week with most humid hours, and their number. */
  worstWeek: Day | null
  worstWeekHours: number | null
  meanTemperature: number | null
  meanHumidity: number | null
  risk: DampLevel
  reason: string
}

/** A time span, as instants in ms, with the zone of its days. */
export interface Span {
  from: number
  to: number
  zone: string
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits))

/** The complete hours of a span. */
export const hoursOf = ({ from, to }: Span) => Math.max(0, Math.floor((to - from) / hour))

/** Hourly means of a series: one element per hour from the first reading, NaN if unknown. */
export type Hourly = Float64Array

/** The air readings of a room: °C and %. */
export interface RoomAir {
  temperature: Hourly
  humidity: Hourly
}

/**
 * The figures of a room over a span; `first` is the first hour, in ms. The damp risk is passed in, since it depends on
 * hours before the span.
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
  // A single pass without allocations per hour, since there are many rooms.
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

/** The indices of a span's hours, from `begin` to before `end`, and the week of each. */
interface Places {
  first: number
  begin: number
  end: number
  /** For each index from `begin`, which of the Mondays begins its week. */
  weekOf: Uint8Array
  mondays: Day[]
}

const places = new WeakMap<Span, Places>()

/** Cached: all rooms of a report have the same hours, and time zone lookups are slow. */
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

/** The Monday of the week that contains a day. */
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

/** The heating figures of a property for a month, from its devices. */
export interface HomeFigures {
  hoursKnown: number
  hours: number
  /** °C, over all rooms and hours. */
  meanTemperature: number | null
  /** Hours in which the mean of all rooms was below 18 °C. */
  coldHours: number | null
  /** Set point in °C, over the hours in which a thermostat reported one. */
  setPoint: number | null
  /** Burner hours, according to the counter. */
  burnerHours: number | null
  /** Electricity for heating, in kWh. */
  energy: number | null
  level: WarmthLevel
}

interface HomeReadings {
  /** One series per room. */
  temperatures: readonly Hourly[]
  setPoints: readonly Hourly[]
  /** The increase of each burner counter in the span. */
  burners: readonly number[]
  /** kW */
  electricity: readonly Hourly[]
}

/** The figures of a property in a span; `first` is the first hour, in ms. */
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
    // A mean of x kW over an hour is x kWh.
    energy: power.hours ? rounded(power.sums, 1) : null,
    level: levelOf(meanTemperature, dayAt(span.to - 1, span.zone)),
  }
}

/**
 * Combines series: the number of hours with any value, the total of all values, the total of the hourly means, and the
 * number of hours with a mean below the limit of a cold property.
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

/** A property compared with others: properties with the same EPC rating and architype, or all of the client's. */
export interface Comparison {
  /** How many °C warmer the others are on average; null if there are too few. */
  gap: number | null
  alike: number
  among: 'same rating and architype' | 'all properties' | null
}

/** Mean temperatures of properties, by the group of the comparison: sums in °C, and counts. */
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
      among: isAlike ? 'same rating and architype' : 'all properties',
    }
  }
}

export interface Dwelling {
  epcRating: string | null
  architype: string | null
}

const all = '*'
const keyOf = ({ epcRating, architype }: Dwelling) => `${epcRating ?? ''}|${architype ?? ''}`
