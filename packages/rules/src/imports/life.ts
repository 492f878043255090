import type { Day } from '../calendar/days.ts'
import type { KnownOfCase } from '../properties/awaabs-law.ts'
import type { Encoding, SheetRow, TextFormat } from './cells.ts'
import type { SheetMapping } from './columns.ts'
import type { FieldId, Value } from './fields.ts'
import type { ChosenRows, Item, Known, Note, Question, ReferenceAnswer, Repeat, Totals } from './plan.ts'

/** The states of an import: planned, reviewed, imported, possibly undone. */
export const importStates = ['planning', 'unreadable', 'planned', 'importing', 'done', 'undoing', 'undone'] as const
export type ImportState = (typeof importStates)[number]

/** The states in which the worker has work to do. */
export const workingStates: readonly ImportState[] = ['planning', 'importing', 'undoing']

export const importItemStates = ['planned', 'done', 'refused', 'undone', 'kept'] as const
export type ImportItemState = (typeof importItemStates)[number]

/** Previous values that an import changed along with the fields of a property. */
export interface PreviousValues {
  /** The deadline from which its gas check was calculated. */
  gasCheckAfter?: Day | null
  /** Previous locations of devices moved with it. */
  devices?: {
    id: string
    buildingId: string | null
    floorId: string | null
    latitude: number | null
    longitude: number | null
  }[]
  /** The state of its case right after the import; later entries are not overwritten by an undo. */
  awaabsLawCase?: KnownOfCase | null
}

/** Days for which an import is kept and can be undone. */
export const importKeptDays = 30

/** The user's settings for reading a file. */
export interface ImportWishes {
  sheets: { sheet: string; headerRow: number | null; columns: (FieldId | null)[]; buildingFromName: boolean }[]
  /** The meanings of words, by field and lower-case word. */
  answers: Partial<Record<FieldId, Record<string, string | null>>>
  takeOffers: boolean
  /** All other questioned references are used as written. */
  asWritten: boolean
  /** Each row whose address is already stored creates a new property. */
  storedAddressesAsNew: boolean
  /** Answers to single questions about references, by `rowKey`. */
  references: Record<string, ReferenceAnswer>
  /** The encoding of a text file; null to detect it. */
  encoding: Encoding | null
  leaveHidden: boolean
  /** A row with a rejected cell is skipped entirely. */
  wholeRows: boolean
  chosenRows: ChosenRows
}
export const noWishes: ImportWishes = {
  sheets: [],
  answers: {},
  takeOffers: false,
  asWritten: false,
  storedAddressesAsNew: false,
  references: {},
  encoding: null,
  leaveHidden: false,
  wholeRows: false,
  chosenRows: {},
}

/** A client's stored reading of lists with certain headings, reused for next month's list. */
export interface KeptReading {
  columns: readonly (FieldId | null)[]
  buildingFromName: boolean
  answers: ImportWishes['answers']
}

/** Stored readings per client; the most recently used are kept. */
export const mostReadings = 100

/** Merges two sets of answers; the later ones take precedence. */
export function answersWith(
  kept: ImportWishes['answers'],
  given: Partial<Record<FieldId, Readonly<Record<string, string | null>>>>,
): ImportWishes['answers'] {
  const fields = [...new Set([...Object.keys(kept), ...Object.keys(given)])] as FieldId[]
  return Object.fromEntries(fields.map((id) => [id, { ...kept[id], ...given[id] }]))
}

/** The manual settings of a sheet, current or earlier, to store after the import. Undefined if there are none. */
export function readingToKeep(
  { name, mapping, isKept }: Pick<FoundSheet, 'name' | 'mapping' | 'isKept'>,
  { sheets, answers }: ImportWishes,
  kept: KeptReading | undefined,
): KeptReading | undefined {
  if (!mapping) return undefined
  const of = (all: ImportWishes['answers']) =>
    Object.fromEntries(Object.entries(all).filter(([id]) => mapping.columns.includes(id as FieldId)))
  const given = of(answers)
  if (!isKept && Object.keys(given).length === 0 && !sheets.some(({ sheet }) => sheet === name)) return undefined
  const { columns, buildingFromName } = mapping
  return { columns, buildingFromName, answers: answersWith(of(kept?.answers ?? {}), given) }
}

