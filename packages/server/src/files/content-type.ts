import type { FileType } from '@caretaker/rules/files/types.ts'
import { isFileType } from '@caretaker/rules/files/types.ts'
import { decoderOf, encodingOf } from './xml-text.ts'

/** An SVG says what it is within so many bytes. */
const svgHead = 65_536
/** Bytes in which viewers look for the head of a PDF: some programs write a blank line or the name of a printer's language before it. */
const pdfHead = 1024

/** The content type that a file's content tells, whatever its name and sender say; undefined when it is none that is taken. */
export async function contentTypeOf(content: Blob): Promise<FileType | undefined> {
  const { fileTypeFromBlob } = await import('file-type')
  const found = (await fileTypeFromBlob(content))?.mime
  // The formats of one container, of which phones write the first.
  if (found && /^image\/(?:heic|heif|avif)/.test(found)) return 'image/heic'
  if (found && isFileType(found)) return found
  if (!found && (await content.slice(0, pdfHead).text()).includes('%PDF-')) return 'application/pdf'
  // A picture in words has no mark of its own: at most that it is XML.
  if (!found || found === 'application/xml') return (await isSvg(content)) ? 'image/svg+xml' : undefined
  return undefined
}

/** Whether the first element of an XML text is a drawing; one that declares entities is for `plainDrawing` alone to judge. */
async function isSvg(content: Blob): Promise<boolean> {
  const head = content.slice(0, svgHead)
  // Bytes that its encoding does not know stand behind the first element, or make it no drawing.
  const decoder = new TextDecoder(decoderOf(await encodingOf(head))?.encoding)
  const text = decoder.decode(await head.arrayBuffer())
  const prolog = /^(?:\s+|<\?[^>]*\?>|<!--[^]*?-->|<!DOCTYPE[^[>]*>)*/i.exec(text)![0]
  return /^<(?:[\w.-]+:)?svg[\s>]/.test(text.slice(prolog.length)) && !text.includes('\0')
}
