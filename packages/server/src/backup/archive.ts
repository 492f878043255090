import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { PassThrough, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { Entry, ZipFile as OpenZip } from 'yauzl'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { BackupFault } from './fault.ts'

/**
 * A backup is one zip file: any tool can list and extract its parts, and `sha256sum -c SHA256SUMS` checks them. Large
 * parts are compressed with Zstandard (`.zst`), several times faster than zip's own methods; the zip stores them
 * uncompressed. The zip comment is the hash of the list of hashes, so that one hash covers everything.
 */
const sumsName = 'SHA256SUMS'
const packedEnding = '.zst'
const commentOf = (hash: string) => `caretaker-backup ${hash}`

const sha256 = () => createHash('sha256')

/** Passes data through and computes its hash. */
function measured(): { stream: Transform; hash: () => string } {
  const hash = sha256()
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, hash: () => hash.digest('hex') }
}

export interface NewArchive {
  /** Adds a part; its name decides whether it is compressed. */
  add(name: string, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>
}

/**
 * Writes an archive to a temporary file and renames it once it is complete and has passed the check. A failed archive
 * leaves no file behind. Resolves with its size in bytes.
 */
export async function writeArchive(
  file: string,
  fill: (archive: NewArchive) => Promise<void>,
  check: (archive: Archive) => Promise<unknown> = (archive) => archive.check(),
): Promise<number> {
  if (existsSync(file)) throw new BackupFault(`${file} already exists and is not overwritten.`)
  const draft = `${file}.unfinished`
  const zip = new ZipFile()
  const failed = new AbortController()
  // It contains all secrets of an installation.
  const place = createWriteStream(draft, { mode: 0o600, flush: true })
  const written = pipeline(zip.outputStream, place).catch((error: unknown) => {
    failed.abort(error)
    throw explained(error, file)
  })
  written.catch(() => {})
  zip.on('error', (error) => failed.abort(error))
  const sums: string[] = []
  const put = async (name: string, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => {
    const { stream, hash } = measured()
    const into = new PassThrough()
    zip.addReadStream(into, name, { compress: false, forceZip64Format: true, mode: 0o100600 })
    const signal = failed.signal
    const source = Readable.from(content, { objectMode: false })
    if (name.endsWith(packedEnding)) await pipeline(source, createZstdCompress(), stream, into, { signal })
    else await pipeline(source, stream, into, { signal })
    return hash()
  }
  try {
    await fill({
      add: async (name, content) => void sums.push(`${await put(name, content)}  ${name}\n`),
    })
    const all = await put(
      sumsName,
      sums.map((line) => Buffer.from(line)),
    )
    zip.end({ comment: commentOf(all) } as Parameters<typeof zip.end>[0])
    await written
    await checkDraft(draft, check)
    await rename(draft, file)
    return (await stat(file)).size
  } catch (error) {
    ;(zip.outputStream as Readable).destroy()
    place.destroy()
    // If the write failed, for example because the disk is full, adding a part fails as a consequence: report the
    // write error.
    const first = failed.signal.aborted ? await written.catch((cause: unknown) => cause) : undefined
    await rm(draft, { force: true })
    throw first instanceof Error ? first : explained(error, file)
  }
}

async function checkDraft(draft: string, check: (archive: Archive) => Promise<unknown>): Promise<void> {
  try {
    const archive = await openArchive(draft)
    try {
      await check(archive)
    } finally {
      archive.close()
    }
  } catch (error) {
    throw error instanceof BackupFault
      ? new BackupFault(`The backup did not pass its check, and was deleted. ${error.message}`)
      : error
  }
}

const systemFaults: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exhausted',
  ENOENT: 'the folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is on a read-only file system',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is a file',
}

function explained(error: unknown, file: string): unknown {
  const fault = systemFaults[(error as NodeJS.ErrnoException).code ?? '']
  return fault ? new BackupFault(`${file} cannot be written: ${fault}.`) : error
}

export interface Archive {
  names: ReadonlySet<string>
  bytes: number
  /** Reads every part and compares its hash; throws if one differs. */
  check(): Promise<void>
  /** The uncompressed content of a part. */
  read(name: string): Promise<Readable>
  close(): void
}

/** Opens an archive; rejects a file that is not one or is truncated. */
export async function openArchive(file: string): Promise<Archive> {
  const damaged = (why: string) => new BackupFault(`${file} is damaged: ${why}.`)
  const { zip, entries } = await listed(file)
  const raw = async (name: string): Promise<Readable> => {
    const entry = entries.get(name)
    if (!entry) throw damaged(`${name} is missing`)
    return zip.openReadStreamPromise(entry)
  }
  const check = async () => {
    const hashOf = async (name: string) => {
      const hash = sha256()
      try {
        for await (const chunk of await raw(name)) hash.update(chunk as Buffer)
      } catch (error) {
        throw error instanceof BackupFault ? error : damaged(`${name} cannot be read`)
      }
      return hash.digest('hex')
    }
    if (zip.comment !== commentOf(await hashOf(sumsName))) throw damaged('its list of hashes was changed')
    const sums = (await textOf(await raw(sumsName))).split('\n').filter(Boolean)
    const named = new Set([sumsName])
    for (const line of sums) {
      const [hash, name] = [line.slice(0, 64), line.slice(66)]
      if ((await hashOf(name)) !== hash) throw damaged(`${name} was changed`)
      named.add(name)
    }
    for (const name of entries.keys()) if (!named.has(name)) throw damaged(`${name} does not belong to it`)
  }
  return {
    bytes: zip.fileSize,
    names: new Set(entries.keys()),
    check,
    read: async (name) => {
      const content = await raw(name)
      if (!name.endsWith(packedEnding)) return content
      const unpacked = createZstdDecompress()
      content.on('error', (error) => unpacked.destroy(error))
      return content.pipe(unpacked)
    },
    close: () => zip.close(),
  }
}

async function listed(file: string): Promise<{ zip: OpenZip; entries: Map<string, Entry> }> {
  if (!existsSync(file)) throw new BackupFault(`There is no file ${file}.`)
  const entries = new Map<string, Entry>()
  try {
    const zip = await openPromise(file, { lazyEntries: true, autoClose: false })
    if (!zip.comment.startsWith(commentOf(''))) throw new Error('not a backup of Caretaker')
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName, entry)
        zip.readEntry()
      })
      zip.once('end', resolve).once('error', reject).readEntry()
    })
    return { zip, entries }
  } catch {
    throw new BackupFault(`${file} is not a complete backup of Caretaker: it is another kind of file, or was cut off.`)
  }
}

export async function textOf(content: Readable): Promise<string> {
  return Buffer.concat((await content.toArray()) as Buffer[]).toString()
}
