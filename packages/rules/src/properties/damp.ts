/**
 * Estimates the risk of damp and mould in a room from hourly indoor air and weather, without an inspection. Figures and
 * sources: `dampDefaults`.
 */

/** One hour of a room: air in °C and %, and °C outside. */
export interface DampHour {
  /** The start of the hour, in ms since the epoch. */
  at: number
  temperature: number
  humidity: number
  /** Null if unknown. */
  outside: number | null
  /** The outside temperature was not measured. */
  isAssumed?: true
}

/**
 * The outside temperature if no device of the property measures it: a fixed value in °C, the mean of each month, or
 * unknown.
 */
export type AssumedWeather = number | 'long-term mean' | 'unknown'

export const dampDefaults = {
  /** The temperature factor of the coldest surface: 0.75 is the standard for dwellings (BRE IP 1/06). */
  surfaceFactor: 0.75,
  /** Relative surface humidity in % from which mould may grow if it lasts for days (BS 5250, annex D). */
  surfaceHumidity: 80,
  /** On how many of the last seven days the mean must reach that humidity for the level to be watch, and to be high. */
  watchDays: 3,
  highDays: 5,
  /** VTT mould index from which the risk is high, and severe: 1 is growth under a microscope, 3 is visible. */
  highIndex: 1,
  severeIndex: 3,
  /** Required share of a week's hours with readings. */
  coverage: 0.7,
  /**
   * °C: a room that never reached the first within a week is cold (UKHSA); with a mean below the second, severely cold.
   */
  coldMost: 18,
  severeMean: 16,
  outside: 'long-term mean',
} as const
export type DampFigures = { readonly [key in Exclude<keyof typeof dampDefaults, 'outside'>]: number } & {
  readonly outside: AssumedWeather
}

/** Room air: humid above this %, cold below this °C (from the description of the monthly report). */
export const roomLimits = { humidity: 70, cold: 16 } as const

/** The figures that a client may set, and their ranges: properties, construction and weather differ. */
export const dampLimits = {
  surfaceFactor: [0.3, 0.95],
  surfaceHumidity: [60, 95],
  watchDays: [1, 7],
  highDays: [1, 7],
  coldMost: [10, 25],
  severeMean: [5, 25],
  outside: [-20, 25],
} as const satisfies Partial<Record<keyof DampFigures, readonly [number, number]>>
export type OwnDampFigures = { [key in keyof typeof dampLimits]?: number }
export const ownDampFigures = Object.keys(dampLimits) as (keyof typeof dampLimits)[]

/** The validation error of figures; undefined if there is none. */
export function dampFiguresFault(figures: DampFigures): string | undefined {
  for (const name of ownDampFigures) {
    const [[least, most], figure] = [dampLimits[name], figures[name]]
    if (typeof figure === 'number' && !(figure >= least && figure <= most))
      return `${name} must be from ${least} to ${most}`
  }
  const isWhole = Number.isInteger(figures.watchDays) && Number.isInteger(figures.highDays)
  if (!isWhole || figures.watchDays > figures.highDays) return 'watchDays must be whole, and not more than highDays'
  return figures.severeMean > figures.coldMost ? 'severeMean must not be above coldMost' : undefined
}

export const dampLevels = ['not assessed', 'low', 'watch', 'high', 'severe'] as const
export type DampLevel = (typeof dampLevels)[number]
export const dampLevelWords: Record<DampLevel, string> = {
  'not assessed': 'Not assessed',
  low: 'Low',
  watch: 'Watch',
  high: 'High',
  severe: 'Severe',
}
export const coldLevels = ['cold', 'severely cold'] as const
export type ColdLevel = (typeof coldLevels)[number]

export interface DampRisk {
  level: DampLevel
  /** The reason in words. */
  reason: string
  cold: ColdLevel | null
  coldReason: string | null
  /** Over the last seven days; null if not assessed. */
  meanTemperature: number | null
  meanHumidity: number | null
  /** Days of the last seven on which the coldest surface was humid enough for mould. */
  humidDays: number
  /** VTT mould index, from 0 to 6. */
  index: number
}

const hour = 3_600_000
/** Hours of a week. */
export const hoursOfWeek = 7 * 24
const rounded = (value: number, digits = 0) => Number(value.toFixed(digits))

/** How far back hours count, in ms: mould grows over weeks. */
export const dampMemory = 42 * 24 * hour

