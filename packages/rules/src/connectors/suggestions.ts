import type { MetricKey } from '../telemetry/metrics.ts'
import { metrics } from '../telemetry/metrics.ts'
import { isYesNo, rangeOf } from './mapping.ts'
import type { DecodedSample, DecodedValue, MappingRow, MappingTarget, SensorEvent, SensorState } from './types.ts'
import { toOwnUnit, unitsOf } from './units.ts'

/** A name of a value, without case and separators, and the metric that it means. */
interface Name {
  metric: MetricKey
  names: RegExp
  /** Suggested only if the decoder or the end of the name states the unit. */
  needsUnit?: boolean
  words?: Readonly<Record<string, number>>
}

/** In order of precedence: the first name that matches a metric gets it. */
const names: readonly Name[] = [
  { metric: 'temperature', names: /^(air|ambient|room|indoor|internal|local)?temp(erature)?(sht)?$/ },
  { metric: 'outsideTemperature', names: /^(outside|outdoor)temp(erature)?$/ },
  { metric: 'humidity', names: /^(relative|air|ambient|room|indoor)?(humidity|hum|rh)(sht|relative)?$/ },
  { metric: 'co2', names: /^(co2|carbondioxide)(concentration|level)?$/ },
  { metric: 'tvoc', names: /^t?voc$/ },
  { metric: 'pm25', names: /^pm2?5$/ },
  { metric: 'pm10', names: /^pm10$/ },
  { metric: 'light', names: /^(light|lux|illuminance|illumination|luminosity|lightintensity)(lux)?$/ },
  { metric: 'noise', names: /^(noise|noiselevel|soundlevel(eq)?|soundaverage|laeq)$/ },
  { metric: 'airPressure', names: /^(air|barometric|atmospheric)?pressure$|^barometer$/ },
  { metric: 'presence', names: /^(presence|occupancy|occupied|pir(status)?|motion|motiondetected)$/ },
  {
    ...{ metric: 'opening', names: /^contact$/ },
    // Zigbee: the contact is true while the door is closed.
    words: { true: 0, false: 1, '1': 0, '0': 1, closed: 0, close: 0, open: 1 },
  },
  { metric: 'opening', names: /^(magnet|door|window|reed|opening)(status|state|open|contact|detection)?$/ },
  { metric: 'leak', names: /^(water)?leak(age)?(status|state|detected)?$|^flood$/ },
  { metric: 'coAlarm', names: /^(carbonmonoxide|coalarm)$/ },
  { metric: 'smokeAlarm', names: /^smoke(alarm|detected)?$/ },
  { metric: 'waterVolume', names: /^(water|total|meter)?volume$|^water(meter|consumption)$/, needsUnit: true },
  { metric: 'power', names: /^(active)?power$/, needsUnit: true },
  { metric: 'current', names: /^current(rms)?$/, needsUnit: true },
  { metric: 'valvePosition', names: /^(valve(position|opening)?|piheatingdemand)$/ },
  {
    metric: 'setPoint',
    names: /^(setpoint|(temperature|temp)target|target(temperature|temp)|(occupied|current)heatingsetpoint)$/,
  },
  { metric: 'batteryLevel', names: /^(battery|batterylevel|batterypercent(age)?|soc)$/ },
  { metric: 'batteryVoltage', names: /^(batteryvoltage|batv|vbat|vdd)$/ },
]
const states: readonly { state: SensorState; names: RegExp }[] = [
  { state: 'firmware', names: /^(firmware|firmwareversion|swversion)$/ },
  { state: 'tamper', names: /^tamper(status)?$/ },
  { state: 'switchedOn', names: /^(socketstatus|switchstatus|relaystatus)$/ },
  { state: 'thermostatMode', names: /^(systemmode|temperaturecontrolmode)$/ },
  { state: 'thermostatActivity', names: /^(runningstate|temperaturecontrolstatus)$/ },
  { state: 'lowBattery', names: /^(batterylow|lowbattery)$/ },
]
const events: readonly { event: SensorEvent; names: RegExp }[] = [
  { event: 'button', names: /^(press|action|click|button|buttonevent|buttonpress)$/ },
  { event: 'alarm', names: /^(alarm|gasstatus|temperatureexception|humidityexception)$/ },
  { event: 'testResult', names: /^(testresult|selftest|selftestresult)$/ },
]

/** Units at the end of names: `temperature_f`, `battery_mv`, `pressure_hpa`. */
const endings: Readonly<Record<string, string>> = {
  ...{ c: '°C', celsius: '°C', f: '°F', fahrenheit: '°F', k: 'K', percent: '%', pct: '%', ppm: 'ppm', ppb: 'ppb' },
  ...{ lux: 'lx', lx: 'lx', db: 'dB', dba: 'dB', hpa: 'hPa', kpa: 'kPa', pa: 'Pa', mbar: 'mbar', v: 'V', mv: 'mV' },
  ...{ a: 'A', ma: 'mA', w: 'W', kw: 'kW', l: 'l', litres: 'l', liters: 'l', m3: 'm³', ml: 'ml' },
}

/**
 * The suggested mapping of all values, by name and unit; a value that matches no metric, state or event is unused. A
 * unit that cannot be converted to the metric's own is never guessed.
 * @param units units by path, as far as the decoder knows them
 */
