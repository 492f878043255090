import type { FileType } from '@caretaker/rules/files/types.ts'

/**
 * A picture reduced to the data that draw it. An image library would re-encode it and lose quality; the maintained
 * one also installs its programs as optional packages, which release images leave out.
 */
export interface PlainPhoto {
  content: Uint8Array<ArrayBuffer>
  /** Displayed width and height in pixels, after rotation; with several frames, the largest of each. */
  width: number
  height: number
  /** Width times height. */
  pixels: number
  /** When it was taken: the camera's local time as if it were UTC, and its offset from UTC, both in ms. */
  taken?: { local: number; offset?: number | undefined }
}

export type PhotoType = 'image/jpeg' | 'image/png' | 'image/webp'
export const isPhotoType = (type: FileType): type is PhotoType =>
  type === 'image/jpeg' || type === 'image/png' || type === 'image/webp'

/**
 * Maximum pixels in total and per side: a browser needs four bytes per pixel, and many draw no wider pictures. A3
 * scans at 600 dpi have 7,016 by 9,921.
 */
export const mostPixels = 100_000_000
const mostPixelsOfSide = 20_000

/** The fault in a picture's size, checked before anything decodes it. */
export function sizeFault({ width, height }: Pick<PlainPhoto, 'width' | 'height'>): string | undefined {
  if (width * height <= mostPixels && Math.max(width, height) <= mostPixelsOfSide) return undefined
  const size = `${width.toLocaleString('en-GB')} × ${height.toLocaleString('en-GB')}`
  const most = `${mostPixelsOfSide.toLocaleString('en-GB')} on each side and ${mostPixels / 1_000_000} million in all`
  return `The picture is ${size} pixels. Save it in a smaller size: at most ${most}.`
}

/**
 * Keeps only the data that draw a picture, its colours and its orientation: no location, camera, author, previews,
 * unknown parts or trailing data. Undefined if it is incomplete.
 */
export function plainPhoto(content: Uint8Array, type: PhotoType): PlainPhoto | undefined {
  try {
    const photo = { 'image/jpeg': plainJpeg, 'image/png': plainPng, 'image/webp': plainWebp }[type](content)
    return photo?.pixels ? photo : undefined
  } catch (error) {
    // The data end too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const textAt = (bytes: Uint8Array, from: number, length: number) =>
  String.fromCharCode(...bytes.subarray(from, from + length))

/** JPEG (ITU-T T.81, annex B): segments, each start of a scan followed by coded data, up to the end of the image. */
function plainJpeg(bytes: Uint8Array): PlainPhoto | undefined {
  const view = viewOf(bytes)
  const kept: Uint8Array[] = []
  let declared: Exif = {}
  const size = new Size()
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // A marker may be preceded by any number of fill bytes.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0xd9) break
    const length = 2 + view.getUint16(at + 2)
    const segment = bytes.subarray(at, at + length)
    if (segment.length < length) return undefined
    if (marker === 0xe1 && textAt(segment, 4, 6) === 'Exif\0\0')
      declared = { ...exifIn(segment.subarray(10)), ...declared }
    if (isFrame(marker)) size.add(view.getUint16(at + 7), view.getUint16(at + 5))
    if (isOfPicture(marker, segment)) kept.push(segment)
    at += length
    if (marker !== 0xda) continue
    const scan = at
    for (; ; at++) {
      // 0xff followed by zero is image data, and eight of the markers only restart decoding.
      if (view.getUint8(at) !== 0xff) continue
      const next = view.getUint8(at + 1)
      if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) break
    }
    kept.push(bytes.subarray(scan, at))
  }
  const { orientation, ...rest } = declared
  const up = orientation && orientation > 1 ? [orientationSegment(orientation)] : []
  const content = joined([bytes.subarray(0, 2), ...up, ...kept, Uint8Array.of(0xff, 0xd9)])
  const { width, height, pixels } = size.largest()
  // Orientations from 5 swap width and height.
  const isOnSide = orientation !== undefined && orientation >= 5
  return { content, pixels, ...(isOnSide ? { width: height, height: width } : { width, height }), ...rest }
}

/** Whether a segment starts a frame and gives its size: three of these markers are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Whether a segment draws the picture or defines its colours. */
function isOfPicture(marker: number, segment: Uint8Array): boolean {
  if (marker === 0xe0) return textAt(segment, 4, 5) === 'JFIF\0'
  if (marker === 0xe2) return textAt(segment, 4, 11) === 'ICC_PROFILE'
  if (marker === 0xee) return textAt(segment, 4, 5) === 'Adobe'
  return (marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xda && marker <= 0xdf)
}

