import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { chanceOf, wanderer } from '../chance.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour, minute, modelOf, statusOfLink } from '../plan/device.ts'
import type { Place } from '../plan/places.ts'

/** The readings of one metric at equal steps; null while the device was offline. */
export interface SeriesHistory {
  deviceId: string
  metric: MetricKey
  /** ms since the epoch */
  start: number
  /** ms */
  step: number
  values: (number | null)[]
}

const grids = { fine: { step: 10 * minute, count: 30 * 24 * 6 }, coarse: { step: 2 * hour, count: 7 * 12 } }
/** The longest history, in days. */
export const longestHistory = 30

type Readings = Partial<Record<MetricKey, number>>

/**
 * All series of a device for up to a number of days; none for a device that was never installed or has never reported.
 */
export function historyOf(device: DemoDevice, now: number, days: number): SeriesHistory[] {
  const { heardAt } = device.link
  if (device.detail === 'none' || heardAt === null) return []
  const { step } = grids[device.detail]
  const count = Math.min(grids[device.detail].count, Math.ceil((days * day) / step))
  const start = Math.floor(now / step) * step - (count - 1) * step
  const read = readerOf(device, start, step)
  const silent = silenceOf(device, now)
  // Slow metrics are read less often, but often enough to leave no gap.
  const slowly = device.detail === 'fine' ? slowReaderOf(device) : (): Readings => ({})
  const columns = new Map<MetricKey, (number | null)[]>()
  const slow = new Set<MetricKey>()
  for (let index = 0; index < count; index++) {
    const at = start + index * step
    const readings = read(at)
    if ((count - 1 - index) % slowEvery === 0)
      for (const [key, value] of Object.entries(slowly(at, readings)) as [MetricKey, number][]) {
        slow.add(key)
        readings[key] = value
      }
    const heard = at <= heardAt && at >= device.createdAt && !silent(at)
    for (const key in readings) {
      const metric = key as MetricKey
      let column = columns.get(metric)
      if (!column) columns.set(metric, (column = []))
      column.push(heard ? rounded(metric, readings[metric]!) : null)
    }
  }
  return [...columns].map(([metric, values]) => {
    const counted = metric in counters ? endingAt(values, numberOf(device, metric as Counter)) : values
    const apart = slow.has(metric) ? slowEvery : 1
    return {
      deviceId: device.id,
      metric,
      start: start + ((count - 1) % apart) * step,
      step: step * apart,
      values: counted,
    }
  })
}

const slowEvery = 3

/** Counters, with the simulator's starting values where the plan has none. */
const counters = { burnerHours: 4000, pumpHours: 8400, burnerStarts: 16_800, waterFilled: 60 } satisfies Partial<
  Record<MetricKey, number>
>
type Counter = keyof typeof counters

function numberOf({ traits }: DemoDevice, counter: Counter): number {
  const known = traits[counter]
  return typeof known === 'number' ? known : counters[counter]
}

/** Shifts a counter so that it ends where the device continues. */
function endingAt(values: readonly (number | null)[], end: number): (number | null)[] {
  const last = values.findLast((value) => value !== null) ?? 0
  return values.map((value) => (value === null ? null : Math.max(0, Math.round((value + end - last) * 100) / 100)))
}

/** Batteries, links and counters. */
function slowReaderOf(device: DemoDevice): (at: number, now: Readings) => Readings {
  const model = modelOf(device)
  switch (model) {
    case 'boiler':
    case 'airSourceHeatPump':
      return heatingCounters(device)
    case 'gateway':
      return device.product === 'ZR' ? () => ({}) : backup(device)
    case 'emered':
      return (_, now) => ({ batteryLevel: 100, chargeCurrent: 14 + (now.batteryVoltage ?? 0) / 10 })
    case 'heatInterfaceUnit': {
      const signal = gsmSignal(device)
      return (at) => ({ gsmSignal: signal(at) })
    }
    case 'homeHub': {
      const link = linkQuality(device)
      return (at) => ({ linkQuality: link(at), connectedDevices: device.children })
    }
    case 'multiDot':
    case 'enviroDot':
    case 'vStat': {
      const [link, level] = [linkQuality(device), chanceOf(`${device.serial} level`)() * 55 + 40]
      // A battery cell lasts a year or more.
      return (at) => ({ linkQuality: link(at), batteryLevel: Math.round(level - ((at / (5 * day)) % 6)) })
    }
    case 'autofill':
    case 'powerMeter': {
      const link = linkQuality(device)
      return (at) => ({ linkQuality: link(at) })
    }
    default:
      return () => ({})
  }
}

