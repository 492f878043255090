import path from 'node:path/posix'
import type { Readable } from 'node:stream'
import { SaxesParser } from 'saxes'
import type { SaxesTagPlain } from 'saxes'
import { fromBufferPromise } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import type { SheetCell, SheetInfo, SheetRow } from '@caretaker/rules/imports/cells.ts'
import { importLimits, textCell } from '@caretaker/rules/imports/cells.ts'
import { withoutGuard } from '@caretaker/rules/files/csv.ts'
import { numberCell } from './number-format.ts'
import type { OpenFile } from './open-file.ts'
import { UnreadableFile } from './unreadable.ts'

/** An Excel workbook, decompressed in small pieces (ECMA-376, part 1, section 18). */
export async function readWorkbook(bytes: Buffer): Promise<OpenFile> {
  const parts = await partsOf(bytes)
  if (!parts.has('xl/workbook.xml')) throw new UnreadableFile('type')
  const { named, from1904 } = await sheetsOf(parts)
  if (named.length > importLimits.sheets) throw new UnreadableFile('sheets')
  const book = { formats: await formatsOf(parts), strings: await sharedStrings(parts), from1904 }
  const paths = new Map<SheetInfo, string>()
  for (const { name, hidden, file } of named)
    if (parts.has(file)) paths.set({ name, hidden, hiddenColumns: await hiddenColumns(parts, file) }, file)
  return { sheets: [...paths.keys()], format: null, rows: (sheet) => rowsOf(parts, paths.get(sheet)!, book) }
}

interface Parts {
  has: (file: string) => boolean
  /** The content of a part, decompressed in pieces; empty if the part is missing. */
  pieces: (file: string) => AsyncIterable<Buffer>
}

async function partsOf(bytes: Buffer): Promise<Parts> {
  const entries = new Map<string, Entry>()
  let zip: ZipFile
  try {
    zip = await fromBufferPromise(bytes, { lazyEntries: true })
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName, entry)
        zip.readEntry()
      })
      zip.once('end', resolve).once('error', reject).readEntry()
    })
  } catch {
    throw new UnreadableFile('damaged')
  }
  // A part that is larger than declared here ends with an error of the library.
  const unfolded = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  if (unfolded > importLimits.unfoldedBytes) throw new UnreadableFile('bomb')
  return {
    has: (file) => entries.has(file),
    pieces: async function* (file) {
      const entry = entries.get(file)
      if (!entry) return
      try {
        yield* await new Promise<Readable>((resolve, reject) => {
          zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
        })
      } catch {
        throw new UnreadableFile('damaged')
      }
    },
  }
}

interface Reader {
  opened?: (tag: SaxesTagPlain) => void
  closed?: (name: string) => void
  text?: (text: string) => void
}

/** Reads a part as XML; yields what the reader has collected after each piece. Entity declarations are an error. */
async function* read<T>(parts: Parts, file: string, reader: Reader, taken: () => T): AsyncGenerator<T> {
  const parser = new SaxesParser()
  parser.on('error', () => {
    throw new UnreadableFile('damaged')
  })
  if (reader.opened) parser.on('opentag', reader.opened)
  if (reader.closed) parser.on('closetag', ({ name }) => reader.closed!(name))
  if (reader.text) {
    parser.on('text', reader.text)
    parser.on('cdata', reader.text)
  }
  const decoder = new TextDecoder()
  for await (const piece of parts.pieces(file)) {
    parser.write(decoder.decode(piece, { stream: true }))
    yield taken()
  }
  parser.close()
  yield taken()
}

async function readAll(parts: Parts, file: string, reader: Reader): Promise<void> {
  if (!parts.has(file)) return
  for await (const _ of read(parts, file, reader, () => undefined));
}

/** Names occur with and without a namespace prefix. */
const local = (name: string) => name.slice(name.indexOf(':') + 1)

const isSet = (value: string | undefined) => value === '1' || value === 'true'

async function sheetsOf(parts: Parts) {
  const files = new Map<string, string>()
  await readAll(parts, 'xl/_rels/workbook.xml.rels', {
    opened: ({ name, attributes }) => {
      const { Id, Target } = attributes
      if (local(name) !== 'Relationship' || !Id || !Target) return
      files.set(Id, Target.startsWith('/') ? Target.slice(1) : path.join('xl', Target))
    },
  })
  const named: { name: string; hidden: boolean; file: string }[] = []
  let from1904 = false
  await readAll(parts, 'xl/workbook.xml', {
    opened: ({ name, attributes }) => {
      if (local(name) === 'workbookPr') from1904 = isSet(attributes.date1904)
      if (local(name) !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => local(key) === 'id')?.[1]
      const hidden = attributes.state === 'hidden' || attributes.state === 'veryHidden'
      named.push({ name: attributes.name ?? '', hidden, file: files.get(id ?? '') ?? '' })
    },
  })
  return { named, from1904 }
}

