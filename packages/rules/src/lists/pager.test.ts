import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { clampPage, pageCount, pagerWindow, rangeText, slidingWindow } from './pager.ts'

function shown(page: number, pages: number): string {
  return pagerWindow(page, pages)
    .map((place) => (place === 'gap' ? '…' : place))
    .join(' ')
}

test('up to eleven pages every number is shown [dev-2list-51]', () => {
  assert.equal(shown(1, 1), '1')
  assert.equal(shown(4, 5), '1 2 3 4 5')
  assert.equal(shown(11, 11), '1 2 3 4 5 6 7 8 9 10 11')
})

test('above eleven pages: the first, three on either side of the current one, the last', () => {
  assert.equal(shown(1, 12), '1 2 3 4 5 6 7 8 9 … 12')
  assert.equal(shown(6, 20), '1 2 3 4 5 6 7 8 9 … 20')
  assert.equal(shown(7, 20), '1 … 4 5 6 7 8 9 10 … 20')
  assert.equal(shown(14, 20), '1 … 11 12 13 14 15 16 17 … 20')
  assert.equal(shown(15, 20), '1 … 12 13 14 15 16 17 18 19 20')
  assert.equal(shown(1000, 1000), '1 … 992 993 994 995 996 997 998 999 1000')
})

test('a long pager has eleven positions, ascending, with the current page and its neighbours [dev-2list-51]', () => {
  fc.assert(
    fc.property(fc.integer({ min: 12, max: 5000 }), fc.nat(6000), (pages, asked) => {
      const places = pagerWindow(asked, pages)
      const numbers = places.filter((place) => place !== 'gap')
      const current = clampPage(asked, pages)
      assert.equal(places.length, 11)
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
      )
      for (const page of [1, pages, current - 3, current, current + 3]) {
        assert.ok(page < 1 || page > pages || numbers.includes(page), `${page} of ${pages} at ${current}`)
      }
      for (const [index, place] of places.entries()) {
        if (place !== 'gap') continue
        assert.ok(Number(places[index + 1]) - Number(places[index - 1]) > 2, 'a gap hides at least two pages')
      }
    }),
  )
})

test('a page is clamped between 1 and the last page [dev-2list-50]', () => {
  assert.equal(clampPage(0, 5), 1)
  assert.equal(clampPage(-3, 5), 1)
  assert.equal(clampPage(6, 5), 5)
  assert.equal(clampPage(3.7, 5), 3)
  assert.equal(clampPage(Number.NaN, 5), 1)
  assert.equal(clampPage(2, 0), 1)
})

test('101 rows of 100 fill two pages, no rows one', () => {
  assert.equal(pageCount(101, 100), 2)
  assert.equal(pageCount(100, 100), 1)
  assert.equal(pageCount(0, 100), 1)
})

test('the range text has the first and last row and the total', () => {
  assert.equal(rangeText(1, 100, 1138), '1 - 100 of 1,138')
  assert.equal(rangeText(12, 100, 1138), '1,101 - 1,138 of 1,138')
  assert.equal(rangeText(1, 10, 3), '1 - 3 of 3')
  assert.equal(rangeText(1, 10, 0), '0 - 0 of 0')
  assert.equal(rangeText(9, 10, 3), '3 - 3 of 3')
})

test('the generic table shows at most eleven consecutive pages, the current one in the middle if possible [dev-2list-51]', () => {
  assert.deepEqual(slidingWindow(1, 0), [1])
  assert.deepEqual(slidingWindow(2, 3), [1, 2, 3])
  assert.deepEqual(slidingWindow(1, 30), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  assert.deepEqual(slidingWindow(15, 30), [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
  assert.deepEqual(slidingWindow(99, 30), [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
})
