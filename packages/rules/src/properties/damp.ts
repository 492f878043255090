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
  /** Null where nobody knows it. */
  outside: number | null
  /** Nobody measured what it was like outside. */
  isAssumed?: true
}

/** Where no device of the home measures it: °C outside that an organisation says, the mean of each month, or nothing. */
export type AssumedWeather = number | 'long-term mean' | 'unknown'

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
  outside: 'long-term mean',
} as const
export type DampFigures = { readonly [key in Exclude<keyof typeof dampDefaults, 'outside'>]: number } & {
  readonly outside: AssumedWeather
}

/** Of the air of a room: % above which it is humid, and °C below which it is cold (the description of the report of a month). */
export const roomLimits = { humidity: 70, cold: 16 } as const

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
/** Hours of a week. */
export const hoursOfWeek = 7 * 24
const rounded = (value: number, digits = 0) => Number(value.toFixed(digits))

/** How far back hours count, in ms: mould grows over weeks. */
export const dampMemory = 42 * 24 * hour

/** The start of the hour that goes on at an instant, in ms: up to it a room is assessed, because only then its hours are known. */
export const dampUntil = (at: number) => Math.floor(at / hour) * hour

/**
 * °C outside in each month, January first: the mean of the United Kingdom over many years, as energy ratings of homes take it (SAP
 * 2012 and SAP 10.2, table U1, 'UK average').
 */
export const meanOutside = [4.3, 4.9, 6.5, 8.9, 11.7, 14.6, 16.6, 16.4, 14.1, 10.6, 7.1, 4.2] as const

/** Zones of the United Kingdom: elsewhere its means say nothing. */
const zonesOfUk: readonly string[] = ['Europe/London', 'Europe/Belfast', 'GB', 'GB-Eire']

/** What is assumed of the weather in homes of a zone, where nothing measures it and their organisation has said nothing. */
export const usualWeather = (zone: string): AssumedWeather => (zonesOfUk.includes(zone) ? 'long-term mean' : 'unknown')

/** °C outside in the hour that begins at an instant: as a device of the home measured it, or else as it is assumed. */
export function outsideOf(
  at: number,
  measured: number | undefined,
  assumed: AssumedWeather,
): Pick<DampHour, 'outside' | 'isAssumed'> {
  if (measured !== undefined) return { outside: measured }
  if (assumed === 'unknown') return { outside: null, isAssumed: true }
  return { outside: assumed === 'long-term mean' ? meanOutside[new Date(at).getUTCMonth()]! : assumed, isAssumed: true }
}

/** An hour as it is kept: to a hundredth, which no sensor knows better. */
export const dampHour = (hour: DampHour): DampHour => ({
  ...hour,
  temperature: Math.round(hour.temperature * 100) / 100,
  humidity: Math.round(hour.humidity * 100) / 100,
  outside: hour.outside === null ? null : Math.round(hour.outside * 100) / 100,
})

/** Saturation pressure of water vapour over water, in Pa, at °C (Magnus, with the constants of Alduchov and Eskridge). */
const saturation = (celsius: number) => 610.94 * Math.exp((17.625 * celsius) / (celsius + 243.04))

/** Whether enough is known of an hour to tell how humid surfaces were. */
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

/** How far mould has come at a surface: its index, and for how many hours the surface has been too dry for it. */
export interface Mould {
  index: number
  dry: number
}
export const noMould: Mould = { index: 0, dry: 0 }

/**
 * How far mould has come after some further hours at a surface, for sensitive materials such as wallpaper: the index of VTT (Hukka
 * and Viitanen, in the form of anssilaukkarinen/trh-1). Hours that are not known neither let it grow nor fall.
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
  /** Whether it is the time of year in which homes are heated: a cold room in July says nothing of its heating. */
  isSeason: boolean
  figures?: DampFigures
}

/** What is kept of a room so that its next hour can be added without reading those before it again. */
export interface DampState {
  mould: Mould
  /** Its hours of the last week that are known, the first first. */
  hours: readonly DampHour[]
}

/** Of a room of which nothing is known. */
export const noDamp: DampState = { mould: noMould, hours: [] }