/** The start of the current hour, in ms: a room is assessed up to it, because later hours are incomplete. */
export const dampUntil = (at: number) => Math.floor(at / hour) * hour

/**
 * Mean outside temperature in °C by month, from January: the long-term mean of the United Kingdom used for energy
 * ratings (SAP 2012 and SAP 10.2, table U1, 'UK average').
 */
export const meanOutside = [4.3, 4.9, 6.5, 8.9, 11.7, 14.6, 16.6, 16.4, 14.1, 10.6, 7.1, 4.2] as const

/** Time zones of the United Kingdom; elsewhere its means do not apply. */
const zonesOfUk: readonly string[] = ['Europe/London', 'Europe/Belfast', 'GB', 'GB-Eire']

/** The assumed weather for properties in a zone without measurements and without a client setting. */
export const usualWeather = (zone: string): AssumedWeather => (zonesOfUk.includes(zone) ? 'long-term mean' : 'unknown')

/** °C outside in the hour that begins at an instant: measured by a device of the property, or else assumed. */
export function outsideOf(
  at: number,
  measured: number | undefined,
  assumed: AssumedWeather,
): Pick<DampHour, 'outside' | 'isAssumed'> {
  if (measured !== undefined) return { outside: measured }
  if (assumed === 'unknown') return { outside: null, isAssumed: true }
  return { outside: assumed === 'long-term mean' ? meanOutside[new Date(at).getUTCMonth()]! : assumed, isAssumed: true }
}

/** An hour as stored: rounded to hundredths, the limit of sensor accuracy. */
export const dampHour = (hour: DampHour): DampHour => ({
  ...hour,
  temperature: Math.round(hour.temperature * 100) / 100,
  humidity: Math.round(hour.humidity * 100) / 100,
  outside: hour.outside === null ? null : Math.round(hour.outside * 100) / 100,
})

/** Saturation vapour pressure over water in Pa, at °C (Magnus, with the constants of Alduchov and Eskridge). */
const saturation = (celsius: number) => 610.94 * Math.exp((17.625 * celsius) / (celsius + 243.04))

/** Whether an hour has enough data for the surface humidity. */
const isKnown = (one: DampHour): one is DampHour & { outside: number } => one.outside !== null

/** Temperature in °C and relative humidity in % at the coldest surface of a room. */
export function surfaceOf(
  { temperature, humidity, outside }: Pick<DampHour, 'temperature' | 'humidity'> & { outside: number },
  factor: number,
) {
  const surface = outside + factor * (temperature - outside)
  return {
    temperature: surface,
    humidity: Math.min(100, (humidity * saturation(temperature)) / saturation(surface)),
  }
}

/** Mould growth at a surface: its index, and for how many hours the surface has been too dry. */
export interface Mould {
  index: number
  dry: number
}
export const noMould: Mould = { index: 0, dry: 0 }

/**
 * The mould growth after further hours, for sensitive materials such as wallpaper: the VTT index (Hukka and Viitanen,
 * in the form of anssilaukkarinen/trh-1). Unknown hours change nothing.
 */
export function mouldAfter(before: Mould, hours: Iterable<DampHour>, factor: number): Mould {
  let { index, dry } = before
  for (const one of hours) {
    if (!isKnown(one)) continue
    const { temperature: t, humidity } = surfaceOf(one, factor)
    const critical = t > 20 ? 80 : Math.max(80, -0.00267 * t ** 3 + 0.16 * t ** 2 - 3.13 * t + 100)
    if (t > 0 && t < 50 && humidity >= critical) {
      dry = 0
      const x = critical >= 100 ? 1 : (critical - humidity) / (critical - 100)
      const most = 0.3 + 6 * x - x ** 2
      const slower = Math.max(1 - Math.exp(2.3 * (index - most)), 0)
      const days = 7 * Math.exp(-0.68 * Math.log(t) - 13.9 * Math.log(humidity) + 66.02)
      index += ((index < 1 ? 0.578 : 0.386) * slower) / days / 24
    } else {
      dry++
      index -= (dry <= 6 ? 0.032 : dry <= 24 ? 0 : 0.016) / 24
    }
    index = Math.min(6, Math.max(0, index))
  }
  return { index, dry }
}

interface Assessing {
  now: number
  /** Whether it is the heating season: a cold room in July does not indicate a heating problem. */
  isSeason: boolean
  figures?: DampFigures
}

/** The stored state of a room, to which the next hour can be added without earlier readings. */
export interface DampState {
  mould: Mould
  /** Its known hours of the last week, in order. */
  hours: readonly DampHour[]
}

