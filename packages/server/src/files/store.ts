import { once } from 'node:events'
import type { ReadStream, Stats } from 'node:fs'
import { chmod, lstat, mkdir, open, opendir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { SpanKind } from '@opentelemetry/api'
import type { FastifyBaseLogger } from 'fastify'
import type { Disk } from 'flydrive'
import type { Config } from '../config.ts'
import type { FileStore } from '../context.ts'
import { traced } from '../tracing/traced.ts'

const silent = () => {}
/** In ms. */
const patience = { connectionTimeout: 5_000, requestTimeout: 30_000 }

/** The configured store. The libraries are loaded with the first file, because most calls need none. */
export function openStore({ filesUrl, dataDir }: Pick<Config, 'filesUrl' | 'dataDir'>): FileStore {
  return filesUrl ? bucketStore(new URL(filesUrl)) : folderStore(folderIn(dataDir))
}

function folderStore(folder: string): FileStore {
  const disk = loaded(async () => {
    const [{ Disk }, { FSDriver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/fs')])
    return new Disk(new FSDriver({ location: folder, visibility: 'private' }))
  })
  return {
    put: async (key, content) => {
      const place = path.join(folder, key)
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
      await using file = await open(place, 'w', 0o600)
      for await (const part of content.stream()) await file.writeFile(part)
      // Its row is on disk when the transaction commits, so the file must be too.
      await file.sync()
    },
    read: async (key) => {
      const stream = (await (await disk()).getStream(key)) as ReadStream
      await once(stream, 'open')
      return stream
    },
    delete: async (key) => (await disk()).delete(key),
  }
}

/**
 * Removes other users' read access, which an earlier version allowed, from the files folder. The mode of the folder
 * itself is changed last: if it is still open, this was not done or not completed.
 */
export async function closeStore({ filesUrl, dataDir }: Pick<Config, 'filesUrl' | 'dataDir'>, log: FastifyBaseLogger) {
  const folder = folderIn(dataDir)
  if (filesUrl || !isOpen(await lstat(folder).catch(() => undefined))) return
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (entry.isFile()) await chmod(path.join(entry.parentPath, entry.name), 0o600)
      if (entry.isDirectory()) await chmod(path.join(entry.parentPath, entry.name), 0o700)
    }
    await chmod(folder, 0o700)
  } catch (error) {
    log.warn(
      { err: error },
      'other users of this machine may read the files in the data folder: their modes cannot be changed',
    )
  }
}

/** The folder of uploaded files, unless they are in a bucket. */
export const folderIn = (dataDir: string) => path.join(dataDir, 'files')
const isOpen = (folder: Stats | undefined) =>
  folder !== undefined && folder.isDirectory() && (folder.mode & 0o077) !== 0

/** `https://KEY:SECRET@host/bucket?region=…`; without a key the environment provides one, as on a cloud machine. */
function bucketStore({ protocol, host, pathname, username, password, searchParams }: URL): FileStore {
  const bucket = pathname.slice(1)
  const disk = loaded(async () => {
    const [{ Disk }, { S3Driver }] = await Promise.all([import('flydrive'), import('flydrive/drivers/s3')])
    const driver = new S3Driver({
      endpoint: `${protocol}//${host}`,
      bucket,
      region: searchParams.get('region') ?? 'us-east-1',
      ...(username && {
        credentials: { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) },
      }),
      // Every server supports these; other servers do not support Amazon's newer options.
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      supportsACL: false,
      visibility: 'private',
      requestHandler: patience,
      // The failing call reports the error; no console output in addition.
      logger: { debug: silent, info: silent, warn: silent, error: silent },
    })
    return new Disk(driver)
  })
  /** Traced as a span without the key, which contains the tenant. */
  const asked = <T>(method: string, work: (disk: Disk) => Promise<T>) => {
    const attributes = { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': method, 'aws.s3.bucket': bucket }
    return traced(`S3/${method}`, SpanKind.CLIENT, attributes, async () => work(await disk()))
  }
  return {
    put: (key, content) =>
      asked('PutObject', (one) =>
        one.putStream(key, Readable.fromWeb(content.stream()), {
          contentLength: content.size,
          contentType: 'application/octet-stream',
        }),
      ),
    read: (key) => asked('GetObject', (one) => one.getStream(key)),
    delete: (key) => asked('DeleteObject', (one) => one.delete(key)),
  }
}

function loaded(load: () => Promise<Disk>): () => Promise<Disk> {
  let disk: Promise<Disk> | undefined
  return () => (disk ??= load())
}
