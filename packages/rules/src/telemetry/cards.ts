import type { Family } from '../devices/products.ts'
import { roomLimits } from '../properties/damp.ts'
import type { MetricKey } from './metrics.ts'
import { metrics } from './metrics.ts'

/** The kinds of cards of a telemetry view, and their charts (devices specification, section 3). */
export const chartTypeOf = { eventsGraph: 'EventTimeline', lineGraph: 'Linear', numericCard: 'Numeric' } as const
export type CardType = keyof typeof chartTypeOf
export type ChartType = (typeof chartTypeOf)[CardType]
export const cardTypes = Object.keys(chartTypeOf) as CardType[]
export const chartTypes = Object.values(chartTypeOf)

/** Columns of the card grid. */
export const gridColumns = 12
/** Number of line colours, which repeat. */
export const seriesColours = 6

/**
 * How a numeric card summarises the readings of the range: increase of a counter, mean, newest reading, energy of a
 * power in kWh, heat per kWh of electricity, or number of events.
 */
export type Figure = 'growth' | 'mean' | 'newest' | 'energy' | 'performance' | 'faults'

/** A value that readings should not exceed, drawn with its label. */
export interface Limit {
  /** In the unit of the card. */
  value: number
  label: string
}

export interface Card {
  id: string
  type: CardType
  title: string
  subTitle?: string
  /** Width in grid columns. */
  gridWidth: number
  /** The metrics to draw, for each device that measures them. */
  metrics: readonly MetricKey[]
  /** Only the device of the page, or every device of its property. */
  of: 'device' | 'home'
  figure?: Figure
  /** A reference for the figure, if known: the hour with the largest increase, or the set point. */
  measuredBy?: 'worst hour' | 'set point'
  /** Also shows the difference of two lines in one unit. */
  difference?: true
  /** Daily bars: increase of a counter, or energy of a power in kWh. */
  perDay?: 'growth' | 'energy'
  /** The colour of its first line, 1 to 6. */
  colour?: number
  hideWhenNoData?: true
  limits?: readonly Limit[]
  /** The raw name of an extra series, drawn instead of metrics. */
  extra?: string
  /** Shown only on pages of these families, whose devices measure it. */
  families?: readonly Family[]
}

const line = (id: string, title: string, metrics: MetricKey[], rest: Partial<Card> = {}): Card => ({
  id,
  type: 'lineGraph',
  title,
  gridWidth: 6,
  metrics,
  of: 'device',
  ...rest,
})
const figure = (id: string, title: string, metrics: MetricKey[], kind: Figure, rest: Partial<Card> = {}): Card => ({
  id,
  type: 'numericCard',
  title,
  gridWidth: 3,
  metrics,
  of: 'device',
  figure: kind,
  ...rest,
})
const home = { of: 'home', hideWhenNoData: true } as const
const wide = { gridWidth: gridColumns } as const
/** For five figures in a row. */
const narrow = { gridWidth: 2 } as const

const cold: Limit = { value: roomLimits.cold, label: `Cold limit below ${roomLimits.cold} °C` }
const damp: Limit = { value: roomLimits.humidity, label: `Damp limit above ${roomLimits.humidity} %` }

const events: Card = {
  id: 'events',
  type: 'eventsGraph',
  title: 'Events',
  gridWidth: gridColumns,
  metrics: [],
  of: 'home',
}
const faults = figure('faults', 'Faults', [], 'faults', { of: 'home' })
const flowReturn = line('flowReturn', 'Flow and return temperature', ['flowTemperature', 'returnTemperature'], {
  ...wide,
  difference: true,
})
const pressure = line('pressure', 'System pressure', ['systemPressure'], { colour: 4 })
const signal = line('signal', 'Signal strength', ['gsmSignal'], { ...home, colour: 2 })
const link = line('link', 'Link quality', ['linkQuality'], { ...home, colour: 2 })
const children = line('children', 'Connected devices', ['connectedDevices'], { ...home, colour: 6 })
const batteries = line('batteries', 'Battery', ['batteryLevel'], { ...home, colour: 4 })
const batteryVoltage = line('batteryVoltage', 'Battery voltage', ['batteryVoltage'], { ...home, colour: 3 })
const burnerBars = line('burnerBars', 'Burner hours a day', ['burnerHours'], { perDay: 'growth' })
const pumpBars = line('pumpBars', 'Pump hours a day', ['pumpHours'], { perDay: 'growth', colour: 4 })
const waterBars = line('waterBars', 'Water added a day', ['waterFilled'], { perDay: 'growth', colour: 2 })