const backup = (device: DemoDevice) => {
  const voltage = usually(device, 'backupVoltage', 4.12, 0.02, 6 * hour)
  return (at: number): Readings => ({ batteryVoltage: voltage(at) })
}

function heatingCounters(device: DemoDevice): (at: number, now: Readings) => Readings {
  const [signal, voltage, weather] = [gsmSignal(device), backup(device), weatherAt(device.place ?? middleOfEngland)]
  const isHeatPump = modelOf(device) === 'airSourceHeatPump'
  let [burner, pump, starts, before] = [0, 0, 0, 0]
  return (at, now) => {
    const hours = before ? (at - before) / hour : 0
    before = at
    const isLit = (now.modulation ?? 0) > 0
    const runs = isLit || (now.compressorSpeed ?? 0) > 0
    burner += isLit ? hours * 0.7 : 0
    pump += runs ? hours : 0
    starts += isLit ? Math.round(hours * 4) : 0
    const outside = weather(at).temperature
    if (isHeatPump)
      return { pumpHours: pump, flowRate: runs ? 14.5 : 0, gsmSignal: signal(at), outsideTemperature: outside }
    return {
      ...voltage(at),
      burnerHours: burner,
      pumpHours: pump,
      burnerStarts: starts,
      gsmSignal: signal(at),
      outsideTemperature: outside,
    }
  }
}

function rounded(metric: MetricKey, value: number): number {
  const { min, max } = metrics[metric]
  return Math.min(max, Math.max(min, Math.round(value * 100) / 100))
}

/** When a device that drops out was offline: some minutes, several times a day. */
function silenceOf(device: DemoDevice, now: number): (at: number) => boolean {
  if (statusOfLink(device.link, now) !== 'intermittent') return () => false
  const part = day / 8
  return (at) => {
    const chance = chanceOf(`${device.serial} away ${Math.floor(at / part)}`)
    const from = chance() * 0.8
    const share = (at % part) / part
    return share > from && share < from + 0.12 + chance() * 0.08
  }
}

const models: Partial<
  Record<ReturnType<typeof modelOf>, (device: DemoDevice, home: Home) => (at: number) => Readings>
> = {
  emered,
  boiler,
  airSourceHeatPump: heatPump,
  heatInterfaceUnit,
  autofill,
  gateway,
  multiDot: room,
  enviroDot: room,
  vStat: room,
  homeHub: room,
  powerMeter,
  powerSwitch: (device) => {
    const link = linkQuality(device)
    return (at) => ({ linkQuality: link(at) })
  },
}

function readerOf(device: DemoDevice, start: number, step: number): (at: number) => Readings {
  const reader = models[modelOf(device)]?.(device, homeOf(device, start, step))
  return reader ?? (() => ({}))
}

/** The weather at a place: season, time of day and passing fronts. */
export function weatherAt(place: Place): (at: number) => { temperature: number; humidity: number } {
  const front = wanderer('front', 2.6 * day)
  const year = 365.2425 * day
  return (at) => {
    const season = -Math.cos((at / year - 0.055) * 2 * Math.PI)
    const daily = -Math.cos(((at / hour + place.longitude / 15 - 3.5) / 24) * 2 * Math.PI)
    const passing = front(at - (place.longitude * 2 + place.latitude * 1.5) * hour)
    return {
      temperature: 9.8 - 0.55 * (place.latitude - 52.5) + 6.4 * season + (2.6 + 1.4 * season) * daily + 4 * passing,
      humidity: 79 - 10 * daily - 3 * season - 6 * passing,
    }
  }
}

interface Home {
  /** Must be called with increasing times, because each temperature depends on the previous one. */
  at(time: number): HomeNow
  usualHumidity: number
  warm: number
}
interface HomeNow {
  outside: number
  outsideHumidity: number
  /** °C */
  room: number
  wanted: number
  /** 0 to 1 */
  heating: number
  /** Cooking, washing, people: 0 to 1. */
  activity: number
}

const middleOfEngland = { latitude: 52.9, longitude: -1.5 }

