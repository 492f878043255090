import { isMetricKey, metrics } from '../telemetry/metrics.ts'

/** Formats a value with its unit; undefined for an invalid value. */
export type Read = (value: unknown, circumstances: Circumstances) => string | undefined

export interface Circumstances {
  /** Formats an instant (ms since the epoch). */
  time: (at: number) => string
}

/** How a field of a state, argument or answer is shown: its label and its value. */
export type Field = { words: string; unit?: string; read: Read } | { words: string; fields: Fields }
/** Fields by name; `*` matches numbered ones. */
export type Fields = Readonly<Record<string, Field>>

const text: Read = (value) => (typeof value === 'string' ? value : undefined)
const number: Read = (value) =>
  typeof value === 'number' && Number.isFinite(value)
    ? value.toLocaleString('en-GB', { maximumFractionDigits: 2 })
    : undefined
const flag =
  (yes: string, no: string): Read =>
  (value) =>
    typeof value === 'boolean' ? (value ? yes : no) : undefined
const yesNo = flag('yes', 'no')
const onOff = flag('on', 'off')
/** Null means none. */
const orNone =
  (read: Read): Read =>
  (value, circumstances) =>
    value === null || value === 'None' ? 'none' : read(value, circumstances)
const instant: Read = (value, { time }) => {
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? time(at) : undefined
}

/** A schedule as its number of set points: a week would not fit into a line. */
const pointCount: Read = (value) => {
  if (typeof value !== 'object' || value === null) return undefined
  const count = Object.values(value).flat().length
  return count === 1 ? '1 set point' : `${count} set points`
}

/** The reported fields, as named by the device link. Other fields are marked as unknown. */
export const stateFields: Fields = {
  firmware: { words: 'Firmware', read: text },
  monitoring: { words: 'Monitors', read: text },
  networkJoined: { words: 'In the network', read: yesNo },
  runningTest: { words: 'Running test', read: orNone(text) },
  mains: { words: 'Mains', read: yesNo },
  mainsSince: { words: 'Mains since', read: instant },
  inhibited: { words: 'Lamp inhibited', read: yesNo },
  batteryFull: { words: 'Battery full', read: yesNo },
  installedAs: { words: 'Installed as', read: text },
  thermostatKind: { words: 'Thermostat', read: text },
  remoteResetSupported: { words: 'Remote reset possible', read: yesNo },
  faultCode: { words: 'Fault code', read: orNone(text) },
  fault: {
    words: 'Fault',
    fields: {
      faultCode: { words: 'code', read: text },
      description: { words: 'description', read: text },
      timestamp: { words: 'since', read: instant },
      faultSource: { words: 'source', read: text },
      isResettable: { words: 'can be reset', read: yesNo },
    },
  },
  relays: { words: 'Relay', fields: { '*': { words: '', read: onOff } } },
  takesSchedules: { words: 'Supports schedules', read: yesNo },
  schedules: {
    words: 'Schedule',
    fields: { heating: { words: 'heating', read: pointCount }, hotWater: { words: 'hot water', read: pointCount } },
  },
  supplyHeld: { words: 'Electricity held off', read: yesNo },
  supply: { words: 'Electricity', read: onOff },
  firing: { words: 'Firing', read: yesNo },
  chMax: { words: 'CH max', unit: '°C', read: number },
  chLimit: { words: 'CH max limited', read: yesNo },
  dhwSetPoint: { words: 'DHW set point', unit: '°C', read: number },
  buzzer: { words: 'Buzzer', read: onOff },
  chMaxSupported: { words: 'Supports CH max', read: yesNo },
  supportsDhwSetPoint: { words: 'Supports a DHW set point', read: yesNo },
  hasBuzzer: { words: 'Has a buzzer', read: yesNo },
  boilerManufacturer: { words: 'Manufacturer', read: text },
  boilerModel: { words: 'Boiler model', read: text },
  boilerGc: { words: 'GC number', read: text },
  eui64: { words: 'Radio address', read: text },
}

/** The arguments of commands. */
export const argumentFields: Fields = {
  testType: { words: 'test', read: text },
  runId: { words: 'of run', read: text },
  chSetPoint: { words: 'to', unit: '°C', read: number },
  dhwSetPoint: { words: 'to', unit: '°C', read: number },
  isLimited: { words: '', read: onOff },
  isHeld: { words: '', read: onOff },
  minutes: { words: 'for', unit: 'min', read: number },
  relay: { words: 'relay', read: (value, circumstances) => text(value, circumstances) ?? number(value, circumstances) },
  on: { words: '', read: onOff },
}

const units: Readonly<Record<string, string>> = { count: '', Hours: 'h' }

/** The rule for a field: its own, the rule for numbered fields, or the rule for the measurement of the same name. */
export function fieldOf(fields: Fields, name: string): Field | undefined {
  if (Object.hasOwn(fields, name)) return fields[name]
  if (Object.hasOwn(fields, '*') && /^\d+$/.test(name)) return fields['*']
  return isMetricKey(name) ? metricField(name) : undefined
}

/** A measurement with the label and unit of the metrics catalogue. */
function metricField(key: keyof typeof metrics): Field {
  const { label, unit } = metrics[key]
  return { words: label, unit: units[unit] ?? unit, read: number }
}
