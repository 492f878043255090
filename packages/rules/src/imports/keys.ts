import { splitSerialNumber } from '../devices/serial-number.ts'
import { searchForm } from '../texts/search-form.ts'
import { holdsWebAddress, webAddressFault } from '../links/web-address.ts'
import { bareSigns, isDisguised, plainSigns } from './alike.ts'
import type { SheetCell } from './cells.ts'
import { monthCalled } from './days.ts'
import type { Fault } from './fields.ts'
import { brokenCell } from './fields.ts'

/** Longest property reference, in characters (estate specification, section 5). */
export const longestReference = 30

/** A reference for comparison: ignores whitespace and letter case. */
export const referenceKey = (reference: string): string =>
  reference.normalize('NFC').replaceAll(/\s/g, '').toLowerCase()

/** The name of a building or floor as stored. */
export const cleanedName = (name: string): string => name.replaceAll(/\s+/g, ' ').trim()

/** A floor name in lower case, to distinguish floors whose search keys are equal. */
export const exactFloorKey = (name: string): string => cleanedName(name).toLowerCase()

/** The search key of a floor. */
export const floorKey = (name: string): string => searchForm(cleanedName(name))

/** A question about a reference: whether another one is meant, or the written one. */
export interface ReferenceQuestion extends Fault {
  /** The only likely intended reference. */
  offer?: string
  /** The reference as written; undefined if it is not a valid one. */
  written?: string
}

/**
 * The reference in a cell. A value that a spreadsheet has altered, or that merely looks like a reference, raises a
 * question, unless a property has exactly this reference or all references of the sheet are numbers.
 */
export function referenceIn(
  cell: SheetCell | undefined,
  { stored, lookalikes, allNumbers }: { stored: (key: string) => boolean; lookalikes: Lookalikes; allNumbers: boolean },
): { reference: string } | ReferenceQuestion {
  if (!cell) return { reason: 'required', message: 'Property reference is missing' }
  const broken = brokenCell(cell)
  if (broken) return broken
  const reference = cell.text.trim()
  const isStored = stored(referenceKey(reference))
  if (cell.kind === 'number') {
    const isPlain = cell.shown === undefined && /^\d+$/.test(reference)
    const candidates = lookalikes(cell)
    if (isPlain && (isStored || (allNumbers && candidates.length === 0))) return { reference }
    const made = isPlain
      ? 'The reference is a number; other references are text.'
      : `The spreadsheet turned this reference into a number (shown as ${cell.shown ?? cell.text}).`
    return asked('spreadsheet-number', made, { candidates, written: reference })
  }
  if (cell.kind === 'day') {
    const shown = cell.shown ?? cell.text
    const made = `The spreadsheet turned this reference into a date (shown as ${shown}).`
    return asked('spreadsheet-date', made, { candidates: lookalikes(cell), written: shown })
  }
  const fault = referenceFault(reference)
  if (fault) return fault
  if (isStored) return { reference }
  const plain = plainSigns(reference)
  if (isDisguised(reference)) {
    const candidates = lookalikes(cell)
    const made = 'This reference contains invisible characters or look-alike letters.'
    return asked('reference-alike', made, { candidates: candidates.length ? candidates : [plain], written: reference })
  }
  if (inExponent.test(reference)) {
    const made = 'A spreadsheet seems to have shortened this reference: its last digits are lost.'
    return asked('spreadsheet-number', made, { candidates: lookalikes(cell), written: reference })
  }
  // The stored reference may be the one without leading zeros.
  const bare = /^0\d+$/.test(reference) ? withoutZeros(reference) : undefined
  const unaccented = bareSigns(reference)
  const simpler = [bare, unaccented === reference ? undefined : unaccented].find(
    (one) => one !== undefined && stored(referenceKey(one)),
  )
  const candidates = simpler === undefined ? lookalikes(cell) : [simpler]
  if (candidates.length === 0) return { reference }
  const made = /^\d+$/.test(reference)
    ? 'A spreadsheet seems to have changed the digits of this reference.'
    : 'An existing reference looks the same.'
  return asked('reference-alike', made, { candidates, written: reference })
}

/** Why a text cannot be a reference. */
export function referenceFault(reference: string): Fault | undefined {
  if ([...reference].length > longestReference)
    return { reason: 'too-long', message: `Property reference must be under ${longestReference} characters` }
  if (holdsWebAddress(reference)) return { reason: 'web-address', message: `Property reference ${webAddressFault}` }
  return undefined
}

/** The error as a question that offers the likely reference. */
export function asked(
  reason: Fault['reason'],
  made: string,
  { candidates, written }: { candidates: readonly string[]; written: string },
): ReferenceQuestion {
  const [offer] = candidates
  if (offer === undefined || candidates.length > 1) return { reason, message: made, written }
  return { reason, message: `${made} Did you mean '${offer}'?`, offer, written }
}

/** The exponent format of spreadsheets, always with a sign. */
const inExponent = /^\d(?:\.(\d+))?E\+\d+$/i

/** Whether a spreadsheet would alter a reference when opening a text file, or another reference looks like it. */
export const isMisread = (reference: string): boolean =>
  digitsOf(reference) !== undefined || becomesDay(reference) !== undefined || bareSigns(reference) !== reference

/** The stored references that a spreadsheet may have turned into a cell's value, or that look like it. */
export type Lookalikes = (cell: SheetCell) => readonly string[]

