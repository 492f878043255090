/** A photograph without what it says of itself besides the picture. */
export interface PlainPhoto {
  content: Uint8Array<ArrayBuffer>
  /** When it was taken, by the clocks of the camera as if they showed UTC, and how far those are ahead of UTC; in milliseconds. */
  taken?: { wall: number; offset?: number | undefined }
}

type PhotoType = 'image/jpeg' | 'image/png' | 'image/webp'

/**
 * Takes out of a photograph where it was taken, with which camera and by whom, previews of it and whatever follows its end: all
 * but the picture, its colours and which side is up. Undefined where it is not whole.
 */
export function plainPhoto(content: Uint8Array, type: PhotoType): PlainPhoto | undefined {
  try {
    return { 'image/jpeg': plainJpeg, 'image/png': plainPng, 'image/webp': plainWebp }[type](content)
  } catch (error) {
    // It ends where more was promised.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const textAt = (bytes: Uint8Array, from: number, length: number) =>
  String.fromCharCode(...bytes.subarray(from, from + length))

/** JPEG (ITU-T T.81, annex B): segments, and behind each start of a scan its coded data, up to the end of the image. */
function plainJpeg(bytes: Uint8Array): PlainPhoto | undefined {
  const view = viewOf(bytes)
  const kept: Uint8Array[] = []
  let said: Exif = {}
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // Any mark may be preceded by as many filling bytes as one likes.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0xd9) break
    const length = 2 + view.getUint16(at + 2)
    const segment = bytes.subarray(at, at + length)
    if (segment.length < length) return undefined
    if (marker === 0xe1 && textAt(segment, 4, 6) === 'Exif\0\0') said = { ...exifIn(segment.subarray(10)), ...said }
    if (isOfPicture(marker, segment)) kept.push(segment)
    at += length
    if (marker !== 0xda) continue
    const scan = at
    for (; ; at++) {
      // A zero after it makes it a value of the picture, and eight of the marks only begin it anew.
      if (view.getUint8(at) !== 0xff) continue
      const next = view.getUint8(at + 1)
      if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) break
    }
    kept.push(bytes.subarray(scan, at))
  }
  const { orientation, ...rest } = said
  const up = orientation && orientation > 1 ? [orientationSegment(orientation)] : []
  return { content: joined([bytes.subarray(0, 2), ...up, ...kept, Uint8Array.of(0xff, 0xd9)]), ...rest }
}

/** Of the application's segments those that say how colours are meant; no comments. */
function isOfPicture(marker: number, segment: Uint8Array): boolean {
  if (marker === 0xe2) return textAt(segment, 4, 11) === 'ICC_PROFILE'
  if (marker >= 0xe0 && marker <= 0xef) return marker === 0xe0 || marker === 0xee
  return marker !== 0xfe
}

/** A segment that says which side is up, and nothing else. */
const orientationSegment = (orientation: number) =>
  Uint8Array.from([
    ...[0xff, 0xe1, 0, 34],
    ...new TextEncoder().encode('Exif\0\0MM'),
    // One entry, of one short number, in a directory after which comes none.
    ...[0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
  ])

interface Exif {
  orientation?: number
  taken?: { wall: number; offset?: number | undefined }
}

/** What of Exif (CIPA DC-008) is used: which side is up, and when it was taken. What cannot be read is not there. */
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
    const wall = Date.parse(`${date?.replaceAll(':', '-')}T${time}Z`)
    const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(text(camera.get(0x9011), 6)) ?? []
    const ahead = sign && (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
    return {
      ...(orientation <= 8 && { orientation }),
      ...(!Number.isNaN(wall) && { taken: { wall, offset: ahead || (sign ? 0 : undefined) } }),
    }
  } catch (error) {
    if (error instanceof RangeError) return {}
    throw error
  }
}

const wordsOfPng = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'])

/** PNG: chunks of a length, a type and a sum, up to IEND. */
function plainPng(bytes: Uint8Array): PlainPhoto | undefined {
  const view = viewOf(bytes)
  const kept = [bytes.subarray(0, 8)]
  for (let at = 8; ;) {
    const type = textAt(bytes, at + 4, 4)
    const chunk = bytes.subarray(at, at + 12 + view.getUint32(at))
    at += 12 + view.getUint32(at)
    if (at > bytes.length) return undefined
    if (!wordsOfPng.has(type)) kept.push(chunk)
    if (type === 'IEND') return { content: joined(kept) }
  }
}

/** WebP: a RIFF of chunks, each filled up to an even length; the first of some says which of the others there are. */
function plainWebp(bytes: Uint8Array): PlainPhoto | undefined {
  const view = viewOf(bytes)
  const end = 8 + view.getUint32(4, true)
  if (end > bytes.length) return undefined
  const kept = [bytes.slice(0, 12)]
  for (let at = 12; at + 8 <= end;) {
    const type = textAt(bytes, at, 4)
    const length = 8 + view.getUint32(at + 4, true)
    const chunk = bytes.slice(at, at + length + (length % 2))
    if (chunk.length < length) return undefined
    // Its flags of Exif and XMP.
    if (type === 'VP8X') chunk[8]! &= ~0x0c
    if (type !== 'EXIF' && type !== 'XMP ') kept.push(chunk)
    at += length + (length % 2)
  }
  const content = joined(kept)
  viewOf(content).setUint32(4, content.length - 8, true)
  return { content }
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