/** The state of a room without readings. */
export const noDamp: DampState = { mould: noMould, hours: [] }

/**
 * The state some hours later; `hours` are newer than all it contains, and `until` is their end. They are consumed one
 * by one, so that six weeks of many rooms are never in memory together.
 */
export function dampStateAfter(
  { mould, hours: known }: DampState,
  hours: Iterable<DampHour>,
  { until, figures }: { until: number; figures: DampFigures },
): DampState {
  const isOfWeek = ({ at }: DampHour) => at >= until - hoursOfWeek * hour && at < until
  const week = known.filter(isOfWeek)
  const keeping = function* () {
    for (const one of hours) {
      if (isOfWeek(one)) week.push(one)
      yield one
    }
  }
  return { mould: mouldAfter(mould, keeping(), figures.surfaceFactor), hours: week }
}

/** The risk of a room from all its hours, in any order, up to an instant in ms. */
export function dampRisk(hours: readonly DampHour[], assessing: Assessing): DampRisk {
  return riskOf(dampStateOf(hours, assessing), assessing)
}

/** The state of a room from all its hours, in any order; the last six weeks count. */
export function dampStateOf(
  hours: readonly DampHour[],
  { now, figures = dampDefaults }: Omit<Assessing, 'isSeason'>,
): DampState {
  const until = dampUntil(now)
  const counted = hours.filter(({ at }) => at >= until - dampMemory && at < until).toSorted((a, b) => a.at - b.at)
  return dampStateAfter(noDamp, counted.map(dampHour), { until, figures })
}

/** Since when a room not assessed before has had its current level, according to its hours; in ms, to the day. */
export function dampSince(hours: readonly DampHour[], assessing: Assessing): number {
  const { level } = dampRisk(hours, assessing)
  const day = 24 * hour
  let since = dampUntil(assessing.now)
  while (
    since - day > assessing.now - dampMemory &&
    dampRisk(hours, { ...assessing, now: since - day }).level === level
  )
    since -= day
  return since
}

/** The risk of a room from its state. */
export function riskOf({ mould: { index }, hours }: DampState, assessing: Assessing): DampRisk {
  const { isSeason, figures = dampDefaults } = assessing
  const now = dampUntil(assessing.now)
  const air = hours.filter(({ at }) => at >= now - hoursOfWeek * hour && at < now)
  const last = air.filter(isKnown)
  const needed = Math.ceil(figures.coverage * hoursOfWeek)
  const nothing = { cold: null, coldReason: null, meanTemperature: null, meanHumidity: null, humidDays: 0, index: 0 }
  if (last.length < needed)
    return {
      ...nothing,
      level: 'not assessed',
      reason:
        air.length < needed
          ? `There are readings for ${air.length} of the last ${hoursOfWeek} hours; ${needed} are needed.`
          : `The outside temperature is known for ${last.length} of the last ${hoursOfWeek} hours; ${needed} are needed.`,
    }
  // A single pass without allocations per hour, since there are many rooms.
  const days = Array.from({ length: 7 }, () => ({ hours: 0, surface: 0 }))
  let [temperatures, humidities, hottest] = [0, 0, -Infinity]
  for (const one of last) {
    const day = days[Math.floor((now - hour - one.at) / (24 * hour))]!
    day.hours++
    day.surface += surfaceOf(one, figures.surfaceFactor).humidity
    temperatures += one.temperature
    humidities += one.humidity
    hottest = Math.max(hottest, one.temperature)
  }
  const humidDays = days.filter((day) => day.hours && day.surface / day.hours >= figures.surfaceHumidity).length
  const meanTemperature = temperatures / last.length
  const cold =
    !isSeason || hottest >= figures.coldMost
      ? null
      : meanTemperature < figures.severeMean
        ? ('severely cold' as const)
        : ('cold' as const)
  return {
    level: levelOf(humidDays, index, figures),
    reason: [reasonOf(humidDays, index, figures), ...weatherWords(last, figures)].join(' '),
    cold,
    coldReason:
      cold &&
      `Below ${figures.coldMost} °C for 7 days: at most ${rounded(hottest, 1)} °C, ${rounded(meanTemperature, 1)} °C on average.`,
    meanTemperature: rounded(meanTemperature, 1),
    meanHumidity: rounded(humidities / last.length),
    humidDays,
    index: rounded(index, 2),
  }
}

