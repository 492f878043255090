import type { Monitoring } from '../devices/monitoring.ts'
import type { Product } from '../devices/products.ts'
import { familyOf, products } from '../devices/products.ts'
import type { Feature } from '../identity/features.ts'
import type { Card } from './cards.ts'
import {
  assetManagement,
  boilerMonitoring,
  diagnostics,
  extenderCards,
  gatewayCards,
  heatPumpMonitoring,
  homeSummary,
  lightCards,
  propertySummary,
} from './cards.ts'
import type { MetricKey } from './metrics.ts'
import { measures, metrics, powerMetrics } from './metrics.ts'

/** Charts shown together (devices specification, section 3). */
export interface TelemetryView {
  id: TelemetryViewId
  name: string
  cards: Card[]
  /** The main chart, drawn larger. */
  defaultChartId: string
}

/** Views in display order; 'device' is the only one for products outside properties, 'extra' is for unknown metrics. */
export const telemetryViewIds = ['property', 'monitoring', 'assets', 'diagnostics', 'device', 'extra'] as const
export type TelemetryViewId = (typeof telemetryViewIds)[number]

/** A device with the data that its telemetry views need. */
export interface MeasuringDevice {
  id: string
  name: string
  product: Product
  /** The model in its serial number. */
  model: string
  monitoring: Monitoring | null
  /** Room or location. */
  place: string | null
  /** The circuits that the clamps of a power meter measure, by number. */
  clamps: Readonly<Record<string, string>> | null
}

const isHeatPump = ({ product, monitoring }: Pick<MeasuringDevice, 'product' | 'monitoring'>) =>
  product === 'ASHP' || monitoring === 'HeatPump'

const inNoHome: Partial<Record<Product, Card[]>> = {
  EM: lightCards,
  EL: lightCards,
  MG: gatewayCards,
  ZG: gatewayCards,
  ZR: extenderCards,
}
const heats = new Set(['boiler', 'airSourceHeatPump', 'heatInterfaceUnit'])
/** Products that are not in property listings and report nothing to draw. */
const silent = new Set<Product>(['LM', 'PC'])

/**
 * The telemetry views of a device. Diagnostics depend on the feature alone, for developers too (decisions,
 * SystemDebug).
 */
export function telemetryViews(
  device: Pick<MeasuringDevice, 'product' | 'monitoring'>,
  features: readonly Feature[],
): TelemetryView[] {
  const { product } = device
  if (silent.has(product)) return []
  const own = inNoHome[product]
  if (own) return [{ id: 'device', name: products[product].name, cards: own, defaultChartId: own[0]!.id }]
  const of = (cards: readonly Card[]) => cards.filter((card) => isOf(card, device))
  const views: TelemetryView[] = [
    { id: 'property', name: 'Property Summary', cards: of(propertySummary), defaultChartId: 'flowReturn' },
  ]
  if (heats.has(familyOf(product))) views.push(monitoringOf(isHeatPump(device) ? 'HeatPump' : 'Boiler', of))
  views.push(assets)
  if (features.includes('SystemDebug')) views.push(diagnosticsOf(product))
  return views
}

/** The view of a device's extra series, by raw name; empty without any. */
export function extraViews(names: readonly string[]): TelemetryView[] {
  const cards = names.toSorted().map((name): Card => ({
    ...{ id: `extra:${name}`, type: 'lineGraph', title: name, gridWidth: 6, metrics: [], of: 'device', extra: name },
  }))
  return cards.length ? [{ id: 'extra', name: 'Extra series', cards, defaultChartId: cards[0]!.id }] : []
}

/** The devices of a property, with the main one of its views first: what heats it, else its hub. */
export function leadingFirst<D extends Pick<MeasuringDevice, 'product'>>(devices: readonly D[]): D[] {
  const rank = ({ product }: D) => (heats.has(familyOf(product)) ? 0 : familyOf(product) === 'homeHub' ? 1 : 2)
  return devices.toSorted((a, b) => rank(a) - rank(b))
}

/**
 * The telemetry views of a property (estate specification, section 2.3), from its devices with the main one first. The
 * heating type is passed in, since the actor may not see that device.
 */
