import { splitSerialNumber } from '../devices/serial-number.ts'
import { holdsWebAddress, webAddressFault } from '../links/web-address.ts'
import type { SheetCell } from './cells.ts'
import { monthCalled } from './days.ts'
import type { Fault } from './fields.ts'
import { brokenCell } from './fields.ts'

/** Most characters of a property's reference (estate specification, section 5). */
export const longestReference = 30

/** A reference as it is compared: blanks of any kind and the case of letters do not count. */
export const referenceKey = (reference: string): string => reference.replaceAll(/\s/g, '').toLowerCase()

/** The name of a building or a floor as it is kept. */
export const cleanedName = (name: string): string => name.replaceAll(/\s+/g, ' ').trim()

export const floorKey = (name: string): string => cleanedName(name).toLowerCase()

/**
 * The reference that a cell holds. What a spreadsheet made a number or a day of is not one: nobody can know what was meant,
 * unless a home bears these very digits, or all references of the sheet are numbers. `offer` is the one stored reference
 * that would have become this.
 */
export function referenceIn(
  cell: SheetCell | undefined,
  {
    stored,
    lookalikes,
    allNumbers,
  }: { stored: (key: string) => boolean; lookalikes: readonly string[]; allNumbers: boolean },
): { reference: string } | (Fault & { offer?: string }) {
  if (!cell) return { reason: 'required', message: 'Property reference is missing' }
  const broken = brokenCell(cell)
  if (broken) return broken
  const reference = cell.text.trim()
  const isPlain = cell.shown === undefined && /^\d+$/.test(reference)
  if (cell.kind === 'number' && !(isPlain && (allNumbers || stored(referenceKey(reference))))) {
    const made = isPlain
      ? 'A number stands where references are text.'
      : `The spreadsheet made a number of this reference (shown as ${cell.shown ?? cell.text}).`
    return offered(
      'spreadsheet-number',
      made,
      lookalikes.filter((one) => becomesNumber(one) === Number(cell.text)),
    )
  }
  if (cell.kind === 'day') {
    const made = `The spreadsheet made a date of this reference (shown as ${cell.shown ?? cell.text}).`
    return offered(
      'spreadsheet-date',
      made,
      lookalikes.filter((one) => becomesDay(one) === cell.text.slice(5)),
    )
  }
  if ([...reference].length > longestReference)
    return { reason: 'too-long', message: `Property reference must be under ${longestReference} characters` }
  if (holdsWebAddress(reference)) return { reason: 'web-address', message: `Property reference ${webAddressFault}` }
  return { reference }
}

function offered(reason: Fault['reason'], made: string, candidates: readonly string[]) {
  const [offer] = candidates
  if (offer === undefined || candidates.length > 1) return { reason, message: made }
  return { reason, message: `${made} Did you mean '${offer}'?`, offer }
}

/** Whether a spreadsheet would make something else of a reference when it opens a text file. */
export const isMisread = (reference: string): boolean =>
  becomesNumber(reference) !== undefined || becomesDay(reference) !== undefined

const becomesNumber = (reference: string): number | undefined =>
  /^(\d+E\d+|0\d+)$/i.test(reference) ? Number(reference) : undefined

/** Month and day, `03-02`. */
function becomesDay(reference: string): string | undefined {
  const parts = /^(\d{1,2})[-/ ]([A-Za-z]{3,9})$/.exec(reference)
  const month = parts && monthCalled(parts[2]!)
  if (!parts || !month) return undefined
  return `${String(month).padStart(2, '0')}-${parts[1]!.padStart(2, '0')}`
}

/** The serial number that a cell holds, in capitals and without what people put between its signs. */
export function serialIn(cell: SheetCell | undefined): { serial: string; note?: string } | Fault {
  if (!cell) return { reason: 'required', message: 'Serial number is missing' }
  const broken = brokenCell(cell)
  if (broken) return broken
  const serial = cell.text
    .toUpperCase()
    .replace(/^[\s'’]*S\/N\s*/, '')
    .replaceAll(/[\s\-.'’]/g, '')
  if (!/^[A-Z]{2,4}[A-Z0-9]?\d{4,}[A-Z0-9]$/.test(serial))
    return { reason: 'serial', message: `'${cell.text.trim()}' is not a serial number` }
  const { product, productCode } = splitSerialNumber(serial)
  if (!product) return { reason: 'product-unknown', message: `'${productCode}' is not a known product` }
  return { serial, ...(serial !== cell.text && { note: `Read as ${serial}` }) }
}

/** An address as it is compared: two homes behind one door are usual, but worth a look. */
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

const floorsInWords: readonly (readonly [RegExp, string])[] = [
  [/^lower ground( floor)?$/, 'LG'],
  [/^ground( floor)?$/, 'G'],
  [/^basement$/, 'B'],
  [/^roof$/, 'Roof'],
  ...['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'].map(
    (word, at) => [new RegExp(`^${word} floor$`), String(at + 1)] as const,
  ),
]

/** The floor that a line between the rows names (`LEVEL 2`, `GROUND FLOOR`); undefined for any other line. */
export function floorOfLine(text: string): string | undefined {
  const line = cleanedName(text).toLowerCase()
  const numbered = /^(?:level|floor) (\S+)$/.exec(line)
  if (numbered) return numbered[1]!.toUpperCase()
  return floorsInWords.find(([words]) => words.test(line))?.[1]
}
