import { createHash, randomUUID } from 'node:crypto'
import path from 'node:path'
import { create as contentDisposition } from 'content-disposition'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { FileType } from '@caretaker/rules/files/types.ts'
import { fileTypes, heicText } from '@caretaker/rules/files/types.ts'
import type { FastifyBaseLogger } from 'fastify'
import { Sending } from '../http/sending.ts'
import { makeDue } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { contentTypeOf } from './content-type.ts'
import { grace, keyOf } from './keys.ts'
import type { PlainPhoto } from './photo.ts'
import { isPhotoType, plainPhoto, sizeFault } from './photo.ts'
import { findVirus } from './virus-scan.ts'
import { incomplete } from './whole.ts'
import type { Config } from '../config.ts'
import type { FileStore } from '../context.ts'

/** The options for staging a file. */
interface Staging {
  config: Pick<Config, 'virusScanner'>
  db: Db
  files: FileStore
  log: FastifyBaseLogger
}

interface Wanted {
  /** The table whose rows will refer to the file, by `foreign key (tenant_id, …) references file (tenant_id, id)`. */
  referrer: string
  allowed: readonly FileType[]
  /** The type of a file that the server itself has written; it is not checked. */
  made?: FileType
  maxBytes: number
  /**
   * A further check for files of a type, returning the fault in words; `contentFault` for files that people open in the
   * portal.
   */
  fault?: (content: Blob, type: FileType) => Promise<string | undefined>
}

export interface KeptFile {
  id: string
  /** The name of the upload; the same content may have been uploaded under another name before. */
  name: string
  contentType: FileType
  /** In bytes. */
  size: number
  /** When a photograph was taken. */
  taken?: PlainPhoto['taken']
}

/** A file in the store that nothing refers to yet; `keepFile` keeps it. */
export interface StagedFile extends KeptFile {
  referrer: string
  sha256: Buffer
  dueAt: Date
}

/**
 * Checks an uploaded file and stores it, outside any transaction, so that no connection is held while it is read and
 * written. Rejects an empty, too large or damaged file, and a type that is not allowed; of a picture it stores only the
 * data that draw it. A staged file whose transaction fails is deleted later. Content that the tenant already has is not
 * stored again.
 */
export async function stageFile(staging: Staging, tenant: string, upload: File, wanted: Wanted): Promise<StagedFile> {
  if (!wanted.made && upload.size <= wanted.maxBytes) await expectNoVirus(staging, tenant, upload)
  const { content, contentType, taken } = await checked(upload, wanted)
  const file = {
    name: withEnding(plainName(upload.name), contentType),
    contentType,
    size: content.size,
    ...(taken && { taken }),
    referrer: wanted.referrer,
    sha256: await hashOf(content),
    dueAt: new Date(Date.now() + grace),
  }
  const id = randomUUID()
  const known = await inTenant(staging.db, tenant, async (tx) => {
    await expectReferrer(tx, wanted.referrer)
    const same = await renewFile(tx, file)
    // Recorded before it is written, so that no unknown file is left in the store.
    if (!same)
      await tx.insertInto('loose_file').values({ file_id: id, tenant_id: tenant, due_at: file.dueAt }).execute()
    return same
  })
  if (known) return { ...file, id: known }
  await reach(staging, () => staging.files.put(keyOf(tenant, id), content))
  return { ...file, id }
}

/**
 * Keeps a staged file in the caller's transaction and returns the file for the caller's row to refer to. Files of one
 * referrer with the same content have the same id. There is nothing to release: a file that no row refers to any more
 * is deleted later.
 */