/**
 * The same some hours later; those of `hours` come after all that it knows, and `until` is where they end. They are taken one by one: of
 * very many rooms those of six weeks are not held for the sake of the last one.
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

/** What is known of a room from all its hours, in any order: those of the last six weeks count. */
export function dampStateOf(
  hours: readonly DampHour[],
  { now, figures = dampDefaults }: Omit<Assessing, 'isSeason'>,
): DampState {
  const until = dampUntil(now)
  const counted = hours.filter(({ at }) => at >= until - dampMemory && at < until).toSorted((a, b) => a.at - b.at)
  return dampStateAfter(noDamp, counted.map(dampHour), { until, figures })
}

/**
 * Since when a room that was never assessed before is at the level at which it is now, as far as its hours tell, to the day: in ms.
 */
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

/** The risk of a room of which so much is known. */
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
          ? `Readings of ${air.length} of the last ${hoursOfWeek} hours are known; ${needed} are needed.`
          : `Of ${last.length} of the last ${hoursOfWeek} hours it is known how cold it was outside; ${needed} are needed.`,
    }
  // One pass, and nothing made for each hour: there are very many rooms.
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
      `Never ${figures.coldMost} °C in 7 days: at most ${rounded(hottest, 1)} °C, ${rounded(meanTemperature, 1)} °C on average.`,
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

/** What is assumed of the weather of a week, in a sentence; none where all of it was measured. */
function weatherWords(week: readonly DampHour[], { outside: assumed }: DampFigures): string[] {
  const [first, last] = [week.find(({ isAssumed }) => isAssumed), week.findLast(({ isAssumed }) => isAssumed)]
  if (!first || !last) return []
  if (assumed !== 'long-term mean') return [`Outside ${assumed} °C is assumed.`]
  // A week lies in two months at most.
  const months = new Map([first, last].map(({ at, outside }) => [monthNames.format(at), Math.round(outside ?? 0)]))
  const told = [...months].map(([name, degrees]) => `${degrees} °C in ${name}`).join(' and ')
  return [`Outside about ${told} is assumed, a long-term mean.`]
}

/** The worst of some rooms' levels; one that is not assessed says nothing of the others. */
export function worstOf(levels: readonly DampLevel[]): DampLevel {
  return levels.reduce<DampLevel>(
    (worst, level) => (dampLevels.indexOf(level) > dampLevels.indexOf(worst) ? level : worst),
    'not assessed',
  )
}

/** Levels at which somebody is to be told of a room. */
export const pressingDampLevels: readonly DampLevel[] = ['high', 'severe']

/**
 * Since when somebody is to be told of a room whose level is now this, and who was to be told before: that too little is known is no
 * news that it has dried.
 */
export function dampPressingSince(before: number | null, level: DampLevel, now: number): number | null {
  if (pressingDampLevels.includes(level)) return before ?? now
  return level === 'not assessed' ? before : null
}

/** How bad a level is, for orders: the higher the worse. */
export const dampRank = (level: DampLevel) => dampLevels.indexOf(level)

/** The time of year in which homes are heated: 1 October to 31 March, by a day 'YYYY-MM-DD'. */
export function isHeatingSeason(day: string): boolean {
  const month = Number(day.slice(5, 7))
  return month >= 10 || month <= 3
}

/** Levels of a room of which enough is known, in cells of a strip: the same words and bounds as everywhere. */
export const dampCellLevels = ['low', 'watch', 'high', 'severe'] as const satisfies readonly DampLevel[]
export type DampCell = (typeof dampCellLevels)[number]
/** Hours that a cell may stand for, and cells of a strip at most: more are too narrow to be told apart. */
const cellLengths = [2, 4, 6, 12, 24, 168] as const
const mostCells = 100

export function dampCellHours({ from, to }: { from: number; to: number }): number {
  return cellLengths.find((hours) => to - from <= mostCells * hours * hour) ?? cellLengths.at(-1)!
}

/**
 * The cells of a room over a range: the level at which it was assessed at the end of each, from its hours since `dampMemory` before the
 * range, the first first. Null where nothing was measured in a cell, or too little before its end to assess the room.
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
    // Of the cell that goes on, up to its last known hour.
    const until = Math.min(end, hours[next - 1]!.at + hour)
    state = dampStateAfter(state, hours.slice(first, next), { until, figures })
    const { level } = riskOf(state, { now: until, isSeason: false, figures })
    return level === 'not assessed' ? null : level
  })
}
