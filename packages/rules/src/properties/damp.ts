/**
 * How likely damp and mould are in a room, from what its air and the weather were hour by hour. An estimate: nobody has looked
 * at a wall. Figures and their sources stand at `dampDefaults`.
 */

/** One hour of a room: °C and % of the air in it, and °C outside. */
export interface DampHour {
  /** The start of the hour, in ms since the epoch. */
  at: number
  temperature: number
  humidity: number
  outside: number
}

export const dampDefaults = {
  /** How far a cold surface follows the room: 0.75 is what dwellings are built to (BRE IP 1/06). */
  surfaceFactor: 0.75,
  /** Relative humidity at a surface, in %, from which mould may grow where it lasts for days (BS 5250, annex D). */
  surfaceHumidity: 80,
  /** Days of the last seven on which it was reached, from which a room is watched, and from which the risk is high. */
  watchDays: 3,
  highDays: 5,
  /** VTT mould index from which the risk is high, and severe: 1 is growth under a microscope, 3 what an eye can see. */
  highIndex: 1,
  severeIndex: 3,
  /** Share of the hours of a week that must be known. */
  coverage: 0.7,
  /** °C: a room that never reached the one in a week is cold (UKHSA), one whose mean is below the other severely so. */
  coldMost: 18,
  severeMean: 16,
  /** °C outside where no device of the home measures it: a winter's day in England. */
  outside: 5,
} as const
export type DampFigures = { readonly [key in keyof typeof dampDefaults]: number }

/** What of them an organisation may set, and between what: homes, their walls and their weather differ. */
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

/** What is wrong with figures; undefined where nothing is. */
export function dampFiguresFault(figures: DampFigures): string | undefined {
  for (const name of ownDampFigures) {
    const [least, most] = dampLimits[name]
    if (!(figures[name] >= least && figures[name] <= most)) return `${name} must be from ${least} to ${most}`
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
  /** Why, in words. */
  reason: string
  cold: ColdLevel | null
  coldReason: string | null
  /** Over the last seven days; null where it is not assessed. */
  meanTemperature: number | null
  meanHumidity: number | null
  /** Days of the last seven on which the cold surface was as humid as mould needs. */
  humidDays: number
  /** VTT mould index, from 0 to 6. */
  index: number
}

const hour = 3_600_000
const week = 7 * 24
const rounded = (value: number, digits = 0) => Number(value.toFixed(digits))

/** Saturation pressure of water vapour over water, in Pa, at °C (Magnus, with the constants of Alduchov and Eskridge). */
const saturation = (celsius: number) => 610.94 * Math.exp((17.625 * celsius) / (celsius + 243.04))

/** Temperature in °C and relative humidity in % at the coldest surface of a room. */
export function surfaceOf({ temperature, humidity, outside }: Omit<DampHour, 'at'>, factor: number) {
  const surface = outside + factor * (temperature - outside)
  return {
    temperature: surface,
    humidity: Math.min(100, (humidity * saturation(temperature)) / saturation(surface)),
  }
}

/**
 * The VTT mould index after some hours at a surface, for sensitive materials such as wallpaper (Hukka and Viitanen, in the form
 * of anssilaukkarinen/trh-1). Hours that are not known neither let it grow nor fall.
 */
export function mouldIndex(hours: readonly (DampHour | undefined)[], factor: number): number {
  let index = 0
  let dry = 0
  for (const one of hours) {
    if (!one) continue
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
  return index
}

/**
 * The risk of a room from its hours, in any order, up to an instant in ms. `isSeason` is whether it is the time of year in which
 * homes are heated: a cold room in July says nothing of its heating.
 */
export function dampRisk(
  hours: readonly DampHour[],
  { now, isSeason, figures = dampDefaults }: { now: number; isSeason: boolean; figures?: DampFigures },
): DampRisk {
  const last = hours.filter(({ at }) => at > now - week * hour && at <= now)
  const nothing = { cold: null, coldReason: null, meanTemperature: null, meanHumidity: null, humidDays: 0, index: 0 }
  if (last.length < figures.coverage * week)
    return {
      ...nothing,
      level: 'not assessed',
      reason: `Readings of ${last.length} of the last ${week} hours are known; ${Math.ceil(figures.coverage * week)} are needed.`,
    }
  const days = Map.groupBy(last, ({ at }) => Math.floor((now - at) / (24 * hour)))
  const humidDays = [...days.values()].filter(
    (some) => mean(some.map((one) => surfaceOf(one, figures.surfaceFactor).humidity)) >= figures.surfaceHumidity,
  ).length
  const index = mouldIndex(
    hours.toSorted((a, b) => a.at - b.at),
    figures.surfaceFactor,
  )
  const meanTemperature = mean(last.map((one) => one.temperature))
  const hottest = Math.max(...last.map((one) => one.temperature))
  const cold =
    !isSeason || hottest >= figures.coldMost
      ? null
      : meanTemperature < figures.severeMean
        ? ('severely cold' as const)
        : ('cold' as const)
  return {
    level: levelOf(humidDays, index, figures),
    reason: reasonOf(humidDays, index, figures),
    cold,
    coldReason:
      cold &&
      `Never ${figures.coldMost} °C in 7 days: at most ${rounded(hottest, 1)} °C, ${rounded(meanTemperature, 1)} °C on average.`,
    meanTemperature: rounded(meanTemperature, 1),
    meanHumidity: rounded(mean(last.map((one) => one.humidity))),
    humidDays,
    index: rounded(index, 2),
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

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

/** The worst of some rooms' levels; one that is not assessed says nothing of the others. */
export function worstOf(levels: readonly DampLevel[]): DampLevel {
  return levels.reduce<DampLevel>(
    (worst, level) => (dampLevels.indexOf(level) > dampLevels.indexOf(worst) ? level : worst),
    'not assessed',
  )
}

/** The time of year in which homes are heated: 1 October to 31 March, by a day 'YYYY-MM-DD'. */
export function isHeatingSeason(day: string): boolean {
  const month = Number(day.slice(5, 7))
  return month >= 10 || month <= 3
}