/** An Exif segment with only the orientation. */
const orientationSegment = (orientation: number) =>
  Uint8Array.from([
    ...[0xff, 0xe1, 0, 34],
    ...new TextEncoder().encode('Exif\0\0MM'),
    // One directory with a single entry (a short), and no further directory.
    ...[0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
  ])

interface Exif {
  orientation?: number
  taken?: { local: number; offset?: number | undefined }
}

/** The Exif fields in use (CIPA DC-008): orientation and time. Unreadable fields are left out. */
function exifIn(bytes: Uint8Array): Exif {
  try {
    const view = viewOf(bytes)
    const small = view.getUint16(0) === 0x4949
    const directory = (at: number) =>
      new Map(
        Array.from({ length: view.getUint16(at, small) }, (_, entry) => {
          const place = at + 2 + entry * 12
          return [view.getUint16(place, small), place] as const
        }),
      )
    const text = (place: number | undefined, length: number) =>
      place === undefined ? '' : textAt(bytes, length > 4 ? view.getUint32(place + 8, small) : place + 8, length)
    const first = directory(view.getUint32(4, small))
    const side = first.get(0x0112)
    const orientation = side === undefined ? 1 : view.getUint16(side + 8, small)
    const more = first.get(0x8769)
    const camera = more === undefined ? new Map<number, number>() : directory(view.getUint32(more + 8, small))
    const [date, time] = text(camera.get(0x9003), 19).split(' ')
    const local = Date.parse(`${date?.replaceAll(':', '-')}T${time}Z`)
    const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(text(camera.get(0x9011), 6)) ?? []
    const ahead = sign && (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
    return {
      ...(orientation <= 8 && { orientation }),
      ...(!Number.isNaN(local) && { taken: { local, offset: ahead || (sign ? 0 : undefined) } }),
    }
  } catch (error) {
    if (error instanceof RangeError) return {}
    throw error
  }
}

/**
 * The PNG chunks that draw (specification, 5.6 and 11): the picture, and the meaning of its colours and sizes. No
 * animation.
 */
const chunksOfPng = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'cHRM',
  'gAMA',
  'iCCP',
  'sBIT',
  'sRGB',
  'cICP',
  'bKGD',
  'pHYs',
])

/** PNG: chunks of a length, a type, data and a checksum, up to IEND. */
function plainPng(bytes: Uint8Array): PlainPhoto | undefined {
  const view = viewOf(bytes)
  const kept = [bytes.subarray(0, 8)]
  if (textAt(bytes, 12, 4) !== 'IHDR') return undefined
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  for (let at = 8; ;) {
    const type = textAt(bytes, at + 4, 4)
    const chunk = bytes.subarray(at, at + 12 + view.getUint32(at))
    at += 12 + view.getUint32(at)
    if (at > bytes.length) return undefined
    // Viewers disagree about a second header.
    if (type === 'IHDR' && kept.length > 1) return undefined
    if (chunksOfPng.has(type)) kept.push(chunk)
    if (type === 'IEND') return { content: joined(kept), width, height, pixels: width * height }
  }
}

/** The WebP chunks that draw (RFC 9649): the picture or the frames of an animation, and the meaning of its colours. */
const chunksOfWebp = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ICCP', 'ANIM', 'ANMF'])

/** WebP: RIFF chunks, each padded to an even length; the first may list which others exist. */
function plainWebp(bytes: Uint8Array): PlainPhoto | undefined {
  const view = viewOf(bytes)
  const end = 8 + view.getUint32(4, true)
  if (end > bytes.length) return undefined
  const kept = [bytes.slice(0, 12)]
  const size = new Size()
  for (let at = 12; at + 8 <= end;) {
    const type = textAt(bytes, at, 4)
    const length = 8 + view.getUint32(at + 4, true)
    const chunk = bytes.slice(at, at + length + (length % 2))
    if (chunk.length < length) return undefined
    size.add(...sizeOfWebp(type, viewOf(chunk)))
    // Clears its flags for Exif and XMP.
    if (type === 'VP8X') chunk[8]! &= ~0x0c
    if (chunksOfWebp.has(type)) kept.push(chunk)
    at += length + (length % 2)
  }
  const content = joined(kept)
  viewOf(content).setUint32(4, content.length - 8, true)
  return { content, ...size.largest() }
}

/** The size in a WebP chunk, of the whole picture or of a part. */
function sizeOfWebp(type: string, chunk: DataView): [width: number, height: number] {
  const wide = (at: number) => 1 + chunk.getUint16(at, true) + chunk.getUint8(at + 2) * 65_536
  switch (type) {
    case 'VP8X':
      return [wide(12), wide(15)]
    case 'ANMF':
      return [wide(14), wide(17)]
    case 'VP8 ':
      return [chunk.getUint16(14, true) & 0x3fff, chunk.getUint16(16, true) & 0x3fff]
    case 'VP8L': {
      const sizes = chunk.getUint32(9, true)
      return [1 + (sizes & 0x3fff), 1 + ((sizes >>> 14) & 0x3fff)]
    }
    default:
      return [0, 0]
  }
}

/** The largest of the sizes in a file: viewers disagree about which one applies. */
class Size {
  #width = 0
  #height = 0
  add(width: number, height: number): void {
    this.#width = Math.max(this.#width, width)
    this.#height = Math.max(this.#height, height)
  }
  largest = () => ({ width: this.#width, height: this.#height, pixels: this.#width * this.#height })
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
