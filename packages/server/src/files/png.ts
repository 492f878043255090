import { crc32 } from 'node:zlib'

interface Sides {
  width: number
  height: number
}

/**
 * Encodes pixels of four bytes on a white ground as PNG (specification, 5 and 11), in greyscale if no pixel has a
 * colour. Undefined if all are white.
 */
export function pngOfPixels(
  pixels: Uint8Array,
  { width, height }: Sides,
  deflate: (rows: Uint8Array) => Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
  let [isGrey, isWhite] = [true, true]
  for (let at = 0; at < width * height * 4; at += 4) {
    const red = pixels[at]!
    if (red !== pixels[at + 1] || red !== pixels[at + 2]) {
      isGrey = isWhite = false
      break
    }
    if (red !== 255) isWhite = false
  }
  if (isWhite) return undefined
  const channels = isGrey ? 1 : 3
  const rows = new Uint8Array(height * (1 + width * channels))
  let to = 0
  for (let row = 0, from = 0; row < height; row++) {
    // Each row starts with its filter type; lines and areas need none.
    to++
    for (let column = 0; column < width; column++, from += 4)
      for (let channel = 0; channel < channels; channel++) rows[to++] = pixels[from + channel]!
  }
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header.set([8, isGrey ? 0 : 2], 8)
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  const parts = [signature, chunk('IHDR', header), chunk('IDAT', deflate(rows)), chunk('IEND', new Uint8Array())]
  return new Uint8Array(Buffer.concat(parts))
}

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}
