import { open } from 'node:fs/promises'
import { SpooledFile } from '../http/spooled-file.ts'

/** Bytes of a file that are looked at together. */
export const partSize = 65_536

/** The bytes of a file, wherever one wants to begin. */
export interface Parts extends AsyncDisposable {
  size: number
  /** Where the file lies on the disk of this machine, if it does. */
  path?: string
  /** Fills the piece of memory from a place on; gives back how much of it is filled. */
  read(into: Uint8Array, from: number): Promise<number>
}

/**
 * Opens a file to be read part by part into memory that is used again for each. A stream would allocate every part of a large upload
 * anew, outside the heap, where the garbage collector frees it late.
 */
export async function partsOf(content: Blob): Promise<Parts> {
  if (content instanceof SpooledFile) {
    const file = await open(content.path)
    return {
      size: content.size,
      path: content.path,
      read: async (into, from) => (await file.read(into, 0, into.length, from)).bytesRead,
      [Symbol.asyncDispose]: () => file.close(),
    }
  }
  return {
    size: content.size,
    read: async (into, from) => {
      const part = new Uint8Array(await content.slice(from, from + into.length).arrayBuffer())
      into.set(part)
      return part.length
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Goes through all parts of a file, one after the other; each is gone with the next. */
export async function* eachPart(parts: Parts, from = 0): AsyncGenerator<Buffer> {
  const memory = Buffer.allocUnsafeSlow(partSize)
  for (let at = from; at < parts.size;) {
    const length = await parts.read(memory, at)
    if (!length) return
    yield memory.subarray(0, length)
    at += length
  }
}
