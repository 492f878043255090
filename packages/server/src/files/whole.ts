import type { FileType } from '@caretaker/rules/files/types.ts'
import { pdfFault } from './pdf.ts'

const incomplete = 'The file is not complete.'

/** Bytes at the end of a file in which its end is looked for. */
const tailSize = 4096

/**
 * What is wrong with a file that by its beginning is of a type: it breaks off, or holds what would run when it is opened.
 * Reads the file in parts, however large it is.
 */
export async function contentFault(content: Blob, type: FileType): Promise<string | undefined> {
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

const tailOf = async (content: Blob) => latin1(content.slice(-tailSize))
const latin1 = async (part: Blob) => Buffer.from(await part.arrayBuffer()).toString('latin1')

const [startOfScan, endOfImage] = [0xda, '\xff\xd9']
const part = 65_536

/**
 * Whether the picture itself has its end: a preview within it has one too, so its segments are passed over by their lengths.
 * Behind them, where the picture begins, no other mark can be mistaken for it.
 */
async function jpegEnds(content: Blob): Promise<boolean> {
  for (let at = 2; at + 4 <= content.size;) {
    const [sign, marker, high, low] = new Uint8Array(await content.slice(at, at + 4).arrayBuffer())
    if (sign !== 0xff) return false
    if (marker === startOfScan) {
      for (let from = at; from < content.size; from += part)
        if ((await latin1(content.slice(from, from + part + 1))).includes(endOfImage)) return true
      return false
    }
    // Any mark may be preceded by as many filling bytes as one likes.
    at += marker === 0xff ? 1 : 2 + high! * 256 + low!
  }
  return false
}
