import { buildingKey } from '../buildings/building.ts'
import type { SheetCell, SheetInfo, SheetRow } from './cells.ts'
import type { FieldId, Kind } from './fields.ts'
import { brokenCell, fieldIds, fieldOf, fields } from './fields.ts'
import type { DayOrder } from './days.ts'
import { dayOrders, dayOrderWord, dayOrderIn } from './days.ts'
import { cleanedName } from './keys.ts'

/** How a sheet is read: the field of each column. */
export interface SheetMapping {
  sheet: string
  /** Spreadsheet row number, from 1. */
  headerRow: number
  /** In column order; empty if a column has no name. */
  headers: readonly string[]
  /** The field of each column; null for ignored columns. */
  columns: readonly (FieldId | null)[]
  /** The name of the sheet is the name of the building that contains all its devices. */
  buildingFromName: boolean
}

/** The header row is searched among this many rows at the top of a sheet. */
export const rowsToHeadings = 40

const plain = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()

/** A key of a list's headings, by which next month's list is recognised. */
export const headingsKey = (headers: readonly string[]): string =>
  headers
    .filter((header) => header !== markHeading)
    .map(plain)
    .join('\n')

/** Heading of the column with the reasons in a marked list. */
export const markHeading = 'Reason for rejection'

/** The kinds of objects in the rows of a sheet, from its mapped columns; empty if the rows cannot be identified. */
export function kindsOf(columns: readonly (FieldId | null)[]): readonly Kind[] {
  const has = (id: FieldId) => columns.includes(id)
  if (has('serialNumber')) return ['device']
  if (has('propertyReference')) return ['property']
  if (!has('buildingName')) return []
  if (!has('floorName')) return ['building']
  return has('buildingPostcode') ? ['building', 'floor'] : ['floor']
}

/** The fields available to columns of a sheet with rows of these kinds. */
export function fieldsOf(sheetKinds: readonly Kind[]): FieldId[] {
  return fieldIds.filter((id) => fieldOf(id).kinds.some((kind) => sheetKinds.includes(kind)))
}

/**
 * A list can create properties only if it has their addresses: in parts, or in one column that includes the postcode.
 */
export const makesHomes = (columns: readonly (FieldId | null)[]): boolean => columns.includes('address1')

/** Whether the address column contains the whole address, including the postcode. */
export const hasWholeAddress = (columns: readonly (FieldId | null)[]): boolean =>
  columns.includes('address1') && !columns.includes('postcode')

const headingOf = (field: FieldId, text: string) => {
  const { headings } = fields[field] as { headings: readonly string[] }
  return headings.includes(text)
}

/** The field of each heading in lists of some kind; hidden columns are mapped only on request. */
function columnsIn(
  sheetKinds: readonly Kind[],
  headers: readonly string[],
  hidden: readonly number[],
): (FieldId | null)[] {
  const names = headers.map((header, at) => (hidden.includes(at) ? '' : plain(header)))
  const ids = fieldsOf(sheetKinds)
  const taken = new Set<FieldId>()
  // Beside a column for the floor name, 'Floor' is the floor number.
  const isNumber = (name: string) => name === 'floor' && names.includes('floor name')
  const named = names.map((name) => {
    if (isNumber(name)) return null
    const id = ids.find((one) => !taken.has(one) && name !== '' && headingOf(one, name))
    if (!id) return null
    taken.add(id)
    return id
  })
  if (!sheetKinds.includes('property')) return named
  // An address in one column merely repeats the reference, and so does its postcode.
  const repeated = !taken.has('address1') && names.includes('address')
  // In property lists without buildings, the floor is the level of a flat.
  const alone = !taken.has('buildingName')
  return named.map((id) => ((repeated && id === 'postcode') || (alone && id === 'floorName') ? null : id))
}

/** The field of each heading in a row. */
function columnsBy(headers: readonly string[], hidden: readonly number[]): (FieldId | null)[] {
  const by = (...sheetKinds: Kind[]) => columnsIn(sheetKinds, headers, hidden)
  const devices = by('device')
  if (devices.includes('serialNumber')) return devices
  const homes = by('property')
  if (homes.includes('propertyReference')) return homes
  const buildings = by('building', 'floor')
  // If no heading identifies the kind of rows, they are properties, like most lists.
  return buildings.includes('buildingName') ? buildings : homes
}

