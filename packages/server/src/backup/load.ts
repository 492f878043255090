import { randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { FileStore } from '../context.ts'
import type { Archive } from './archive.ts'
import { schemaAfter } from '../postgres/product-schema.ts'
import type { Table } from './catalog.ts'
import { appliedTo, columnsOf, sequencesIn } from './catalog.ts'
import { BackupFault } from './fault.ts'
import type { Part } from './manifest.ts'
import { fileName, keysIn } from './manifest.ts'
import { limitToTenant } from './backup.ts'

/** Bytes of rows written per statement. */
const bytesAtOnce = 8 * 1024 * 1024
const newline = 10

/** Complete lines, some megabytes at a time; COPY escapes line breaks within values. */
async function* wholeLines(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let held: Buffer[] = []
  let bytes = 0
  for await (const chunk of content) {
    const end = bytes + chunk.length < bytesAtOnce ? -1 : chunk.lastIndexOf(newline)
    if (end < 0) {
      held.push(chunk)
      bytes += chunk.length
      continue
    }
    yield [...held, chunk.subarray(0, end + 1)]
    const rest = chunk.subarray(end + 1)
    held = [rest]
    bytes = rest.length
  }
  if (bytes) yield held
}

/** Returns the value to store in a column; `value` is the SQL expression of the original. */
export type Changes = (column: string, value: string) => string

/**
 * Writes the rows of a part into its table: by COPY into a temporary table and from there in portions. Forced
 * row-level security forbids its owner a direct COPY, and values may have to change.
 */
export async function loadPart(
  client: pg.PoolClient,
  archive: Archive,
  table: Table,
  part: Part,
  changes: Changes = (_, value) => value,
): Promise<void> {
  const staged = columnsOf(part)
  const incoming = await stage(client, table, part)
  if (part.tenant !== null) await limitToTenant(client, part.tenant)
  // Columns that are not the product's, backed up by older versions, are left out.
  const columns = part.columns.filter((column) => table.columns.includes(column))
  const names = columnsOf({ columns })
  const values = columns.map((column) => changes(column, `incoming.${pg.escapeIdentifier(column)}`))
  let rows = 0
  for await (const lines of wholeLines(await archive.read(part.name))) {
    rows += await copyInto(client, incoming, staged, lines)
    // In a distributed database a statement without RETURNING would become a COPY, which row-level security forbids.
    await client.query(`with written as (
      insert into ${table.quoted} (${names}) overriding system value select ${values.join(', ')} from ${incoming} as incoming
      returning 1) select 1`)
    await client.query(`truncate ${incoming}`)
  }
  await client.query(`drop table ${incoming}`)
  expectRows(part, rows)
}

/** Loads all rows of a part into a temporary table and returns its name. For tables that are small for any tenant. */
export async function stagePart(client: pg.PoolClient, archive: Archive, table: Table, part: Part): Promise<string> {
  const incoming = await stage(client, table, part)
  let rows = 0
  for await (const lines of wholeLines(await archive.read(part.name)))
    rows += await copyInto(client, incoming, columnsOf(part), lines)
  expectRows(part, rows)
  return incoming
}

async function stage(client: pg.PoolClient, table: Table, part: Part): Promise<string> {
  const name = pg.escapeIdentifier(`incoming ${randomUUID()}`)
  const columns = part.columns.map((column) => {
    const quoted = pg.escapeIdentifier(column)
    return table.columns.includes(column) ? quoted : `null::text as ${quoted}`
  })
  await client.query(
    `create temporary table ${name} on commit drop as select ${columns.join(', ')} from ${table.quoted} with no data`,
  )
  return name
}

async function copyInto(client: pg.PoolClient, into: string, names: string, lines: Buffer[]): Promise<number> {
  const copying = client.query(copyFrom(`copy ${into} (${names}) from stdin`))
  await pipeline(Readable.from(lines, { objectMode: false }), copying)
  return copying.rowCount
}

function expectRows(part: Part, rows: number): void {
  if (rows !== part.rows) throw new BackupFault(`${part.name} has ${rows} rows, and should have ${part.rows}.`)
}

/** Advances sequences past the numbers that the source database had assigned. */
export async function countOn(client: pg.PoolClient, sequences: Readonly<Record<string, string>>): Promise<void> {
  for (const { name } of await sequencesIn(client, schemaAfter(await appliedTo(client))))
    if (name in sequences)
      await client.query(
        `select setval(to_regclass($1), greatest($2::bigint, coalesce(pg_sequence_last_value(to_regclass($1)), 1)))`,
        [name, sequences[name]],
      )
}

/** Stores all files of an archive. */
export async function putFiles(archive: Archive, files: FileStore): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'caretaker-restore-'))
  const place = path.join(folder, 'file')
  try {
    for (const key of keysIn(archive)) {
      await pipeline(await archive.read(fileName(key)), createWriteStream(place))
      await files.put(key, await openAsBlob(place)).catch((error: unknown) => {
        throw new BackupFault(`The file store cannot store files: ${(error as Error).message}`)
      })
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