const modulation = line('modulation', 'Burner modulation', ['modulation'], { colour: 1 })
const heat = line('heat', 'Heat and electricity', ['heatOutput', 'electricityConsumption', 'immersionPower'], wide)
const hotWater = line('hotWater', 'Hot water temperature', ['dhwTemperature'], { colour: 5 })
const compressor = line('compressor', 'Compressor speed', ['compressorSpeed'], { colour: 6 })
const flowRate = line('flowRate', 'Flow rate', ['flowRate'], { colour: 2 })
const ofSome = { families: ['boiler'], hideWhenNoData: true } as const

const circuits: MetricKey[] = ['power', 'power1', 'power2', 'power3']

/** Measurements from other makers' sensors, apart from the climate. */
const sensorCards: Card[] = [
  line('tvoc', 'TVOC', ['tvoc'], { ...home, colour: 5 }),
  line('particles', 'Particulate matter', ['pm25', 'pm10'], { ...home, colour: 6 }),
  line('light', 'Light', ['light'], { ...home, colour: 4 }),
  line('noise', 'Noise', ['noise'], { ...home, colour: 3 }),
  line('airPressure', 'Air pressure', ['airPressure'], { ...home, colour: 2 }),
  line('presence', 'Presence', ['presence'], { ...home, colour: 1 }),
  line('openings', 'Doors and windows', ['opening'], { ...home, colour: 2 }),
  line('alarms', 'Leaks and alarms', ['leak', 'coAlarm', 'smokeAlarm'], { ...home, colour: 1 }),
  line('waterUse', 'Water use a day', ['waterVolume'], { ...home, perDay: 'growth', colour: 2 }),
  line('current', 'Current', ['current'], { ...home, colour: 5 }),
  line('valves', 'Valve position', ['valvePosition'], { ...home, colour: 6 }),
]

/** The condition of a property: the view shared by all its devices. */
export const propertySummary: Card[] = [
  figure('meanTemperature', 'Average room temperature', ['temperature'], 'mean', home),
  figure('meanHumidity', 'Average humidity', ['humidity'], 'mean', home),
  figure('meanPower', 'Average power', ['power'], 'mean', home),
  faults,
  { ...flowReturn, ...home },
  line('rooms', 'Room temperature', ['temperature'], { ...home, colour: 3, limits: [cold] }),
  line('outside', 'Outside temperature', ['outsideTemperature'], { ...home, colour: 6 }),
  line('humidity', 'Humidity', ['humidity'], { ...home, colour: 2, limits: [damp] }),
  line('co2', 'CO2', ['co2'], { ...home, colour: 5 }),
  line('setPoints', 'Set point', ['setPoint'], { ...home, colour: 1 }),
  line('power', 'Power', circuits, { ...home, colour: 5 }),
  { ...pressure, title: 'System pressure', ...home },
  ...sensorCards,
  events,
]

const energyBars = line('energyBars', 'Energy a day', circuits, { ...home, perDay: 'energy', colour: 2 })

const wideOnHome: ReadonlySet<string> = new Set(['rooms', 'outside', 'humidity', 'pressure'])

/** The same on the property page, where living conditions come before heating. */
export const homeSummary: Card[] = [
  ...propertySummary
    .filter(({ type }) => type === 'numericCard')
    .map((card) => (card.id === 'meanPower' ? figure('energy', 'Energy', circuits, 'energy', home) : card)),
  ...[
    'rooms',
    'outside',
    'humidity',
    'energyBars',
    'co2',
    'setPoints',
    'power',
    'flowReturn',
    'pressure',
    ...sensorCards.map(({ id }) => id),
    'events',
  ].map((id) => {
    const card = id === 'energyBars' ? energyBars : propertySummary.find((one) => one.id === id)!
    return wideOnHome.has(id) ? { ...card, ...wide } : card
  }),
]

export const boilerMonitoring: Card[] = [
  figure('burnerHours', 'Burner hours', ['burnerHours'], 'growth', { families: ['boiler'] }),
  figure('meanFlow', 'Average flow', ['flowTemperature'], 'mean', { measuredBy: 'set point' }),
  figure('burnerStarts', 'Burner starts', ['burnerStarts'], 'growth', {
    families: ['boiler'],
    measuredBy: 'worst hour',
  }),
  figure('meanHeat', 'Average heat output', ['heatOutput'], 'mean', { families: ['heatInterfaceUnit'] }),
  faults,
  flowReturn,
  { ...modulation, families: ['boiler'] },
  pressure,
  line('outside', 'Outside temperature', ['outsideTemperature'], { families: ['boiler'], colour: 2 }),
  line('flowRate', 'Flow rate', ['flowRate'], { families: ['heatInterfaceUnit'], colour: 2 }),
  line('heat', 'Heat output', ['heatOutput'], { families: ['heatInterfaceUnit'], colour: 1 }),
  // Shown as far as a module measures it, whichever unit heats the property.
  { ...hotWater, ...ofSome },
  { ...flowRate, ...ofSome },
  { ...heat, ...ofSome },
  { ...compressor, ...ofSome },
  line('rooms', 'Room temperature', ['temperature'], { ...home, colour: 3, limits: [cold] }),
  { ...burnerBars, families: ['boiler'] },
  { ...pumpBars, families: ['boiler'] },
  events,
]

