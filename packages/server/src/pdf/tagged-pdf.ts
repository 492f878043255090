import { PassThrough, Writable } from 'node:stream'
import PDFDocument from 'pdfkit'
import type { FontName } from './fonts.ts'
import { fonts } from './fonts.ts'

export type Tone = 'bad' | 'doubt'

export interface PdfColumn {
  label: string
  /** In points; a page has `contentWidth`. */
  width: number
  /** For texts whose characters must align vertically. */
  mono?: boolean
}

/** The content of a cell; `marks` are highlighted ranges, in a monospaced column. */
export interface PdfCell {
  text: string
  tone?: Tone
  marks?: { at: number; length: number; tone: Tone }[]
}

interface PdfInfo {
  title: string
  author: string
  writtenAt: Date
  /** The text at the bottom of each page, next to the page number. */
  foot: string
}

const page = { width: 841.89, height: 595.28, margin: 34, foot: 22 }
export const contentWidth = page.width - 2 * page.margin
const bottom = page.height - page.margin - page.foot
const ink = { text: '#1a2233', dim: '#4d5870', line: '#c9d0dc', head: '#eef1f6', bad: '#fbdcd8', doubt: '#fdeec8' }
const size = { title: 20, heading: 13, text: 9, cell: 7.5, mono: 6.6 }
const pad = 3
/** Sizes of a figure in points: maximum picture height, caption, and gap between figures. */
const figure = { height: 190, caption: 24, gap: 12 }
const figuresInRow = 3
/** The width of the total number of pages: five digits. */
const totalWidth = 24

/**
 * A tagged PDF that is written incrementally: landscape A4 with headings, paragraphs and tables whose header repeats
 * on every page. Page content and structure are released with the page; only one number per page stays until the end,
 * as the format requires. `write` passes the bytes on and waits for slow readers.
 */
export class TaggedPdf {
  readonly document: PDFKit.PDFDocument
  #root: PDFKit.PDFStructureElement
  #foot: string
  #pages = 0
  #y = 0
  #style = ''
  #isDecorating = false
  #table: OpenTable | undefined
  /** The number of figures in the open row. */
  #figures = 0
  /** The positions of lines to draw below the rows of this page. */
  #lines: number[] = []
  /** The total number of pages, known only at the end: each page draws it by reference. */
  #total: PdfObject

