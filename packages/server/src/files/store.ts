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
/** Milliseconds. */
const patience = { connectionTimeout: 5_000, requestTimeout: 30_000 }

/** The store that the configuration names. The libraries are loaded with the first file: most calls need none of them. */
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
      // Its row is on disk when the transaction commits; so must the file be.
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
 * Takes from other users of the machine what an earlier version let them read in the folder of files. Its own mode is changed last: while
 * it is open, this has not been done, or not to its end.
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

const folderIn = (dataDir: string) => path.join(dataDir, 'files')
const isOpen = (folder: Stats | undefined) =>
  folder !== undefined && folder.isDirectory() && (folder.mode & 0o077) !== 0

/** `https://KEY:SECRET@host/bucket?region=…`; without a key the surroundings name one, as on a machine of the cloud. */
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
      // Every server understands these; what the newest of Amazon's offers beyond them, others do not.
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      supportsACL: false,
      visibility: 'private',
      requestHandler: patience,
      // What fails is told by the call that failed, not on the console as well.
      logger: { debug: silent, info: silent, warn: silent, error: silent },
    })
    return new Disk(driver)
  })
  /** As a span without the key: that names the tenant. */
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
