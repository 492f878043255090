import { inflateSync } from 'node:zlib'
import type { PDFObject } from '@cantoo/pdf-lib'
import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib'

/** Labels of the active content of a PDF (none for a plain document), or why the check cannot decide. */
export type PdfFinding = readonly string[] | 'locked' | 'unreadable'

/** Bytes to which the object streams of one PDF may inflate; those of a certificate take a few hundred thousand. */
const mostInflated = 50_000_000

const [script, attachedFile, media] = ['script', 'an attached file', 'video, sound or 3D content']
/**
 * Names that make a viewer run or send something, open another file or play media (ISO 32000-2, 12.6.4, 12.7.6 and
 * 13).
 */
const activeNames: Readonly<Record<string, string>> = {
  JavaScript: script,
  XFA: 'an XFA form',
  Launch: 'a command that starts a program',
  SubmitForm: 'a form that sends its data',
  ImportData: 'a form that reads a file',
  GoToR: 'a link to another file',
  GoToE: 'a link to another file',
  EmbeddedFile: attachedFile,
  EmbeddedFiles: attachedFile,
  FileAttachment: attachedFile,
  RichMedia: media,
  Rendition: media,
  Movie: media,
  Sound: media,
  GoTo3DView: media,
  U3D: media,
}
/**
 * Dictionary keys with the same effect. As names they are too short to search for elsewhere: a glyph may have such a
 * name.
 */
const activeKeys: readonly (readonly [PDFName, string])[] = [
  [PDFName.of('JS'), script],
  [PDFName.of('EF'), attachedFile],
  [PDFName.of('3DD'), media],
]
const unsafeLink = 'a link that is not a web address'
const safeSchemes = new Set(['http', 'https', 'mailto', 'tel'])

const blank = String.raw`(?:[\0\t\n\f\r ]|%[^\n\r]*[\n\r])`
/** A position where even a tolerant viewer can read an object: the end of its number, its generation, `obj`. */
const objectStart = new RegExp(String.raw`[\d.]${blank}+([+-]?[\d.]+)${blank}*obj(?![A-Za-z])`, 'g')
const trailerStart = new RegExp(String.raw`trailer${blank}*(?=<<)`, 'g')
const streamStart = new RegExp(String.raw`${blank}*stream(?: \r\n|\r\n|\n|\r)?`, 'y')
const streamEnd = /[\0\t\n\f\r ]*endstream/y

const endOfObject = [...Buffer.from('endobj')]
const keys = Object.fromEntries(
  ['Base', 'DecodeParms', 'Encrypt', 'F', 'FFilter', 'Filter', 'First', 'ID', 'Length', 'N', 'Root', 'URI'].map(
    (key) => [key, PDFName.of(key)],
  ),
) as Record<
  'Base' | 'DecodeParms' | 'Encrypt' | 'F' | 'FFilter' | 'Filter' | 'First' | 'ID' | 'Length' | 'N' | 'Root' | 'URI',
  PDFName
>
const inflating = new Set(['/FlateDecode', '/Fl'])

class Unreadable extends Error {}
class Locked extends Error {}

/** An object in the file, with its position. */
interface Read {
  /** Undefined for an empty object. */
  object: PDFObject | undefined
  end: number
  /** The start of the stream body, after its dictionary. */
  body: number | undefined
}
interface Placed extends Read {
  number: number
  generation: number
  start: number
}

/** Decrypts bytes of the object with this number and generation. */
type Decrypt = (bytes: Uint8Array, number: number, generation: number) => Uint8Array

/**
 * Searches a PDF for active content. Viewers disagree about which objects of a damaged or manipulated file are valid.
 * So the check relies neither on the cross-reference table nor on the newest revision: it reads an object at every
 * position where one can begin, inflates every object stream, and rejects a file with overlapping objects. It searches
 * everything but the bodies of other streams for names, so that it does not matter which of two equal keys a viewer
 * uses.
 */
export async function findActiveContent(bytes: Uint8Array): Promise<PdfFinding> {
  try {
    return await new Check(bytes).run()
  } catch (error) {
    // A viewer may be able to read what the library cannot.
    return error instanceof Locked ? 'locked' : 'unreadable'
  }
}

