import assert from 'node:assert/strict'
import { test } from 'vitest'
import { heicText } from '../files/types.ts'
import { photoFault, photoNames, takenAt } from './records.ts'

test('the date of a photograph is the entered one, else that of its metadata, else the upload', () => {
  const now = Date.UTC(2026, 10, 20)
  const earlier = Date.UTC(2026, 10, 19)
  assert.equal(takenAt({ entered: 5, own: earlier, now }), 5)
  assert.equal(takenAt({ own: earlier, now }), earlier)
  assert.equal(takenAt({ now }), now)
  // A clock that was never set, or is ahead.
  assert.equal(takenAt({ own: 0, now }), now)
  assert.equal(takenAt({ own: now + 1, now }), now)
})

test('photographs are saved under their titles without duplicates', () => {
  const named = (...titles: string[]) => photoNames(titles.map((title) => ({ title, ending: 'jpg' })))
  assert.deepEqual(named('Mould, outer corner'), ['Mould, outer corner.jpg'])
  assert.deepEqual(named('Seal', 'seal', 'Seal'), ['Seal.jpg', 'seal 2.jpg', 'Seal 3.jpg'])
  assert.deepEqual(named('../../etc: "a"', '???'), ['.. .. etc a.jpg', 'Photograph.jpg'])
})

test('a file that is no photograph or too large is rejected when chosen', () => {
  const cases = [
    ['image/jpeg', 10_000_000, 'mould.jpg', undefined],
    ['image/webp', 1, 'mould', undefined],
    ['image/png', 10_000_001, 'mould.png', 'The photograph must be at most 10 MB.'],
    ['image/heic', 1, 'IMG_0001', heicText],
    // A computer that does not know the type.
    ['', 1, 'IMG_0001.HEIC', heicText],
    ['', 1, 'mould', 'The photograph must be a JPEG, PNG or WebP file.'],
  ] as const
  for (const [type, size, name, fault] of cases) assert.equal(photoFault({ type, size, name }), fault)
})