export function homeTelemetryViews(
  { monitoring, devices }: { monitoring: Monitoring | null; devices: readonly Pick<MeasuringDevice, 'product'>[] },
  features: readonly Feature[],
): TelemetryView[] {
  const [lead] = devices
  const of = (cards: readonly Card[]) => cards.filter((card) => (lead ? isOf(card, lead) : !card.families))
  return [
    { id: 'property', name: 'Property Summary', cards: homeSummary, defaultChartId: 'rooms' },
    ...(monitoring === 'Boiler' || monitoring === 'HeatPump' ? [monitoringOf(monitoring, of)] : []),
    assets,
    ...(lead && features.includes('SystemDebug') ? [diagnosticsOf(lead.product)] : []),
  ]
}

const assets: TelemetryView = {
  id: 'assets',
  name: 'Asset Management',
  cards: assetManagement,
  defaultChartId: 'signal',
}

function monitoringOf(heating: 'Boiler' | 'HeatPump', of: (cards: readonly Card[]) => Card[]): TelemetryView {
  const shared = { id: 'monitoring', defaultChartId: 'flowReturn' } as const
  return heating === 'HeatPump'
    ? { ...shared, name: 'Heat Pump Monitoring', cards: of(heatPumpMonitoring) }
    : { ...shared, name: 'Boiler Monitoring', cards: of(boilerMonitoring) }
}

const diagnosticsOf = (product: Product): TelemetryView => ({
  id: 'diagnostics',
  name: `${products[product].name} Diagnostics`,
  cards: diagnostics.filter((card) => !card.metrics.length || card.metrics.some((key) => measures(product, key))),
  defaultChartId: measures(product, 'gsmSignal') ? 'ownSignal' : 'ownLink',
})

const isOf = ({ families }: Card, { product }: Pick<MeasuringDevice, 'product'>) =>
  !families || families.includes(familyOf(product))

/** A line of a chart: a metric of a device, and its label beside the others. */
export interface CardSeries {
  deviceId: string
  metric: MetricKey
  label: string
}

/** The lines of a card: of the page's own device, which is first, or of all devices of its property. */
export function seriesOf(card: Card, home: readonly MeasuringDevice[]): CardSeries[] {
  const devices = card.of === 'device' ? home.slice(0, 1) : home
  // Stored and read by raw name, as a metric is by key.
  if (card.extra !== undefined)
    return devices.map(({ id }) => ({ deviceId: id, metric: card.extra as MetricKey, label: card.title }))
  const found = devices.flatMap((device) => keysOf(card, device).map((metric) => ({ device, metric })))
  const several = new Set(found.map(({ device }) => device.id)).size > 1
  const severalOfOne = new Set(found.map(({ metric }) => metric)).size > 1
  const named = (device: MeasuringDevice) => device.place || device.name
  const twice = (device: MeasuringDevice) =>
    devices.some((other) => other.id !== device.id && named(other) === named(device) && keysOf(card, other).length > 0)
  return found.map(({ device, metric }) => {
    const what = circuitName(device, metric) ?? metrics[metric].label
    const where = twice(device) && device.place ? `${device.place}, ${products[device.product].name}` : named(device)
    const label = !several ? what : severalOfOne ? `${where}: ${what}` : where
    return { deviceId: device.id, metric, label }
  })
}

function keysOf(card: Card, { product, model }: MeasuringDevice): MetricKey[] {
  const keys = card.metrics.filter((key) => measures(product, key))
  // Charts show either the sum or the circuits, and so does energy, so that nothing is counted twice; other figures
  // show the sum.
  if (product !== 'PM' || (card.type !== 'lineGraph' && card.figure !== 'energy') || !keys.includes('power'))
    return keys
  return keys.filter((key) => powerMetrics(model).includes(key))
}

function circuitName({ product, clamps }: MeasuringDevice, metric: MetricKey): string | undefined {
  const number = /^power(\d)$/.exec(metric)?.[1]
  return product === 'PM' && number ? clamps?.[number] : undefined
}
