import { CompiledQuery, sql } from 'kysely'
import type { ExportFormat } from '@caretaker/contract/lists.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { csvTable, csvType } from '../spreadsheets/csv.ts'
import type { Row as Cells, Table as File } from '../spreadsheets/table.ts'
import { xlsxTable, xlsxType } from '../spreadsheets/xlsx.ts'
import type { Wanted } from './read.ts'
import { idsInOrder, rowsOf } from './read.ts'
import type { ListSource, RowSource, Table } from './source.ts'

const typeOf: Record<ExportFormat, string> = { csv: csvType, xlsx: xlsxType }
const rowsAtOnce = 250
/** Each holds a connection to the database for as long as its caller takes to fetch it. */
const mostAtOnce = 4
/** The people whose exports are running. */
const running = new Set<string>()

/** Runs one export of a person, unless that person has one running or there are too many already. */
export async function oneOfFew<T>(personId: string, work: () => Promise<T>): Promise<T> {
  if (running.has(personId))
    throw refuse('too many', 'Your last export is still running. Please try again when it has finished.')
  if (running.size >= mostAtOnce)
    throw refuse('too many', 'Too many exports are running. Please try again in a moment.')
  running.add(personId)
  try {
    return await work()
  } finally {
    running.delete(personId)
  }
}

/** A file of some columns of a list, named by the list and the day in the tenant's zone, by whose clocks it tells instants. */
export function fileOf<N extends string>(
  { lists }: ListSource<Table, N>,
  listing: N,
  columns: readonly string[],
  format: ExportFormat,
  zone: string,
) {
  const file = { name: `${dayAt(Date.now(), zone)}-${listing}.${format}`, type: typeOf[format] }
  const table: File = format === 'csv' ? csvTable(zone) : xlsxTable(lists[listing].label, columns.length, zone)
  return { file, table }
}

/** The heading and every row of a list, some rows at a time; in a transaction of one snapshot. */
export async function* exportedRows<N extends string, Row>(
  source: RowSource<Row, Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
  columns: readonly string[],
): AsyncGenerator<Cells[]> {
  const cells = columns.map((column) => source.cells[column]!)
  yield [columns.map((column) => source.lists[wanted.listing].fields[column]!.label)]
  const query = (await idsInOrder(source, tx, actor, wanted)).compile()
  await tx.executeQuery(CompiledQuery.raw(`declare exported no scroll cursor for ${query.sql}`, [...query.parameters]))
  for (;;) {
    const { rows } = await sql<{ id: string }>`fetch ${sql.lit(rowsAtOnce)} from exported`.execute(tx)
    if (!rows.length) return
    const ids = rows.map((row) => row.id)
    const found = await rowsOf(source, tx, actor, ids)
    yield found.map((row) => cells.map((cell) => cell(row)))
  }
}
