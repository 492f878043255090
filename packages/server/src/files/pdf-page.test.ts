import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'
import { test } from 'vitest'
import { pdfWith, stream } from '../testing/pdf-files.ts'
import { pdfFault } from './pdf.ts'
import { drawPdfPage } from './pdf-page.ts'

const page = (content: string, more = '') =>
  new Blob([
    pdfWith({
      3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 150] /Contents 4 0 R ${more} >>`,
      4: stream(content),
    }),
  ])
const drawn = async (content: Blob) => {
  const found = await drawPdfPage(content, 1)
  return 'png' in found ? found : assert.fail(found.fault)
}
const line = '10 w 0 75 m 300 75 l S'

test('a page is drawn in its orientation, in greyscale if it has no colour', async () => {
  const { png, ...rest } = await drawn(page(line))
  assert.deepEqual(rest, { width: 1250, height: 625, pages: 1 })
  const kind = png[25]
  assert.equal(kind, 0)
  const at = Buffer.from(png).indexOf('IDAT')
  const rows = inflateSync(png.subarray(at + 4))
  const pixel = (x: number, y: number) => rows[y * 1251 + 1 + x]
  assert.deepEqual([pixel(600, 312), pixel(600, 10)], [0, 255])
  assert.equal((await drawn(page(`1 0 0 RG ${line}`))).png[25], 2)
  const turned = await drawn(page(line, '/Rotate 90'))
  assert.deepEqual([turned.width, turned.height], [625, 1250])
  // A browser can show it, however large the sheet.
  const large = await drawn(page(line, '/UserUnit 1 /MediaBox [0 0 14400 7200]'))
  assert.ok(large.width * large.height <= 16_100_000 && large.width > 2 * large.height - 9, String(large.width))
})

test('a page that takes too long or too much memory is abandoned', async () => {
  const late = await drawPdfPage(page(line), 1, { milliseconds: 1, heapMb: 256, libraryMb: 256 })
  assert.match('fault' in late ? late.fault : '', /too large to be drawn/)
  const narrow = await drawPdfPage(page(line), 1, { milliseconds: 20_000, heapMb: 256, libraryMb: 17 })
  assert.match('fault' in narrow ? narrow.fault : '', /too large to be drawn/)
})

test('pages are drawn one at a time, in a queue separate from certificates', async () => {
  const within = { milliseconds: 500, heapMb: 256, libraryMb: 256 }
  const pages = Array.from({ length: 6 }, () => drawPdfPage(page(line), 1, within))
  const ends = Promise.allSettled(pages)
  await assert.rejects(Promise.all(pages), /Other floor plans are being drawn/)
  assert.equal(await pdfFault(page(line)), undefined)
  assert.equal((await ends).filter(({ status }) => status === 'rejected').length, 1)
})
