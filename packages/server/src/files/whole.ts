import type { FileType } from '@caretaker/rules/files/types.ts'
import { pdfFault } from './pdf.ts'

/** Bytes at the end of a file that are searched for its end marker. */
const tailSize = 4096

/** The fault of a document of this type: it is truncated, or contains active content. */
export async function contentFault(content: Blob, type: FileType): Promise<string | undefined> {
  if (type !== 'application/pdf') return undefined
  const end = await endOf(content)
  const tail = await content.slice(Math.max(0, end - tailSize), end).text()
  return tail.includes('%%EOF') ? pdfFault(content) : incomplete
}

export const incomplete = 'The file is not complete.'

/** The end of a file without trailing zeros, which some programs and disks add. */
async function endOf(content: Blob): Promise<number> {
  for (let end = content.size; end > 0;) {
    const start = Math.max(0, end - 65_536)
    const part = new Uint8Array(await content.slice(start, end).arrayBuffer())
    const last = part.findLastIndex((byte) => byte !== 0)
    if (last >= 0) return start + last + 1
    end = start
  }
  return 0
}
