import type { SaxesAttributeNS, SaxesTagNS } from 'saxes'
import { SaxesParser } from 'saxes'
import type { Bounds, Matrix } from '@caretaker/rules/drawings/bounds.ts'
import { boundsOf, joined, matrixOf, movedBy, times, unmoved } from '@caretaker/rules/drawings/bounds.ts'
import { entitiesOf } from '@caretaker/rules/drawings/entities.ts'
import type { LeftOut, LeftOutKind } from '@caretaker/rules/drawings/left-out.ts'
import { collectLeftOut, emptyDrawingText } from '@caretaker/rules/drawings/left-out.ts'
import { frameOf, pixelsOf, viewBoxOf } from '@caretaker/rules/drawings/lengths.ts'
import { ownReference, plainDeclarations, plainSheet } from '@caretaker/rules/drawings/style.ts'
import type { PhotoType } from './photo.ts'
import { mostPixels, plainPhoto } from './photo.ts'
import { decoderOf, encodingOf, mostUnpacked, unpacked } from './xml-text.ts'

/** Maximum elements of one drawing, also counting each reference as the elements that it draws. */
export const mostElements = 100_000
const mostDrawn = 400_000
const [deepest, mostAttributes] = [200, 200]
/** Maximum characters that entities add to one upload, including its inner drawings. */
const mostFromEntities = 1_000_000
/**
 * Maximum characters written for one upload, including its inner drawings: the same limit as for unpacking a compressed
 * one.
 */
const mostWritten = mostUnpacked

const [svg, xlink] = ['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink']

/** Allowed elements. Links and switches become groups; any other element is removed with its content. */
const elements = new Set(
  `svg g a switch defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc style
   linearGradient radialGradient stop pattern clipPath mask marker image`.split(/\s+/),
)
const asGroups = new Set(['a', 'switch'])
const withText = new Set(['text', 'tspan', 'textPath', 'title', 'desc', 'style'])
const shapes = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'])
/** Their content is drawn only where another element refers to them, or never. */
const notDrawn = new Set(
  'defs symbol title desc style linearGradient radialGradient pattern clipPath mask marker'.split(' '),
)

/** How removed elements are reported; those that draw nothing are removed silently. */
const kinds: Readonly<Record<string, LeftOutKind>> = {
  script: 'script',
  handler: 'script',
  foreignObject: 'text box',
  filter: 'effect',
  font: 'font',
  animate: 'animation',
  animateColor: 'animation',
  animateMotion: 'animation',
  animateTransform: 'animation',
  set: 'animation',
  discard: 'animation',
}
const silent = new Set('metadata view cursor color-profile font-face'.split(' '))

/** Allowed attributes. Nothing that runs or loads: no handlers, and `href` only as `hrefFor` allows. */
const attributes = new Set(
  `id class style d x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy width height viewBox preserveAspectRatio points transform
   fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
   stroke-dasharray stroke-dashoffset vector-effect paint-order opacity color display visibility overflow clip-path clip-rule
   clipPathUnits mask maskUnits maskContentUnits marker-start marker-mid marker-end markerWidth markerHeight markerUnits
   refX refY orient offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod patternUnits
   patternContentUnits patternTransform font-family font-size font-style font-weight font-variant letter-spacing word-spacing
   text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift rotate textLength lengthAdjust startOffset
   method spacing side shape-rendering text-rendering image-rendering color-interpolation enable-background version`.split(
    /\s+/,
  ),
)

