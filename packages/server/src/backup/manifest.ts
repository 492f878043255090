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
  /** Whose rows these are; null where they are of all. */
  tenant: z.string().nullable(),
  rows: z.number().int().min(0),
})
export type Part = z.infer<typeof Part>

export const Manifest = z.object({
  format: z.literal('caretaker-backup'),
  /** Of the archive's own build; what reads it refuses one that it does not know. */
  formatVersion: z.literal(1),
  /** Of the product that made it. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  postgres: z.string(),
  /** Of the database, in their order; those that were squashed are read as the baseline. */
  migrations: z.array(z.string()).min(1).transform(asBaseline),
  /** The only tenant that is in it; null where all are. */
  tenant: z.string().nullable(),
  pointsSince: z.iso.datetime().nullable(),
  sequences: z.record(z.string(), z.string().regex(/^\d+$/)),
  parts: z.array(Part),
  /** Tables and columns of the database that were not part of the product; older backups do not name them. */
  leftOut: z.array(z.string()).default([]),
  /** Tenants that had a machine of a distributed database to themselves; a backup of one tenant, and an older one, says nothing of it. */
  placements: z.array(z.object({ tenant: z.string(), machine: z.string() })).default([]),
  files: z.object({
    count: z.number().int().min(0),
    bytes: z.number().int().min(0),
    /** What the store did not have, or not whole. */
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

/** The manifest of an archive whose hashes were checked; refuses one of a build that is not known here. */
export async function readManifest(archive: Archive): Promise<Manifest> {
  const told = parseJson(await textOf(await archive.read(manifestName)))
  const parsed = Manifest.safeParse(told)
  if (!parsed.success) {
    const { version = 'another version' } = (told ?? {}) as { version?: string }
    throw new BackupFault(
      `This backup was made by ${version} of Caretaker in a way that this version cannot read. Restore it with that one.`,
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