export function suggestMapping(
  samples: readonly DecodedSample[],
  units: Readonly<Record<string, string>> = {},
): MappingRow[] {
  const values = new Map<string, DecodedValue>()
  for (const sample of samples)
    for (const [path, value] of Object.entries(sample.values)) if (!values.has(path)) values.set(path, value)
  const taken = new Set<string>()
  const targets = new Map<string, MappingTarget>()
  const take = (path: string, name: string, target: MappingTarget) => {
    if (taken.has(name) || targets.has(path)) return
    taken.add(name)
    targets.set(path, target)
  }
  const fitting = [...values].flatMap(([path, value]) =>
    meaningOf(path).metrics.map((one) => ({ ...one, path, value })),
  )
  for (const { name, unit, path, value } of fitting.toSorted((a, b) => a.precedence - b.precedence)) {
    const target = targetOf(name, value, units[path] ?? unit)
    if (target) take(path, target.metric, target)
  }
  const voltage = voltageOf(values)
  if (voltage) take(voltage.path, 'batteryVoltage', voltage.target)
  for (const [path] of values) {
    const { state, event } = meaningOf(path)
    if (state) take(path, state, { to: 'state', state })
    if (event) targets.set(path, targets.get(path) ?? { to: 'event', event })
  }
  return [...values.keys()].map((path) => ({ path, ...(targets.get(path) ?? { to: 'unused' }) }))
}

/** The suggestion for a path, even if another path is used for the same target: 'Suggested: Presence'. */
export function suggestionFor(path: string, value: DecodedValue, unit?: string): MappingTarget | undefined {
  return suggestMapping([{ values: { [path]: value } }], unit === undefined ? {} : { [path]: unit }).find(
    ({ to }) => to !== 'unused',
  )
}

type MetricTarget = Extract<MappingTarget, { to: 'metric' }>

/** The possible meanings of a path according to its name alone, in order of precedence. */
interface Meaning {
  metrics: { precedence: number; name: Name; unit: string | undefined }[]
  state: SensorState | undefined
  event: SensorEvent | undefined
}
/** Every message of a sensor has the same paths. */
const meanings = new Map<string, Meaning>()
const mostMeanings = 5000

function meaningOf(path: string): Meaning {
  const known = meanings.get(path)
  if (known) return known
  const { word, ending } = partsOf(path)
  const whole = wholeWord(path)
  const meaning: Meaning = {
    metrics: names.flatMap((name, precedence) => {
      if (name.names.test(whole)) return [{ precedence, name, unit: undefined }]
      return name.names.test(word) ? [{ precedence, name, unit: ending }] : []
    }),
    state: states.find((one) => one.names.test(word))?.state,
    event: events.find((one) => one.names.test(word))?.event,
  }
  if (meanings.size >= mostMeanings) meanings.delete(meanings.keys().next().value!)
  meanings.set(path, meaning)
  return meaning
}

function targetOf(
  { metric, needsUnit, words }: Name,
  value: DecodedValue,
  unit: string | undefined,
): MetricTarget | undefined {
  const target = (of: string): MetricTarget => ({ to: 'metric', metric, unit: of, factor: 1, ...(words && { words }) })
  if (isYesNo(metric)) return typeof value === 'number' && value !== 0 && value !== 1 ? undefined : target('')
  if (typeof value !== 'number') return undefined
  if (unit !== undefined) return unitsOf(metric).includes(unit) ? target(unit) : undefined
  if (needsUnit) return undefined
  // Batteries are reported in %, in V or in mV under the same names.
  if (metric === 'batteryLevel' && !Number.isInteger(value) && value < 5) return undefined
  if (metric === 'batteryVoltage') return target(value > 100 ? 'mV' : 'V')
  return target(metrics[metric].unit)
}

/** A plain voltage is the battery's if the sensor also reports a battery; for a smart plug it is the mains voltage. */
function voltageOf(values: ReadonlyMap<string, DecodedValue>): { path: string; target: MetricTarget } | undefined {
  const voltage = values.get('voltage')
  if (typeof voltage !== 'number' || !values.has('battery')) return undefined
  const unit = voltage > 100 ? 'mV' : 'V'
  const own = toOwnUnit('batteryVoltage', voltage, unit)
  if (own === undefined || own > rangeOf('batteryVoltage').max) return undefined
  return { path: 'voltage', target: { to: 'metric', metric: 'batteryVoltage', unit, factor: 1 } }
}

const lastPart = (path: string) => path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path
/** `Temperature_3` is channel 3 of a temperature; `TempC_SHT` and `temperature_c` have their unit in the name. */
const wholeWord = (path: string) =>
  lastPart(path)
    .replace(/(?<=[a-z])[_-]\d+$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

function partsOf(path: string): { word: string; ending?: string } {
  const parts = lastPart(path)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const at = parts.findLastIndex((part, place) => place > 0 && Object.hasOwn(endings, part))
  if (at < 0) return { word: parts.filter((part, place) => place === 0 || !/^\d+$/.test(part)).join('') }
  return { word: parts.toSpliced(at, 1).join(''), ending: endings[parts[at]!]! }
}
