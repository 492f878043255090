import { isMetricKey, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { dateTimeText } from '../ui/age.ts'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

/** A reported value as a row of label and text. */
export interface ReportedRow {
  id: string
  label: string
  text: string
  /** The unit, shown smaller. */
  unit?: string
}

/** The reported values of a device as rows sorted by label; parts of a group are prefixed with its name. */
export function reportedRows(reported: Readonly<Record<string, unknown>>, zone: string): ReportedRow[] {
  return rowsOf(once(reported), '', zone).sort((a, b) => inNaturalOrder(a.label, b.label))
}

/** A fault is shown with its code, so separate code fields are dropped. */
function once(reported: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { faultCode, ...others } = reported
  if (faultCode === undefined) return reported
  return isFields(reported['fault']) ? others : { ...others, fault: faultCode }
}

/** Display names for fields of the device link. */
const known: Readonly<Record<string, string>> = {
  chMaxLimited: 'CH max limited',
  faultSource: 'Source',
  installedAs: 'Installed as',
  networkJoined: 'Joined to its network',
  relays: 'Relay',
  remoteResetSupported: 'Remote reset possible',
  runningTest: 'Running test',
  inhibited: 'Lamp inhibited',
  timestamp: 'Since',
}
const knownValues: Readonly<Record<string, string>> = {
  airSourceHeatPump: 'Air source heat pump',
  HeatPump: 'Heat pump',
}

function rowsOf(fields: Readonly<Record<string, unknown>>, group: string, zone: string): ReportedRow[] {
  return Object.entries(fields).flatMap(([key, value]): ReportedRow[] => {
    if (value === null || value === undefined || value === '') return []
    const part = partOf(group, key)
    const label = group ? `${group}${/^\d+$/.test(part) ? '' : ','} ${part}` : wordsOf(key)
    if (isFields(value)) return rowsOf(value, label, zone)
    const id = `${group}/${key}`
    if (isInstant(key, value)) return [{ id, label, text: dateTimeText(value, zone) }]
    return isMetricKey(key) && typeof value === 'number'
      ? [{ id, label: group ? label : metrics[key].label, text: textOf(value, zone), unit: unitOf(metrics[key].unit) }]
      : [{ id, label, text: textOf(value, zone) }]
  })
}

/** In the device link, fields named like this are in ms since the epoch: 'mainsSince', 'timestamp'. */
const instantName = /(^since|Since|^at|At|^timestamp|Timestamp)$/
/** No device is older; smaller numbers are durations. */
const firstInstant = Date.UTC(2000, 0)

const isInstant = (key: string, value: unknown): value is number =>
  typeof value === 'number' && instantName.test(key) && value >= firstInstant

/**
 * The name of a part without its group: in a fault, 'faultCode' becomes 'code' and 'isResettable' becomes 'resettable'.
 */
function partOf(group: string, key: string): string {
  if (/^\d+$/.test(key)) return key
  const words = wordsOf(key).toLowerCase()
  const rest = [group.toLowerCase(), 'is'].find((start) => words.startsWith(`${start} `))
  return rest ? words.slice(rest.length + 1) : words
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

function textOf(value: unknown, zone: string): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return value.toLocaleString('en-GB', { maximumFractionDigits: 2 })
  if (typeof value !== 'string') return JSON.stringify(value)
  return instant.test(value) ? dateTimeText(value, zone) : (knownValues[value] ?? value)
}

function unitOf(unit: string): string {
  return unit === 'count' ? '' : unit
}

/** A key without a display name is split into words: 'chMaxLimit' as 'Ch max limit'. */
function wordsOf(key: string): string {
  const knownLabel = known[key]
  if (knownLabel !== undefined) return knownLabel
  const spaced = key.replaceAll(/[_-]+/g, ' ').replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[a-z])(?=\d)/g, ' ')
  const lower = spaced.replaceAll(/\b[A-Z][a-z]/g, (start) => start.toLowerCase())
  return lower.charAt(0).toUpperCase() + lower.slice(1)
}