export const heatPumpMonitoring: Card[] = [
  figure('meanElectricity', 'Average electricity consumption', ['electricityConsumption'], 'mean'),
  figure('meanHeat', 'Average heat output', ['heatOutput'], 'mean'),
  figure('performance', 'Heat for 1 kWh', ['heatOutput', 'electricityConsumption'], 'performance', narrow),
  figure('pumpHours', 'Pump hours', ['pumpHours'], 'growth', narrow),
  { ...faults, ...narrow },
  flowReturn,
  heat,
  hotWater,
  line('outside', 'Outside temperature', ['outsideTemperature'], { colour: 2 }),
  compressor,
  flowRate,
  { ...modulation, hideWhenNoData: true },
  pressure,
  { ...pumpBars },
  events,
]

/** Equipment wear: counters, batteries and links. */
export const assetManagement: Card[] = [
  figure('burnerHoursNow', 'Burner hours', ['burnerHours'], 'newest', { ...home, subTitle: 'Since it was fitted' }),
  figure('pumpHoursNow', 'Pump hours', ['pumpHours'], 'newest', { ...home, subTitle: 'Since it was fitted' }),
  figure('burnerStartsNow', 'Burner starts', ['burnerStarts'], 'newest', { ...home, subTitle: 'Since it was fitted' }),
  faults,
  { ...burnerBars, ...home },
  { ...pumpBars, ...home },
  { ...waterBars, ...home },
  batteries,
  batteryVoltage,
  signal,
  link,
  children,
  events,
]

/** For vendor staff: the link of the device, and its raw counters. */
export const diagnostics: Card[] = [
  line('ownSignal', 'Signal strength', ['gsmSignal'], { ...wide, colour: 2, hideWhenNoData: true }),
  line('ownLink', 'Link quality', ['linkQuality'], { ...wide, colour: 2, hideWhenNoData: true }),
  line('ownBattery', 'Battery voltage', ['batteryVoltage'], { colour: 3, hideWhenNoData: true }),
  line('ownBatteryLevel', 'Battery', ['batteryLevel'], { colour: 4, hideWhenNoData: true }),
  line('startsCounter', 'Burner starts (counter)', ['burnerStarts'], { colour: 6, hideWhenNoData: true }),
  line('burnerCounter', 'Burner hours (counter)', ['burnerHours'], { colour: 1, hideWhenNoData: true }),
  line('pumpCounter', 'Pump hours (counter)', ['pumpHours'], { colour: 4, hideWhenNoData: true }),
  line('waterCounter', 'Water added (counter)', ['waterFilled'], { colour: 2, hideWhenNoData: true }),
  events,
]

/** For devices with charts on their first tab. */
export const lightCards: Card[] = [
  line('battery', 'Battery voltage', ['batteryVoltage'], wide),
  line('lamp', 'Lamp power', ['lampPower'], wide),
  line('charge', 'Battery', ['batteryLevel'], wide),
  line('current', 'Charge current', ['chargeCurrent'], wide),
]
/** Without connected devices, whose events are on their own pages. */
const ownEvents: Card = { ...events, of: 'device', hideWhenNoData: true }
const ownChildren = line('children', 'Connected devices', ['connectedDevices'], wide)
export const gatewayCards: Card[] = [
  line('signal', 'Signal strength', ['gsmSignal'], wide),
  ownChildren,
  // Mains-powered devices have none.
  line('battery', 'Battery voltage', ['batteryVoltage'], { ...wide, hideWhenNoData: true }),
  ownEvents,
]
export const extenderCards: Card[] = [line('link', 'Link quality', ['linkQuality'], wide), ownChildren, ownEvents]

/** The unit of a card's values. */
export function unitOf({ figure: kind, perDay, metrics: keys }: Card): string {
  if (kind === 'faults') return 'count'
  if (kind === 'energy' || kind === 'performance' || perDay === 'energy') return 'kWh'
  return [...new Set(keys.map((key) => metrics[key].unit))].join(', ')
}
