import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { pngOfPixels } from './png.ts'
import type { PageRequest, PageResult } from './pdf-page.ts'

/** Points per inch, and the maximum pixels per inch: A4 then has 8.7 million pixels. */
const [points, dotsPerInch] = [72, 300]
/** An A1 sheet is drawn at 140 dots per inch, for which a browser needs 64 MB. */
const mostPixels = 16_000_000
/** Maximum bytes of the picture: a larger one, such as a full-page photograph, is drawn with half as many pixels. */
const largest = 15_000_000

/** Draws a page of a PDF as a PNG, or returns why it cannot. */
async function drawPage({ file, page }: PageRequest): Promise<PageResult> {
  const library = await PDFiumLibrary.init()
  const content = typeof file === 'string' ? await readFile(file) : file
  let document
  try {
    // Anyone may open a PDF that is restricted by an owner password only.
    document = await library.loadDocument(content)
  } catch (error) {
    return { fault: /password|security/i.test(String(error)) ? 'locked' : 'unreadable' }
  }
  const pages = document.getPageCount()
  if (pages < 1) return { fault: 'empty' }
  if (page > pages) return { fault: 'no such page', pages }
  const drawn = document.getPage(page - 1)
  const { originalWidth: wide, originalHeight: high } = drawn.getOriginalSize()
  if (!(wide > 0 && high > 0)) return { fault: 'unreadable' }
  for (let budget = mostPixels; ; budget /= 2) {
    const scale = Math.min(dotsPerInch / points, Math.sqrt(budget / (wide * high)))
    const [width, height] = [wide, high].map((side) => Math.max(1, Math.round(side * scale))) as [number, number]
    const { data } = await drawn.render({ width, height, scale: 1, render: 'bitmap', renderFormFields: true })
    const png = pngOfPixels(data, { width, height }, deflateSync)
    if (png && (png.length <= largest || budget < 1_000_000)) return { png, width, height, pages }
    if (!png) return { fault: 'blank', pages }
  }
}

process.once('message', (request) => {
  void drawPage(request as PageRequest)
    .catch((): PageResult => ({ fault: 'unreadable' }))
    .then((result) => process.send!(result, () => process.exit()))
})