/** A property simulated by its story and traits. All its devices share one rhythm. */
function homeOf(device: DemoDevice, start: number, step: number): Home {
  const habits = habitsOf(device)
  const weather = weatherAt(device.place ?? middleOfEngland)
  const late = chanceOf(`${device.home} rhythm`)() * 1.5 - 0.75
  const liveliness = wanderer(`${device.home} activity`, 20 * minute)
  const holds = device.story === 'under-heated' || device.story === 'damp and mould' ? 16 : 30
  const coldSince = device.fault?.source === 'boiler' ? device.fault.since : Infinity
  let before = start - step
  let temperature = habits.setback + 1
  return {
    usualHumidity: habits.humidity,
    warm: habits.warm,
    at(time) {
      const { temperature: outside, humidity } = weather(time)
      const local = ((time / hour + late) % 24) + 24
      const clock = local % 24
      const warmHours = (clock >= 6 && clock < 9) || (clock >= 16 && clock < 22.5)
      const wanted = warmHours ? habits.warm : habits.setback
      const locked =
        time >= coldSince || (device.pastFaults ?? []).some((fault) => time >= fault.since && time < fault.until)
      const hours = (time - before) / hour
      const heating = locked ? 0 : Math.min(1, Math.max(0, (wanted + 0.6 - temperature) / 1.5))
      const coldest = outside + (temperature - outside) * Math.exp(-hours / holds)
      const heated = wanted + (temperature - wanted) * Math.exp(-hours / 0.8)
      temperature = heating > 0 && heated > coldest ? heated : coldest
      before = time
      const bump = (centre: number, width: number) => Math.exp(-(((clock - centre) / width) ** 2))
      const usual = Math.max(0.06, bump(7.5, 1.2) * 0.8, bump(18.5, 2.5), clock > 8 && clock < 22 ? 0.15 : 0)
      const activity = habits.occupants === 0 ? 0 : Math.max(0, usual * (1 + 0.35 * liveliness(time)))
      return { outside, outsideHumidity: humidity, room: temperature, wanted, heating, activity }
    },
  }
}

function habitsOf({ story, traits, home }: DemoDevice) {
  const own = chanceOf(`${home} habits`)
  const usual = { warm: 20 + own() * 1.5, setback: 16.5, humidity: 48 + own() * 8, occupants: 2 }
  const byStory =
    story === 'damp and mould'
      ? { warm: 17, setback: 14.5, humidity: 80, occupants: 4 }
      : story === 'under-heated'
        ? { warm: 14.5, setback: 11, humidity: 66 }
        : story === 'void'
          ? { warm: 8, setback: 8, humidity: 60, occupants: 0 }
          : {}
  const habits = { ...usual, ...byStory }
  const trait = (name: string, usual: number) => (typeof traits[name] === 'number' ? traits[name] : usual)
  const warm = trait('roomTemperature', habits.warm)
  return {
    warm,
    setback: Math.min(habits.setback, warm - (warm < habits.warm ? 0.8 : 0)),
    humidity: trait('humidity', habits.humidity),
    occupants: trait('occupants', habits.occupants),
  }
}

function usually(device: DemoDevice, name: string, usual: number, spread: number, period: number) {
  const wander = wanderer(`${device.serial} ${name}`, period)
  const middle = typeof device.traits[name] === 'number' ? device.traits[name] : usual
  return (at: number) => middle + spread * wander(at)
}

const linkQuality = (device: DemoDevice) =>
  usually(device, 'linkQuality', 62 + chanceOf(`${device.serial} link`)() * 30, 8, 90 * minute)
const gsmSignal = (device: DemoDevice) =>
  usually(device, 'gsmSignal', -62 - chanceOf(`${device.serial} gsm`)() * 30, 5, hour)

function emered(device: DemoDevice): (at: number) => Readings {
  const health = typeof device.traits['batteryHealth'] === 'number' ? device.traits['batteryHealth'] : 0.95
  const voltage = usually(device, 'batteryVoltage', 4.13 - 0.12 * (1 - health), 0.025, 6 * hour)
  const lampHealth = typeof device.traits['lampHealth'] === 'number' ? device.traits['lampHealth'] : 1
  const lamp = device.traits['maintained'] ? 4 * lampHealth : 0
  const flicker = usually(device, 'flicker', 0, 0.05, hour)
  return (at) => ({ batteryVoltage: voltage(at), lampPower: lamp && lamp + flicker(at) })
}