/**
 * The mapping after a user sets the field of one column: each field has one column. If that changes the kind of rows,
 * the other headings are interpreted for the new kind.
 */
export function columnsWith(
  { headers, columns }: Pick<SheetMapping, 'headers' | 'columns'>,
  { at, id, hidden }: { at: number; id: FieldId | null; hidden: readonly number[] },
): (FieldId | null)[] {
  const mapped = columns.map((one, other) => (other === at ? id : one === id ? null : one))
  const sheetKinds = kindsOf(mapped)
  if (sheetKinds.length === 0 || sheetKinds.join() === kindsOf(columns).join()) return mapped
  const fitting = fieldsOf(sheetKinds)
  const kept = mapped.map((one, other) => (other === at || (one && fitting.includes(one)) ? one : null))
  const read = columnsIn(sheetKinds, headers, hidden)
  return kept.map((one, other) => one ?? (other === at || kept.includes(read[other]!) ? null : read[other]!))
}

/**
 * The mapping of a sheet, from the header row among its first rows: the first with the most known headings. Undefined
 * if there is none, and for hidden sheets, which are read only on request.
 */
export function recognise(
  sheet: SheetInfo,
  rows: readonly SheetRow[],
  isBuilding: (key: string) => boolean,
): SheetMapping | undefined {
  if (sheet.hidden) return undefined
  const mappings = rows.slice(0, rowsToHeadings).map((row) => mappingAt(sheet, row, isBuilding))
  return namesMost(mappings.filter(({ columns }) => kindsOf(columns).length > 0))
}

/**
 * A draft mapping of a sheet without a column that identifies its rows: from the row with several known headings, or
 * else one that looks like headings. A user has to complete it.
 */
export function draftOf(
  sheet: SheetInfo,
  rows: readonly SheetRow[],
  isBuilding: (key: string) => boolean,
): SheetMapping | undefined {
  if (sheet.hidden) return undefined
  const first = rows.slice(0, rowsToHeadings)
  const named = namesMost(first.map((row) => mappingAt(sheet, row, isBuilding)))
  if (named && fieldsIn(named) > 1) return named
  const row = first.find((_, at) => looksLikeHeadings(first.slice(at)))
  return row && mappingAt(sheet, row, isBuilding)
}

const fieldsIn = ({ columns }: SheetMapping) => columns.filter(Boolean).length

/** The first with the most known headings. */
const namesMost = (mappings: readonly SheetMapping[]): SheetMapping | undefined =>
  mappings.reduce<SheetMapping | undefined>(
    (best, mapping) => (fieldsIn(mapping) > (best ? fieldsIn(best) : 0) ? mapping : best),
    undefined,
  )

const filledIn = ({ cells }: Pick<SheetRow, 'cells'>) => cells.filter((cell): cell is SheetCell => cell !== undefined)

/** Longest heading, in characters: anything longer is a sentence. */
const longestHeading = 60

/** Whether a row has several short texts and the rows below have no more columns, unlike most title lines. */
function looksLikeHeadings([row, ...below]: readonly SheetRow[]): boolean {
  const heads = row ? filledIn(row) : []
  if (heads.some(({ kind, text }) => kind !== 'text' || text.length > longestHeading)) return false
  const inWords = new Set(heads.map(({ text }) => text).filter((text) => /\p{L}/u.test(text)))
  const next = below.slice(0, 5)
  const alike = next.filter((one) => filledIn(one).length <= heads.length)
  return inWords.size > 1 && alike.length * 2 > next.length
}

/** The mapping of a sheet with its headings in this row. */
export function mappingAt(
  sheet: SheetInfo,
  { row, cells }: Pick<SheetRow, 'row' | 'cells'>,
  isBuilding: (key: string) => boolean,
): SheetMapping {
  const headers = Array.from(cells, (cell) => (cell ? cleanedName(cell.text) : ''))
  const columns = columnsBy(headers, sheet.hiddenColumns)
  const placed = columns.includes('buildingName') || columns.includes('propertyReference')
  const buildingFromName = kindsOf(columns).includes('device') && !placed && isBuilding(buildingKey(sheet.name))
  return { sheet: sheet.name, headerRow: row, headers, columns, buildingFromName }
}