class Check {
  private readonly text: string
  private readonly reader: Reader
  private readonly found = new Set<string>()
  /** Numbers of the objects that contain link addresses, and the objects that are texts. */
  private readonly linked = new Set<number>()
  private readonly texts = new Map<number, string[]>()
  private encryptNumber: number | undefined
  private inflated = 0

  constructor(bytes: Uint8Array) {
    this.text = latin1(bytes)
    this.reader = new Reader(bytes, this.text)
  }

  async run(): Promise<readonly string[]> {
    const placed = this.readObjects()
    const decrypt = await this.decryption(placed, this.readTrailers(placed))
    this.findNames(textOutsideOfStreams(this.text, placed))
    for (const one of placed) this.lookAt(one, decrypt)
    for (const number of this.linked) for (const text of this.texts.get(number) ?? []) this.lookAtAddress(text)
    return [...this.found]
  }

  private readObjects(): Placed[] {
    const starts = [...this.text.matchAll(objectStart)].map((match) => {
      const numberEnd = match.index + 1
      const number = /\d+$/.exec(this.text.slice(Math.max(0, numberEnd - 12), numberEnd))?.[0]
      return {
        number: Number(number),
        generation: Number(match[1]),
        start: match.index,
        behind: match.index + match[0].length,
      }
    })
    if (!starts.length) throw new Unreadable()
    for (const { number, behind } of starts) {
      const places = this.reader.places.get(number)
      if (places) places.push(behind)
      else this.reader.places.set(number, [behind])
    }
    let end = 0
    return starts.map(({ behind, ...one }) => {
      if (one.start < end || !Number.isInteger(one.number) || !Number.isInteger(one.generation)) throw new Unreadable()
      const read = this.reader.read(behind)
      end = read.end
      return { ...one, ...read }
    })
  }

  /** The dictionaries in which a viewer may look for the document root. */
  private readTrailers(placed: readonly Placed[]): PDFDict[] {
    const trailers = [...this.text.matchAll(trailerStart)].map((match) => {
      if (placed.some(({ start, end }) => start < match.index && match.index < end)) throw new Unreadable()
      return this.reader.read(match.index + match[0].length).object
    })
    const streams = placed.map(({ object }) => (object instanceof PDFRawStream ? object.dict : undefined))
    return [...trailers, ...streams].filter(
      (one) => one instanceof PDFDict && (one.has(keys.Root) || one.has(keys.Encrypt)),
    ) as PDFDict[]
  }

  /** How the file is decrypted without a password; undefined if it is not encrypted. */
  private async decryption(placed: readonly Placed[], trailers: readonly PDFDict[]): Promise<Decrypt | undefined> {
    if (!trailers.some((one) => one.has(keys.Encrypt))) return undefined
    const answers = new Set(trailers.map((one) => `${String(one.get(keys.Encrypt))} ${String(idOf(one))}`))
    // With two answers, one viewer would decrypt what another reads unencrypted.
    if (answers.size > 1 || trailers.some((one) => this.reader.isRepeating(one))) throw new Unreadable()
    const [trailer] = trailers
    const given = trailer!.get(keys.Encrypt)
    if (given instanceof PDFRef) this.encryptNumber = given.objectNumber
    const dicts =
      given instanceof PDFRef
        ? placed.filter(({ number }) => number === given.objectNumber).map(({ object }) => object)
        : [given]
    const [dict] = dicts
    if (dicts.length !== 1 || !(dict instanceof PDFDict) || this.reader.isRepeating(dict)) throw new Unreadable()
    const ciphers = await ciphersOf(dict, idOf(trailer!)?.asBytes() ?? new Uint8Array())
    return (bytes, number, generation) => ciphers.createCipherTransform(number, generation).decryptBytes(bytes)
  }

  private findNames(text: string): void {
    for (const name of namesIn(text)) if (Object.hasOwn(activeNames, name)) this.found.add(activeNames[name]!)
  }

