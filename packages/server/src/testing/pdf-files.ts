import { deflateSync } from 'node:zlib'
import { PDFDocument } from '@cantoo/pdf-lib'

/** Objects by number: 1 is the catalog, 2 the page tree, 3 the page. */
export type Objects = Record<number, string>

export const page: Objects = {
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
}
const head = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n'
const bytes = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'latin1') as Buffer<ArrayBuffer>

export const stream = (body: string, more = '') => `<< ${more} /Length ${body.length} >>\nstream\n${body}\nendstream`

/** A PDF of one page with a cross-reference table and uncompressed objects. */
export function pdfWith(objects: Objects, trailer = ''): Buffer<ArrayBuffer> {
  return bytes(section(head, { ...page, ...objects }, trailer))
}

/** A PDF with an appended revision, as when a program fills in a form or signs. */
export function updatedPdf(before: Buffer, objects: Objects): Buffer<ArrayBuffer> {
  const text = before.toString('latin1')
  return bytes(section(text, objects, `/Prev ${/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1]}`))
}

function section(text: string, objects: Objects, trailer: string): string {
  const numbers = Object.keys(objects).map(Number)
  const entries = numbers.map((number) => {
    const at = text.length
    text += `${number} 0 obj\n${objects[number]}\nendobj\n`
    return `${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`
  })
  const at = text.length
  const size = Math.max(...numbers, 3) + 1
  return `${text}xref\n0 1\n0000000000 65535 f \n${entries.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`
}

interface Folding {
  /** The dictionary of the object stream, without its length. */
  dictionary?: (count: number, first: number) => string
  fold?: (content: Buffer) => Buffer
}

export const objectStream = (count: number, first: number) =>
  `/Type /ObjStm /N ${count} /First ${first} /Filter /FlateDecode`

/**
 * Like `pdfWith`, with all objects in one object stream and with a cross-reference stream, as newer programs write
 * them.
 */
export function foldedPdf(
  objects: Objects,
  { dictionary = objectStream, fold = deflateSync }: Folding = {},
): Buffer<ArrayBuffer> {
  const all = { ...page, ...objects }
  const numbers = Object.keys(all).map(Number)
  let content = ''
  const places = numbers.map((number) => {
    const place = content.length
    content += `${all[number]} `
    return `${number} ${place}`
  })
  const pairs = `${places.join(' ')} `
  const [container, table] = [Math.max(...numbers) + 1, Math.max(...numbers) + 2]
  const body = fold(bytes(pairs + content)).toString('latin1')
  let text = head
  const at = text.length
  text += `${container} 0 obj\n${stream(body, dictionary(numbers.length, pairs.length))}\nendobj\n`
  const tableAt = text.length
  const entry = (type: number, place: number, more: number) =>
    String.fromCharCode(type, place >> 16, (place >> 8) & 255, place & 255, more)
  const entries = Array.from({ length: table + 1 }, (_, number) => {
    if (number === container) return entry(1, at, 0)
    if (number === table) return entry(1, tableAt, 0)
    const index = numbers.indexOf(number)
    return index < 0 ? entry(0, 0, 255) : entry(2, container, index)
  }).join('')
  text += `${table} 0 obj\n${stream(entries, `/Type /XRef /W [1 3 1] /Size ${table + 1} /Root 1 0 R`)}\nendobj\n`
  return bytes(`${text}startxref\n${tableAt}\n%%EOF\n`)
}

/** A PDF encrypted by a library, with a script if wanted. Without a user password it opens for everyone. */
export async function encryptedPdf({
  script,
  userPassword,
  algorithm = 'AES-256',
}: {
  script?: string
  userPassword?: string
  algorithm?: 'RC4-128' | 'AES-128' | 'AES-256'
}): Promise<Buffer<ArrayBuffer>> {
  const document = await PDFDocument.create()
  document.addPage([300, 200])
  document.setTitle('Gas safety record')
  if (script) document.addJavaScript('start', script)
  document.encrypt({
    ownerPassword: 'owner',
    ...(userPassword && { userPassword }),
    algorithm,
    allowWeakCryptography: true,
  })
  return Buffer.from(await document.save()) as Buffer<ArrayBuffer>
}
