import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PNG } from 'pngjs'
import type { ToPrint } from './print.ts'
import { mostPrintedSide } from './print.ts'

/** Node's types lack it. */
const { compile } = (globalThis as unknown as { WebAssembly: { compile(program: Uint8Array): Promise<never> } })
  .WebAssembly

interface Decoded {
  width: number
  height: number
  /** Red, green, blue and opacity of each pixel. */
  data: Uint8Array | Uint8ClampedArray
}

const decoders: Record<ToPrint['type'], (content: Uint8Array) => Decoded | Promise<Decoded>> = {
  'image/png': (content) => PNG.sync.read(Buffer.from(content)),
  async 'image/webp'(content) {
    // The library is made for browsers: it creates an ImageData and loads its program over the network.
    const place = globalThis as { ImageData?: unknown }
    place.ImageData ??= function ImageData(data: Uint8ClampedArray, width: number, height: number): Decoded {
      return { data, width, height }
    }
    const { default: decode, init } = await import('@jsquash/webp/decode.js')
    const program = new URL('codec/dec/webp_dec.wasm', import.meta.resolve('@jsquash/webp'))
    await init(await compile(await readFile(program)))
    return decode(content.slice().buffer)
  },
}

/** An opaque PNG of a picture on white, no larger than print can show; each pixel is the mean of those it replaces. */
function forPaper({ width, height, data }: Decoded): Buffer {
  const scale = Math.min(1, mostPrintedSide / Math.max(width, height))
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  const made = new PNG({ width: wide, height: high })
  for (let y = 0; y < high; y++) {
    const [top, bottom] = spanOf(y, high, height)
    for (let x = 0; x < wide; x++) {
      const [left, right] = spanOf(x, wide, width)
      let [red, green, blue] = [0, 0, 0]
      for (let row = top; row < bottom; row++)
        for (let at = 4 * (row * width + left); at < 4 * (row * width + right); at += 4) {
          const opacity = data[at + 3]! / 255
          red += data[at]! * opacity + 255 * (1 - opacity)
          green += data[at + 1]! * opacity + 255 * (1 - opacity)
          blue += data[at + 2]! * opacity + 255 * (1 - opacity)
        }
      const count = (bottom - top) * (right - left)
      made.data.set([red / count, green / count, blue / count, 255], 4 * (y * wide + x))
    }
  }
  return PNG.sync.write(made, { colorType: 2 })
}

/** The first original pixel, and the one after the last, that a pixel of the smaller picture replaces. */
function spanOf(at: number, small: number, large: number): [number, number] {
  const first = Math.floor((at * large) / small)
  return [first, Math.max(first + 1, Math.floor(((at + 1) * large) / small))]
}

const { type, content } = workerData as ToPrint
const picture = forPaper(await decoders[type](content))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort!.postMessage(picture)