/** The number format of each style: the code, or the number of a built-in one. */
async function formatsOf(parts: Parts): Promise<string[]> {
  const codes = new Map<string, string>()
  const formats: string[] = []
  let inCells = false
  await readAll(parts, 'xl/styles.xml', {
    opened: ({ name, attributes }) => {
      if (local(name) === 'numFmt') codes.set(attributes.numFmtId ?? '', attributes.formatCode ?? '')
      if (local(name) === 'cellXfs') inCells = true
      if (local(name) === 'xf' && inCells) formats.push(attributes.numFmtId ?? '0')
    },
    closed: (name) => {
      if (local(name) === 'cellXfs') inCells = false
    },
  })
  return formats.map((id) => codes.get(id) ?? id)
}

async function sharedStrings(parts: Parts): Promise<string[]> {
  const strings: string[] = []
  let text = ''
  // Phonetic readings (`rPh`) are next to the text and not part of it.
  let inText = false
  let beside = 0
  await readAll(parts, 'xl/sharedStrings.xml', {
    opened: ({ name }) => {
      if (local(name) === 'si') text = ''
      if (local(name) === 'rPh') beside++
      if (local(name) === 't') inText = beside === 0
    },
    text: (piece) => {
      if (inText) text += piece
    },
    closed: (name) => {
      if (local(name) === 't') inText = false
      if (local(name) === 'rPh') beside--
      if (local(name) === 'si') strings.push(text)
    },
  })
  return strings
}

/** They come before the rows. */
async function hiddenColumns(parts: Parts, file: string): Promise<number[]> {
  const hidden: number[] = []
  let begun = false
  const reader: Reader = {
    opened: ({ name, attributes }) => {
      if (local(name) === 'sheetData') begun = true
      if (local(name) !== 'col' || !isSet(attributes.hidden)) return
      const last = Math.min(Number(attributes.max), importLimits.columns)
      for (let at = Number(attributes.min); at <= last; at++) hidden.push(at - 1)
    },
  }
  for await (const done of read(parts, file, reader, () => begun)) if (done) break
  return hidden
}

interface Book {
  formats: readonly string[]
  strings: readonly string[]
  from1904: boolean
}

async function* rowsOf(parts: Parts, file: string, book: Book): AsyncGenerator<readonly SheetRow[]> {
  let batch: SheetRow[] = []
  let row = 0
  let hidden = false
  let cells: (SheetCell | undefined)[] = []
  let at = -1
  let kind = 'n'
  let style = 0
  let formula = false
  let text = ''
  let reading = false
  let beside = 0
  const reader: Reader = {
    opened: ({ name, attributes }) => {
      const tag = local(name)
      if (tag === 'row') {
        row = attributes.r === undefined ? row + 1 : Number(attributes.r)
        hidden = isSet(attributes.hidden)
        cells = []
        at = -1
      } else if (tag === 'c') {
        at = attributes.r === undefined ? at + 1 : columnOf(attributes.r)
        kind = attributes.t ?? 'n'
        style = Number(attributes.s ?? 0)
        formula = false
        text = ''
      } else if (tag === 'f') formula = true
      else if (tag === 'rPh') beside++
      else if (tag === 'v' || tag === 't') reading = beside === 0
    },
    text: (piece) => {
      if (reading) text += piece
    },
    closed: (name) => {
      const tag = local(name)
      if (tag === 'v' || tag === 't') reading = false
      else if (tag === 'rPh') beside--
      else if (tag === 'c') {
        const cell = cellOf(text, { kind, format: book.formats[style] ?? '0', formula }, book)
        if (!cell) return
        if (at >= importLimits.columns) throw new UnreadableFile('columns')
        cells[at] = cell
      } else if (tag === 'row' && cells.length > 0) batch.push({ row, hidden, cells })
    },
  }
  const taken = () => {
    const rows = batch
    batch = []
    return rows
  }
  for await (const rows of read(parts, file, reader, taken)) if (rows.length > 0) yield rows
}

/** The column of a cell reference such as `AB12`, from 0. */
function columnOf(place: string): number {
  let column = 0
  for (const sign of place) {
    const letter = sign.charCodeAt(0) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
  }
  return column - 1
}

function cellOf(
  value: string,
  { kind, format, formula }: { kind: string; format: string; formula: boolean },
  { strings, from1904 }: Book,
): SheetCell | undefined {
  // A formula may result in an empty text; a missing result is different.
  if (value === '' && formula && kind !== 'str') return { kind: 'unsaved', text: '' }
  const text = kind === 's' ? (strings[Number(value)] ?? '') : value
  if (kind === 'e') return { kind: 'error', text }
  if (text.trim() === '') return undefined
  if (kind === 'b') return { kind: 'boolean', text: text === '1' ? 'TRUE' : 'FALSE' }
  if (kind === 'd') return { kind: 'day', text: text.slice(0, 10) }
  if (kind !== 'n') return textCell(withoutGuard(unescaped(text)))
  const number = Number(text)
  if (text.length > importLimits.characters) return textCell(text)
  return Number.isFinite(number) ? numberCell(number, format, from1904) : { kind: 'text', text }
}

/** Excel writes characters that XML cannot contain as `_x000D_`. */
const unescaped = (text: string) =>
  text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
