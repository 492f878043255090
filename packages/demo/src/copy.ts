import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

export type Cell = string | number | boolean | null | undefined | Date | Buffer | object
export type Row = readonly Cell[]

const bytesAtOnce = 64 * 1024

/**
 * Writes rows in bulk: COPY into a temporary table, then one INSERT. Forced row security does not allow an owner
 * without special rights, as in an organisation's database, to COPY into the table itself. This way costs a quarter
 * more and works for every owner. Returns the number of rows; `tenant` is the tenant_id of all of them.
 */
export async function writeRows(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  rows: Iterable<Row>,
  tenant?: string,
): Promise<number> {
  const names = columns.join(', ')
  await client.query(`create temporary table seed_rows as select ${names} from ${table} with no data`)
  const count = await copyRows(client, 'seed_rows', columns, rows)
  if (count && tenant === undefined) await insertSelect(client, `${table} (${names}) select ${names} from seed_rows`)
  else if (count)
    await insertSelect(client, `${table} (tenant_id, ${names}) select $1, ${names} from seed_rows`, [tenant])
  await client.query('drop table seed_rows')
  if (count >= 1000) await analyzeOnce(client, table)
  return count
}

const analyzed = new WeakMap<pg.ClientBase, Set<string>>()

/**
 * Gives the planner statistics about a table that one long transaction fills, which autovacuum cannot see. Without
 * them, the checks of foreign keys that refer to the table may use an index on the tenant alone, and then read all of
 * the tenant's rows for every row that they check.
 */
async function analyzeOnce(client: pg.ClientBase, table: string): Promise<void> {
  const done = analyzed.get(client) ?? new Set()
  if (done.has(table)) return
  analyzed.set(client, done.add(table))
  await client.query(`analyze ${table}`)
}

/**
 * Inserts the result of a query. A distributed database runs such an INSERT as a COPY, which row security rejects, unless the
 * statement returns rows. (`on conflict` would also prevent the COPY, but takes half as long again.)
 */
export async function insertSelect(client: pg.ClientBase, intoSelect: string, values: unknown[] = []): Promise<void> {
  await client.query(`with written as (insert into ${intoSelect} returning 1) select 1`, values)
}

/** COPY into a temporary table, which has no row security. Returns the number of rows. */
export async function copyRows(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  rows: Iterable<Row>,
): Promise<number> {
  let count = 0
  function* lines() {
    let text = ''
    for (const row of rows) {
      count++
      text += `${row.map(encoded).join('\t')}\n`
      if (text.length < bytesAtOnce) continue
      yield text
      text = ''
    }
    if (text) yield text
  }
  await pipeline(Readable.from(lines()), client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`)))
  return count
}

export function* map<T, R>(items: Iterable<T>, change: (item: T) => R): Iterable<R> {
  for (const item of items) yield change(item)
}

/** A Postgres array as text; null stays null. The values are numbers, times and ids and need no quotes. */
export function arrayOf(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

const special = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function encoded(cell: Cell): string {
  if (cell === null || cell === undefined) return '\\N'
  if (typeof cell === 'string') return cell.replace(special, (sign) => escapes[sign]!)
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  if (cell instanceof Date) return cell.toISOString()
  if (Buffer.isBuffer(cell)) return `\\\\x${cell.toString('hex')}`
  return JSON.stringify(cell).replace(special, (sign) => escapes[sign]!)
}
