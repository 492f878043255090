import { buildingKey } from '../buildings/building.ts'
import type { SheetCell, SheetInfo, SheetRow } from './cells.ts'
import type { FieldId, Kind } from './fields.ts'
import { brokenCell, fieldIds, fieldOf, fields } from './fields.ts'
import type { DayOrder } from './days.ts'
import { dayOrders, dayOrderWord, orderToldBy } from './days.ts'
import { cleanedName } from './keys.ts'

/** How a sheet is read: what each of its columns fills. */
export interface SheetMapping {
  sheet: string
  /** As the spreadsheet counts, from 1. */
  headerRow: number
  /** In the order of the columns; empty where one has no name. */
  headers: readonly string[]
  /** What each column fills; null is left. */
  columns: readonly (FieldId | null)[]
  /** The sheet is called as the building is in which all its devices are. */
  buildingFromName: boolean
}

/** Among so many rows at the top of a sheet its headings are looked for. */
export const rowsToHeadings = 40

const plain = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()

/** The headings of a list, as the list of the next month is known by them. */
export const headingsKey = (headers: readonly string[]): string =>
  headers
    .filter((header) => header !== markHeading)
    .map(plain)
    .join('\n')

/** Heads the column that says in a marked list why a row is not taken. */
export const markHeading = 'Not taken because'

/** What the rows of a sheet are, by the columns that are filled; nothing where they cannot be recognised again. */
export function kindsOf(columns: readonly (FieldId | null)[]): readonly Kind[] {
  const has = (id: FieldId) => columns.includes(id)
  if (has('serialNumber')) return ['device']
  if (has('propertyReference')) return ['property']
  if (!has('buildingName')) return []
  if (!has('floorName')) return ['building']
  return has('buildingPostcode') ? ['building', 'floor'] : ['floor']
}

/** The fields that columns of a sheet can fill, by what its rows are. */
export function fieldsOf(sheetKinds: readonly Kind[]): FieldId[] {
  return fieldIds.filter((id) => fieldOf(id).kinds.some((kind) => sheetKinds.includes(kind)))
}

/** A list of homes can make new ones only where it has their addresses: in parts, or in one column with the post code in it. */
export const makesHomes = (columns: readonly (FieldId | null)[]): boolean => columns.includes('address1')

/** Whether the column of the address holds all of it, the post code included. */
export const hasWholeAddress = (columns: readonly (FieldId | null)[]): boolean =>
  columns.includes('address1') && !columns.includes('postcode')

const headingOf = (field: FieldId, text: string) => {
  const { headings } = fields[field] as { headings: readonly string[] }
  return headings.includes(text)
}

/** What each heading of a row says in lists of some kind; hidden columns are never taken unasked. */
function columnsIn(
  sheetKinds: readonly Kind[],
  headers: readonly string[],
  hidden: readonly number[],
): (FieldId | null)[] {
  const names = headers.map((header, at) => (hidden.includes(at) ? '' : plain(header)))
  const ids = fieldsOf(sheetKinds)
  const taken = new Set<FieldId>()
  // Beside the name of a floor, 'Floor' is its number.
  const isNumber = (name: string) => name === 'floor' && names.includes('floor name')
  const named = names.map((name) => {
    if (isNumber(name)) return null
    const id = ids.find((one) => !taken.has(one) && name !== '' && headingOf(one, name))
    if (!id) return null
    taken.add(id)
    return id
  })
  if (!sheetKinds.includes('property')) return named
  // An address in one text is only repeated beside the reference, and its post code with it.
  const repeated = !taken.has('address1') && names.includes('address')
  // In lists of homes without their buildings a floor is how high a flat lies, as people say it.
  const alone = !taken.has('buildingName')
  return named.map((id) => ((repeated && id === 'postcode') || (alone && id === 'floorName') ? null : id))
}

/** What each heading of a row says. */
function columnsBy(headers: readonly string[], hidden: readonly number[]): (FieldId | null)[] {
  const by = (...sheetKinds: Kind[]) => columnsIn(sheetKinds, headers, hidden)
  const devices = by('device')
  if (devices.includes('serialNumber')) return devices
  const homes = by('property')
  if (homes.includes('propertyReference')) return homes
  const buildings = by('building', 'floor')
  // Where no heading tells what the rows are, they are homes: most lists are.
  return buildings.includes('buildingName') ? buildings : homes
}

/**
 * The columns of a sheet once somebody says what one of them is: a field is filled by one column. Where that makes something else
 * of its rows, the other headings say what they say of such.
 */
export function columnsWith(
  { headers, columns }: Pick<SheetMapping, 'headers' | 'columns'>,
  { at, id, hidden }: { at: number; id: FieldId | null; hidden: readonly number[] },
): (FieldId | null)[] {
  const said = columns.map((one, other) => (other === at ? id : one === id ? null : one))
  const sheetKinds = kindsOf(said)
  if (sheetKinds.length === 0 || sheetKinds.join() === kindsOf(columns).join()) return said
  const fitting = fieldsOf(sheetKinds)
  const kept = said.map((one, other) => (other === at || (one && fitting.includes(one)) ? one : null))
  const read = columnsIn(sheetKinds, headers, hidden)
  return kept.map((one, other) => one ?? (other === at || kept.includes(read[other]!) ? null : read[other]!))
}