  private lookAt({ number, generation, object, start, body }: Placed, decrypt: Decrypt | undefined): void {
    const plain = (bytes: Uint8Array) => decrypt?.(bytes, number, generation) ?? bytes
    if (!object) return
    const dict = object instanceof PDFRawStream ? object.dict : undefined
    this.lookThrough(dict ?? object, number, this.reader, plain)
    // Recognised by the keys that make viewers read an object stream; not all of them check its type.
    if (!(object instanceof PDFRawStream) || !dict?.has(keys.N) || !dict.has(keys.First)) return
    const names = namesIn(this.text.slice(start, body))
    if (new Set(names).size < names.length) throw new Unreadable()
    this.lookInto(dict, plain(object.contents))
  }

  /** An object stream (7.5.7): pairs of an object's number and position, then the objects. */
  private lookInto(dict: PDFDict, folded: Uint8Array): void {
    const content = this.inflate(dict, folded)
    const text = latin1(content)
    this.findNames(text)
    const [count, first] = [dict.lookup(keys.N, PDFNumber).asNumber(), dict.lookup(keys.First, PDFNumber).asNumber()]
    const head = text.slice(0, first).match(/\d+/g)?.map(Number) ?? []
    if (head.length < 2 * count) throw new Unreadable()
    const reader = new Reader(content, text)
    for (let at = 0; at < 2 * count; at += 2) {
      const [number, place] = [head[at]!, head[at + 1]!]
      if (number === this.encryptNumber) throw new Unreadable()
      const { object } = reader.read(first + place)
      if (object) this.lookThrough(object, number, reader, (bytes) => bytes)
    }
  }

  private inflate(dict: PDFDict, folded: Uint8Array): Uint8Array {
    const filter = dict.get(keys.Filter)
    const filters = filter instanceof PDFArray ? filter.asArray() : filter ? [filter] : []
    const isPlain = [keys.DecodeParms, keys.F, keys.FFilter].every((key) => !dict.has(key))
    // No program writes object streams in another way; a viewer may know more filters than are undone here.
    if (!isPlain || !filters.every((one) => inflating.has(String(one)))) throw new Unreadable()
    let content = folded
    for (const _ of filters) {
      content = inflateSync(content, { maxOutputLength: Math.max(1, mostInflated - this.inflated) })
      this.inflated += content.length
    }
    return content
  }

  /** Checks the keys and links of an object and of all objects directly within it. */
  private lookThrough(
    object: PDFObject,
    number: number,
    reader: Reader,
    plain: (bytes: Uint8Array) => Uint8Array,
  ): void {
    const textOf = (value: PDFObject | undefined) =>
      value instanceof PDFString || value instanceof PDFHexString ? latin1(plain(value.asBytes())) : undefined
    const own = textOf(object)
    if (own !== undefined) this.texts.set(number, [...(this.texts.get(number) ?? []), own])
    const look = (value: PDFObject): void => {
      if (value instanceof PDFArray) value.asArray().forEach(look)
      if (!(value instanceof PDFDict)) return
      for (const [key, label] of activeKeys) if (value.has(key)) this.found.add(label)
      for (const address of [value.get(keys.URI), value.get(keys.Base)]) {
        if (address && reader.isRepeating(value)) throw new Unreadable()
        if (address instanceof PDFRef) this.linked.add(address.objectNumber)
        const text = textOf(address)
        if (text !== undefined) this.lookAtAddress(text)
      }
      value.values().forEach(look)
    }
    look(object)
  }

  /** A link may open a web page, an e-mail or a telephone number. Viewers complete an address without a scheme. */
  private lookAtAddress(written: string): void {
    // Characters that viewers ignore before the scheme of an address, including the zeros of UTF-16.
    const address = written.replaceAll(/[^!-~]/g, '')
    const scheme = /^([a-z][\w+.-]*):/i.exec(address)?.[1]
    if ((scheme && !safeSchemes.has(scheme.toLowerCase())) || /^[\\/]{2}/.test(address)) this.found.add(unsafeLink)
  }
}

/** The library's parser, reading at any position. */
class Reader extends PDFParser {
  /** The positions of the objects with a number, for streams whose length is an object of its own. */
  readonly places = new Map<number, number[]>()
  private readonly repeating = new WeakSet<PDFDict>()
  /** The number of values read so far in each open dictionary. */
  private readonly counts: number[] = []
  private dictionaryEnd = 0
  private readonly text: string

  constructor(bytes: Uint8Array, text: string) {
    super(bytes)
    this.text = text
  }