function boiler(device: DemoDevice, home: Home): (at: number) => Readings {
  const pressure = usually(device, 'systemPressure', 1.35, 0.08, 12 * hour)
  const burner = wanderer(`${device.serial} burner`, 25 * minute)
  const water = wanderer(`${device.home} hot water`, 25 * minute)
  let flow = 25
  return (at) => {
    const now = home.at(at)
    const tap = now.activity > 0.25 && water(at) > 0.4 && now.heating > 0
    const target = tap
      ? 62
      : now.heating > 0.05
        ? Math.min(72, Math.max(40, 66 - now.outside * 1.2)) + 3 * burner(at)
        : now.room + 2
    flow += (target - flow) * (target > flow ? 0.8 : 0.45)
    const lit = now.heating > 0.05 || tap
    return {
      flowTemperature: flow,
      returnTemperature: flow - (flow - now.room) * (lit ? 0.28 : 0.1),
      systemPressure: pressure(at) + (flow - 30) * 0.006,
      ...(device.detail === 'fine' && {
        modulation: lit ? Math.max(0, 22 + 60 * now.heating * (0.6 + 0.4 * burner(at))) : 0,
      }),
    }
  }
}

function heatPump(device: DemoDevice, home: Home): (at: number) => Readings {
  const capacity = typeof device.traits['capacity'] === 'number' ? device.traits['capacity'] : 8
  const pressure = usually(device, 'systemPressure', 1.6, 0.08, 12 * hour)
  const pace = wanderer(`${device.serial} compressor`, 40 * minute)
  let flow = 28
  return (at) => {
    const now = home.at(at)
    const clock = (at / hour) % 24
    const water = (clock >= 4 && clock < 5.5) || (clock >= 13 && clock < 14.5)
    const target = water ? 53 : now.heating > 0.05 ? Math.min(48, Math.max(30, 42 - now.outside * 0.6)) : now.room + 3
    flow += (target - flow) * 0.6
    const load = water ? 0.85 : now.heating > 0.05 ? 0.3 + 0.5 * now.heating + 0.12 * pace(at) : 0
    const electricity = 0.03 + load * capacity * 0.4
    const performance = Math.min(5.5, Math.max(1.6, 6.2 - 0.075 * (flow - now.outside)))
    return {
      flowTemperature: flow,
      returnTemperature: flow - (load > 0 ? 3 + 3 * load : 0.5),
      electricityConsumption: electricity,
      // Its relay was off, as planned.
      ...(device.traits['immersion'] === true && { immersionPower: 0 }),
      systemPressure: pressure(at),
      ...(device.detail === 'fine' && {
        heatOutput: (electricity - 0.03) * performance,
        dhwTemperature: water ? 51 : 46 - now.activity * 5,
        compressorSpeed: Math.round(load * 5700),
      }),
    }
  }
}

function heatInterfaceUnit(device: DemoDevice, home: Home): (at: number) => Readings {
  const pressure = usually(device, 'systemPressure', 1.7, 0.05, 12 * hour)
  return (at) => {
    const now = home.at(at)
    const flow = now.heating > 0.05 ? Math.min(65, Math.max(40, 60 - now.outside)) : now.room + 6
    const spread = (flow - now.room) * (now.heating > 0.05 ? 0.4 : 0.1)
    const flowRate = now.heating > 0.05 ? 5 : now.activity > 0.5 ? 11 : 0
    return {
      flowTemperature: flow,
      returnTemperature: flow - spread,
      systemPressure: pressure(at),
      // Converts litres a minute times kelvin to kW.
      ...(device.detail === 'fine' && { flowRate, heatOutput: flowRate * spread * 0.0698 }),
    }
  }
}

/**
 * The system loses pressure over weeks and is then refilled at once. Before an autofill failed, it had to refill more
 * and more often until it locked out.
 */
function autofill(device: DemoDevice): (at: number) => Readings {
  const offset = offsetOf(device)
  const heat = usually(device, 'heat', 0, 0.04, 4 * hour)
  const failedAt = device.fault?.since ?? Infinity
  const sound = (at: number) => 1 + 0.5 * (1 - ((at / usualSpan + offset) % 1))
  let fills: ReturnType<typeof topUpsOf> | undefined
  return (at) => {
    fills ??= topUpsOf(device, { from: at, to: at + longestHistory * day })
    const waterFilled = fills.reduce((sum, { until, litres }) => sum + (until <= at ? litres : 0), 0)
    const pressure =
      at >= failedAt
        ? Math.max(0.35, 1 - ((at - failedAt) / day) * 0.4)
        : failedAt === Infinity
          ? sound(at)
          : leaking(failedAt - at)
    return { systemPressure: pressure + heat(at), waterFilled }
  }
}

