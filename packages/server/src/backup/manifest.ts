import { z } from 'zod'
import type { Archive } from './archive.ts'
import { textOf } from './archive.ts'
import { BackupFault } from './fault.ts'
import { asBaseline, backupBeforeBaseline, isBeforeBaseline } from '../postgres/squashed.ts'

export const manifestName = 'manifest.json'

const Part = z.strictObject({
  name: z.string(),
  table: z.string(),
  columns: z.array(z.string()).min(1),
  /** The tenant of the rows; null for rows of all tenants. */
  tenant: z.string().nullable(),
  rows: z.number().int().min(0),
})
export type Part = z.infer<typeof Part>

export const Manifest = z.object({
  format: z.literal('caretaker-backup'),
  /** The format of the archive; readers reject an unknown one. */
  formatVersion: z.literal(1),
  /** The product version that made it. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  postgres: z.string(),
  /** The migrations of the database in order; squashed ones are read as the baseline. */
  migrations: z.array(z.string()).min(1).transform(asBaseline),
  /** The only tenant in the backup; null if it has all. */
  tenant: z.string().nullable(),
  pointsSince: z.iso.datetime().nullable(),
  sequences: z.record(z.string(), z.string().regex(/^\d+$/)),
  parts: z.array(Part),
  /** Tables and columns that are not part of the product; absent in older backups. */
  leftOut: z.array(z.string()).default([]),
  /**
   * Tenants with a machine of a distributed database to themselves; absent in backups of one tenant and in older
   * ones.
   */
  placements: z.array(z.object({ tenant: z.string(), machine: z.string() })).default([]),
  files: z.object({
    count: z.number().int().min(0),
    bytes: z.number().int().min(0),
    /** Files that were missing or incomplete in the store. */
    missing: z.array(z.string()),
  }),
})
export type Manifest = z.infer<typeof Manifest>

export const partName = (table: string, tenant: string | null) =>
  `tables/${table}${tenant === null ? '' : `/${tenant}`}.copy.zst`
const files = 'files/'
export const fileName = (key: string) => `${files}${key}`
/** The keys of the uploaded files in an archive. */
export const keysIn = ({ names }: Archive): string[] =>
  [...names].flatMap((name) => (name.startsWith(files) ? [name.slice(files.length)] : []))

/** The manifest of a checked archive; rejects an unknown format. */
export async function readManifest(archive: Archive): Promise<Manifest> {
  const content = parseJson(await textOf(await archive.read(manifestName)))
  const parsed = Manifest.safeParse(content)
  if (!parsed.success) {
    const { version = 'another version' } = (content ?? {}) as { version?: string }
    throw new BackupFault(
      `This backup was made by version ${version} of Caretaker in a format that this version cannot read. Restore it with that version.`,
    )
  }
  if (isBeforeBaseline(parsed.data.migrations)) throw new BackupFault(backupBeforeBaseline)
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
