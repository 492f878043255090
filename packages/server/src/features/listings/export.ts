import { CompiledQuery, sql } from 'kysely'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import type { exportFormats } from '@caretaker/contract/exports.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { FieldId } from '@caretaker/rules/devices/fields.ts'
import { fields } from '@caretaker/rules/devices/fields.ts'
import { listings } from '@caretaker/rules/devices/listings.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { csvTable, csvType } from '../../spreadsheets/csv.ts'
import type { Table } from '../../spreadsheets/table.ts'
import { xlsxTable, xlsxType } from '../../spreadsheets/xlsx.ts'
import { cellText } from './cells.ts'
import type { Wanted } from './store.ts'
import { rowsInOrder, rowsOf } from './store.ts'

type Format = (typeof exportFormats)[number]

const typeOf: Record<Format, string> = { csv: csvType, xlsx: xlsxType }
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

export function fileOf({ listing }: Wanted, columns: readonly FieldId[], format: Format, day: string) {
  const file = { name: `${day}-${listing}.${format}`, type: typeOf[format] }
  const table: Table = format === 'csv' ? csvTable() : xlsxTable(listings[listing].label, columns.length)
  return { file, table }
}

/** The heading and every row of a listing as texts, some rows at a time; in a transaction of one snapshot. */
export async function* exportedRows(
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted,
  columns: readonly FieldId[],
  zone: string,
): AsyncGenerator<string[][]> {
  yield [columns.map((column) => fields[column].label)]
  const query = (await rowsInOrder(tx, actor, wanted)).select('device.id').compile()
  await tx.executeQuery(CompiledQuery.raw(`declare exported no scroll cursor for ${query.sql}`, [...query.parameters]))
  for (;;) {
    const { rows } = await sql<{ id: string }>`fetch ${sql.lit(rowsAtOnce)} from exported`.execute(tx)
    if (!rows.length) return
    const ids = rows.map((row) => row.id)
    const devices: DeviceRow[] = await rowsOf(tx, actor, ids)
    yield devices.map((row) => columns.map((column) => cellText(row, column, zone)))
  }
}
