import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { SheetCell } from '@caretaker/rules/imports/cells.ts'
import { markHeading } from '@caretaker/rules/imports/columns.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import type { ImportState } from '@caretaker/rules/imports/life.ts'
import { rowsTaken } from '@caretaker/rules/imports/plan.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { openFile } from '../../spreadsheets/reading.ts'
import type { Row } from '../../spreadsheets/table.ts'
import { zoneOf } from '../../lists/read.ts'
import { xlsxWorkbook } from '../../spreadsheets/xlsx.ts'
import { cellsOf, contentOf, findImport, itemsOf } from './store.ts'

/** Rows that a user can reasonably correct by hand. */
const mostMarked = 5000

interface MarkedSheet {
  name: string
  rows: Row[]
}

/** The rejected rows of a list as a workbook; refuses if there are none any more. */
export async function rowsToMend(tx: TenantTx, id: string): Promise<Readable | Buffer> {
  const { state } = await findImport(tx, id)
  if (!isIn.includes(state)) return markedWorkbook(await markedSheets(tx, id), await zoneOf(tx))
  const kept = await contentOf(tx, id)
  if (!kept) throw refuse('refused', 'The file of this list was deleted after its import.')
  return kept
}

/** In these states only the rejected rows of the file are kept. */
const isIn: readonly ImportState[] = ['done', 'undoing', 'undone']

/** The rejected rows of an imported file as a workbook; null if no row was rejected. */
export async function rowsToKeep(tx: TenantTx, id: string): Promise<Buffer | null> {
  const marked = await markedSheets(tx, id)
  if (marked.every(({ rows }) => rows.length < 2)) return null
  return buffer(markedWorkbook(marked, await zoneOf(tx)))
}

/**
 * The rejected rows as they are in the file, with reasons and with what the rows above apply to them. Refuses if the
 * file has been deleted.
 */
async function markedSheets(tx: TenantTx, id: string): Promise<MarkedSheet[]> {
  const { found, wishes } = await findImport(tx, id)
  const content = await contentOf(tx, id)
  if (!content) throw refuse('refused', 'The file of this list was deleted after its import.')
  const faults = await faultsByRow(tx, id)
  const file = await openFile(content, wishes.encoding ?? null)
  const sheets: MarkedSheet[] = []
  for (const info of file.sheets) {
    const mapping = found?.sheets.find(({ name }) => name === info.name)?.mapping
    const own = faults.get(info.name)
    if (!mapping || !own) continue
    const columns = mapping.headers.flatMap((header, at) => (header === markHeading ? [] : [at]))
    const rows: Row[] = [[...columns.map((at) => mapping.headers[at]!), markHeading]]
    const take = rowsTaken(mapping)
    for await (const batch of file.rows(info))
      for (const row of batch)
        if (!wishes.leaveHidden || !row.hidden)
          for (const { row: number, cells } of take(row, own.has(row.row)))
            rows.push([
              ...columns.map((at) => textOf(cells[at], mapping.columns[at])),
              own.get(number)?.join('; ') ?? '',
            ])
    sheets.push({ name: info.name || 'List', rows })
  }
  return sheets.length > 0 ? sheets : [{ name: 'List', rows: [[markHeading]] }]
}

/**
 * A cell in the form in which it can be imported again: references as displayed, since the spreadsheet may have
 * turned them into numbers or dates; everything else as stored, since the display may lack the year or put the month
 * first. An overlong cell is empty, because its known beginning could be imported as if complete.
 */
function textOf(cell: SheetCell | undefined, field: FieldId | null | undefined): string {
  if (!cell || cell.kind === 'long') return ''
  return (field === 'propertyReference' && cell.shown) || cell.text
}

async function faultsByRow(tx: TenantTx, id: string): Promise<Map<string, Map<number, string[]>>> {
  const faults = new Map<string, Map<number, string[]>>()
  let marked = 0
  const mark = ({ sheet, row }: { sheet: string; row: number }, why: string) => {
    const own = faults.get(sheet) ?? new Map<number, string[]>()
    faults.set(sheet, own)
    const known = own.get(row)
    if (!known && ++marked > mostMarked) return
    own.set(row, [...(known ?? []), why])
  }
  for (let from = 0; marked <= mostMarked;) {
    const cells = await cellsOf(tx, id, { from })
    for (const cell of cells) mark(cell, cell.header ? `${cell.header}: ${cell.message}` : cell.message)
    if (cells.length === 0) break
    from = cells.at(-1)!.number + 1
  }
  // Then the rows that were planned but could not be written.
  for (let from = 0; marked <= mostMarked;) {
    const items = await itemsOf(tx, id, { from, states: ['refused'] })
    for (const item of items) mark(item, item.reason ?? 'Not written')
    if (items.length === 0) break
    from = items.at(-1)!.number + 1
  }
  return faults
}

/** The sheets as a workbook. */
export function markedWorkbook(marked: readonly MarkedSheet[], zone: string): Readable {
  const { sheets, bytes } = xlsxWorkbook(
    marked.map(({ name, rows }) => ({ name, columns: rows[0]!.length })),
    zone,
  )
  // Each sheet ends before the next begins.
  const next = (at: number) => {
    sheets[at]?.end(marked[at]!.rows, () => next(at + 1))
  }
  next(0)
  return bytes
}