/** Finds look-alikes among references for which `isMisread` holds. */
export function lookalikesAmong(references: readonly string[]): Lookalikes {
  const by = (keyOf: (reference: string) => string | undefined) => {
    const found = new Map<string, string[]>()
    for (const reference of references) {
      const key = keyOf(reference)
      if (key === undefined) continue
      const same = found.get(key)
      if (same) same.push(reference)
      else found.set(key, [reference])
    }
    return found
  }
  const digits = by(digitsOf)
  const days = by(becomesDay)
  const bare = by((reference) => {
    const signs = bareSigns(reference)
    return signs === reference ? undefined : referenceKey(signs)
  })
  /** By the number of decimals in exponent form. */
  const exponents = new Map<number, ReadonlyMap<string, string[]>>()
  const shortened = (text: string, decimals: number) => {
    const found =
      exponents.get(decimals) ??
      by((reference) => {
        const own = digitsOf(reference)
        return own === undefined ? undefined : Number(own).toExponential(decimals)
      })
    exponents.set(decimals, found)
    return found.get(Number(text).toExponential(decimals))
  }
  return (cell) => {
    if (cell.kind === 'day') return days.get(cell.text.slice(5)) ?? []
    if (cell.kind !== 'text' && cell.kind !== 'number') return []
    const text = plainSigns(cell.text.trim())
    const key = referenceKey(cell.text)
    if (/^\d+$/.test(text)) {
      const kept = spreadsheetDigits(text)
      // Digits after the fifteenth are a spreadsheet's only if they are zeros.
      const isKept = kept === withoutZeros(text)
      return (digits.get(kept) ?? []).filter(
        (one) => referenceKey(one) !== key && (isKept || withoutZeros(one) === withoutZeros(text)),
      )
    }
    const exponent = inExponent.exec(text)
    if (exponent) return shortened(text, exponent[1]?.length ?? 0) ?? []
    return (bare.get(referenceKey(bareSigns(text))) ?? []).filter((one) => referenceKey(one) !== key)
  }
}

const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '')

/** Digits as a spreadsheet stores them: no leading zeros, fifteen significant digits. */
const spreadsheetDigits = (digits: string): string => {
  const bare = withoutZeros(digits)
  return bare.slice(0, 15) + '0'.repeat(Math.max(0, bare.length - 15))
}

/** The digits that a spreadsheet stores for a reference that it reads as a number, if they or their display differ. */
function digitsOf(reference: string): string | undefined {
  if (/^\d+E\d+$/i.test(reference)) {
    const number = Number(reference)
    return number < 1e21 ? spreadsheetDigits(String(number)) : undefined
  }
  // From twelve digits on a cell shows an exponent, which is then saved in a text file.
  return /^0\d+$|^\d{12,}$/.test(reference) ? spreadsheetDigits(reference) : undefined
}

/** Month and day, `03-02`. */
function becomesDay(reference: string): string | undefined {
  const parts = /^(\d{1,2})[-/ ]([A-Za-z]{3,9})$/.exec(reference)
  const month = parts && monthCalled(parts[2]!)
  if (!parts || !month) return undefined
  return `${String(month).padStart(2, '0')}-${parts[1]!.padStart(2, '0')}`
}

/** The serial number in a cell: upper case, without separators. */
export function serialIn(cell: SheetCell | undefined): { serial: string; note?: string } | Fault {
  if (!cell) return { reason: 'required', message: 'Serial number is missing' }
  const broken = brokenCell(cell)
  if (broken) return broken
  const serial = plainSigns(cell.text)
    .toUpperCase()
    .replace(/^[\s'’]*S\/N\s*/, '')
    .replaceAll(/[\s\-.'’]/g, '')
  if (!/^[A-Z]{2,4}[A-Z0-9]?\d{4,}[A-Z0-9]$/.test(serial))
    return { reason: 'serial', message: `'${cell.text.trim()}' is not a serial number` }
  const { product, productCode } = splitSerialNumber(serial)
  if (!product) return { reason: 'product-unknown', message: `'${productCode}' is not a known product` }
  return { serial, ...(serial !== cell.text && { note: `Read as ${serial}` }) }
}

/** An address for comparison: shared addresses are common but worth checking. */
export function addressKey(parts: readonly (string | undefined)[]): string {
  const words: Readonly<Record<string, string>> = {
    rd: 'road',
    st: 'street',
    ave: 'avenue',
    ln: 'lane',
    cl: 'close',
    dr: 'drive',
  }
  return parts
    .join(' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => words[word] ?? word)
    .join(' ')
}

/** A property's address for comparison with stored ones: its lines and the postcode, which implies the town. */
export function homeAddressKey(
  lines: readonly (string | null | undefined)[],
  postcode: string | null | undefined,
): string {
  const lineKey = addressKey(lines.map((line) => line ?? undefined))
  const code = (postcode ?? '').replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
  return lineKey === '' || code === '' ? '' : `${lineKey} ${code}`
}

const floorsInWords: readonly (readonly [RegExp, string])[] = [
  [/^lower ground( floor)?$/, 'LG'],
  [/^ground( floor)?$/, 'G'],
  [/^basement$/, 'B'],
  [/^roof$/, 'Roof'],
  ...['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'].map(
    (word, at) => [new RegExp(`^${word} floor$`), String(at + 1)] as const,
  ),
]

/** The floor named in a line between the rows (`LEVEL 2`, `GROUND FLOOR`); undefined for other lines. */
export function floorOfLine(text: string): string | undefined {
  const line = cleanedName(text).toLowerCase()
  const numbered = /^(?:level|floor) (\S+)$/.exec(line)
  if (numbered) return numbered[1]!.toUpperCase()
  return floorsInWords.find(([words]) => words.test(line))?.[1]
}
