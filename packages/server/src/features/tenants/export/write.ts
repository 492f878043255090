import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CompiledQuery, sql } from 'kysely'
import { ZipFile } from 'yazl'
import { isoTime } from '@caretaker/rules/calendar/days.ts'
import type { FileStore } from '../../../context.ts'
import { keyOf } from '../../../files/keys.ts'
import type { TenantTx } from '../../../postgres/tenant.ts'
import { csvTable } from '../../../spreadsheets/csv.ts'
import type { Cell, Row } from '../../../spreadsheets/table.ts'
import type { ExportedSubject } from './subjects.ts'
import { exportedSubjects, notExported, singleReadings } from './subjects.ts'

const rowsAtOnce = 2000

interface Wanted {
  tx: TenantTx
  files: FileStore
  /** Where the archive is written. */
  place: string
  askedBy: string
  now: Date
  withReadings: boolean
  /** Called with the progress: the rows so far, and the part being written. */
  onProgress: (rows: number, part: string) => Promise<void>
}

/**
 * Writes everything of a tenant into a zip from the snapshot of the transaction; resolves with the number of rows.
 */
export async function writeExport(wanted: Wanted): Promise<number> {
  const { tx, files, place, askedBy, now, withReadings, onProgress } = wanted
  const subjects = withReadings ? [...exportedSubjects, singleReadings] : exportedSubjects
  const client = await tx
    .selectFrom('tenant')
    .select(['display_name as name', 'time_zone as zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  const zip = new ZipFile()
  const failed = new AbortController()
  zip.on('error', (error) => failed.abort(error))
  const written = pipeline(zip.outputStream, createWriteStream(place))
  written.catch((error: unknown) => failed.abort(error))
  const { signal } = failed
  let rows = 0
  const notes: string[] = []
  try {
    for (const subject of subjects) {
      const before = rows
      await onProgress(rows, subject.name)
      const pieces = async function* () {
        for await (const piece of rowsOf(tx, subject)) {
          yield piece
          rows += piece.length
          await onProgress(rows, subject.name)
        }
      }
      const table = csvTable(client.zone)
      zip.addReadStream(table.bytes, `${subject.name}.csv`, { forceZip64Format: subject.isLarge === true })
      await pipeline(Readable.from(pieces(), { highWaterMark: 1 }), table.rows as NodeJS.WritableStream, { signal })
      // The header does not count as a row.
      rows -= 1
      notes.push(`${subject.name}.csv, ${(rows - before).toLocaleString('en-GB')} rows: ${subject.about}`)
    }
    await onProgress(rows, 'files')
    const { count, missing } = await addFiles(tx, files, zip, signal)
    const left = Object.entries(notExported).filter(([table]) => !subjects.some(({ tables }) => tables.includes(table)))
    const text = readme({ client, id: tx.tenant, askedBy, now, notes, count, missing, left })
    zip.addBuffer(Buffer.from(text), 'README.txt')
    zip.end()
    await written
    return rows
  } catch (error) {
    ;(zip.outputStream as Readable).destroy()
    throw signal.aborted && signal.reason instanceof Error ? signal.reason : error
  }
}

const cellOf = (value: unknown): Cell => {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return value instanceof Date ? value : JSON.stringify(value)
}

/** The rows of a subject in batches, its header first. */
async function* rowsOf(tx: TenantTx, { columns, from }: ExportedSubject): AsyncGenerator<Row[]> {
  const headings = Object.keys(columns)
  yield [headings]
  const chosen = headings.map((heading, at) => `${columns[heading]} as c${at}`).join(', ')
  await tx.executeQuery(
    CompiledQuery.raw(`declare exported no scroll cursor for select ${chosen} from ${from}`, [tx.tenant]),
  )
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(rowsAtOnce)} from exported`.execute(tx)
    if (rows.length) yield rows.map((row) => headings.map((_, at) => cellOf(row[`c${at}`])))
    if (rows.length < rowsAtOnce) break
  }
  await sql`close exported`.execute(tx)
}

/** Adds the files that rows refer to, by id; former exports are not the client's own data. */
async function addFiles(tx: TenantTx, files: FileStore, zip: ZipFile, signal: AbortSignal) {
  const missing: string[] = []
  let count = 0
  await sql`declare exported_files no scroll cursor for
    select id, name from file where tenant_id = ${tx.tenant} and referrer <> 'tenant_export' order by id`.execute(tx)
  for (;;) {
    const { rows } = await sql<{ id: string; name: string }>`fetch 500 from exported_files`.execute(tx)
    for (const { id, name } of rows) {
      const content = await files.read(keyOf(tx.tenant, id)).catch(() => undefined)
      if (!content) {
        missing.push(`${id} ${name}`)
        continue
      }
      const into = new PassThrough()
      zip.addReadStream(into, `files/${id} ${name.replaceAll(/[/\\:*?"<>|]/g, '_')}`)
      const taken = once(into, 'end', { signal })
      await Promise.all([pipeline(content, into, { signal }), taken])
      count++
    }
    if (rows.length < 500) return { count, missing }
  }
}

interface About {
  client: { name: string; zone: string }
  id: string
  askedBy: string
  now: Date
  notes: readonly string[]
  count: number
  missing: readonly string[]
  /** Tables that are not in it, and why. */
  left: readonly (readonly [table: string, why: string])[]
}

function readme({ client, id, askedBy, now, notes, count, missing, left }: About): string {
  const lines = [
    `All data of ${client.name} (${id}) at ${isoTime(+now, client.zone)}.`,
    `Written for ${askedBy}.`,
    '',
    'It contains personal data: store it where only authorised people have access, and delete it when it is no longer needed.',
    '',
    `Tables are CSV in UTF-8, with a heading. Times are those of ${client.zone}. A text that a spreadsheet would take for a formula begins with an apostrophe.`,
    '',
    ...notes,
    `files, ${count.toLocaleString('en-GB')} files: certificates, photographs, plans and other documents; the tables name them by the ids with which their names begin`,
    ...(missing.length ? ['', 'Files that could not be read:', ...missing] : []),
    '',
    'Not included:',
    ...left.filter(([, why]) => why !== 'the same').map(([table, why]) => `${table.replaceAll('_', ' ')}: ${why}`),
  ]
  return `${lines.join('\r\n')}\r\n`
}