/** The unmapped headings; the number of unnamed ones comes last. */
export function leftColumns({ headers, columns }: Pick<SheetMapping, 'headers' | 'columns'>): string[] {
  const left = headers.filter((header, at) => !columns[at] && header !== '')
  const unnamed = headers.filter((header, at) => !columns[at] && header === '').length
  const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
  return unnamed === 0 ? left : [...left, `(${numbers[unnamed] ?? unnamed} without a name)`]
}

/**
 * Whether a row describes an object. Totals, signature lines and subheadings fill no mapped column, or little more than
 * a word.
 */
export function isRow({ columns, headerRow }: SheetMapping, { row, cells }: SheetRow): boolean {
  if (row <= headerRow || !columns.some((id, at) => id && cells[at])) return false
  const filled = filledIn({ cells })
  const [first] = filled
  if (!first) return false
  if (filled.length <= 3 && /^(grand |sub-? ?)?totals?\b/i.test(first.text.trim())) return false
  return !(filled.length <= 2 && /_{4,}/.test(first.text))
}

/** Counts for a sheet, made before planning. */
export interface SheetSurvey {
  rows: number
  hiddenRows: number
  /** How often each word occurs in list columns, in its first spelling. */
  words: Partial<Record<FieldId, Record<string, number>>>
  /** How many numeric dates show an order or could be either. */
  days: Partial<Record<FieldId, Record<DayOrder | 'either', number>>>
  /** All references are numbers, so numbers are intended. */
  allNumbers: boolean
}

/** Maximum distinct words of a list column; with more it is not treated as a list. */
const mostWords = 60

/** Counts a sheet row by row. */
export function surveyor(mapping: SheetMapping) {
  const survey: SheetSurvey = { rows: 0, hiddenRows: 0, words: {}, days: {}, allNumbers: true }
  const days = mapping.columns.flatMap((id, at) => (id && fieldOf(id).isDay ? [{ id, at }] : []))
  const lists = mapping.columns.flatMap((id, at) => (id && fieldOf(id).list ? [{ id, at }] : []))
  const reference = mapping.columns.indexOf('propertyReference')
  const take = (row: SheetRow) => {
    if (!isRow(mapping, row)) return
    survey.rows++
    if (row.hidden) survey.hiddenRows++
    const cell = row.cells[reference]
    if (cell && cell.kind !== 'number') survey.allNumbers = false
    for (const { id, at } of days) {
      const order = row.cells[at] && dayOrderIn(row.cells[at])
      if (order) (survey.days[id] ??= { 'Day first': 0, 'Month first': 0, either: 0 })[order]++
    }
    for (const { id, at } of lists) {
      const listCell = row.cells[at]
      if (!listCell || brokenCell(listCell)) continue
      const word = cleanedName(listCell.text)
      const words = (survey.words[id] ??= {})
      if (word in words || Object.keys(words).length < mostWords) words[word] = (words[word] ?? 0) + 1
    }
  }
  return { survey, take }
}

/** The date order of a column, and whether to ask for it: if some dates can only be month first and none day first. */
export function dayOrderOf(
  id: FieldId,
  { days }: SheetSurvey,
  answers: Readonly<Record<string, string | null>> = {},
): { order: DayOrder | null; asks: number } {
  const counts = days[id]
  if (!counts || counts['Month first'] === 0 || counts['Day first'] > 0) return { order: 'Day first', asks: 0 }
  const order = dayOrders.find((one) => one === answers[dayOrderWord]) ?? null
  return { order, asks: counts['Month first'] + counts.either }
}

/** The meanings of a column's words. The product's own words need no mapping. */
export function wordsOf(
  id: FieldId,
  found: Readonly<Record<string, number>>,
  answers: Readonly<Record<string, string | null>> = {},
) {
  const { list } = fieldOf(id)
  if (!list) return { words: {}, asks: false }
  const others = Object.keys(found).filter((word) => !list.values.includes(word))
  // A user may also map a known word to nothing.
  const known = (word: string) => {
    const answer = answers[word.toLowerCase()]
    return answer === undefined ? (list.words[word.toLowerCase()] ?? null) : answer
  }
  // Unknown words are asked about in a column with its own vocabulary; one unknown word among the product's is a typing
  // error.
  const asks = list.asks && (others.some((word) => known(word) !== null) || others.length === Object.keys(found).length)
  const words = Object.fromEntries(
    others.filter((word) => asks || known(word) !== null).map((word) => [word, known(word)]),
  )
  return { words, asks }
}
