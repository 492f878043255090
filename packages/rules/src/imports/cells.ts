/**
 * A cell of an imported file. `text` is the stored value exactly: a number as its digits, a day as `2026-11-21`, an
 * error as displayed. `unsaved` is a formula without a stored result, since formulas are not calculated. Of a `long`
 * text only the beginning is kept.
 */
export interface SheetCell {
  kind: 'text' | 'number' | 'day' | 'boolean' | 'error' | 'unsaved' | 'long'
  text: string
  /** The displayed value, if different. */
  shown?: string
  /** Length of a long text, in characters. */
  length?: number
  /** Some bytes were invalid in the file's encoding and were read in an older one. */
  isMixed?: true
}

/** A row with its spreadsheet number, from 1; in CSV, a record. Empty cells are undefined. */
export interface SheetRow {
  row: number
  /** Hidden by a filter or by hand. */
  hidden: boolean
  cells: readonly (SheetCell | undefined)[]
  /** In a text file: a quoted cell of the row contains a line break. */
  hasLineEnd?: true
}

export interface SheetInfo {
  /** Empty for the only sheet of a text file. */
  name: string
  hidden: boolean
  /** Zero-based. */
  hiddenColumns: readonly number[]
}

/** 0 is A, 25 is Z, 26 is AA. */
export function columnLetters(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : columnLetters(Math.floor(at / 26) - 1) + letter
}

/** Limits for one file; larger files are refused with the text before anything is read. */
export const importLimits = {
  /** Bytes of the uploaded file. */
  bytes: 20 * 1024 * 1024,
  /** Bytes after decompression: a workbook of 50,000 properties has 60 MB. */
  unfoldedBytes: 400 * 1024 * 1024,
  /** Non-empty rows in all sheets. */
  rows: 100_000,
  columns: 200,
  sheets: 100,
  /** Characters of one cell. */
  characters: 2000,
} as const

/** Characters kept of a cell that is too long. */
const keptOfLong = 60

/** A text as a cell, truncated if it is longer than an import accepts. */
export const textCell = (text: string): SheetCell =>
  text.length > importLimits.characters
    ? { kind: 'long', text: `${text.slice(0, keptOfLong)}…`, length: text.length }
    : { kind: 'text', text }

/** Supported encodings of text files, with their display names. */
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

/** The format of a text file. */
export interface TextFormat {
  /** For display: includes the byte-order mark if the encoding was detected from it. */
  encoding: string
  code: Encoding
  separator: string
  /** Some lines with non-ASCII letters, to check the encoding by eye. */
  examples: readonly string[]
}

export const unreadable = {
  empty: 'The file has no rows',
  below: 'The file has no rows below its headings',
  type: 'The file is neither an Excel workbook (.xlsx) nor a text file (CSV, TSV)',
  old: 'This is an old Excel file (.xls), or it needs a password. Save it as .xlsx without a password',
  damaged: 'The file is damaged and cannot be read completely',
  bomb: 'The file is too large when decompressed',
  rows: `The file has more than ${importLimits.rows.toLocaleString('en-GB')} rows. Import it in parts`,
  columns: `The file has more than ${importLimits.columns} columns`,
  sheets: `The file has more than ${importLimits.sheets} sheets`,
  nul: 'A cell contains a NUL character.',
  quote: 'A quotation mark opens a cell and is never closed. Correct the row and choose the file again',
  size: `The file is larger than ${importLimits.bytes / 1024 / 1024} MB`,
} as const
export type Unreadable = keyof typeof unreadable
