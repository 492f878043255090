import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { Encoding, SheetCell, SheetRow } from '@caretaker/rules/imports/cells.ts'
import { importLimits, textCell } from '@caretaker/rules/imports/cells.ts'
import { withoutGuard } from '@caretaker/rules/files/csv.ts'
import type { Decoded } from './encoding.ts'
import { decode, mixedMark } from './encoding.ts'
import { UnreadableFile } from './unreadable.ts'
import type { OpenFile } from './open-file.ts'

const separators = { ';': ';', ',': ',', '\t': 'tab', '|': '|' } as const

/** A file of separated values, in the chosen encoding or the one detected from its bytes. */
export function readText(bytes: Buffer, chosen: Encoding | null): OpenFile {
  const decoded = decode(bytes, chosen)
  const { text, code } = decoded
  if (isBinary(text)) throw new UnreadableFile('type')
  const separator = separatorOf(text)
  const sheet = { name: '', hidden: false, hiddenColumns: [] }
  return {
    sheets: [sheet],
    format: { encoding: encodingText(decoded), code, separator: separators[separator], examples: examplesIn(text) },
    rows: () => rowsOf(text, separator),
  }
}

const encodingText = ({ code, hasMark }: Decoded) =>
  hasMark && code.startsWith('utf-16') ? `${code.toUpperCase()} with byte-order mark` : code

/** Pictures, PDFs and programs can be decoded too, but contain many characters that no list has. */
function isBinary(text: string): boolean {
  const pieces = text.split('\0')
  const controls = () => pieces.some((piece) => /(?![\s\u0080-\u009f])\p{Cc}/u.test(piece))
  return pieces.length > 1 && (pieces.length * 10 > text.length || controls())
}

/** Sample lines by which people check the encoding. */
const mostExamples = { lines: 5, characters: 120 }

function examplesIn(text: string): string[] {
  const found: string[] = []
  const beyondAscii = /[\u0080-\uffff]/g
  while (found.length < mostExamples.lines && beyondAscii.test(text)) {
    const at = beyondAscii.lastIndex - 1
    const begin = Math.max(text.lastIndexOf('\n', at), text.lastIndexOf('\r', at)) + 1
    const [before, after] = [text.slice(Math.max(begin, at - mostExamples.characters / 2), at), text.slice(at)]
    const line = before + after.slice(0, mostExamples.characters / 2).replace(/[\r\n].*$/s, '')
    found.push(line.replaceAll(mixedMark, '').trim())
    const ends = /[\r\n]/g
    ends.lastIndex = at
    if (!ends.test(text)) break
    beyondAscii.lastIndex = ends.lastIndex
  }
  return found
}

/** The separator that occurs most often outside quotation marks in the first lines. */
function separatorOf(text: string): keyof typeof separators {
  const head = text.slice(0, 20_000).replaceAll(/"[^"]*"/g, '')
  const counts = (Object.keys(separators) as (keyof typeof separators)[]).map((sign) => ({
    sign,
    count: head.split(sign).length,
  }))
  return counts.sort((a, b) => b.count - a.count)[0]!.sign
}

/** The line ends of a text: a carriage return alone is a line end if more lines end with it than with a line feed. */
function lineEnds(text: string): string[] {
  const count = (sign: RegExp) => text.match(sign)?.length ?? 0
  return ['\r\n', '\n', ...(count(/\r(?!\n)/g) > count(/\n/g) ? ['\r'] : [])]
}

async function* rowsOf(text: string, delimiter: string): AsyncGenerator<readonly SheetRow[]> {
  // A quotation mark within a text opens nothing (`3" gas pipe`); rows may have more or fewer cells than the first.
  const parser = parse({
    delimiter,
    record_delimiter: lineEnds(text),
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: false,
  })
  const piped = Readable.from(pieces(text)).pipe(parser)
  let batch: SheetRow[] = []
  let row = 0
  try {
    for await (const record of piped as AsyncIterable<string[]>) {
      row++
      if (record.length > importLimits.columns) throw new UnreadableFile('columns')
      if (record.some((cell, at) => isUnclosedQuote(cell, delimiter, { at, width: record.length })))
        throw new UnreadableFile('quote', { row })
      const cells = record.map((cell) => cellOf(cell, row))
      if (!cells.some(Boolean)) continue
      const hasLineEnd = record.some((cell) => lineEnd.test(cell))
      batch.push({ row, hidden: false, cells, ...(hasLineEnd && { hasLineEnd }) })
      if (batch.length === 500) {
        yield batch
        batch = []
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code !== 'CSV_QUOTE_NOT_CLOSED') throw new UnreadableFile('damaged')
    throw new UnreadableFile('quote', { row: Number(error.records) + 1 })
  }
  if (batch.length > 0) yield batch
}

const lineEnd = /[\r\n]/

/**
 * Whether an unclosed quotation mark has swallowed the rest of its line and further rows up to the next mark: such a
 * cell contains the mark, and all separators of its line or of a whole row below.
 */
function isUnclosedQuote(cell: string, delimiter: string, { at, width }: { at: number; width: number }): boolean {
  if (!cell.startsWith('"') || !lineEnd.test(cell)) return false
  const [first, ...below] = cell.split(lineEnd).map((line) => line.split(delimiter).length - 1)
  const after = width - 1 - at
  return width > 1 && ((after > 0 && first! >= after) || below.some((count) => count >= width - 1))
}

function cellOf(written: string, row: number): SheetCell | undefined {
  if (written.trim() === '') return undefined
  if (written.includes('\0')) throw new UnreadableFile('nul', { row })
  if (!written.includes(mixedMark)) return textCell(withoutGuard(written))
  return { ...textCell(withoutGuard(written.replaceAll(mixedMark, ''))), isMixed: true }
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536)
}