function levelOf(humidDays: number, index: number, figures: DampFigures): DampLevel {
  if (index >= figures.severeIndex) return 'severe'
  if (index >= figures.highIndex || humidDays >= figures.highDays) return 'high'
  return humidDays >= figures.watchDays ? 'watch' : 'low'
}

function reasonOf(humidDays: number, index: number, figures: DampFigures): string {
  const surface = humidDays
    ? `Cold surfaces were at ${figures.surfaceHumidity} % humidity or more on ${humidDays} of the last 7 days.`
    : `Cold surfaces stayed below ${figures.surfaceHumidity} % humidity on each of the last 7 days.`
  return index >= figures.highIndex
    ? `${surface} Conditions for growth have lasted: mould index ${rounded(index, 1)} of 6.`
    : surface
}

const monthNames = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' })

/** The assumed weather of a week, as a sentence; empty if all of it was measured. */
function weatherWords(week: readonly DampHour[], { outside: assumed }: DampFigures): string[] {
  const [first, last] = [week.find(({ isAssumed }) => isAssumed), week.findLast(({ isAssumed }) => isAssumed)]
  if (!first || !last) return []
  if (assumed !== 'long-term mean') return [`Assumed outside temperature: ${assumed} °C.`]
  // A week spans at most two months.
  const months = new Map([first, last].map(({ at, outside }) => [monthNames.format(at), Math.round(outside ?? 0)]))
  const means = [...months].map(([name, degrees]) => `${degrees} °C in ${name}`).join(' and ')
  return [`Assumed outside temperature: about ${means} (long-term mean).`]
}

/** The worst level of several rooms; rooms not assessed are ignored. */
export function worstOf(levels: readonly DampLevel[]): DampLevel {
  return levels.reduce<DampLevel>(
    (worst, level) => (dampLevels.indexOf(level) > dampLevels.indexOf(worst) ? level : worst),
    'not assessed',
  )
}

/** Levels that require notification. */
export const pressingDampLevels: readonly DampLevel[] = ['high', 'severe']

/**
 * Since when a room of this level has required notification, given the previous value: missing data does not mean that
 * it has dried.
 */
export function dampPressingSince(before: number | null, level: DampLevel, now: number): number | null {
  if (pressingDampLevels.includes(level)) return before ?? now
  return level === 'not assessed' ? before : null
}

/** Severity of a level: higher is worse. */
export const dampRank = (level: DampLevel) => dampLevels.indexOf(level)

/** Whether a day 'YYYY-MM-DD' is in the heating season: 1 October to 31 March. */
export function isHeatingSeason(day: string): boolean {
  const month = Number(day.slice(5, 7))
  return month >= 10 || month <= 3
}

/** The levels that a cell of the strip can have for an assessed room. */
export const dampCellLevels = ['low', 'watch', 'high', 'severe'] as const satisfies readonly DampLevel[]
export type DampCell = (typeof dampCellLevels)[number]
/** Allowed hours per cell, and maximum cells of a strip: more would be too narrow. */
const cellLengths = [2, 4, 6, 12, 24, 168] as const
const mostCells = 100

export function dampCellHours({ from, to }: { from: number; to: number }): number {
  return cellLengths.find((hours) => to - from <= mostCells * hours * hour) ?? cellLengths.at(-1)!
}

/**
 * The cells of a room over a range, in order: the level assessed at the end of each, from its hours since `dampMemory`
 * before the range. Null if nothing was measured in a cell, or too little before its end for an assessment.
 */
export function dampCells(
  hours: readonly DampHour[],
  { from, to }: { from: number; to: number },
  figures: DampFigures,
): (DampCell | null)[] {
  const length = dampCellHours({ from, to }) * hour
  let next = hours.findIndex(({ at }) => at >= from)
  if (next < 0) next = hours.length
  let state = dampStateAfter(noDamp, hours.slice(0, next), { until: from, figures })
  return Array.from({ length: Math.ceil((to - from) / length) }, (_, cell) => {
    const end = from + (cell + 1) * length
    const first = next
    while (next < hours.length && hours[next]!.at < end) next++
    if (next === first) return null
    // The current cell ends with its last known hour.
    const until = Math.min(end, hours[next - 1]!.at + hour)
    state = dampStateAfter(state, hours.slice(first, next), { until, figures })
    const { level } = riskOf(state, { now: until, isSeason: false, figures })
    return level === 'not assessed' ? null : level
  })
}