  constructor({ title, author, writtenAt, foot }: PdfInfo) {
    this.#foot = foot
    const options = {
      size: 'A4' as const,
      layout: 'landscape' as const,
      margin: 0,
      autoFirstPage: false,
      tagged: true,
      displayTitle: true,
      lang: 'en-GB',
      pdfVersion: '1.7' as const,
      subset: 'PDF/UA' as never,
      info: { Title: title, Author: author, CreationDate: writtenAt, Producer: 'Caretaker', Creator: 'Caretaker' },
    }
    this.document = new PDFDocument(options)
    for (const [name, path] of Object.entries(fonts)) this.document.registerFont(name, path)
    this.#root = this.document.struct('Document')
    this.document.addStructure(this.#root)
    this.#total = (this.document as unknown as Undeclared).ref({
      ...{ Type: 'XObject', Subtype: 'Form', BBox: [0, -size.cell, totalWidth, size.cell], Resources: {} },
    })
    this.#newPage()
  }

  title(text: string): void {
    this.#block('H1', text, { font: 'bold', size: size.title, after: 8 })
  }

  /** Starts a section; its heading stays on one page with what follows. */
  heading(text: string): void {
    this.#closeTable()
    this.#closeFigures()
    if (this.#y > page.margin) this.#y += 14
    this.#makeRoom(90)
    this.#block('H2', text, { font: 'bold', size: size.heading, after: 5 })
  }

  paragraph(text: string, { dim = false, strong = false } = {}): void {
    this.#block('P', text, {
      font: strong ? 'bold' : 'plain',
      size: size.text,
      after: 4,
      ...(dim && { colour: ink.dim }),
    })
  }

  /**
   * A JPEG or PNG with a caption below, three per row; false if the bytes are not such a picture. `alt` is the text
   * for screen readers.
   */
  figure(image: Buffer, { alt, caption }: { alt: string; caption: string }): boolean {
    const { document } = this
    let picture: object
    try {
      picture = (document as unknown as Undeclared).openImage(image)
    } catch {
      return false
    }
    this.#closeTable()
    const width = (contentWidth - (figuresInRow - 1) * figure.gap) / figuresInRow
    const height = figure.height + figure.caption
    if (this.#figures === 0 || this.#figures === figuresInRow) {
      if (this.#figures) this.#y += height + figure.gap
      this.#figures = 0
      this.#makeRoom(height)
    }
    const x = page.margin + this.#figures * (width + figure.gap)
    const content = document.markStructureContent('Figure')
    document.image(picture as never, x, this.#y, { fit: [width, figure.height] })
    document.endMarkedContent()
    const box = { attributes: { O: 'Layout', BBox: [x, this.#y, x + width, this.#y + figure.height] } }
    this.#root.add(document.struct('Figure', { alt, ...box } as object, [content]))
    this.#set('plain', size.cell, ink.dim)
    const text = document.markStructureContent('P')
    const fitting = { width, height: figure.caption, ellipsis: true }
    document.text(caption, x, this.#y + figure.height + pad, fitting)
    document.endMarkedContent()
    this.#root.add(document.struct('P', {}, [text]))
    this.#figures++
    return true
  }

  /** Continues below a row of figures. */
  #closeFigures(): void {
    if (this.#figures) this.#y += figure.height + figure.caption + figure.gap
    this.#figures = 0
  }

  /** Starts a table, whose rows follow. */
  table(columns: readonly PdfColumn[]): void {
    this.#closeTable()
    this.#closeFigures()
    this.#makeRoom(40)
    const element = this.document.struct('Table')
    this.#root.add(element)
    this.#table = { columns, element }
    this.#head(this.#table)
  }

  /** A row of the open table; its first cell is the row header. */
  row(cells: readonly (string | PdfCell)[]): void {
    const table = this.#table!
    const shown = cells.map((cell) => (typeof cell === 'string' ? { text: cell } : cell))
    const height = Math.max(...shown.map((cell, at) => this.#heightOf(cell.text, table.columns[at]!))) + 2 * pad
    if (this.#y + height > bottom) {
      this.#newPage()
      this.#headAgain(table)
    }
    const top = this.#y
    let x = page.margin
    const tagged = shown.map((cell, at) => {
      const column = table.columns[at]!
      const kind = at === 0 ? 'TH' : 'TD'
      this.#colour(cell, column, { x, top, height })
      const content = this.document.markStructureContent(kind)
      this.#write(cell.text, column, x, top + pad)
      this.document.endMarkedContent()
      x += column.width
      return this.document.struct(kind, at === 0 ? ({ scope: 'Row' } as object) : {}, [content])
    })
    this.#lines.push(top + height)
    this.#bodyOf(table).add(this.document.struct('TR', {}, tagged))
    this.#y = top + height
  }

  /** The number of pages so far. */
  get pages(): number {
    return this.#pages
  }

  /**
   * Ends the document in steps: a long one has millions of lines in its cross-reference table, which the library
   * would write before any of them is fetched.
   */
  *end(): Generator<void> {
    this.#closeTable()
    this.#endPage()
    this.#root.end()
    const document = this.document as unknown as Undeclared
    this.#writeTotal(document)
    document._finalize = () => {}
    this.document.end()
    const { _offset: start, _offsets: offsets } = document
    const size = offsets.length + 1
    document._write(`xref\n0 ${size}\n0000000000 65535 f `)
    for (let at = 0; at < offsets.length; at += linesAtOnce) {
      yield
      const some = offsets.slice(at, at + linesAtOnce)
      document._write(some.map((offset) => `${String(offset).padStart(10, '0')} 00000 n `).join('\n'))
    }
    const id = `<${Buffer.from(document._id).toString('hex')}>`
    const [root, info] = [document._root.toString(), document._info.toString()]
    document._write(`trailer\n<< /Size ${size} /Root ${root} /Info ${info} /ID [${id} ${id}] >>`)
    document._write(`startxref\n${start}\n%%EOF`)
    this.document.push(null)
  }

  #writeTotal(document: Undeclared): void {
    this.#set('plain', size.cell, ink.dim)
    const font = document._font
    const [glyphs] = font.encode(` ${this.#pages}`, [])
    const [red, green, blue] = [1, 3, 5].map((at) => (Number.parseInt(ink.dim.slice(at, at + 2), 16) / 255).toFixed(3))
    this.#total.data['Resources'] = { Font: { [font.id]: font.ref() } }
    this.#total.end(
      `BT ${red} ${green} ${blue} rg /${font.id} ${size.cell} Tf 1 0 0 1 0 0 Tm <${glyphs.join('')}> Tj ET`,
    )
  }

  /** The body of the table on this page, written when the page ends. */
  #bodyOf(table: OpenTable): PDFKit.PDFStructureElement {
    if (!table.body) {
      table.body = this.document.struct('TBody')
      table.element.add(table.body)
    }
    return table.body
  }

  #closeBody(): void {
    this.#table?.body?.end()
    if (this.#table) this.#table.body = undefined
  }

  #closeTable(): void {
    if (!this.#table) return
    this.#y += 8
    this.#closeBody()
    this.#table.element.end()
    this.#table = undefined
  }

  #makeRoom(height: number): void {
    if (this.#y + height > bottom) this.#newPage()
  }

  #newPage(): void {
    this.#endPage()
    const { document } = this
    document.addPage()
    this.#pages++
    this.#style = ''
    document.markContent('Artifact', { type: 'Pagination', attached: ['Bottom'] })
    this.#set('plain', size.cell, ink.dim)
    const y = page.height - page.margin - 8
    document.text(this.#foot, page.margin, y, { lineBreak: false })
    const number = `Page ${this.#pages} of`
    const x = page.width - page.margin - totalWidth
    document.text(number, x - document.widthOfString(number), y, { lineBreak: false })
    const drawn = document as unknown as Undeclared
    drawn.page.xobjects['Total'] = this.#total
    const baseline = y + (drawn._font.ascender / 1000) * size.cell
    drawn.addContent(`q 1 0 0 -1 ${x.toFixed(2)} ${baseline.toFixed(2)} cm /Total Do Q`)
    document.endMarkedContent()
    this.#y = page.margin
  }

  #block(kind: string, text: string, look: { font: FontName; size: number; after: number; colour?: string }): void {
    this.#closeTable()
    this.#closeFigures()
    this.#set(look.font, look.size, look.colour ?? ink.text)
    const height = this.document.heightOfString(text, { width: contentWidth })
    this.#makeRoom(height)
    this.#set(look.font, look.size, look.colour ?? ink.text)
    const content = this.document.markStructureContent(kind)
    this.document.text(text, page.margin, this.#y, { width: contentWidth })
    this.document.endMarkedContent()
    this.#root.add(this.document.struct(kind, {}, [content]))
    this.#y += height + look.after
  }

  /** The header of the open table on its first page, as part of its structure. */
  #head({ columns, element }: OpenTable): void {
    const cells = this.#headCells(columns, (column, write) => {
      const content = this.document.markStructureContent('TH')
      write()
      this.document.endMarkedContent()
      return this.document.struct('TH', { scope: 'Column' } as object, [content])
    })
    element.add(this.document.struct('THead', {}, [this.document.struct('TR', {}, cells)]))
  }

  /** The header on further pages, as an artifact, so that screen readers read it once. */
  #headAgain({ columns }: OpenTable): void {
    this.document.markContent('Artifact', { type: 'Pagination' })
    this.#isDecorating = true
    this.#headCells(columns, (_column, write) => write())
    this.#isDecorating = false
    this.document.endMarkedContent()
  }

  #headCells<Cell>(columns: readonly PdfColumn[], cell: (column: PdfColumn, write: () => void) => Cell): Cell[] {
    const top = this.#y
    const height = size.cell + 2 * pad + 3
    this.#decorate(() => this.document.rect(page.margin, top, contentWidth, height).fill(ink.head))
    let x = page.margin
    const cells = columns.map((column) => {
      const at = x
      x += column.width
      return cell(column, () => {
        this.#set(column.mono ? 'mono' : 'bold', column.mono ? size.mono : size.cell, ink.text)
        this.document.text(column.label, at + pad, top + pad + (column.mono ? 0.8 : 0), { lineBreak: false })
      })
    })
    this.#y = top + height
    return cells
  }

  /** Draws an artifact without meaning of its own; within another artifact it becomes part of that. */
  #decorate(draw: () => void): void {
    if (!this.#isDecorating) this.document.markContent('Artifact', { type: 'Layout' })
    draw()
    if (!this.#isDecorating) this.document.endMarkedContent()
    this.#style = ''
  }

  #set(font: FontName, points: number, colour: string): void {
    const style = `${font} ${points} ${colour}`
    if (style === this.#style) return
    this.document.font(font).fontSize(points).fillColor(colour)
    this.#style = style
  }

  #look(column: PdfColumn): void {
    this.#set(column.mono ? 'mono' : 'plain', column.mono ? size.mono : size.cell, ink.text)
  }

  #heightOf(text: string, column: PdfColumn): number {
    this.#look(column)
    return this.#isOneLine(text, column)
      ? this.document.currentLineHeight(true)
      : this.document.heightOfString(text, { width: column.width - 2 * pad })
  }

  #isOneLine(text: string, column: PdfColumn): boolean {
    if (column.mono) return true
    return !text.includes('\n') && this.document.widthOfString(text) <= column.width - 2 * pad
  }

  #write(text: string, column: PdfColumn, x: number, y: number): void {
    this.#look(column)
    const options = this.#isOneLine(text, column) ? { lineBreak: false } : { width: column.width - 2 * pad }
    this.document.text(text, x + pad, y, options)
  }

  /** Colours text that already states the meaning in words or letters: colour is never the only sign. */
  #colour(cell: PdfCell, column: PdfColumn, { x, top, height }: { x: number; top: number; height: number }): void {
    if (!cell.tone && !cell.marks?.length) return
    const { document } = this
    this.#look(column)
    const sign = column.mono ? document.widthOfString('0') : 0
    this.#decorate(() => {
      if (cell.tone) document.rect(x, top, column.width, height).fill(ink[cell.tone])
      for (const { at, length, tone } of cell.marks ?? [])
        document.rect(x + pad + at * sign - 1, top + 1.5, length * sign + 2, height - 3).fill(ink[tone])
    })
  }

  /** Draws the parts left for the end of a page, and releases its structure. */
  #endPage(): void {
    if (this.#pages === 0) return
    if (this.#lines.length > 0)
      this.#decorate(() => {
        this.document.lineWidth(0.4).strokeColor(ink.line)
        for (const y of this.#lines) this.document.moveTo(page.margin, y).lineTo(page.margin + contentWidth, y)
        this.document.stroke()
      })
    this.#lines = []
    this.#closeBody()
    this.#writeParents()
    // The library keeps the layout of each word as long as it writes: here it is kept for the page only.
    for (const font of Object.values((this.document as unknown as Undeclared)._fontFamilies))
      font.layoutCache = Object.create(null) as object
  }

  /**
   * Writes which structure element each piece of the page belongs to. The library keeps this for all pages until the
   * end, with an object per cell: 500 MB for 3,000 pages.
   */
  #writeParents(): void {
    const document = this.document as unknown as Undeclared
    const key = document.page.structParentTreeKey
    const tree = document.getStructParentTree()
    const parents = document.ref(tree.get(key))
    tree.add(key, parents)
    parents.end()
    ;(parents as { data: unknown }).data = null
  }
}

