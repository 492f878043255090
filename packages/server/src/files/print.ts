import { Worker } from 'node:worker_threads'
import type { PhotoType } from './photo.ts'
import { plainPhoto } from './photo.ts'

/** What a PDF cannot hold as it is: only a JPEG can. */
export interface ToPrint {
  type: Exclude<PhotoType, 'image/jpeg'>
  content: Uint8Array
}

/** Pixels of the longer side of a picture as it is printed, six on a page of A4: 300 to the inch. */
export const mostPrintedSide = 1200
/** Pixels that are decoded for it, four bytes each: no camera of a phone takes more. */
const mostDecoded = 60_000_000
const tooLargeToPrint = `it has more than ${mostDecoded / 1_000_000} million pixels`

/** Of one picture; a thread decodes it, which ends with it. The libraries are not trusted with the server's own memory. */
const limits = {
  milliseconds: 30_000,
  resources: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
}

/** A picture as a PDF can hold it: a JPEG as it is, any other as an opaque PNG. In words why there is none. */
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
