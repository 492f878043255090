import type { FileType } from '@caretaker/rules/files/types.ts'
import { isFileType } from '@caretaker/rules/files/types.ts'
import { decoderOf, encodingOf } from './xml-text.ts'

/** An SVG must be recognisable within this many bytes. */
const svgHead = 65_536
/** Bytes in which viewers look for the PDF header: some programs write a blank line or a printer language before it. */
const pdfHead = 1024

/**
 * The content type detected from the content, whatever the name and the sender claim; undefined for unsupported
 * types.
 */
export async function contentTypeOf(content: Blob): Promise<FileType | undefined> {
  const { fileTypeFromBlob } = await import('file-type')
  const found = (await fileTypeFromBlob(content))?.mime
  // Formats with the same container, of which phones use the first.
  if (found && /^image\/(?:heic|heif|avif)/.test(found)) return 'image/heic'
  if (found && isFileType(found)) return found
  if (!found && (await content.slice(0, pdfHead).text()).includes('%PDF-')) return 'application/pdf'
  // An SVG has no signature of its own: at most that of XML.
  if (!found || found === 'application/xml') return (await isSvg(content)) ? 'image/svg+xml' : undefined
  return undefined
}

/**
 * Whether the first element of an XML text is an SVG drawing; one that declares entities is judged by `plainDrawing`
 * alone.
 */
async function isSvg(content: Blob): Promise<boolean> {
  const head = content.slice(0, svgHead)
  // Bytes invalid in the encoding may follow the first element, or prevent its detection.
  const decoder = new TextDecoder(decoderOf(await encodingOf(head))?.encoding)
  const text = decoder.decode(await head.arrayBuffer())
  const prolog = /^(?:\s+|<\?[^>]*\?>|<!--[^]*?-->|<!DOCTYPE[^[>]*>)*/i.exec(text)![0]
  return /^<(?:[\w.-]+:)?svg[\s>]/.test(text.slice(prolog.length)) && !text.includes('\0')
}