  read(at: number): Read {
    this.bytes.moveTo(at)
    this.skipWhitespaceAndComments()
    if (this.matchKeyword(endOfObject)) return { object: undefined, end: this.bytes.offset(), body: undefined }
    const object = this.parseObject()
    return { object, end: this.bytes.offset(), body: object instanceof PDFRawStream ? this.dictionaryEnd : undefined }
  }

  /** Whether a dictionary, or one directly within it, repeats a key: viewers disagree about which value applies. */
  isRepeating(value: PDFObject): boolean {
    if (value instanceof PDFArray) return value.asArray().some((one) => this.isRepeating(one))
    return (
      value instanceof PDFDict && (this.repeating.has(value) || value.values().some((one) => this.isRepeating(one)))
    )
  }

  override parseObject(): PDFObject {
    this.counts[this.counts.length - 1]!++
    return super.parseObject()
  }

  protected override parseArray(): PDFArray {
    this.counts.push(0)
    const array = super.parseArray()
    this.counts.pop()
    return array
  }

  protected override parseDict(): PDFDict {
    this.counts.push(0)
    const dict = super.parseDict()
    if (this.counts.pop() !== dict.keys().length) this.repeating.add(dict)
    this.dictionaryEnd = this.bytes.offset()
    this.setLength(dict)
    return dict
  }

  /** The library searches byte by byte for the end of a stream whose length is missing or wrong. */
  private setLength(dict: PDFDict): void {
    streamStart.lastIndex = this.dictionaryEnd
    if (!streamStart.test(this.text)) return
    const body = streamStart.lastIndex
    const given = dict.get(keys.Length)
    const lengths =
      given instanceof PDFRef ? (this.places.get(given.objectNumber) ?? []).map((at) => numberAt(this.text, at)) : []
    if (given instanceof PDFNumber) lengths.push(given.asNumber())
    const length = lengths.find((one) => {
      streamEnd.lastIndex = body + one
      return streamEnd.test(this.text)
    })
    const end = length === undefined ? this.text.indexOf('endstream', body) : body + length
    if (end < 0) throw new Unreadable()
    dict.set(keys.Length, PDFNumber.of(end - body))
  }
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

const numberAt = (text: string, at: number) => Number(/^\s*(\d+)/.exec(text.slice(at, at + 30))?.[1])

/** The names in a text, with hexadecimal escapes (`/Java#53cript`) decoded. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\/([^\0\t\n\f\r ()<>[\]{}/%]+)/g)].map(([, written]) =>
    written!.includes('#')
      ? written!.replaceAll(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      : written!,
  )
}

function textOutsideOfStreams(text: string, placed: readonly Placed[]): string {
  const parts: string[] = []
  let from = 0
  for (const { body, end } of placed)
    if (body !== undefined) {
      parts.push(text.slice(from, body))
      from = end
    }
  return [...parts, text.slice(from)].join('\n')
}

/** The permanent half of the document identifier, on which the encryption key depends. */
function idOf(trailer: PDFDict): PDFString | PDFHexString | undefined {
  const ids = trailer.get(keys.ID)
  const first = ids instanceof PDFArray && ids.size() ? ids.get(0) : undefined
  return first instanceof PDFString || first instanceof PDFHexString ? first : undefined
}

interface Ciphers {
  stmf?: unknown
  strf?: unknown
  createCipherTransform(number: number, generation: number): { decryptBytes(bytes: Uint8Array): Uint8Array }
}

/** The ciphers of a document that opens without a password, such as one with an owner password only. */
async function ciphersOf(dict: PDFDict, id: Uint8Array): Promise<Ciphers> {
  // The library creates them while it loads a whole document, and does not export them.
  const url = new URL('core/crypto.js', import.meta.resolve('@cantoo/pdf-lib'))
  const { CipherTransformFactory } = (await import(url.href)) as {
    CipherTransformFactory: new (dict: PDFDict, id: Uint8Array) => Ciphers
  }
  let ciphers: Ciphers
  try {
    ciphers = new CipherTransformFactory(dict, id)
  } catch {
    throw new Locked()
  }
  // It decrypts streams and texts in the same way.
  if (String(ciphers.stmf) !== String(ciphers.strf)) throw new Locked()
  return ciphers
}
