import { randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { MultipartFields } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A file of a form: its bytes lie on the disk of this machine since it was uploaded. */
export class SpooledFile extends File {
  readonly path: string

  constructor(content: Blob, name: string, { type, path }: { type: string; path: string }) {
    super([content], name, { type })
    this.path = path
  }
}

/** Where the files of a form lie until it is answered. */
const placesOf = new WeakMap<FastifyRequest, string[]>()

async function deleteFiles(request: FastifyRequest): Promise<void> {
  await Promise.all((placesOf.get(request) ?? []).map((place) => rm(place, { force: true })))
}

/** The folder for uploads that an app has not answered yet, closed to other users of the machine; it goes with the app. */
export function spoolFolderOf(app: FastifyInstance): string {
  const folder = path.join(tmpdir(), `caretaker-uploads-${randomUUID()}`)
  app.addHook('onResponse', deleteFiles)
  // Without an answer: the caller has gone.
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['content-type']?.startsWith('multipart/'))
      reply.raw.once('close', () => void deleteFiles(request))
  })
  app.addHook('onClose', () => rm(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Writes the files of a form to disk as they come, each of at most so many bytes, until the form is answered; gives them with all other
 * fields. The function that the plugin has for this logs the caller's too large file as errors of the server.
 */
export async function saveFiles(request: FastifyRequest, folder: string, fileSize: number | undefined) {
  let fields: MultipartFields = {}
  const files: [field: string, file: SpooledFile][] = []
  const places: string[] = []
  placesOf.set(request, places)
  // Made again where the machine has tidied its temporary files since.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    for await (const part of request.parts({ limits: { fileSize } })) {
      fields = part.fields
      if (part.type !== 'file') continue
      const place = path.join(folder, randomUUID())
      places.push(place)
      await pipeline(part.file, createWriteStream(place, { mode: 0o600 }))
      const content = await openAsBlob(place)
      files.push([part.fieldname, new SpooledFile(content, part.filename, { type: part.mimetype, path: place })])
    }
    return { files, fields }
  } finally {
    // The caller has gone, maybe before the file was there.
    if (request.raw.socket.destroyed) await deleteFiles(request)
  }
}