/** The interval between fills in an intact system, whose history starts at a random point within it. */
const usualSpan = 17 * day
const offsetOf = ({ serial }: DemoDevice) => chanceOf(`${serial} filled`)()

/**
 * When an autofill filled the system, and with how many litres. A failed autofill's last attempt ended in its lockout.
 */
export function topUpsOf(device: DemoDevice, { from, to }: { from: number; to: number }) {
  const failedAt = device.fault?.since
  const filled = (until: number, minutes: number, litres: number) => ({
    since: Math.floor(until - minutes * minute),
    until: Math.floor(until),
    litres,
  })
  const all = []
  if (failedAt === undefined) {
    const offset = offsetOf(device)
    for (let n = Math.ceil(from / usualSpan + offset); (n - offset) * usualSpan <= to; n++)
      all.push(filled((n - offset) * usualSpan, 2, 1))
  } else {
    all.push(filled(failedAt, 15, 1.5))
    for (const { end, span } of leaks()) {
      if (failedAt - end - span < from) break
      all.push(filled(failedAt - end - span, 3, 1.1))
    }
  }
  return all.filter(({ since, until }) => since >= from && until <= to)
}

/** The intervals between fills of a leaking system, counted back from its failure, growing from one day to five. */
function* leaks() {
  for (let [end, span] = [0, day]; ; [end, span] = [end + span, Math.min(5 * day, span * 1.3)]) yield { end, span }
}

/** The pressure of a leaking system at a time before its failure. */
function leaking(ago: number): number {
  for (const { end, span } of leaks()) if (ago <= end + span) return 1 + 0.5 * ((ago - end) / span)
  return 1
}

function gateway(device: DemoDevice): (at: number) => Readings {
  const signal = device.product === 'ZR' ? linkQuality(device) : gsmSignal(device)
  const missing = wanderer(`${device.serial} missing`, 3 * hour)
  // The signal of a device faded before it went offline.
  const fell = (at: number) =>
    device.story === 'offline gateway' && device.link.heardAt !== null
      ? 40 * Math.max(0, 1 - (device.link.heardAt - at) / (8 * hour))
      : 0
  return (at) => ({
    ...(device.product === 'ZR' ? { linkQuality: signal(at) } : { gsmSignal: signal(at) - fell(at) }),
    connectedDevices: Math.max(0, device.children - (missing(at) > 0.8 ? 1 : 0)),
  })
}

function room(device: DemoDevice, home: Home): (at: number) => Readings {
  const air = wanderer(`${device.serial} air`, 3 * hour)
  const warmer = chanceOf(`${device.serial} room`)() - 0.5
  return (at) => {
    const now = home.at(at)
    const temperature = now.room + warmer * 0.8 + 0.3 * air(at)
    const humidity =
      home.usualHumidity +
      (home.warm - now.room) * 0.9 +
      (now.outsideHumidity - 80) * 0.15 +
      7 * now.activity +
      2.5 * air(at)
    return {
      temperature,
      humidity: Math.min(96, Math.max(25, humidity)),
      ...(device.product === 'ED' && { co2: Math.round(470 + 700 * now.activity + 60 * air(at)) }),
      ...(device.product === 'TH' && { setPoint: Math.round(now.wanted * 2) / 2 }),
    }
  }
}

function powerMeter(device: DemoDevice, home: Home): (at: number) => Readings {
  const base = 90 + chanceOf(`${device.home} base`)() * 90
  const cooker = wanderer(`${device.home} cooker`, 30 * minute)
  const kettle = wanderer(`${device.home} kettle`, 10 * minute)
  const fridge = wanderer(`${device.home} fridge`, 17 * minute)
  const clamps = typeof device.traits['clamps'] === 'number' ? device.traits['clamps'] : 3
  return (at) => {
    const { activity } = home.at(at)
    const everyday = Math.round(base + (fridge(at) > 0.1 ? 85 : 4) + 260 * activity)
    const cooking = activity > 0.4 && cooker(at) > 0.35 ? Math.round(1900 * activity) : 0
    const boiling = activity > 0.15 && kettle(at) > 0.8 ? 2600 : 0
    const power = everyday + cooking + boiling
    if (clamps === 1) return { power, power1: power }
    if (clamps === 2) return { power, power1: everyday, power2: cooking + boiling }
    return { power, power1: everyday, power2: cooking, power3: boiling }
  }
}
