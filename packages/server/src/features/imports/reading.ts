import type { SheetInfo, SheetRow } from '@caretaker/rules/imports/cells.ts'
import { importLimits } from '@caretaker/rules/imports/cells.ts'
import type { SheetMapping, SheetSurvey } from '@caretaker/rules/imports/columns.ts'
import { draftOf, kindsOf, mappingAt, recognise, rowsToHeadings, surveyor } from '@caretaker/rules/imports/columns.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import type { KeptReading } from '@caretaker/rules/imports/life.ts'
import type { Existing, planner } from '@caretaker/rules/imports/plan.ts'
import { serialsIn, sheetOrder } from '@caretaker/rules/imports/plan.ts'
import type { OpenFile } from '../../spreadsheets/open-file.ts'
import { UnreadableFile } from '../../spreadsheets/unreadable.ts'

/** A sheet as it is going to be read; without a mapping it is left. */
export interface SurveyedSheet {
  info: SheetInfo
  mapping: SheetMapping | null
  /** How it would be read if it were known by which column its rows are recognised. */
  draft: SheetMapping | null
  /** What was said of an earlier list with these headings, where it is read so. */
  kept: KeptReading | undefined
  /** What was said of words in earlier lists with these headings. */
  answers: KeptReading['answers']
  survey: SheetSurvey
  /** Its first rows. */
  head: readonly SheetRow[]
}

/** What somebody says of a sheet that was recognised otherwise, or not at all. */
export interface Correction {
  sheet: string
  /** Null leaves the sheet. */
  headerRow: number | null
  columns: readonly (FieldId | null)[]
  buildingFromName: boolean
}

/** Reads a file once: which of its sheets can be read and how, how many rows they have, and what words stand in lists. */
export async function surveyFile(
  file: OpenFile,
  isBuilding: (key: string) => boolean,
  corrections: readonly Correction[] = [],
  keptFor: (headers: readonly string[]) => KeptReading | undefined = () => undefined,
): Promise<SurveyedSheet[]> {
  const surveyed: SurveyedSheet[] = []
  let rows = 0
  for (const info of file.sheets) {
    const correction = corrections.find(({ sheet }) => sheet === info.name)
    const head = await headOf(file, info)
    const found = correction ? undefined : keptIn(info, head, keptFor)
    const said = correction ? corrected(info, head, correction) : null
    const isReadable = said && kindsOf(said.columns).length > 0
    const mapping = correction
      ? isReadable
        ? said
        : null
      : (found?.mapping ?? recognise(info, head, isBuilding) ?? null)
    // Columns that are said anew leave what is known of words.
    const { answers } = (correction && mapping ? keptFor(mapping.headers) : found?.kept) ?? { answers: {} }
    const { survey, take } = surveyor(mapping ?? { ...noMapping, sheet: info.name })
    if (mapping)
      for await (const batch of file.rows(info)) {
        rows += batch.length
        if (rows > importLimits.rows) throw new UnreadableFile('rows')
        for (const row of batch) {
          // An unclosed quotation mark takes in separators too: the row has more cells or fewer than the headings.
          if (row.hasLineEnd && row.row > mapping.headerRow && row.cells.length !== mapping.headers.length)
            throw new UnreadableFile('quote', { row: row.row })
          take(row)
        }
      }
    surveyed.push({ info, mapping, draft: isReadable ? null : said, kept: found?.kept, answers, survey, head })
  }
  // What stands beside sheets that are read is left unasked: a cover, say, or a summary.
  if (surveyed.some(({ mapping }) => mapping)) return surveyed
  return surveyed.map((one) =>
    corrections.some(({ sheet }) => sheet === one.info.name)
      ? one
      : { ...one, draft: draftOf(one.info, one.head, isBuilding) ?? null },
  )
}

const noMapping = { headerRow: 0, headers: [], columns: [], buildingFromName: false }

async function headOf(file: OpenFile, info: SheetInfo): Promise<SheetRow[]> {
  const head: SheetRow[] = []
  for await (const batch of file.rows(info)) {
    head.push(...batch)
    if (head.length >= rowsToHeadings) break
  }
  return head.slice(0, rowsToHeadings)
}

/** The row of headings that somebody has explained before. */
function keptIn(
  info: SheetInfo,
  head: readonly SheetRow[],
  keptFor: (headers: readonly string[]) => KeptReading | undefined,
): { mapping: SheetMapping; kept: KeptReading } | undefined {
  for (const row of head) {
    const { headers } = mappingAt(info, row, () => false)
    const kept = keptFor(headers)
    if (!kept) continue
    const { columns, buildingFromName } = kept
    return { mapping: { sheet: info.name, headerRow: row.row, headers, columns, buildingFromName }, kept }
  }
  return undefined
}

function corrected(info: SheetInfo, head: readonly SheetRow[], correction: Correction): SheetMapping | null {
  const row = head.find(({ row: number }) => number === correction.headerRow)
  if (!row) return null
  const { headers } = mappingAt(info, row, () => false)
  const columns = headers.map((_, at) => correction.columns[at] ?? null)
  return { sheet: info.name, headerRow: row.row, headers, columns, buildingFromName: correction.buildingFromName }
}

type Planner = ReturnType<typeof planner>
export type LookUp = (keys: ReturnType<Planner['keysOf']>) => Promise<Existing>

/** Rows that are planned, and looked up, at a time. */
const rowsAtATime = 1000

/** The serial numbers that a file names, those of some rows at a time. */
export async function* namedSerials(file: OpenFile, sheets: readonly SurveyedSheet[]): AsyncGenerator<string[]> {
  for (const { info, mapping } of sheets)
    if (mapping?.columns.includes('serialNumber'))
      for await (const batch of file.rows(info)) {
        const serials = serialsIn(mapping, batch)
        if (serials.length) yield serials
      }
}

/** Plans a file sheet by sheet, what others stand in first, and yields what came of some rows at a time. */
export async function* planFile(
  file: OpenFile,
  sheets: readonly SurveyedSheet[],
  plan: Planner,
  lookUp: LookUp,
): AsyncGenerator<ReturnType<Planner['take']>> {
  const order = ({ mapping }: SurveyedSheet) => sheetOrder.indexOf(kindsOf(mapping!.columns)[0]!)
  const readable = sheets.filter(({ mapping }) => mapping).sort((a, b) => order(a) - order(b))
  if (readable.some(({ mapping }) => mapping!.columns.includes('defaultFloor')))
    for (const { info, mapping } of readable) {
      if (!mapping!.columns.includes('floorName')) continue
      let building = ''
      for await (const batch of file.rows(info)) building = plan.nameFloors(mapping!, batch, building)
    }
  for (const { info, mapping, survey } of readable) {
    let waiting: SheetRow[] = []
    const planned = async () => {
      const rows = waiting
      waiting = []
      return plan.take(mapping!, survey, rows, await lookUp(plan.keysOf(mapping!, rows)))
    }
    for await (const batch of file.rows(info)) {
      waiting.push(...batch)
      if (waiting.length >= rowsAtATime) yield await planned()
    }
    yield await planned()
  }
}
