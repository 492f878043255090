import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { PNG } from 'pngjs'
import { describe, test } from 'vitest'
import { drawnWebp, jpegOf, pngOf, webpOf } from '../testing/photos.ts'
import { pictureToPrint } from './print.ts'

const read = async (content: Buffer, type: 'image/png' | 'image/webp') => {
  const made = await pictureToPrint(content, type)
  assert.ok('picture' in made, JSON.stringify(made))
  return { ...PNG.sync.read(made.picture), colorType: made.picture[25] }
}
const at = ({ data, width }: { data: Buffer; width: number }, x: number, y: number) => [
  ...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3),
]

describe('a picture to print', () => {
  test('is an opaque PNG on white, from PNG or WebP', async () => {
    const seen = await read(drawnWebp, 'image/webp')
    assert.deepEqual([seen.width, seen.height, seen.colorType], [40, 30, 2])
    assert.deepEqual(
      [at(seen, 1, 0), at(seen, 39, 29)],
      [
        [1, 3, 90],
        [255, 255, 255],
      ],
    )
    const glass = new PNG({ width: 2, height: 1 })
    glass.data.set([200, 0, 0, 255, 0, 0, 0, 128])
    const png = await read(PNG.sync.write(glass), 'image/png')
    assert.deepEqual([at(png, 0, 0), at(png, 1, 0), png.colorType], [[200, 0, 0], [127, 127, 127], 2])
  })

  test('is scaled down to what print can show, and keeps its proportions', async () => {
    const large = new PNG({ width: 3000, height: 1500 })
    large.data.fill(255)
    large.data.fill(0, 0, 4 * 3000 * 750)
    for (let pixel = 0; pixel < 3000 * 750; pixel++) large.data[4 * pixel + 3] = 255
    const made = await read(PNG.sync.write(large), 'image/png')
    assert.deepEqual([made.width, made.height], [1200, 600])
    assert.deepEqual(
      [at(made, 600, 299), at(made, 600, 300)],
      [
        [0, 0, 0],
        [255, 255, 255],
      ],
    )
  })

  test('is the JPEG itself, or the reason why there is none', async () => {
    const jpeg = jpegOf()
    assert.deepEqual(await pictureToPrint(jpeg, 'image/jpeg'), { picture: jpeg })
    const unreadable = { why: 'its file could not be read' }
    assert.deepEqual(await pictureToPrint(webpOf('no picture'), 'image/webp'), unreadable)
    assert.deepEqual(await pictureToPrint(pngOf([Buffer.from('no zlib')], 'x'), 'image/png'), unreadable)
    const huge = pngOf([deflateSync(Buffer.alloc(4))], 'x', [10_000, 9000])
    assert.deepEqual(await pictureToPrint(huge, 'image/png'), { why: 'it has more than 60 million pixels' })
  })
})