/** A sheet that is read or ignored. */
export interface FoundSheet {
  name: string
  hidden: boolean
  mapping: SheetMapping | null
  /** The draft mapping of a sheet whose rows cannot be identified; null if it is read or ignored. */
  draft: SheetMapping | null
  /** Read with the stored settings of an earlier list with these headings. */
  isKept: boolean
  left: string[]
  hiddenColumns: number[]
  rows: number
  hiddenRows: number
  /** The first rows, among which a user can choose the header row. */
  head: { row: number; cells: string[] }[]
}

/** Limits for the preview of a sheet: first rows, rows below the headings, characters per cell, and sheets. */
export const shownHead = { rows: 8, below: 3, characters: 60, sheets: 20 } as const

/** The previewed part of a sheet's first rows. */
export function headShown(rows: readonly SheetRow[], headerRow: number | undefined): FoundSheet['head'] {
  const at = rows.findIndex(({ row }) => row === headerRow)
  return rows.slice(0, Math.max(shownHead.rows, at + 1 + shownHead.below)).map(({ row, cells }) => ({
    row,
    cells: Array.from(cells, (cell) => (cell?.shown ?? cell?.text ?? '').slice(0, shownHead.characters)),
  }))
}

/** A word of a column, with its count and meaning. */
export interface FoundWord {
  field: FieldId
  word: string
  count: number
  meaning: string | null
}

/** The analysis of a file before it is imported. */
export interface ImportFound {
  format: TextFormat | null
  sheets: FoundSheet[]
  words: FoundWord[]
  totals: Totals
  notes: Note[]
  moreNotes: number
  questions: Question[]
  moreQuestions: number
  repeats: Repeat[]
}

/** Whether nothing can be read from a non-empty file until a user maps its columns. */
export const asksForColumns = ({ sheets, totals }: Pick<ImportFound, 'sheets' | 'totals'>): boolean =>
  totals.rows === 0 &&
  (sheets.some(({ draft, head }) => draft && head.some(({ row }) => row > draft.headerRow)) ||
    (sheets.every(({ mapping }) => !mapping) && sheets.some(({ draft, head }) => !draft && head.length > 1)))

/** Questions stored per import; beyond that only their number, and they can be answered all at once. */
export const mostQuestions = 500

/** Notes stored per import; beyond that only their number. */
export const mostNotes = 500

/**
 * Whether an object was changed after the import: a field that it set has another value, or more was entered on an
 * object that it created.
 */
export function isEditedSince(item: Pick<Item, 'action' | 'values'>, now: Known['values']): boolean {
  const same = (id: FieldId) => isAlike(item.values[id], now[id])
  const set = Object.keys(item.values) as FieldId[]
  if (!set.every(same)) return true
  // Moving to a building without a floor removed the floor.
  if (set.includes('buildingName') && !set.includes('floorName') && !isUnset('floorName', now.floorName)) return true
  if (item.action === 'change') return false
  return (Object.keys(now) as FieldId[]).some((id) => !(id in item.values) && !isUnset(id, now[id]))
}

const isAlike = (imported: Value | undefined, now: Value | null | undefined) =>
  imported === 'No rating'
    ? now === null || now === undefined || now === imported
    : JSON.stringify(imported) === JSON.stringify(now ?? undefined)

/** The values of an object on which nothing was entered. */
const unset: Partial<Record<FieldId, Value>> = {
  voidStatus: 'NotVoid',
  awaabsLawStatus: 'None',
  width: 30,
  height: 30,
  rotation: 0,
}

const isUnset = (id: FieldId, value: Value | null | undefined) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === unset[id] ||
  (Array.isArray(value) && value.length === 0)