/**
 * How a sheet can be read, by the row of headings among its first rows: the one that names most fields, the first of such.
 * Undefined where none does, and of a hidden sheet, which nobody has asked to read.
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
 * How a sheet might be read of which no heading says by what its rows are recognised: by the row that names several fields, or
 * else by the one that looks like headings. Somebody has to say the rest.
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

/** The first of those that name most fields. */
const namesMost = (mappings: readonly SheetMapping[]): SheetMapping | undefined =>
  mappings.reduce<SheetMapping | undefined>(
    (best, mapping) => (fieldsIn(mapping) > (best ? fieldsIn(best) : 0) ? mapping : best),
    undefined,
  )

const filledIn = ({ cells }: Pick<SheetRow, 'cells'>) => cells.filter((cell): cell is SheetCell => cell !== undefined)

/** Most letters of a heading: what is longer is a sentence. */
const longestHeading = 60

/** Whether several short texts stand above rows that fill no more columns than they do, as most lines of a title do not. */
function looksLikeHeadings([row, ...below]: readonly SheetRow[]): boolean {
  const heads = row ? filledIn(row) : []
  if (heads.some(({ kind, text }) => kind !== 'text' || text.length > longestHeading)) return false
  const inWords = new Set(heads.map(({ text }) => text).filter((text) => /\p{L}/u.test(text)))
  const next = below.slice(0, 5)
  const alike = next.filter((one) => filledIn(one).length <= heads.length)
  return inWords.size > 1 && alike.length * 2 > next.length
}

/** How a sheet would be read if its headings stood in this row. */
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

/** The headings that fill nothing; how many have no name is said last. */
export function leftColumns({ headers, columns }: Pick<SheetMapping, 'headers' | 'columns'>): string[] {
  const left = headers.filter((header, at) => !columns[at] && header !== '')
  const unnamed = headers.filter((header, at) => !columns[at] && header === '').length
  const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
  return unnamed === 0 ? left : [...left, `(${numbers[unnamed] ?? unnamed} without a name)`]
}

/**
 * Whether a row says something of a thing. Totals, lines for a signature and headings between the rows fill no column, or
 * little more than the word.
 */
export function isRow({ columns, headerRow }: SheetMapping, { row, cells }: SheetRow): boolean {
  if (row <= headerRow || !columns.some((id, at) => id && cells[at])) return false
  const filled = filledIn({ cells })
  const [first] = filled
  if (!first) return false
  if (filled.length <= 3 && /^(grand |sub-? ?)?totals?\b/i.test(first.text.trim())) return false
  return !(filled.length <= 2 && /_{4,}/.test(first.text))
}

/** What was counted of a sheet before it is planned. */
export interface SheetSurvey {
  rows: number
  hiddenRows: number
  /** How often each word stands in the columns of lists, as it is written first. */
  words: Partial<Record<FieldId, Record<string, number>>>
  /** How many days in figures tell an order, or might be either. */
  days: Partial<Record<FieldId, Record<DayOrder | 'either', number>>>
  /** All references are numbers, so that numbers are what is meant. */
  allNumbers: boolean
}

/** So many words of one column: a list of more is none. */
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
      const told = row.cells[at] && orderToldBy(row.cells[at])
      if (told) (survey.days[id] ??= { 'Day first': 0, 'Month first': 0, either: 0 })[told]++
    }
    for (const { id, at } of lists) {
      const said = row.cells[at]
      if (!said || brokenCell(said)) continue
      const word = cleanedName(said.text)
      const words = (survey.words[id] ??= {})
      if (word in words || Object.keys(words).length < mostWords) words[word] = (words[word] ?? 0) + 1
    }
  }
  return { survey, take }
}

/** The order of the days of a column, and whether it is to be asked: where only the month can stand first, and never the day. */
export function dayOrderOf(
  id: FieldId,
  { days }: SheetSurvey,
  answers: Readonly<Record<string, string | null>> = {},
): { order: DayOrder | null; asks: number } {
  const told = days[id]
  if (!told || told['Month first'] === 0 || told['Day first'] > 0) return { order: 'Day first', asks: 0 }
  const order = dayOrders.find((one) => one === answers[dayOrderWord]) ?? null
  return { order, asks: told['Month first'] + told.either }
}

/** What the words of a column mean. Those that the product writes itself need no answer. */
export function wordsOf(
  id: FieldId,
  found: Readonly<Record<string, number>>,
  answers: Readonly<Record<string, string | null>> = {},
) {
  const { list } = fieldOf(id)
  if (!list) return { words: {}, asks: false }
  const others = Object.keys(found).filter((word) => !list.values.includes(word))
  // Somebody may also say that a word which is known means nothing here.
  const known = (word: string) => {
    const answer = answers[word.toLowerCase()]
    return answer === undefined ? (list.words[word.toLowerCase()] ?? null) : answer
  }
  // A column that speaks in words of its own is asked about those unknown; among the product's words one other is a slip.
  const asks = list.asks && (others.some((word) => known(word) !== null) || others.length === Object.keys(found).length)
  const words = Object.fromEntries(
    others.filter((word) => asks || known(word) !== null).map((word) => [word, known(word)]),
  )
  return { words, asks }
}
