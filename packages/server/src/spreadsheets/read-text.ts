import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { SheetCell, SheetRow } from '@caretaker/rules/imports/cells.ts'
import { importLimits } from '@caretaker/rules/imports/cells.ts'
import { UnreadableFile } from './unreadable.ts'
import type { OpenFile } from './open-file.ts'

const separators = { ';': ';', ',': ',', '\t': 'tab', '|': '|' } as const

/** A file of values separated by signs: in UTF-8, in UTF-16 with its mark, or else in Windows-1252. */
export function readText(bytes: Buffer): OpenFile {
  const encoding = encodingOf(bytes)
  const text = new TextDecoder(encoding).decode(bytes)
  // A picture, a PDF or a program decodes to something too.
  if (text.includes('\0')) throw new UnreadableFile('type')
  const separator = separatorOf(text)
  const sheet = { name: '', hidden: false, hiddenColumns: [] }
  const shown = bytes[0] === 0xff || bytes[0] === 0xfe ? `${encoding.toUpperCase()} with byte-order mark` : encoding
  return {
    sheets: [sheet],
    format: { encoding: shown, separator: separators[separator] },
    rows: () => rowsOf(text, separator),
  }
}

function encodingOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** The sign that stands most often outside quotation marks in the first lines. */
function separatorOf(text: string): keyof typeof separators {
  const head = text.slice(0, 20_000).replaceAll(/"[^"]*"/g, '')
  const counts = (Object.keys(separators) as (keyof typeof separators)[]).map((sign) => ({
    sign,
    count: head.split(sign).length,
  }))
  return counts.sort((a, b) => b.count - a.count)[0]!.sign
}

async function* rowsOf(text: string, delimiter: string): AsyncGenerator<readonly SheetRow[]> {
  // A mark inside a text opens nothing (`3" gas pipe`); records may be longer or shorter than the first.
  const parser = parse({
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: false,
    max_record_size: importLimits.columns * importLimits.characters,
  })
  const piped = Readable.from(pieces(text)).pipe(parser)
  let batch: SheetRow[] = []
  let row = 0
  try {
    for await (const record of piped as AsyncIterable<string[]>) {
      row++
      if (record.length > importLimits.columns) throw new UnreadableFile('columns')
      const cells = record.map(textCell)
      if (!cells.some(Boolean)) continue
      batch.push({ row, hidden: false, cells })
      if (batch.length === 500) {
        yield batch
        batch = []
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableFile('damaged')
    throw error
  }
  if (batch.length > 0) yield batch
}

function textCell(text: string): SheetCell | undefined {
  if (text.length > importLimits.characters) throw new UnreadableFile('characters')
  return text.trim() === '' ? undefined : { kind: 'text', text }
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536)
}
