import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { describe, test } from 'vitest'
import fc from 'fast-check'
import { jpegOf, pngOf, webpOf } from '../testing/photos.ts'
import { plainPhoto } from './photo.ts'

const has = (content: Uint8Array, text: string) => Buffer.from(content).includes(text)

describe('a photograph', () => {
  test('loses location, author and trailing data, and keeps picture, colours and orientation', () => {
    const photo = plainPhoto(jpegOf({ orientation: 6, taken: '2026:11:20 10:42:18' }), 'image/jpeg')!
    for (const text of ['GPS-POSITION', 'CAMERA', 'XMP-WORDS', 'A COMMENT', 'PREVIEW', 'AFTER-THE-END', 'UNKNOWN-PART'])
      assert.ok(!has(photo.content, text), text)
    for (const text of ['JFIF', 'ICC_PROFILE', 'QUANTIZED', 'SCAN-ONE', 'HUFFMAN', 'SCAN-TWO'])
      assert.ok(has(photo.content, text), text)
    assert.deepEqual([...photo.content.slice(-2)], [0xff, 0xd9])
    assert.deepEqual(photo.taken, { local: Date.UTC(2026, 10, 20, 10, 42, 18), offset: undefined })
    // The remaining Exif contains the orientation only: reading it again gives the same bytes.
    const again = plainPhoto(photo.content, 'image/jpeg')!
    assert.deepEqual(again.content, photo.content)
    assert.equal(again.taken, undefined)
    assert.ok(has(photo.content, 'Exif\0\0MM'))
  })

  test("has its time read with the camera's offset, in either byte order", () => {
    for (const [offset, milliseconds] of [
      ['+01:00', 3_600_000],
      ['-05:30', -19_800_000],
      ['+00:00', 0],
    ] as const)
      for (const small of [true, false]) {
        const photo = plainPhoto(jpegOf({ taken: '2026:06:01 09:00:00', offset, small }), 'image/jpeg')!
        assert.deepEqual(photo.taken, { local: Date.UTC(2026, 5, 1, 9), offset: milliseconds })
        assert.ok(!has(photo.content, 'Exif'))
      }
    for (const taken of ['0000:00:00 00:00:00', '    :  :     :  :  ', 'yesterday at noon, '])
      assert.equal(plainPhoto(jpegOf({ taken }), 'image/jpeg')!.taken, undefined)
  })

  test('loses its texts as PNG or WebP too', () => {
    const png = plainPhoto(pngOf([deflateSync(Buffer.alloc(4))], 'GPS-POSITION'), 'image/png')!
    assert.ok(!has(png.content, 'GPS-POSITION') && !has(png.content, 'AFTER-THE-END'))
    for (const kept of ['IDAT', 'IEND', 'pHYs']) assert.ok(has(png.content, kept), kept)
    assert.ok(!has(png.content, 'UNKNOWN-PART'))
    const webp = plainPhoto(webpOf('GPS-POSITION'), 'image/webp')!
    assert.ok(!has(webp.content, 'GPS-POSITION') && has(webp.content, 'VP8 '))
    assert.ok(!has(webp.content, 'UNKNOWN-PART'))
    assert.equal(Buffer.from(webp.content).readUInt32LE(4), webp.content.length - 8)
    assert.equal(webp.content[20]! & 0x0c, 0)
  })

  test('has its pixels counted by whichever part claims the most', () => {
    const pixels = (content: Uint8Array, type: 'image/jpeg' | 'image/png' | 'image/webp') =>
      plainPhoto(content, type)?.pixels
    assert.equal(pixels(jpegOf({ size: [65_535, 65_535] }), 'image/jpeg'), 4_294_836_225)
    assert.equal(pixels(pngOf([], '', [65_535, 65_535]), 'image/png'), 4_294_836_225)
    assert.equal(pixels(webpOf('', [16_383, 16_383]), 'image/webp'), 268_402_689)
    assert.equal(pixels(jpegOf({ size: [4000, 3000] }), 'image/jpeg'), 12_000_000)
    const sides = (orientation: number) => {
      const { width, height } = plainPhoto(jpegOf({ size: [4000, 3000], orientation }), 'image/jpeg')!
      return [width, height]
    }
    const [wide, high] = sides(1)
    assert.deepEqual(sides(3), [wide, high])
    assert.deepEqual(sides(6), [high, wide])
    assert.equal(pixels(pngOf([], '', [0, 9]), 'image/png'), undefined)
    const second = pngOf([], '').subarray(8, 33)
    const twoHeads = Buffer.concat([pngOf([], '').subarray(0, 33), second, pngOf([], '').subarray(33)])
    assert.equal(plainPhoto(twoHeads, 'image/png'), undefined)
  })

  test('does not change when processed again', () => {
    for (const [content, type] of [
      [jpegOf({ orientation: 6 }), 'image/jpeg'],
      [pngOf([deflateSync(Buffer.alloc(4))], 'x'), 'image/png'],
      [webpOf('x'), 'image/webp'],
    ] as const)
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(content.length - 1), (noise, at) => {
          const spoiled = Uint8Array.from(content)
          spoiled.set(noise.subarray(0, content.length - at), at)
          const once = plainPhoto(spoiled, type)
          if (once) assert.deepEqual(plainPhoto(once.content, type)?.content, once.content)
        }),
      )
  })

  test('is rejected when truncated at any point, and no bytes cause a crash', () => {
    const whole = jpegOf({ orientation: 3, taken: '2026:11:20 10:42:18', after: '' })
    for (let length = 2; length < whole.length; length++)
      assert.equal(plainPhoto(whole.subarray(0, length), 'image/jpeg'), undefined, `${length}`)
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(whole.length - 1),
        fc.constantFrom('image/jpeg', 'image/png', 'image/webp'),
        (noise, at, type) => {
          plainPhoto(noise, type as 'image/jpeg')
          const spoiled = Uint8Array.from(whole)
          spoiled.set(noise.subarray(0, whole.length - at), at)
          plainPhoto(spoiled, 'image/jpeg')
        },
      ),
    )
  })
})
