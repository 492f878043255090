/**
 * What a cell of a file that somebody imports holds. `text` is what is stored there, letter for letter: a number as its digits,
 * a day as `2026-11-21`, an error as it is shown. `unsaved` is a formula without its last result: nothing is calculated here. Of a text
 * that is `long` only the beginning is kept.
 */
export interface SheetCell {
  kind: 'text' | 'number' | 'day' | 'boolean' | 'error' | 'unsaved' | 'long'
  text: string
  /** As the spreadsheet shows it, where that is something else. */
  shown?: string
  /** Characters of a long text. */
  length?: number
  /** Some of its bytes are not in the encoding of the file, and were read in an older one. */
  isMixed?: true
}

/** A row as the spreadsheet counts them, from 1; in CSV, a record. An empty cell is undefined. */
export interface SheetRow {
  row: number
  /** A filter or a person hides it. */
  hidden: boolean
  cells: readonly (SheetCell | undefined)[]
  /** In a text file: a quoted cell of the row contains a line end. */
  hasLineEnd?: true
}

export interface SheetInfo {
  /** Empty for the only sheet of a text file. */
  name: string
  hidden: boolean
  /** From 0. */
  hiddenColumns: readonly number[]
}

/** 0 is A, 25 is Z, 26 is AA. */
export function columnLetters(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : columnLetters(Math.floor(at / 26) - 1) + letter
}

/** What may be read of one file: a larger one is refused with the text before anything is made of it. */
export const importLimits = {
  /** Of the file as it is uploaded. */
  bytes: 20 * 1024 * 1024,
  /** Of what it unfolds to: a workbook of 50,000 homes comes to 60 MB. */
  unfoldedBytes: 400 * 1024 * 1024,
  /** Rows with something in them, in all sheets. */
  rows: 100_000,
  columns: 200,
  sheets: 100,
  /** Of one cell. */
  characters: 2000,
} as const

/** Characters that are kept of a cell that has too many. */
const keptOfLong = 60

/** A text as a cell, and no more than the beginning of one that has more characters than an import takes. */
export const textCell = (text: string): SheetCell =>
  text.length > importLimits.characters
    ? { kind: 'long', text: `${text.slice(0, keptOfLong)}…`, length: text.length }
    : { kind: 'text', text }

/** Encodings in which a text file can be read, and how people call them. */
export const encodings = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Windows-1252 (Western Europe)',
  'windows-1250': 'Windows-1250 (Central Europe)',
  'iso-8859-15': 'ISO 8859-15 (Latin 9)',
  macintosh: 'Mac Roman',
  cp850: 'MS-DOS (code page 850)',
} as const
export type Encoding = keyof typeof encodings
export const encodingIds = Object.keys(encodings) as Encoding[]

/** How a text file is read. */
export interface TextFormat {
  /** As it is told: with its byte-order mark, where one was needed to know it. */
  encoding: string
  code: Encoding
  separator: string
  /** Some lines with letters beyond ASCII, by which people see whether the encoding is right. */
  examples: readonly string[]
}

export const unreadable = {
  empty: 'The file has no rows',
  below: 'The file has no rows below its headings',
  type: 'This is no Excel workbook (.xlsx) and no text file (CSV, TSV)',
  old: 'This is an old Excel file (.xls), or one with a password. Save it as .xlsx without a password',
  damaged: 'The file is damaged: it cannot be read to its end',
  bomb: 'The file unfolds to more than an import can be',
  rows: `The file has more than ${importLimits.rows.toLocaleString('en-GB')} rows. Import it in parts`,
  columns: `The file has more than ${importLimits.columns} columns`,
  sheets: `The file has more than ${importLimits.sheets} sheets`,
  nul: 'A cell contains a NUL character.',
  quote: 'A quotation mark opens a cell and is never closed. Correct the row and choose the file again',
  size: `The file is larger than ${importLimits.bytes / 1024 / 1024} MB`,
} as const
export type Unreadable = keyof typeof unreadable
