import { crc32 } from 'node:zlib'

const text = (value: string) => Buffer.from(value, 'latin1')
const segment = (marker: number, content: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

interface PhotoContent {
  orientation?: number
  /** 'YYYY:MM:DD HH:MM:SS' */
  taken?: string
  offset?: string
  /** Whether it is little-endian. */
  small?: boolean
  /** Makes each photograph unique. */
  picture?: string
  /** Trailing data. */
  after?: string
  /** Its width and height. */
  size?: [number, number]
}

/** A structurally valid progressive JPEG with all metadata of a photograph. */
export function jpegOf({
  orientation = 1,
  taken,
  offset,
  small,
  picture = '',
  after = 'AFTER-THE-END',
  size = [1, 1],
}: PhotoContent = {}) {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, text('JFIF\0\x01\x02\0\0\x01\0\x01\0\0')),
    segment(0xe1, Buffer.concat([text('Exif\0\0'), exif({ orientation, taken, offset, small })])),
    segment(0xe1, text('http://ns.adobe.com/xap/1.0/\0XMP-WORDS')),
    segment(0xe2, text('ICC_PROFILE\0\x01\x01')),
    segment(0xe2, text('MPF\0PREVIEW')),
    segment(0xfe, text('A COMMENT')),
    segment(0xf7, text('UNKNOWN-PART')),
    segment(0xdb, text(`QUANTIZED${picture}`)),
    segment(0xc2, Buffer.from([8, size[1] >> 8, size[1] & 255, size[0] >> 8, size[0] & 255, 1, 1, 0x11, 0])),
    segment(0xda, text('\x01\x01')),
    // A value that looks like a marker, and a restart marker.
    Buffer.from([...text('SCAN-ONE'), 0xff, 0x00, 0xff, 0xd0]),
    segment(0xc4, Buffer.from([...text('HUFFMAN'), 0xff, 0xd9])),
    segment(0xda, text('\x01\x02')),
    text('SCAN-TWO'),
    Buffer.from([0xff, 0xd9]),
    text(after),
  ])
}

function exif({ orientation, taken, offset, small = false }: PhotoContent): Buffer {
  const buffer = Buffer.alloc(260)
  const short = (value: number, at: number) =>
    small ? buffer.writeUInt16LE(value, at) : buffer.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    small ? buffer.writeUInt32LE(value, at) : buffer.writeUInt32BE(value, at)
  let at = 8
  const entry = (tag: number, type: number, count: number, write: (place: number) => void) => {
    short(tag, at)
    short(type, at + 2)
    long(count, at + 4)
    write(at + 8)
    at += 12
  }
  buffer.write(small ? 'II' : 'MM', 0, 'latin1')
  short(42, 2)
  long(8, 4)
  short(3, at)
  at += 2
  entry(0x010f, 2, 7, (place) => long(200, place))
  entry(0x0112, 3, 1, (place) => short(orientation!, place))
  entry(0x8769, 4, 1, (place) => long(80, place))
  buffer.write('CAMERA\0', 200, 'latin1')
  buffer.write('GPS-POSITION', 220, 'latin1')
  at = 80
  short((taken ? 1 : 0) + (offset ? 1 : 0), at)
  at += 2
  if (taken) entry(0x9003, 2, 20, (place) => long(120, place))
  if (offset) entry(0x9011, 2, 7, (place) => long(150, place))
  buffer.write(taken ?? '', 120, 'latin1')
  buffer.write(offset ?? '', 150, 'latin1')
  return buffer
}

/** A PNG with these compressed rows, with texts and with an unknown chunk. */
export function pngOf(rows: Buffer[], words: string, [width, height] = [1, 1]): Buffer<ArrayBuffer> {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  head.writeUInt32BE(width!)
  head.writeUInt32BE(height!, 4)
  const chunk = (type: string, content: Buffer) => {
    const named = Buffer.concat([text(type), content])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(content.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('prVt', text('UNKNOWN-PART')),
    chunk('pHYs', Buffer.from([0, 0, 11, 19, 0, 0, 11, 19, 1])),
    chunk('tEXt', text(`Comment\0${words}`)),
    chunk('eXIf', text(words)),
    ...rows.map((row) => chunk('IDAT', row)),
    chunk('IEND', Buffer.alloc(0)),
    text('AFTER-THE-END'),
  ])
}

/** A WebP of 40 by 30 pixels that can be drawn: its lower half is transparent. */
export const drawnWebp = Buffer.from(
  'UklGRk4AAABXRUJQVlA4TEIAAAAvJ0AHEAmASNpffISI/qdaAAThv1xCKEjbgMUC2p3+J3xgtGEaYE/3f4kiUwKBZH/WHB6tCZgA1UUrMwswC1gD3gU=',
  'base64',
)

/** A WebP in the extended format, with texts. */
export function webpOf(words: string, [width, height]: [number, number] = [1, 1]): Buffer<ArrayBuffer> {
  const chunk = (type: string, content: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(content.length)
    return Buffer.concat([text(type), length, content, Buffer.alloc(content.length % 2)])
  }
  const chunks = Buffer.concat([
    text('WEBP'),
    chunk('VP8X', Buffer.from([0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    // The header of a frame: a marker, width and height.
    chunk('VP8 ', Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, width & 255, width >> 8, height & 255, height >> 8])),
    chunk('PRVT', text('UNKNOWN-PART')),
    chunk('EXIF', text(words)),
    chunk('XMP ', text(words)),
  ])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(chunks.length)
  return Buffer.concat([text('RIFF'), length, chunks])
}
