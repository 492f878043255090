import type { FileType } from '@caretaker/rules/files/types.ts'
import { pdfFault } from './pdf.ts'

/** Bytes at the end of a file in which its end is looked for. */
const tailSize = 4096

/** What is wrong with a document that by its beginning is of a type: it breaks off, or contains what would run when it is opened. */
export async function contentFault(content: Blob, type: FileType): Promise<string | undefined> {
  if (type !== 'application/pdf') return undefined
  const tail = await content.slice(-tailSize).text()
  return tail.includes('%%EOF') ? pdfFault(content) : incomplete
}

export const incomplete = 'The file is not complete.'
