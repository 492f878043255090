import type { Day } from '../calendar/days.ts'
import type { KnownOfCase } from '../properties/awaabs-law.ts'
import type { Encoding, SheetRow, TextFormat } from './cells.ts'
import type { SheetMapping } from './columns.ts'
import type { FieldId, Value } from './fields.ts'
import type { ChosenRows, Item, Known, Note, Question, ReferenceAnswer, Repeat, Totals } from './plan.ts'

/** The life of a list that is brought in: it is planned, looked at, brought in, and may be undone. */
export const importStates = ['planning', 'unreadable', 'planned', 'importing', 'done', 'undoing', 'undone'] as const
export type ImportState = (typeof importStates)[number]

/** In these the worker has something to do. */
export const workingStates: readonly ImportState[] = ['planning', 'importing', 'undoing']

export const importItemStates = ['planned', 'done', 'refused', 'undone', 'kept'] as const
export type ImportItemState = (typeof importItemStates)[number]

/** What a list changed with the fields of a home, as it was before. */
export interface Besides {
  /** The deadline that its gas check was reckoned from. */
  gasCheckAfter?: Day | null
  /** Where what moved along with it stood. */
  devices?: {
    id: string
    buildingId: string | null
    floorId: string | null
    latitude: number | null
    longitude: number | null
  }[]
  /** What its case said once the list was in: whoever has said more of it since is not overruled. */
  awaabsLawCase?: KnownOfCase | null
}

/** Days for which an import can be undone, and is kept at all. */
export const importKeptDays = 30

/** How somebody wants a file to be read. */
export interface ImportWishes {
  sheets: { sheet: string; headerRow: number | null; columns: (FieldId | null)[]; buildingFromName: boolean }[]
  /** What words mean, by field and small letters. */
  answers: Partial<Record<FieldId, Record<string, string | null>>>
  takeOffers: boolean
  /** Other references that are asked about are taken as they are written. */
  asWritten: boolean
  /** A new home is made of each row whose address is stored. */
  storedAddressesAsNew: boolean
  /** Answers to single questions about references, by `rowKey`. */
  references: Record<string, ReferenceAnswer>
  /** In which a text file is read; null where that is told by what is in it. */
  encoding: Encoding | null
  leaveHidden: boolean
  /** A row of which a cell is not taken is left whole. */
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

/** How somebody has said that lists with certain headings are read: kept for the client, for its list of the next month. */
export interface KeptReading {
  columns: readonly (FieldId | null)[]
  buildingFromName: boolean
  answers: ImportWishes['answers']
}

/** Lists of so many headings are kept in mind, those that were used last. */
export const mostReadings = 100

/** The answers of both, those that were given last where both say something of a word. */
export function answersWith(
  kept: ImportWishes['answers'],
  given: Partial<Record<FieldId, Readonly<Record<string, string | null>>>>,
): ImportWishes['answers'] {
  const fields = [...new Set([...Object.keys(kept), ...Object.keys(given)])] as FieldId[]
  return Object.fromEntries(fields.map((id) => [id, { ...kept[id], ...given[id] }]))
}

/**
 * What is kept of a sheet when its list is brought in: what somebody has said of it by hand, now or before. Undefined where nobody has.
 */
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

/** A sheet as it is read, or left. */
export interface FoundSheet {
  name: string
  hidden: boolean
  mapping: SheetMapping | null
  /** How it would be read, but that no column is known by which its rows are recognised; null of one that is read, or left. */
  draft: SheetMapping | null
  /** Read as somebody said of an earlier list with these headings. */
  isKept: boolean
  left: string[]
  hiddenColumns: number[]
  rows: number
  hiddenRows: number
  /** The first rows as they stand, of which somebody can say which holds the headings. */
  head: { row: number; cells: string[] }[]
}

/** What of a sheet is kept to be looked at: its first rows, and some below the headings; of no more sheets than people look at. */
export const shownHead = { rows: 8, below: 3, characters: 60, sheets: 20 } as const

/** The part of a sheet's first rows that is shown. */
export function headShown(rows: readonly SheetRow[], headerRow: number | undefined): FoundSheet['head'] {
  const at = rows.findIndex(({ row }) => row === headerRow)
  return rows.slice(0, Math.max(shownHead.rows, at + 1 + shownHead.below)).map(({ row, cells }) => ({
    row,
    cells: Array.from(cells, (cell) => (cell?.shown ?? cell?.text ?? '').slice(0, shownHead.characters)),
  }))
}

/** A word of a column: how often it stands there, and what it means. */
export interface FoundWord {
  field: FieldId
  word: string
  count: number
  meaning: string | null
}

/** What is said of a file before it is brought in. */
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

/** Whether nothing of a file that has rows is read before somebody says what its columns are. */
export const asksForColumns = ({ sheets, totals }: Pick<ImportFound, 'sheets' | 'totals'>): boolean =>
  totals.rows === 0 &&
  (sheets.some(({ draft, head }) => draft && head.some(({ row }) => row > draft.headerRow)) ||
    (sheets.every(({ mapping }) => !mapping) && sheets.some(({ draft, head }) => !draft && head.length > 1)))

/** Questions that are kept of one import; of more only the number is told, and they can be answered all at once. */
export const mostQuestions = 500

/** Notes that are kept of one import; of more only the number is told. */
export const mostNotes = 500

/**
 * Whether something is no longer as the import left it: one of the fields that it set says something else now, or, of what
 * it made, somebody has filled in more.
 */
export function isEditedSince(item: Pick<Item, 'action' | 'values'>, now: Known['values']): boolean {
  const same = (id: FieldId) => isAlike(item.values[id], now[id])
  const set = Object.keys(item.values) as FieldId[]
  if (!set.every(same)) return true
  // What moved to a building without a floor left its own.
  if (set.includes('buildingName') && !set.includes('floorName') && !isUnset('floorName', now.floorName)) return true
  if (item.action === 'change') return false
  return (Object.keys(now) as FieldId[]).some((id) => !(id in item.values) && !isUnset(id, now[id]))
}

const isAlike = (imported: Value | undefined, now: Value | null | undefined) =>
  imported === 'No rating'
    ? now === null || now === undefined || now === imported
    : JSON.stringify(imported) === JSON.stringify(now ?? undefined)

/** As a thing is when nobody has said anything of it. */
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