/** An object of the file that others can refer to before it is written. */
interface PdfObject {
  data: Record<string, unknown>
  end(content?: string): void
}

/** Members of the library that its types do not declare. */
interface Undeclared {
  page: { structParentTreeKey: number; xobjects: Record<string, unknown> }
  _font: { id: string; ascender: number; encode(text: string, features: string[]): [string[]]; ref(): unknown }
  addContent(text: string): void
  getStructParentTree(): { get(key: number): unknown; add(key: number, parents: unknown): void }
  ref(data: unknown): PdfObject
  /** Throws if the bytes are not a picture. */
  openImage(bytes: Buffer): object
  /** Writes a line. */
  _write(line: string): void
  /** Writes everything that follows the objects. */
  _finalize(): void
  /** Bytes written so far, and the position of each object. */
  _offset: number
  _offsets: number[]
  _id: Uint8Array
  _root: { toString(): string }
  _info: { toString(): string }
  _fontFamilies: Record<string, { layoutCache: object }>
}

interface OpenTable {
  columns: readonly PdfColumn[]
  element: PDFKit.PDFStructureElement
  /** The part on this page. */
  body?: PDFKit.PDFStructureElement | undefined
}

/** Cross-reference lines written at once. */
const linesAtOnce = 5000

/** Bytes that may wait for a reader before writing pauses. */
const mostWaiting = 512 * 1024

/** Writes pieces into a PDF, no faster than its bytes are fetched. */
export function intoPdf(pdf: TaggedPdf, write: (pieces: readonly never[]) => void, finish: () => void) {
  const bytes = pdf.document.pipe(new PassThrough())
  const drain = (done: () => void) => {
    if (bytes.destroyed || pdf.document.readableLength < mostWaiting) done()
    else bytes.once('drain', () => drain(done))
  }
  const rows = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(pieces: readonly never[], _encoding, done) {
      write(pieces)
      drain(done)
    },
    final(done) {
      finish()
      const rest = pdf.end()
      const next = () => {
        if (bytes.destroyed || rest.next().done) done()
        else drain(() => setImmediate(next))
      }
      next()
    },
  })
  return { rows, bytes }
}
