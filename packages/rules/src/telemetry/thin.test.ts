import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import type { Point } from './thin.ts'
import { bucketWidth, longestSilence, smoothed, thin } from './thin.ts'

const minute = 60_000
const day = 1440 * minute

const readings = fc
  .array(fc.record({ step: fc.integer({ min: 1, max: 40 * minute }), value: fc.double({ noNaN: true }) }), {
    maxLength: 400,
    size: 'max',
  })
  .map((steps) => {
    let date = 1_700_000_000_000
    return steps.map(({ step, value }): Point => ({ date: (date += step), value }))
  })
const thinning = fc.record({
  width: fc.integer({ min: 1, max: 120 * minute }),
  silence: fc.integer({ min: 1, max: 60 * minute }),
})

const columns = (points: readonly Point[]) => ({
  dates: points.map(({ date }) => date),
  values: points.map(({ value }) => value),
})

test('no extreme is lost: every bucket keeps its lowest and highest reading', () => {
  fc.assert(
    fc.property(readings, thinning, (points, how) => {
      const bucket = (date: number) => Math.floor(date / how.width)
      const kept = Map.groupBy(thin(columns(points), how).filter((point) => point.value !== null) as Point[], (point) =>
        bucket(point.date),
      )
      for (const { date, value } of points) {
        const values = kept.get(bucket(date))!.map((point) => point.value)
        assert.ok(Math.min(...values) <= value && value <= Math.max(...values))
      }
    }),
  )
})

test('kept readings are unchanged, in order, at most two per bucket, with the first and the last', () => {
  fc.assert(
    fc.property(readings, thinning, (points, how) => {
      const thinned = thin(columns(points), how)
      const kept = thinned.filter((point) => point.value !== null)
      const known = new Map(points.map(({ date, value }) => [date, value]))
      assert.ok(kept.every(({ date, value }) => Object.is(known.get(date), value)))
      assert.ok(thinned.every((point, index) => index === 0 || thinned[index - 1]!.date <= point.date))
      assert.equal(new Set(kept.map(({ date }) => date)).size, kept.length)
      assert.deepEqual(kept[0], points[0])
      assert.deepEqual(kept.at(-1), points.at(-1))
      const buckets = new Set(points.map((point) => Math.floor(point.date / how.width))).size
      assert.ok(kept.length <= 2 * buckets + 2)
    }),
  )
})

test('a line is interrupted exactly in long silences', () => {
  fc.assert(
    fc.property(readings, thinning, (points, how) => {
      const longest = Math.max(how.silence, how.width)
      const silences = points.slice(1).filter((point, index) => point.date - points[index]!.date > longest).length
      const thinned = thin(columns(points), how)
      assert.equal(thinned.filter((point) => point.value === null).length, silences)
      for (const [index, point] of thinned.entries())
        if (point.value === null) assert.ok(thinned[index - 1]!.value !== null && thinned[index + 1]!.value !== null)
    }),
  )
})

test('few readings are all kept', () => {
  const points = Array.from({ length: 96 }, (_, n) => ({ date: n * 15 * minute, value: Math.sin(n) }))
  assert.deepEqual(thin(columns(points), { width: bucketWidth(day), silence: longestSilence(900) }), points)
})

test('a week is shown in quarter hours, and no range gives more than about 1,350 points', () => {
  assert.equal(bucketWidth(7 * day), 15 * minute)
  for (const days of [0.01, 0.5, 1, 7, 14, 31, 365, 4000, 40_000])
    assert.ok((days * day) / bucketWidth(days * day) <= 672, `${days} days`)
})

test('a silence is longer than three reporting intervals and never shorter than 15 minutes', () => {
  assert.equal(longestSilence(60), 15 * minute)
  assert.equal(longestSilence(900), 45 * minute)
})

test('no readings give no points', () => {
  assert.deepEqual(thin(columns([]), { width: 1, silence: 1 }), [])
})

test('a sparkline consists of the means of parts of the range, with gaps where there are no readings', () => {
  const range = { from: 0, to: 28 * day }
  const saw = Array.from({ length: 28 * 24 }, (_, at) => ({ date: at * 60 * minute, value: at % 2 ? 60 : 70 }))
  const line = smoothed(
    saw.filter(({ date }) => date < 10 * day || date >= 12 * day),
    range,
  )
  assert.equal(line.length, 28)
  assert.deepEqual([...new Set(line.map(({ value }) => value))], [65, null])
  assert.deepEqual(
    line.flatMap(({ value }, at) => (value === null ? [at] : [])),
    [10, 11],
  )
  const sparse = saw.slice(0, 5)
  assert.deepEqual(smoothed(sparse, range), sparse)
})
