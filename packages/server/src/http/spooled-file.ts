import { randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { MultipartFields } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** An uploaded file of a form, stored on this machine's disk. */
export class SpooledFile extends File {
  readonly path: string

  constructor(content: Blob, name: string, { type, path }: { type: string; path: string }) {
    super([content], name, { type })
    this.path = path
  }
}

/** The paths of a form's files until the response is sent. */
const placesOf = new WeakMap<FastifyRequest, string[]>()

async function deleteFiles(request: FastifyRequest): Promise<void> {
  await Promise.all((placesOf.get(request) ?? []).map((place) => rm(place, { force: true })))
}

/** The folder for uploads of pending requests, not readable by other users of the machine; deleted with the app. */
export function spoolFolderOf(app: FastifyInstance): string {
  const folder = path.join(tmpdir(), `caretaker-uploads-${randomUUID()}`)
  app.addHook('onResponse', deleteFiles)
  // No response: the caller has disconnected.
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['content-type']?.startsWith('multipart/'))
      reply.raw.once('close', () => void deleteFiles(request))
  })
  app.addHook('onClose', () => rm(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Writes the files of a form to disk as they arrive, each up to the size limit, until the response is sent; returns
 * them with all other fields. The plugin's own function logs a caller's oversized file as a server error.
 */
export async function saveFiles(request: FastifyRequest, folder: string, fileSize: number | undefined) {
  let fields: MultipartFields = {}
  const files: [field: string, file: SpooledFile][] = []
  const places: string[] = []
  placesOf.set(request, places)
  // Created again if the machine has cleaned up its temporary files.
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
    // The caller has disconnected, possibly before the file was complete.
    if (request.raw.socket.destroyed) await deleteFiles(request)
  }
}
