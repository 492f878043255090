import type { ByteSegment, Decoded, DecodedSample, DecodedValue } from '../types.ts'

/** Storage format of a number. */
export type Kind = 'u8' | 'i8' | 'u16' | 'i16' | 'i24' | 'u32' | 'i32' | 'f32'
const sizes: Record<Kind, number> = { u8: 1, i8: 1, u16: 2, i16: 2, i24: 3, u32: 4, i32: 4, f32: 4 }

/** Bits of a number, counted from the lowest. */
export interface Bits {
  path: string
  from: number
  count: number
  divisor?: number
  offset?: number
  unit?: string
  words?: Readonly<Record<number, string>>
}

/** One number of a payload. */
export interface Field {
  kind: Kind
  /** Omitted for bytes that are skipped. */
  path?: string
  /** Value = number / divisor + offset. */
  divisor?: number
  offset?: number
  unit?: string
  /** Texts for numbers; other numbers stay numbers. */
  words?: Readonly<Record<number, string>>
  /** True for every number except 0. */
  isFlag?: boolean
  /** The first byte is the major version, the digits of the second byte are the minor version: 'v1.10'. */
  isVersion?: boolean
  /** Numbers that mean 'no value'. */
  none?: readonly number[]
  /** Several values packed into one number. */
  bits?: readonly Bits[]
  /** The number is the time of the values after it, in s since the epoch; they form a sample of their own. */
  isTime?: boolean
}

/** Fields in the order of their bytes. */
export type Entry = readonly Field[]

/** A measured field, such as 'temperature': an i16 in tenths of °C. */
export const value = (path: string, kind: Kind, unit?: string, divisor?: number, more: Partial<Field> = {}): Field => ({
  path,
  kind,
  ...(unit !== undefined && { unit }),
  ...(divisor !== undefined && { divisor }),
  ...more,
})
/** A field whose numbers mean words. */
export const choice = (path: string, words: Readonly<Record<number, string>>): Field => ({ path, kind: 'u8', words })
export const flag = (path: string): Field => ({ path, kind: 'u8', isFlag: true })
/** Bytes that are skipped. */
export const skip = (count: number): Entry => Array.from({ length: count }, () => ({ kind: 'u8' }))

export const sizeOf = (entry: Entry): number => entry.reduce((sum, { kind }) => sum + sizes[kind], 0)

/** Reads a payload and collects the decoded values. */
export class PayloadReader {
  readonly view: DataView
  readonly bytes: Uint8Array
  readonly isLittleEndian: boolean
  at = 0
  readonly own: DecodedSample = { values: {} }
  readonly dated: DecodedSample[] = []
  readonly warnings: string[] = []
  readonly units: Record<string, string> = {}
  readonly segments: ByteSegment[] = []

  constructor(bytes: Uint8Array, isLittleEndian: boolean) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.isLittleEndian = isLittleEndian
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  number(kind: Kind, at: number): number {
    const { view, isLittleEndian } = this
    switch (kind) {
      case 'u8':
        return view.getUint8(at)
      case 'i8':
        return view.getInt8(at)
      case 'u16':
        return view.getUint16(at, isLittleEndian)
      case 'i16':
        return view.getInt16(at, isLittleEndian)
      case 'i24':
        // The sign is in the highest byte: the last in little-endian, the first in big-endian.
        return isLittleEndian
          ? view.getUint16(at, true) + view.getInt8(at + 2) * 65_536
          : view.getInt8(at) * 65_536 + view.getUint16(at + 1)
      case 'u32':
        return view.getUint32(at, isLittleEndian)
      case 'i32':
        return view.getInt32(at, isLittleEndian)
      case 'f32':
        return view.getFloat32(at, isLittleEndian)
    }
  }

  /** Reads the fields of an entry from the current position; false if the payload ends first. */
  read(entry: Entry, start = this.at, repeated?: string): boolean {
    if (this.left < sizeOf(entry)) {
      this.stop(start, 'the payload ends too early')
      return false
    }
    let sample = this.own
    const paths: string[] = []
    for (const field of entry) {
      const number = this.number(field.kind, this.at)
      this.at += sizes[field.kind]
      if (field.isTime) {
        sample = { measuredAt: number * 1000, values: {} }
        this.dated.push(sample)
      }
      for (const bits of field.bits ?? []) {
        const part = Math.floor(number / 2 ** bits.from) % 2 ** bits.count
        paths.push(this.keep(sample, bits.path, read(part, bits), bits.unit))
      }
      if (!field.path) continue
      const path = repeated ? `${field.path}_${repeated}` : field.path
      if (field.none?.includes(number)) this.warnings.push(`${path}: the sensor has no value`)
      else paths.push(this.keep(sample, path, read(number, field), field.unit))
    }
    this.segments.push({ start, end: this.at, paths })
    return true
  }

  /** If a payload has the same value twice, the last one counts. */
  private keep(sample: DecodedSample, path: string, one: DecodedValue, unit: string | undefined): string {
    sample.values[path] = one
    if (unit !== undefined) this.units[path] = unit
    return path
  }

  /** Stops at unreadable bytes: their length is unknown, so nothing after them can be read. */
  stop(start: number, reason: string): void {
    const rest = this.bytes.length - start
    this.warnings.push(`Byte ${start + 1}: ${reason}. ${rest} ${rest === 1 ? 'byte was' : 'bytes were'} not read`)
    this.segments.push({ start, end: this.bytes.length, paths: [] })
    this.at = this.bytes.length
  }

  result(): Omit<Decoded, 'decoder'> {
    const { own, dated, warnings, units, segments } = this
    const samples = [...(Object.keys(own.values).length ? [own] : []), ...dated]
    const errors = samples.length || !warnings.length ? [] : ['Nothing in this payload could be read']
    return { samples, warnings, errors, units, segments }
  }
}

/** Avoids rounding errors of binary fractions: 281 tenths are 28.1. */
function read(
  number: number,
  {
    divisor = 1,
    offset = 0,
    words,
    isFlag,
    isVersion,
  }: Pick<Field, 'divisor' | 'offset' | 'words' | 'isFlag' | 'isVersion'>,
): DecodedValue {
  if (isFlag) return number !== 0
  if (isVersion) return `v${number % 256}.${Math.floor(number / 256).toString(16)}`
  if (words && Object.hasOwn(words, number)) return words[number]!
  if (divisor === 1 && offset === 0) return Number.isInteger(number) ? number : Number(number.toPrecision(7))
  return Number((number / divisor + offset).toPrecision(12))
}

export const hex = (byte: number) => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`
