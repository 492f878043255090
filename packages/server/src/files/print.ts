import { Worker } from 'node:worker_threads'
import type { PhotoType } from './photo.ts'
import { plainPhoto } from './photo.ts'

/** A picture that a PDF cannot embed directly: only a JPEG can be. */
export interface ToPrint {
  type: Exclude<PhotoType, 'image/jpeg'>
  content: Uint8Array
}

/** Maximum pixels of the longer side in print, with six pictures on an A4 page: 300 per inch. */
export const mostPrintedSide = 1200
/** Maximum pixels to decode, four bytes each: no phone camera takes more. */
const mostDecoded = 60_000_000
const tooLargeToPrint = `it has more than ${mostDecoded / 1_000_000} million pixels`

/** Limits per picture; a thread decodes it and then ends. The libraries are untrusted and have their own memory. */
const limits = {
  milliseconds: 30_000,
  resources: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
}

/**
 * A picture in a form that a PDF can embed: a JPEG unchanged, any other as an opaque PNG; or the reason why not, in
 * words.
 */
export async function pictureToPrint(content: Buffer, type: PhotoType): Promise<{ picture: Buffer } | { why: string }> {
  if (type === 'image/jpeg') return { picture: content }
  const size = plainPhoto(content, type)
  if (!size) return { why: 'its file could not be read' }
  if (size.pixels > mostDecoded) return { why: tooLargeToPrint }
  const picture = await decoded({ type, content })
  return picture ? { picture } : { why: 'its file could not be read' }
}

async function decoded(picture: ToPrint): Promise<Buffer | undefined> {
  const worker = new Worker(new URL('print-worker.ts', import.meta.url), {
    workerData: { ...picture, content: new Uint8Array(picture.content) } satisfies ToPrint,
    resourceLimits: limits.resources,
    stdout: true,
    stderr: true,
    env: {},
  })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Buffer | undefined>((resolve) => {
      worker.once('message', (made: Uint8Array) => resolve(Buffer.from(made)))
      worker.once('error', () => resolve(undefined))
      worker.once('exit', () => resolve(undefined))
      timer = setTimeout(() => resolve(undefined), limits.milliseconds)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