/** Attributes with names or numbers that are not searched for references. */
const neverRefer = new Set(['id', 'class', 'd', 'points'])
/** Values that refer to another place, in any spelling. */
const externalReference = /@|\\|url\s*\(|image\s*\(|image-set|src\s*\(|expression|behaviou?r|-moz-binding/i
const isLocal = (value: string) => !externalReference.test(value.replaceAll(ownReference, ' '))
const dataAddress = /^data:([^,]*?)(;\s*base64\s*)?,/i

const faults = {
  encoding: (encoding: string) => `The drawing is not in its declared encoding (${encoding}). Save it as UTF-8.`,
  unknownEncoding: (encoding: string) =>
    `The encoding ${encoding.slice(0, 40)} is not supported. Save the drawing as UTF-8.`,
  external: 'The drawing refers to entities in another file. Save it as plain SVG.',
  entities: 'The entities of the drawing cannot be read. Save it as plain SVG.',
  large: `The drawing has too many parts: at most ${mostElements.toLocaleString('en-GB')} are accepted.`,
  unpacked: 'The drawing is larger than 40 MB when it is unpacked.',
  written: 'The drawing is larger than 40 MB when its entities and inner drawings are expanded. Save it as plain SVG.',
  packing: 'The compressed drawing is damaged.',
  pixels: `The pictures in the drawing have more than ${mostPixels / 1_000_000} million pixels. Save them in a smaller size.`,
  noDrawing: 'The file is not an SVG drawing.',
  unsound: 'The file is not complete, or not a valid SVG drawing.',
} as const

class Fault extends Error {}
/** Applies to the whole upload: leaving out an inner drawing would let the next ones continue. */
class Excess extends Fault {}
class Undecodable extends Error {}

export interface Drawing {
  drawing: string
  /** The width and height of its frame in its own units; undefined if it has none. */
  frame: { width: number; height: number } | undefined
  leftOut: LeftOut[]
}

/**
 * A drawing that is safe to show to others: rewritten from an allow list, so that nothing in it runs, loads from
 * elsewhere or expands when opened; or its fault in words. It is read piece by piece.
 *
 * A library parses, this module decides what is allowed: DOMPurify needs a whole document tree of a 10 MB file,
 * sanitize-html accepts malformed XML, and both would need these lists and limits too, because neither handles
 * multiplying references.
 */
export async function plainDrawing(content: Blob): Promise<Drawing | { fault: string }> {
  const unpacking = await unpacked(content)
  if ('fault' in unpacking) return { fault: unpacking.fault === 'damaged' ? faults.packing : faults.unpacked }
  const plain = unpacking.content
  const encoding = await encodingOf(plain)
  try {
    try {
      return await rewritten(plain, encoding, createWriter())
    } catch (error) {
      if (!(error instanceof Undecodable)) throw error
      if (!/^(?:utf-?8|us-ascii)$/.test(encoding)) throw new Fault(faults.encoding(encoding))
      // Programs that only support one encoding write it whatever they declare.
      const writer = createWriter()
      writer.leaveOut('encoding')
      return await rewritten(plain, 'windows-1252', writer)
    }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

/** A parser that passes its events to a writer. */
function createParser(writer: Writer) {
  // Undeclared prefixes come from editors, except the one for links.
  const resolvePrefix = (prefix: string) => (prefix === 'xlink' ? xlink : `urn:prefix:${prefix}`)
  const parser = new SaxesParser({ xmlns: true, position: false, resolvePrefix })
  parser.on('error', () => {
    throw new Fault(writer.begun() ? faults.unsound : faults.noDrawing)
  })
  parser.on('doctype', (doctype) => declareEntities(parser, doctype, writer))
  let given = 0
  parser.on('opentagstart', () => {
    given = 0
  })
  parser.on('attribute', () => {
    if (++given > mostAttributes) throw new Fault(faults.large)
  })
  parser.on('opentag', (tag) => writer.open(tag))
  parser.on('closetag', () => writer.close())
  parser.on('text', (text) => writer.text(text))
  parser.on('cdata', (text) => writer.text(text))
  parser.on('processinginstruction', ({ target, body }) => {
    if (target === 'xml-stylesheet') writer.leaveOut('reference', /href\s*=\s*["']([^"']*)/.exec(body)?.[1])
  })
  return parser
}

async function rewritten(content: Blob, encoding: string, writer: Writer): Promise<Drawing> {
  const parser = createParser(writer)
  const decoder = decoderOf(encoding)
  if (!decoder) throw new Fault(faults.unknownEncoding(encoding))
  const decode = (part?: Uint8Array) => {
    try {
      return decoder.decode(part, { stream: part !== undefined })
    } catch {
      throw new Undecodable()
    }
  }
  let isBegun = false
  for await (const part of content.stream()) {
    const text = decode(part)
    // A blank line before the declaration is an XML error, but harmless here.
    parser.write(isBegun ? text : text.trimStart())
    isBegun ||= text.trim() !== ''
  }
  parser.write(decode()).close()
  const { amount: _, ...drawing } = writer.end()
  return drawing
}

/** A drawing within a drawing, such as a draw.io symbol; undefined if it cannot be shown, or is nested deeper. */
function innerDrawing(text: string, outer: Outer): { drawing: string; amount: number } | undefined {
  const writer = createWriter(outer)
  try {
    createParser(writer).write(text.trimStart()).close()
    const { drawing, amount } = writer.end()
    return { drawing, amount }
  } catch (error) {
    if (error instanceof Fault && !(error instanceof Excess)) return undefined
    throw error
  }
}

/** Passes the declared entities to the parser, as text and within the limit. */
function declareEntities(
  parser: { ENTITIES: Record<string, string> },
  doctype: string,
  { leaveOut, budget }: Pick<Writer, 'leaveOut' | 'budget'>,
): void {
  const found = entitiesOf(doctype)
  if ('fault' in found)
    throw new Fault({ external: faults.external, endless: faults.large, unreadable: faults.entities }[found.fault])
  // Nested entities already take time and memory where they are declared.
  const expanded = [...found.entities.values()].reduce((sum, value) => sum + value.length, 0)
  budget.countFromEntities(Math.max(0, expanded - doctype.length))
  for (const [name, value] of found.entities) {
    if (Object.hasOwn(parser.ENTITIES, name) || name in parser.ENTITIES) continue
    Object.defineProperty(parser.ENTITIES, name, {
      get() {
        budget.countFromEntities(value.length)
        if (!found.withElements.has(name)) return value
        leaveOut('entity', name)
        return ''
      },
    })
  }
}

/** The drawn parts of an element: itself, its content, and everything that those refer to. */
interface Drawn {
  own: number
  holds: Drawn[]
  refers: string[]
  /** Another element that it shows in its place. */
  shows?: string | undefined
  /** Neither it nor its content is drawn in its place. */
  isHidden: boolean
  isVisible: boolean
  matrix: Matrix
  bounds?: Bounds | undefined
}

interface Open {
  /** The name in the output; undefined if it was removed. */
  name: string | undefined
  drawn?: Drawn
  /** For a switch: whether one of its children is shown, and which ones could not be. */
  choice?: { isMade: boolean; without: [LeftOutKind, string][] }
}

/** The state that an inner drawing shares with the one that contains it. */
interface Outer {
  budget: Budget
  report: Report
}

type Budget = ReturnType<typeof createBudget>

/** Counts what one upload uses, and rejects it beyond the limit. */
function createBudget() {
  const bound = (most: number, fault: string) => {
    let used = 0
    return (more: number) => {
      if ((used += more) > most) throw new Excess(fault)
    }
  }
  return {
    countPixels: bound(mostPixels, faults.pixels),
    countFromEntities: bound(mostFromEntities, faults.large),
    countWritten: bound(mostWritten, faults.written),
  }
}

type Writer = ReturnType<typeof createWriter>

function createWriter(outer?: Outer) {
  const out: string[] = []
  const open: Open[] = []
  const ids = new Map<string, Drawn>()
  const root: Drawn = { own: 0, holds: [], refers: [], isHidden: false, isVisible: false, matrix: unmoved }
  let rootAttributes: Kept[] = []
  const within: Drawn[] = [root]
  const collected = collectLeftOut()
  const leaveOut = outer?.report ?? collected.add
  const budget = outer?.budget ?? createBudget()
  let [count, gone, styles] = [0, 0, '']
  const write = (text: string) => {
    budget.countWritten(text.length)
    out.push(text)
  }
  const skip = () => {
    gone++
    open.push({ name: undefined })
  }

  return {
    begun: () => count > 0,
    leaveOut,
    budget,

    open(tag: SaxesTagNS) {
      if (++count > mostElements || open.length >= deepest) throw new Fault(faults.large)
      const { local, uri } = tag
      const isSvg = uri === svg || uri === ''
      const isOurs = isSvg && elements.has(local)
      if (!open.length && (!isOurs || local !== 'svg')) throw new Fault(faults.noDrawing)
      const value = (name: string) => tag.attributes[name]?.value
      const choice = open.at(-1)?.choice
      // A switch shows the first of its children that can be shown (SVG 2, 5.8).
      if (gone || (choice?.isMade && !notDrawn.has(local)) || !isForAll(value)) return skip()
      const without: [LeftOutKind, string][] = []
      const report = (kind: LeftOutKind, example = '') => without.push([kind, example])
      if (!isOurs) {
        const kind = isSvg ? (kinds[local] ?? (silent.has(local) ? undefined : 'element')) : undefined
        if (kind) report(kind, kind === 'element' ? local : kind === 'font' ? value('id') : '')
        else if (local === 'script') report('script')
      }
      let inner = 0
      const pictures: Pictures = {
        countPixels: budget.countPixels,
        draw: (text) => {
          const drawn = outer ? undefined : innerDrawing(text, { budget, report })
          inner += drawn?.amount ?? 0
          return drawn?.drawing
        },
      }
      const kept = isOurs
        ? Object.values(tag.attributes).flatMap((given) => keptOf(local, given, pictures, report))
        : []
      const isPicture = local === 'image'
      const hasPicture = isPicture && kept.some(([name]) => name === 'href')
      if (choice && !notDrawn.has(local)) {
        choice.isMade = isOurs && (!isPicture || hasPicture)
        if (!choice.isMade) choice.without.push(...without)
      }
      if (!choice || choice.isMade || notDrawn.has(local))
        for (const [kind, example] of without) leaveOut(kind, example)
      if (!isOurs || (choice && !choice.isMade && !notDrawn.has(local))) return skip()
      const name = asGroups.has(local) ? 'g' : local
      const keptValue = (wanted: string) => kept.find(([attribute]) => attribute === wanted)?.[1]
      const shown = local === 'use' ? keptValue('href')?.slice(1) : undefined
      const matrix = matrixOf(keptValue('transform'))
      const place: Matrix = [1, 0, 0, 1, pixelsOf(keptValue('x')) ?? 0, pixelsOf(keptValue('y')) ?? 0]
      const drawn: Drawn = {
        ...{ own: 1 + inner, holds: [], refers: kept.flatMap(([, text]) => ownIn(text)), shows: shown },
        isHidden: notDrawn.has(local) || isUndisplayed(keptValue),
        isVisible: shapes.has(local) || hasPicture,
        matrix: local === 'use' || (local === 'svg' && open.length) ? times(matrix, place) : matrix,
        bounds: !isPicture || hasPicture ? boundsOf(local, keptValue) : undefined,
      }
      within.at(-1)!.holds.push(drawn)
      within.push(drawn)
      const id = keptValue('id')
      if (id !== undefined && !ids.has(id)) ids.set(id, drawn)
      if (open.length) {
        write(`<${name}`)
        for (const [attribute, text] of kept) write(` ${attribute}="${escaped(text)}"`)
        write('>')
      } else rootAttributes = kept
      open.push({ name, drawn, ...(local === 'switch' && { choice: { isMade: false, without: [] } }) })
      if (local === 'style' && !isStyleSheet(value)) gone++
    },

    close() {
      const { name, choice } = open.pop()!
      if (name === undefined) {
        gone--
        return
      }
      within.pop()
      if (choice && !choice.isMade) for (const [kind, example] of choice.without) leaveOut(kind, example)
      // Its text is complete only now.
      if (name === 'style') {
        if (gone) gone--
        else write(escaped(plainSheet(styles, leaveOut)))
        styles = ''
      }
      write(`</${name}>`)
    },

    text(text: string) {
      const { name } = open.at(-1) ?? {}
      if (gone || !name || !withText.has(name)) return
      if (name === 'style') styles += text
      else {
        write(escaped(text))
        if (text.trim() && name !== 'title' && name !== 'desc')
          for (const one of open) if (one.drawn && one.name === 'text') one.drawn.isVisible = true
      }
    },

    end(): Drawing & { amount: number } {
      if (!count) throw new Fault(faults.noDrawing)
      const amount = amountOf(root, ids)
      if (amount > mostDrawn) throw new Fault(faults.large)
      const leftOut = collected.all()
      if (!isSeen(root, ids)) throw new Fault(emptyDrawingText(leftOut))
      const { attributes, frame } = framed(rootAttributes, () => wholeBounds(root, ids))
      const start = attributes.map(([attribute, value]) => ` ${attribute}="${escaped(value)}"`).join('')
      return { drawing: `<svg xmlns="${svg}"${start}>${out.join('')}`, frame, leftOut, amount }
    },
  }
}

type Attribute = (name: string) => string | undefined

/** Whether an element applies to every viewer: it needs no extension, and is for English or for any language. */
function isForAll(value: Attribute): boolean {
  const languages = value('systemLanguage')
  if (value('requiredExtensions')?.trim()) return false
  return languages === undefined || languages.split(',').some((one) => /^en(?:-|$)/i.test(one.trim()))
}

const isUndisplayed = (value: Attribute) =>
  value('display')?.trim() === 'none' || /(?:^|;)\s*display\s*:\s*none/i.test(value('style') ?? '')

/** Whether a style element is a style sheet for a screen. */
function isStyleSheet(value: Attribute): boolean {
  const [type = '', media = ''] = [value('type')?.trim(), value('media')?.trim()]
  return /^(?:text\/css(?:;.*)?)?$/i.test(type) && (media === '' || /\b(?:all|screen)\b/i.test(media))
}

type Kept = [attribute: string, value: string]

type Report = (kind: LeftOutKind, example?: string) => void
interface Pictures {
  countPixels: Budget['countPixels']
  /** Reads a drawing embedded as a picture; undefined if it cannot be shown. */
  draw: (text: string) => string | undefined
}

function keptOf(
  element: string,
  { local, prefix, uri, value }: SaxesAttributeNS,
  pictures: Pictures,
  report: Report,
): Kept[] {
  if (local === 'href' && (uri === xlink || uri === '')) return hrefFor(element, value.trim(), pictures, report)
  if (prefix !== '') return []
  if (!attributes.has(local)) {
    if (/^on/i.test(local)) report('script')
    return []
  }
  if (local === 'style') {
    const style = plainDeclarations(value, report)
    return style ? [['style', style]] : []
  }
  if (!neverRefer.has(local) && !isLocal(value)) {
    report('style', `${local}="${value}"`)
    return []
  }
  return [[local, value]]
}

function hrefFor(element: string, value: string, pictures: Pictures, report: Report): Kept[] {
  if (element === 'image') {
    const plain = pictureFor(value, pictures)
    if (plain) return [['href', plain]]
    if (/^data:/i.test(value)) report('picture', /^data:image\/([\w+.-]+)/i.exec(value)?.[1])
    else if (value) report('linked picture', fileNameIn(value))
    return []
  }
  if (element === 'a') {
    if (value && !value.startsWith('#')) report('link', value)
    return []
  }
  if (value.startsWith('#')) return [['href', value]]
  if (value) report('reference', value)
  return []
}

/** For example 'plan.png' from 'file:///C:/plans/plan.png?1'. */
const fileNameIn = (address: string) => address.split(/[?#]/, 1)[0]!.split(/[/\\]/).at(-1) || address

function pictureFor(address: string, { countPixels, draw }: Pictures): string | undefined {
  const [head, type = '', base64] = dataAddress.exec(address) ?? []
  if (head === undefined) return undefined
  const isDrawing = /^\s*image\/svg/i.test(type)
  const data = bytesIn(address.slice(head.length), base64 !== undefined)
  if (!data) return undefined
  const drawn = isDrawing ? draw(data.toString('utf8')) : undefined
  if (drawn !== undefined) return `data:image/svg+xml;base64,${Buffer.from(drawn).toString('base64')}`
  return plainPicture(data, countPixels)
}

/** The bytes of a data URL (RFC 2397). */
function bytesIn(data: string, isBase64: boolean): Buffer | undefined {
  if (!isBase64 && !/%[89a-f]/i.test(data)) return Buffer.from(data.replaceAll(/%([\da-f]{2})/gi, characterOf))
  const bytes = Buffer.from(data.replaceAll(/%([\da-f]{2})/gi, characterOf), 'latin1')
  if (!isBase64) return bytes
  const text = bytes.toString('latin1')
  return /^[a-z0-9+/=\s_-]*$/i.test(text) ? Buffer.from(text, 'base64') : undefined
}

const characterOf = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))

/** Signatures of the picture types allowed in a drawing. Viewers go by these, whatever type the address declares. */
const beginnings: readonly [PhotoType | 'image/gif', RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['image/gif', /^GIF8[79]a/],
]

/** A picture in a drawing as a data URL, reduced to what draws it; undefined if it is incomplete. */
function plainPicture(content: Buffer, countPixels: Budget['countPixels']): string | undefined {
  const head = content.toString('latin1', 0, 16)
  const type = beginnings.find(([, beginning]) => beginning.test(head))?.[0]
  if (!type || content.length < 10) return undefined
  const plain =
    type === 'image/gif'
      ? { content, pixels: content.readUInt16LE(6) * content.readUInt16LE(8) }
      : plainPhoto(content, type)
  if (!plain) return undefined
  countPixels(plain.pixels)
  return `data:${type};base64,${Buffer.from(plain.content).toString('base64')}`
}

/** Ids within the drawing to which a value refers. */
function ownIn(value: string): string[] {
  if (value.startsWith('#')) return [value.slice(1)]
  if (!value.includes('url(')) return []
  return [...value.matchAll(/url\(\s*["']?#([^"'()]*)/gi)].map(([, id]) => id!.trim())
}

/**
 * The root attributes with a viewBox: without one a drawing is cut off instead of scaled when it is laid over a map.
 * A missing viewBox is derived from the size, at 96 units per inch; without a size, from the bounds of the content.
 */
function framed(
  kept: readonly Kept[],
  bounds: () => Bounds | undefined,
): { attributes: Kept[]; frame: Drawing['frame'] } {
  const value = (name: string) => kept.find(([attribute]) => attribute === name)?.[1]
  const given = frameOf(value('viewBox'))
  if (given) return { attributes: [...kept], frame: { width: given.width, height: given.height } }
  const attributes = kept.filter(([attribute]) => attribute !== 'viewBox')
  const [width = 0, height = 0] = [pixelsOf(value('width')), pixelsOf(value('height'))]
  const frame = width > 0 && height > 0 ? { x: 0, y: 0, width, height } : frameAround(bounds())
  if (!frame) return { attributes, frame: undefined }
  const viewBox = viewBoxOf(frame)
  const { width: wide, height: high } = frameOf(viewBox) ?? frame
  return { attributes: [...attributes, ['viewBox', viewBox]], frame: { width: wide, height: high } }
}

/** With a margin of two per cent, for the strokes at its edge. */
function frameAround(bounds: Bounds | undefined) {
  if (!bounds) return undefined
  const [width, height] = [bounds.right - bounds.left, bounds.bottom - bounds.top]
  if (!(width > 0 && height > 0)) return undefined
  const margin = 0.02 * Math.max(width, height)
  return { x: bounds.left - margin, y: bounds.top - margin, width: width + 2 * margin, height: height + 2 * margin }
}

/** The number of elements that an element draws, up to the relevant limit; infinite if it refers to itself. */
function amountOf(root: Drawn, ids: ReadonlyMap<string, Drawn>): number {
  const known = new Map<Drawn, number>()
  const amount = (drawn: Drawn, depth: number): number => {
    const found = known.get(drawn)
    if (found !== undefined) return found
    if (depth > 2 * deepest) return Infinity
    // If it is met again before it is known, it refers to itself.
    known.set(drawn, Infinity)
    let sum = drawn.own
    for (const one of drawn.holds) sum += amount(one, depth + 1)
    for (const id of drawn.refers) {
      const other = ids.get(id)
      if (other) sum += amount(other, depth + 1)
    }
    known.set(drawn, sum)
    return sum
  }
  return amount(root, 0)
}

/** Whether anything of an element is visible after following references; none refers to itself. */
function isSeen(
  drawn: Drawn,
  ids: ReadonlyMap<string, Drawn>,
  isShown = false,
  known = new Map<Drawn, boolean>(),
): boolean {
  if (drawn.isHidden && !isShown) return false
  const found = known.get(drawn)
  if (found !== undefined) return found
  const shown = drawn.shows === undefined ? undefined : ids.get(drawn.shows)
  const seen =
    drawn.isVisible ||
    drawn.holds.some((one) => isSeen(one, ids, false, known)) ||
    (shown !== undefined && isSeen(shown, ids, true, known))
  known.set(drawn, seen)
  return seen
}

/** The box around everything that an element draws, in the coordinates of its parent. */
function wholeBounds(drawn: Drawn, ids: ReadonlyMap<string, Drawn>, isShown = false): Bounds | undefined {
  const known = new Map<Drawn, Bounds | undefined>()
  const of = (one: Drawn, isReferred: boolean): Bounds | undefined => {
    if (one.isHidden && !isReferred) return undefined
    if (known.has(one)) return known.get(one)
    const shown = one.shows === undefined ? undefined : ids.get(one.shows)
    const inner = joined([one.bounds, ...one.holds.map((held) => of(held, false)), shown && of(shown, true)])
    const box = inner && movedBy(one.matrix, inner)
    known.set(one, box)
    return box
  }
  return of(drawn, isShown)
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (mark) => marks[mark]!)
