import { deflateSync } from 'node:zlib'

/** A PDF of one page; `more` is added to its objects. */
export function pdfOf(words: string, more = ''): Buffer<ArrayBuffer> {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>',
    `<< /Length ${words.length + 31} >>\nstream\nBT /F1 12 Tf 40 800 Td (${words}) Tj ET\nendstream`,
  ]
  const text = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.7\n${text}${more}\ntrailer\n<< /Size 5 /Root 1 0 R >>\n%%EOF\n`, 'latin1')
}

/** A PDF object in an object stream, as newer programs write them. */
export function foldedObjects(object: string, filter = '/FlateDecode'): string {
  const folded = deflateSync(Buffer.from(`7 0 ${object}`, 'latin1')).toString('latin1')
  const head = `<< /Type /ObjStm /N 1 /First 4 /Filter ${filter} /Length ${folded.length} >>`
  return `9 0 obj\n${head}\nstream\n${folded}\nendstream\nendobj\n`
}

/** A picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/**
 * The minimum that identifies a JPEG: a segment with a preview that has its own end marker, the picture, and its end
 * marker.
 */
export function jpegOf({ ends = true } = {}): Buffer<ArrayBuffer> {
  const preview = [0xff, 0xe1, 0x00, 0x08, 0x41, 0x42, 0x43, 0x44, 0xff, 0xd9]
  const start = [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
  const frame = [0xff, 0xc0, 0x00, 0x0b, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
  const scan = [0xff, 0xda, 0x00, 0x08, 1, 1, 0, 0, 0x3f, 0, ...Array.from({ length: 6000 }, (_, at) => at % 200)]
  return Buffer.from([...start, ...preview, ...frame, ...scan, ...(ends ? [0xff, 0xd9] : [])])
}
