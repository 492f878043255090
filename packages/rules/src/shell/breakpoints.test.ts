import assert from 'node:assert/strict'
import { test } from 'vitest'
import { breakpoints } from './breakpoints.ts'

test('breakpoints rise from 20em to 160em', () => {
  const widths = Object.values(breakpoints).map((width) => {
    assert.match(width, /^\d+em$/)
    return Number.parseInt(width)
  })
  assert.equal(widths[0], 20)
  assert.equal(widths.at(-1), 160)
  assert.deepEqual(
    widths,
    widths.toSorted((a, b) => a - b),
  )
})
