import type { SaxesAttributeNS, SaxesTagNS } from 'saxes'
import { SaxesParser } from 'saxes'
import type { PhotoType } from './photo.ts'
import { mostPixels, plainPhoto } from './photo.ts'

/** Elements of one drawing, and how many are drawn once each reference to another is followed. */
export const mostElements = 100_000
const mostDrawn = 400_000
const [deepest, mostAttributes] = [200, 200]

const [svg, xlink] = ['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink']

/** What a plan is drawn with. Links and switches count as groups; whatever else there is goes, with all that it holds. */
const elements = new Set(
  `svg g a switch defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc style
   linearGradient radialGradient stop pattern clipPath mask marker image`.split(/\s+/),
)
const asGroups = new Set(['a', 'switch'])
const withText = new Set(['text', 'tspan', 'textPath', 'title', 'desc', 'style'])

/** Nothing that runs or loads: no handlers, and `href` only as `hrefFor` lets it pass. */
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

/** Declarations that name another place, in whatever words. */
const leadsOut = /@|\\|url\s*\(|image\s*\(|image-set|src\s*\(|expression|behaviou?r|-moz-binding/i
/** The same without references to the drawing itself. */
const withoutOwn = (value: string) => value.replaceAll(/url\(\s*(["']?)#[^"'()\\]*\1\s*\)/gi, '')
const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,([a-z0-9+/=\s]*)$/i

const faults = {
  encoding: 'The drawing must be encoded as UTF-8.',
  entities: 'The drawing declares entities, which are not taken. Save it as plain SVG.',
  large: `The drawing has too many parts: at most ${mostElements.toLocaleString('en-GB')} are taken.`,
  pixels: `The pictures in the drawing have more than ${mostPixels / 1_000_000} million pixels. Save them in a smaller size.`,
  noDrawing: 'The file is no SVG drawing.',
  unsound: 'The file is not complete, or no sound SVG drawing.',
} as const

class Fault extends Error {}

export interface Drawing {
  drawing: string
  /** How wide and high its frame is, in units of its own; undefined where it has none. */
  frame: { width: number; height: number } | undefined
}

/**
 * A drawing as it may be shown to others: written anew from what an allow list knows, so that nothing in it runs, loads from
 * elsewhere, or grows when it is opened; or what is wrong with it, in words. It is read part by part.
 *
 * The parser is a library, what passes is decided here: DOMPurify wants a whole document tree of a file of 10 MB, sanitize-html takes
 * XML that is not sound, and either would need these lists and bounds as well, for neither knows of references that multiply.
 */
export async function plainDrawing(content: Blob): Promise<Drawing | { fault: string }> {
  const writer = createWriter()
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('error', () => {
    throw new Fault(writer.begun() ? faults.unsound : faults.noDrawing)
  })
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!/^(utf-?8|us-ascii)$/i.test(encoding)) throw new Fault(faults.encoding)
  })
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw new Fault(faults.entities)
  })
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
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const part of content.stream()) parser.write(decode(decoder, part))
    parser.write(decode(decoder)).close()
    return { drawing: writer.end(), frame: writer.frame() }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined })
  } catch {
    throw new Fault(faults.encoding)
  }
}

/** What is drawn where an element is: itself, what it holds, and what it and those refer to. */
interface Drawn {
  own: number
  holds: Drawn[]
  refers: string[]
}

