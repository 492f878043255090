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
/** In this process: each holds a connection to the database for as long as its caller takes to fetch it. */
const mostAtOnce = 4
let running = 0
/** The space of the advisory locks that say that an export of a person is running. */
const space = 0x6578_706f

/** ms for which a second one waits: who has a file whole may ask for the next before the transaction of the first has ended. */
const patience = 1000

/** Seconds that most exports take. */
const retryAfter = 10

/** Runs one export of a person in its transaction, unless one runs already, in whichever process, or there are too many here. */
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

/** Whether nobody runs an export of that person; nobody else begins one until the transaction ends. */
async function isFirst(tx: TenantTx, personId: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${space}, hashtext(${personId})) as taken`.execute(tx)
  return rows[0]!.taken
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

/** The ids of every row of a list in their order, some at a time; in a transaction of one snapshot. */
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
  for await (const ids of exportedIds(source, tx, actor, wanted)) {
    const found = await rowsOf(source, tx, actor, ids)
    yield found.map((row) => cells.map((cell) => cell(row)))
  }
}
