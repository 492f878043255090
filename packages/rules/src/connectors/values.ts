import type { DecodedValue } from './types.ts'

/** The most values that are read from one object. */
export const mostValues = 200
/** The most values beyond that limit that are named. */
const mostNamed = 50
const deepest = 8
const longestText = 500

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The part of a parsed JSON value at a path such as `device.id` or `readings.0.value`; undefined if there is none. */
export function valueAt(json: unknown, path: string): unknown {
  let part = json
  for (const name of path.split('.')) {
    if (Array.isArray(part)) part = /^\d+$/.test(name) ? part[Number(name)] : undefined
    else if (isRecord(part)) part = Object.hasOwn(part, name) ? part[name] : undefined
    else return undefined
  }
  return part
}

/** All numbers, texts and booleans of an object, by path. Empty values are left out. */
export function flatten(json: unknown): {
  values: Record<string, DecodedValue>
  /** The values beyond the limit, which are not read. */
  beyond: Record<string, DecodedValue>
} {
  const [values, beyond] = [new Map<string, DecodedValue>(), new Map<string, DecodedValue>()]
  const add = (path: string, value: DecodedValue) => {
    if (values.size < mostValues) values.set(path || 'value', value)
    else beyond.set(path, value)
  }
  const walk = (part: unknown, path: string, depth: number) => {
    if (beyond.size >= mostNamed || depth > deepest) return
    if (typeof part === 'boolean' || (typeof part === 'number' && Number.isFinite(part))) add(path, part)
    else if (typeof part === 'string') add(path, part.slice(0, longestText))
    else if (Array.isArray(part)) for (const [at, one] of part.entries()) walk(one, join(path, String(at)), depth + 1)
    else if (isRecord(part)) for (const name of Object.keys(part)) walk(part[name], join(path, name), depth + 1)
  }
  walk(json, '', 0)
  return { values: Object.fromEntries(values), beyond: Object.fromEntries(beyond) }
}

const join = (path: string, name: string) => (path ? `${path}.${name}` : name)

/** A text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

/** A finite number, even if it is written as a text: ChirpStack and The Things Stack write 64-bit numbers as texts. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** An instant in ms from ISO 8601, or from seconds or milliseconds since the epoch; undefined for other values. */
export function instantOf(value: unknown): number | undefined {
  const number = numberOf(value)
  // Seconds until the year 2286, milliseconds from 1970-04-27 on: no instant between them is ambiguous.
  if (number !== undefined) return number > 0 ? Math.trunc(number < 1e10 ? number * 1000 : number) : undefined
  const text = textOf(value)
  // A time without a zone is UTC: the clock of this machine must not decide.
  const at = text && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(withZone(text)) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

const withZone = (text: string) => (/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`).replace(' ', 'T')

/** A DevEUI or IEEE address in its canonical form, or the key as it is. */
export function deviceKeyOf(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : textOf(value)
  if (!text) return undefined
  const digits = text.replace(/^(0x|eui-)/i, '').replaceAll(/[-:]/g, '')
  return /^[0-9a-f]{16}$/i.test(digits) ? digits.toUpperCase() : text.slice(0, 200)
}

/** The bytes of a base64 text; undefined if the text is not base64. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length > 4096 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return undefined
  const text = atob(value.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (one) => one.charCodeAt(0))
}

/** A property that is left out if it has no value. */
export function optional<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [key in K]?: V }
}
