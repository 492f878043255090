import type { FileType } from '@caretaker/rules/files/types.ts'
import type { Parts } from './parts.ts'
import { eachPart } from './parts.ts'
import { pdfFault } from './pdf.ts'

const incomplete = 'The file is not complete.'

/** Bytes at the end of a file in which its end is looked for. */
const tailSize = 4096

/** What is wrong with a file that by its beginning is of a type: it breaks off, or holds what would run when it is opened. */
export async function contentFault(content: Parts, type: FileType): Promise<string | undefined> {
  switch (type) {
    case 'application/pdf':
      return (await tailOf(content)).includes('%%EOF') ? pdfFault(content) : incomplete
    case 'image/png':
      return (await tailOf(content)).includes('IEND') ? undefined : incomplete
    case 'image/jpeg':
      return (await jpegEnds(content)) ? undefined : incomplete
    default:
      return undefined
  }
}

async function tailOf(content: Parts): Promise<Buffer> {
  const memory = Buffer.alloc(tailSize)
  return memory.subarray(0, await content.read(memory, Math.max(0, content.size - tailSize)))
}

const [startOfScan, endOfImage] = [0xda, 0xd9]

/**
 * Whether the picture itself has its end: a preview within it has one too, so its segments are passed over by their lengths.
 * Behind them, where the picture begins, no other mark can be mistaken for it.
 */
async function jpegEnds(content: Parts): Promise<boolean> {
  const segment = Buffer.alloc(4)
  for (let at = 2; at + 4 <= content.size;) {
    await content.read(segment, at)
    const [sign, marker, high, low] = segment
    if (sign !== 0xff) return false
    if (marker === startOfScan) return hasMark(content, at, endOfImage)
    // Any mark may be preceded by as many filling bytes as one likes.
    at += marker === 0xff ? 1 : 2 + high! * 256 + low!
  }
  return false
}

/** Whether a mark stands anywhere behind a place, also where one part ends and the next begins. */
async function hasMark(content: Parts, from: number, mark: number): Promise<boolean> {
  let last: number | undefined
  for await (const part of eachPart(content, from)) {
    if ((last === 0xff && part[0] === mark) || part.includes(Buffer.from([0xff, mark]))) return true
    last = part.at(-1)
  }
  return false
}
