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

/** A sheet and how it is read. Sheets without a mapping are skipped. */
export interface SurveyedSheet {
  info: SheetInfo
  mapping: SheetMapping | null
  /** The mapping that would apply if the identifying column were known. */
  draft: SheetMapping | null
  /** The kept mapping of an earlier list with this header, if it applies. */
  kept: KeptReading | undefined
  /** The kept values of earlier lists with this header. */
  answers: KeptReading['answers']
  survey: SheetSurvey
  /** Its first rows. */
  head: readonly SheetRow[]
}

/** A manual mapping of a sheet that was recognised differently or not at all. */
export interface Correction {
  sheet: string
  /** Null skips the sheet. */
  headerRow: number | null
  columns: readonly (FieldId | null)[]
  buildingFromName: boolean
}

/** Scans a file once: which sheets can be read and how, the number of their rows, and the values in list columns. */
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
    const manual = correction ? corrected(info, head, correction) : null
    const isReadable = manual && kindsOf(manual.columns).length > 0
    const mapping = correction
      ? isReadable
        ? manual
        : null
      : (found?.mapping ?? recognise(info, head, isBuilding) ?? null)
    // A manual mapping keeps the kept values of its header.
    const { answers } = (correction && mapping ? keptFor(mapping.headers) : found?.kept) ?? { answers: {} }
    const { survey, take } = surveyor(mapping ?? { ...noMapping, sheet: info.name })
    if (mapping)
      for await (const batch of file.rows(info)) {
        rows += batch.length
        if (rows > importLimits.rows) throw new UnreadableFile('rows')
        for (const row of batch) {
          // An unclosed quotation mark swallows separators too: the row then has more or fewer cells than the header.
          if (row.hasLineEnd && row.row > mapping.headerRow && row.cells.length !== mapping.headers.length)
            throw new UnreadableFile('quote', { row: row.row })
          take(row)
        }
      }
    surveyed.push({ info, mapping, draft: isReadable ? null : manual, kept: found?.kept, answers, survey, head })
  }
  // If any sheet can be read, the others are skipped without a question: a cover page, for example.
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

/** The header row that a user has mapped before. */
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

/** Rows that are looked up and planned at a time. */
const rowsAtATime = 1000

/** The serial numbers in a file, in batches of rows. */
export async function* namedSerials(file: OpenFile, sheets: readonly SurveyedSheet[]): AsyncGenerator<string[]> {
  for (const { info, mapping } of sheets)
    if (mapping?.columns.includes('serialNumber'))
      for await (const batch of file.rows(info)) {
        const serials = serialsIn(mapping, batch)
        if (serials.length) yield serials
      }
}

/** Plans a file sheet by sheet, containers before their contents, and yields the results in batches of rows. */
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