export async function keepFile(tx: TenantTx, person: { id: string }, staged: StagedFile): Promise<KeptFile> {
  const { referrer, sha256, dueAt, ...file } = staged
  const { numDeletedRows } = await tx
    .deleteFrom('loose_file')
    .where('tenant_id', '=', tx.tenant)
    .where('file_id', '=', file.id)
    .executeTakeFirstOrThrow()
  if (!numDeletedRows) {
    // The content was already stored.
    if ((await renewFile(tx, staged)) === file.id) return file
    throw new Error('The staged file was not kept in time, and was deleted')
  }
  const { id } = await tx
    .insertInto('file')
    .values({
      tenant_id: tx.tenant,
      id: file.id,
      referrer,
      name: file.name,
      content_type: file.contentType,
      size: file.size,
      sha256,
      created_at: new Date(),
      created_by: person.id,
    })
    .onConflict((same) =>
      same
        .columns(['tenant_id', 'referrer', 'sha256'])
        .doUpdateSet(({ ref }) => ({ created_at: ref('excluded.created_at') })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  // The same content was uploaded concurrently: this copy stays unreferenced and is deleted.
  if (id !== file.id)
    await tx.insertInto('loose_file').values({ file_id: file.id, tenant_id: tx.tenant, due_at: dueAt }).execute()
  else await makeDue(tx, 'forget files', dueAt)
  return { ...file, id }
}

/**
 * The id of a file with the same content, if there is one. Restarts its grace period, so that a job about to delete
 * it skips it.
 */
async function renewFile(
  tx: TenantTx,
  { referrer, sha256 }: Pick<StagedFile, 'referrer' | 'sha256'>,
): Promise<string | undefined> {
  const known = await tx
    .updateTable('file')
    .set({ created_at: new Date() })
    .where('tenant_id', '=', tx.tenant)
    .where('referrer', '=', referrer)
    .where('sha256', '=', sha256)
    .returning('id')
    .executeTakeFirst()
  return known?.id
}

/**
 * Sends a file once the transaction has ended, under its own name or the name in its row; responds 404 if the tenant
 * has no such file. The calling module checks whether the caller may see it.
 */
export async function sendFile(
  { tx, context }: { tx: TenantTx; context: Pick<Staging, 'files' | 'log'> },
  id: string,
  { as = 'attachment', name }: { as?: 'attachment' | 'inline'; name?: string } = {},
): Promise<Sending> {
  const file = await tx
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!file) throw refuse('not found')
  const { tenant } = tx
  return new Sending(async (reply) => {
    const tag = `"${file.sha256.toString('base64url')}"`
    // Drawings show no people and are large: the browser may cache them, but revalidates them before each use.
    const isKept = file.content_type === 'image/svg+xml'
    void reply.headers({ etag: tag, 'cache-control': isKept ? 'private, no-cache' : 'no-store' })
    if (reply.request.headers['if-none-match'] === tag) return reply.status(304).send()
    const content = await reach(context, () => context.files.read(keyOf(tenant, id)))
    return reply
      .headers({
        'content-type': typeWithCharset(file.content_type),
        'content-length': file.size,
        'content-disposition': contentDisposition(withEnding(name ?? file.name, file.content_type as FileType), {
          type: as,
        }),
        // A drawing may contain scripts: nothing in a file runs or loads, wherever it is opened.
        'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; sandbox`,
      })
      .send(content)
  })
}

/** Drawings are stored in UTF-8, whatever encoding they came in. */
const typeWithCharset = (type: string) => (type === 'image/svg+xml' ? `${type}; charset=utf-8` : type)

interface Checked {
  content: Blob
  contentType: FileType
  taken?: PlainPhoto['taken']
}

async function checked(upload: File, { allowed, made, maxBytes, fault }: Wanted): Promise<Checked> {
  if (made) return { content: upload, contentType: made }
  if (upload.size > maxBytes) throw refuse('too large', `The file is larger than ${megabytes(maxBytes)} MB.`)
  if (!upload.size) throw refuse('unsupported', 'The file is empty.')
  const contentType = await contentTypeOf(upload)
  if (!contentType || !allowed.includes(contentType)) {
    if (contentType === 'image/heic') throw refuse('unsupported', heicText)
    const endings = allowed.map((type) => fileTypes[type].ending)
    throw refuse('unsupported', `The file must be one of ${endings.join(', ')}.`)
  }
  if (isPhotoType(contentType)) {
    const photo = plainPhoto(new Uint8Array(await upload.arrayBuffer()), contentType)
    if (!photo) throw refuse('unsupported', incomplete)
    const large = sizeFault(photo)
    if (large) throw refuse('too large', large)
    return { content: new Blob([photo.content]), contentType, taken: photo.taken }
  }
  const wrong = await fault?.(upload, contentType)
  if (wrong) throw refuse('unsupported', wrong)
  return { content: upload, contentType }
}

/**
 * Refuses a file in which the scanner of the installation, if there is one, finds a virus, or which it cannot check.
 */
async function expectNoVirus({ config, log }: Staging, tenant: string, upload: File): Promise<void> {
  if (!config.virusScanner) return
  const virus = await findVirus(config.virusScanner, upload).catch((error: unknown) => {
    log.error({ err: error }, 'an upload could not be scanned for viruses')
    throw refuse('unavailable', 'Files cannot be checked for viruses at the moment. Please try again later.')
  })
  if (virus === undefined) return
  log.warn({ tenant, virus }, 'an upload with a virus was refused')
  throw refuse('unsupported', `The virus scanner found ${virus} in this file, so it was not stored.`)
}

const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10

/** Without a foreign key it would be unknown whether a file is still needed. */
async function expectReferrer(tx: TenantTx, table: string): Promise<void> {
  const { rows } = await sql`
    select from pg_constraint
    where contype = 'f' and confrelid = 'file'::regclass and conrelid = to_regclass(${table})`.execute(tx)
  if (!rows.length) throw new Error(`The table ${table} has no foreign key to the table file`)
}

const longestName = 200

/** The name without folders and forbidden characters. */
function plainName(name: string): string {
  const last = name
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .split(/[/\\]/)
    .at(-1)!
    .trim()
  return last.slice(-longestName) || 'file'
}

/** Further extensions of a type. */
const alsoEnding: Partial<Record<FileType, string>> = { 'image/jpeg': 'jpeg' }

/** The name with the extension of its content type: the extension decides which program opens a download. */
function withEnding(name: string, type: FileType): string {
  const { ending } = fileTypes[type]
  const given = path.extname(name).slice(1).toLowerCase()
  if (given === ending || given === alsoEnding[type]) return name
  // Text after a dot may be part of the name, as in 'Flat 1.5'.
  return `${/^[a-z]/.test(given) ? name.slice(0, -given.length - 1) : name}.${ending}`
}

async function hashOf(content: Blob): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const part of content.stream()) hash.update(part)
  return hash.digest()
}

/** Calls the store; on failure the caller is asked to retry, and the reason is logged. */
async function reach<T>({ log }: Pick<Staging, 'log'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    log.error({ err: error }, 'the file store failed')
    throw refuse('unavailable', 'Files are temporarily unavailable. Please try again in a moment.')
  }
}
