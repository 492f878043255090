import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import type { ExportFormat } from '@caretaker/contract/lists.ts'
import { refuseTooMany } from '@caretaker/contract/refusal.ts'
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
/** Per process: each export holds a database connection for as long as its caller downloads. */
const mostAtOnce = 4
let running = 0
/** The namespace of the advisory locks for a person's running export. */
const space = 0x6578_706f

/**
 * How long a second export waits, in ms: after a complete download, the transaction of the first may not have ended
 * yet.
 */
const patience = 1000

/** Typical duration of an export, in seconds. */
const retryAfter = 10

/**
 * Runs a person's export in its transaction; rejects it if another of their exports runs in any process, or too many
 * exports run in this one.
 */
export async function oneOfFew<T>(tx: TenantTx, personId: string, work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + patience; !(await isFirst(tx, personId)); await sleep(50))
    if (performance.now() > until)
      throw refuseTooMany(
        { limit: 1, retryAfter },
        'Your last export is still running. Please try again when it has finished.',
      )
  if (running >= mostAtOnce)
    throw refuseTooMany(
      { limit: mostAtOnce, retryAfter },
      'Too many exports are running. Please try again in a moment.',
    )
  running++
  try {
    return await work()
  } finally {
    running--
  }
}

/** Whether the person has no running export; then none can start until the transaction ends. */
async function isFirst(tx: TenantTx, personId: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${space}, hashtext(${personId})) as taken`.execute(tx)
  return rows[0]!.taken
}

/** A file of columns of a list, named after the list and the day. Times are in the tenant's time zone. */
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

/** The ids of all rows of a list in order, in portions; needs a transaction with one snapshot. */
export async function* exportedIds<N extends string>(
  source: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
): AsyncGenerator<string[]> {
  const query = (await idsInOrder(source, tx, actor, wanted)).compile()
  await tx.executeQuery(CompiledQuery.raw(`declare exported no scroll cursor for ${query.sql}`, [...query.parameters]))
  for (;;) {
    const { rows } = await sql<{ id: string }>`fetch ${sql.lit(rowsAtOnce)} from exported`.execute(tx)
    if (!rows.length) return
    yield rows.map(({ id }) => id)
  }
}

/** The header and all rows of a list, in portions; needs a transaction with one snapshot. */
export async function* exportedRows<N extends string, Row>(
  source: RowSource<Row, Table, N>,
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<N>,
  columns: readonly string[],
): AsyncGenerator<Cells[]> {
  const cells = columns.map((column) => source.cells[column]!)
  yield [columns.map((column) => source.lists[wanted.listing].fields[column]!.label)]
  for await (const ids of exportedIds(source, tx, actor, wanted)) {
    const found = await rowsOf(source, tx, actor, ids)
    yield found.map((row) => cells.map((cell) => cell(row)))
  }
}
