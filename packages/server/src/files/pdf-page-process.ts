import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { pngOfPixels } from './png.ts'
import type { PageRequest, PageResult } from './pdf-page.ts'

/** Points of an inch, and pixels of one at most: A4 has 8.7 million then. */
const [points, dotsPerInch] = [72, 300]
/** A sheet of A1 has 140 dots per inch then, and a browser takes 64 MB to show it. */
const mostPixels = 16_000_000
/** Bytes of the picture: beyond that, as with a photograph that fills the page, it is drawn in half as many pixels. */
const largest = 15_000_000

/** Draws a page of a PDF as a PNG, or says why it cannot. */
async function drawPage({ file, page }: PageRequest): Promise<PageResult> {
  const library = await PDFiumLibrary.init()
  const content = typeof file === 'string' ? await readFile(file) : file
  let document
  try {
    // Where an owner's password alone restricts a PDF, anyone may open it.
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
