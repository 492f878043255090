import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'

interface S3Server {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

/** The part of the package in use; it has no types. */
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: {
  address: string
  port: number
  silent: boolean
  directory: string
  configureBuckets: { name: string }[]
}) => S3Server

/**
 * An S3 server that checks signatures, with an empty bucket; returns the address for FILES_URL. A server named by
 * CARETAKER_TEST_FILES is used instead.
 */
export async function startS3(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.CARETAKER_TEST_FILES
  if (given) return { url: given, stop: async () => {} }
  const directory = mkdtempSync(path.join(tmpdir(), 'caretaker-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'caretaker' }],
  })
  const { port } = await server.run()
  return {
    url: `http://S3RVER:S3RVER@127.0.0.1:${port}/caretaker`,
    stop: async () => {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