function createWriter() {
  const out: string[] = []
  /** The names of open elements as they were written; undefined for one that went. */
  const open: (string | undefined)[] = []
  const ids = new Map<string, Drawn>()
  const root: Drawn = { own: 0, holds: [], refers: [] }
  const within: Drawn[] = [root]
  let [count, gone, pixels, styles] = [0, 0, 0, '']
  let frame: Drawing['frame']

  return {
    begun: () => count > 0,
    frame: () => frame,

    open(tag: SaxesTagNS) {
      if (++count > mostElements || open.length >= deepest) throw new Fault(faults.large)
      const { local, uri } = tag
      const isOurs = (uri === svg || uri === '') && elements.has(local)
      if (!open.length && (!isOurs || local !== 'svg')) throw new Fault(faults.noDrawing)
      if (gone || !isOurs) {
        gone++
        open.push(undefined)
        return
      }
      const name = asGroups.has(local) ? 'g' : local
      const kept = Object.values(tag.attributes).flatMap((given) =>
        keptOf(local, given, (more) => {
          if ((pixels += more) > mostPixels) throw new Fault(faults.pixels)
        }),
      )
      if (!open.length) {
        kept.push(...framed(kept))
        frame = frameIn(kept)
      }
      const drawn: Drawn = { own: 1, holds: [], refers: kept.flatMap(([, value]) => ownIn(value)) }
      within.at(-1)!.holds.push(drawn)
      within.push(drawn)
      const id = kept.find(([attribute]) => attribute === 'id')?.[1]
      if (id !== undefined && !ids.has(id)) ids.set(id, drawn)
      out.push(`<${name}${open.length ? '' : ` xmlns="${svg}"`}`)
      for (const [attribute, value] of kept) out.push(` ${attribute}="${escaped(value)}"`)
      out.push('>')
      open.push(name)
    },

    close() {
      const name = open.pop()
      if (name === undefined) {
        gone--
        return
      }
      within.pop()
      // All of it is known only now.
      if (name === 'style') {
        if (!leadsOut.test(styles)) out.push(escaped(styles))
        styles = ''
      }
      out.push(`</${name}>`)
    },

    text(text: string) {
      const name = open.at(-1)
      if (gone || !name || !withText.has(name)) return
      if (name === 'style') styles += text
      else out.push(escaped(text))
    },

    end(): string {
      if (!count) throw new Fault(faults.noDrawing)
      if (amountOf(root, ids) > mostDrawn) throw new Fault(faults.large)
      return out.join('')
    },
  }
}

type Kept = [attribute: string, value: string]

type CountPixels = (more: number) => void

function keptOf(element: string, { local, prefix, uri, value }: SaxesAttributeNS, count: CountPixels): Kept[] {
  if (local === 'href' && (uri === xlink || uri === '')) return hrefFor(element, value.trim(), count)
  if (prefix !== '' || !attributes.has(local) || leadsOut.test(withoutOwn(value))) return []
  return [[local, value]]
}

function hrefFor(element: string, value: string, count: CountPixels): Kept[] {
  if (element === 'image') {
    const data = picture.exec(value)?.[1]
    const plain = data && plainPicture(Buffer.from(data, 'base64'), count)
    return plain ? [['href', plain]] : []
  }
  return element !== 'a' && value.startsWith('#') ? [['href', value]] : []
}

/** How the pictures begin that may stand in a drawing. Viewers go by this, whatever type their address gives. */
const beginnings: readonly [PhotoType | 'image/gif', RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['image/gif', /^GIF8[79]a/],
]

/** A picture in a drawing as a data address, reduced to what draws it; undefined for one that is not whole. */
function plainPicture(content: Buffer, count: CountPixels): string | undefined {
  const head = content.toString('latin1', 0, 16)
  const type = beginnings.find(([, beginning]) => beginning.test(head))?.[0]
  if (!type || content.length < 10) return undefined
  const plain =
    type === 'image/gif'
      ? { content, pixels: content.readUInt16LE(6) * content.readUInt16LE(8) }
      : plainPhoto(content, type)
  if (!plain) return undefined
  count(plain.pixels)
  return `data:${type};base64,${Buffer.from(plain.content).toString('base64')}`
}

/** Ids within the drawing to which a value refers. */
function ownIn(value: string): string[] {
  if (value.startsWith('#')) return [value.slice(1)]
  if (!value.includes('url(')) return []
  return [...value.matchAll(/url\(\s*["']?#([^"'()]*)/gi)].map(([, id]) => id!.trim())
}

const length = /^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/

/** Without a frame of its own a drawing is cut off and not stretched where it is laid over a map. */
function framed(kept: readonly Kept[]): Kept[] {
  const value = (name: string) => kept.find(([attribute]) => attribute === name)?.[1]
  const [width, height] = [length.exec(value('width') ?? '')?.[1], length.exec(value('height') ?? '')?.[1]]
  return value('viewBox') === undefined && width && height ? [['viewBox', `0 0 ${width} ${height}`]] : []
}

function frameIn(kept: readonly Kept[]): Drawing['frame'] {
  const box = kept.find(([attribute]) => attribute === 'viewBox')?.[1] ?? ''
  const [, , width = 0, height = 0] = box
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return width > 0 && height > 0 && Number.isFinite(width / height) ? { width, height } : undefined
}

/** Elements that are drawn for one, as far as it matters; without end where it refers to itself. */
function amountOf(root: Drawn, ids: ReadonlyMap<string, Drawn>): number {
  const known = new Map<Drawn, number>()
  const amount = (drawn: Drawn, depth: number): number => {
    const found = known.get(drawn)
    if (found !== undefined) return found
    if (depth > 2 * deepest) return Infinity
    // Met again before it is known, it refers to itself.
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

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (mark) => marks[mark]!)
