import type { Readable } from 'node:stream'
import { migrations as landed } from '../migrations/index.ts'
import type { Migration } from '../migrations/index.ts'
import { schemaAfter } from '../postgres/product-schema.ts'
import type { Archive } from './archive.ts'
import { BackupFault } from './fault.ts'
import type { Manifest, Part } from './manifest.ts'
import { fileName, keysIn, readManifest } from './manifest.ts'

/**
 * Reads a backup completely and checks everything that a restore needs, without a database. Every backup is checked
 * when it is made, and again before it is restored. Throws a BackupFault.
 *
 * @param leaveFiles for a backup made without the uploaded files
 */
export async function verify(archive: Archive, { leaveFiles = false } = {}): Promise<Manifest> {
  await archive.check()
  const manifest = await readManifest(archive)
  const { tables } = schemaAfter(Object.keys(migrationsOf(manifest)))
  for (const part of manifest.parts) {
    if (!archive.names.has(part.name)) throw new BackupFault(`The backup lacks ${part.name}, which its manifest names.`)
    if (manifest.tenant !== null && part.tenant !== manifest.tenant)
      throw new BackupFault(`${part.name} does not belong to ${manifest.tenant}, the only client of this backup.`)
    if (tables.has(part.table)) await checkRows(await archive.read(part.name), part)
  }
  const names = new Set(manifest.parts.map(({ name }) => name))
  for (const name of archive.names)
    if (name.startsWith('tables/') && !names.has(name)) throw new BackupFault(`The manifest does not name ${name}.`)
  checkFiles(archive, manifest, leaveFiles)
  return manifest
}

/**
 * Tables and columns in a backup that are not in the schema of its version: a restore leaves them out. Older versions
 * backed up all tables of the database.
 */
export function unknownIn({ parts, migrations }: Manifest): string[] {
  const { tables } = schemaAfter(migrations)
  const unknown = parts.flatMap(({ table, columns }) => {
    const known = tables.get(table)
    if (!known) return [table]
    const others = columns.filter((column) => !known.includes(column))
    return others.length ? [`${table} (${others.join(', ')})`] : []
  })
  return [...new Set(unknown)]
}

/** One line that names what a backup or a restore leaves out; undefined if nothing. */
export function leftOutLine(names: readonly string[]): string | undefined {
  const more = names.length - namesInLine
  if (!names.length) return undefined
  return `Left out because not part of Caretaker: ${names.slice(0, namesInLine).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}
const namesInLine = 50

/** The migrations of the backup's database; rejects a schema of a newer version. */
export function migrationsOf({ migrations, version }: Manifest): Record<string, Migration> {
  const unknown = migrations.filter((name) => !(name in landed))
  if (unknown.length)
    throw new BackupFault(
      `This backup was made by version ${version} of Caretaker with a newer schema (${unknown.join(', ')} unknown here). Restore it with that version or a newer one.`,
    )
  const known = Object.keys(landed)
  const skipping = migrations.findIndex((name, at) => name !== known[at])
  if (skipping >= 0)
    throw new BackupFault(
      `This backup has the schema of an unfinished version: ${migrations[skipping]} without ${known[skipping]}.`,
    )
  return Object.fromEntries(migrations.map((name) => [name, landed[name]!]))
}

const [tab, newline] = [9, 10]

/** Rows are lines with columns separated by tabs; COPY escapes both within values. */
async function checkRows(content: Readable, { name, columns, rows }: Part): Promise<void> {
  let [lines, tabs, last] = [0, 0, newline]
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]
        if (byte === newline) lines++
        else if (byte === tab) tabs++
      }
      last = chunk.at(-1) ?? last
    }
  } catch (error) {
    throw new BackupFault(`${name} cannot be decompressed: ${(error as Error).message}.`)
  }
  if (lines !== rows || last !== newline) throw new BackupFault(`${name} has ${lines} rows, and should have ${rows}.`)
  if (tabs !== rows * (columns.length - 1))
    throw new BackupFault(`The rows of ${name} do not have ${columns.length} columns.`)
}

const fileKey = /^[^/]+\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Checks that each row of an uploaded file has its content in the backup, or that the manifest lists it as missing. */
function checkFiles(archive: Archive, { parts, files }: Manifest, leaveFiles: boolean): void {
  const keys = keysIn(archive)
  const wrong = keys.find((key) => !fileKey.test(key))
  if (wrong !== undefined) throw new BackupFault(`files/${wrong} is not the name of an uploaded file.`)
  if (keys.length !== files.count)
    throw new BackupFault(`The backup has ${keys.length} files, and should have ${files.count}.`)
  const rows = parts.reduce((sum, part) => sum + (part.table === 'public.file' ? part.rows : 0), 0)
  const absent = files.missing.filter((key) => !archive.names.has(fileName(key))).length
  if (!leaveFiles && keys.length + absent !== rows)
    throw new BackupFault(`The backup has ${keys.length} files for ${rows} rows, and names ${absent} as missing.`)
}
