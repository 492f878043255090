import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import {
  axisBreak,
  daysRead,
  eventChartHeight,
  eventMargins,
  gapsIn,
  hoverDistance,
  snapGrid,
  snapped,
  ticksFor,
  timeTicks,
  valueRange,
  valueTicks,
} from './drawing.ts'

const hour = 3_600_000
const day = 24 * hour
const zone = 'Europe/London'
const at = (text: string) => Date.parse(text)
const texts = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16))

test('events snap to a grid of 15 px, within margins of 30 and 5 [dev-9const-6]', () => {
  assert.equal(snapGrid, 15)
  assert.deepEqual(eventMargins, { axis: 30, edge: 5 })
  assert.deepEqual([snapped(0, 600), snapped(7, 600), snapped(8, 600), snapped(299, 600)], [0, 0, 15, 300])
  assert.deepEqual([snapped(-40, 600), snapped(9999, 600), snapped(600, 604)], [0, 585, 585])
  assert.equal(eventChartHeight(3), 3 * 30 + 30 + 5)
})

test('the hover distance is 15 px [dev-9const-7]', () => assert.equal(hoverDistance, 15))

test('9 ticks above 1000 px, 6 above 600, else 4 [dev-9const-8]', () => {
  assert.deepEqual([1001, 1000, 601, 600, 320].map(ticksFor), [9, 6, 6, 4, 4])
})

test('there are never more ticks than requested, in order and within the range, and a week has one at each midnight', () => {
  const week = timeTicks(at('2026-11-13T12:00Z'), at('2026-11-20T12:00Z'), 9, zone)
  assert.equal(week.step, day)
  assert.deepEqual(texts(week.times).slice(0, 2), ['2026-11-14T00:00', '2026-11-15T00:00'])
  assert.equal(week.times.length, 7)
  assert.equal(timeTicks(at('2026-11-13T12:00Z'), at('2026-11-20T12:00Z'), 4, zone).step, 2 * day)
  fc.assert(
    fc.property(
      fc.integer({ min: at('2000-01-01'), max: at('2030-01-01') }),
      fc.integer({ min: 60_000, max: 400 * day }),
      fc.constantFrom(4, 6, 9),
      (from, length, most) => {
        const { times } = timeTicks(from, from + length, most, zone)
        assert.ok(times.length <= most)
        assert.ok(times.every((time, n) => time >= from && time <= from + length && (n === 0 || time > times[n - 1]!)))
        // Enough to read a time off the axis.
        assert.ok(times.length >= 1)
      },
    ),
    { numRuns: 300 },
  )
  // A minute that reaches into the hour skipped in spring.
  const spring = at('2018-03-25T00:58:59.989Z')
  assert.deepEqual(timeTicks(spring, spring + 60_011, 4, zone).times, [
    at('2018-03-25T00:59Z'),
    at('2018-03-25T01:00Z'),
  ])
  const years = timeTicks(at('2006-05-01'), at('2026-05-01'), 9, zone)
  assert.deepEqual(texts(years.times)[1]!.slice(5), '01-01T00:00')
})

test('on days of clock changes ticks stay at midnight and at full local hours', () => {
  const autumn = timeTicks(at('2026-10-23T23:00Z'), at('2026-10-28T00:00Z'), 6, zone)
  assert.deepEqual(texts(autumn.times), [
    '2026-10-23T23:00',
    '2026-10-24T23:00',
    '2026-10-26T00:00',
    '2026-10-27T00:00',
    '2026-10-28T00:00',
  ])
  const spring = timeTicks(at('2026-03-29T00:00Z'), at('2026-03-29T23:00Z'), 9, zone)
  assert.equal(spring.step, 3 * hour)
  assert.deepEqual(texts(spring.times).slice(0, 3), ['2026-03-29T00:00', '2026-03-29T02:00', '2026-03-29T05:00'])
})

test('an axis has the requested limits, extended to readings beyond them, with a margin where none is requested', () => {
  assert.deepEqual(valueRange(12, 60, { min: 0, max: null }), [0, 60 + 48 * 0.08])
  assert.deepEqual(valueRange(-6, 60, { min: 0, max: null })[0], -6)
  assert.deepEqual(valueRange(-104, -71, { min: null, max: -50 })[1], -50)
  assert.deepEqual(valueRange(20, 90, { min: 0, max: 100 }), [0, 100])
  for (const same of [0, 5, -5]) {
    const [low, high] = valueRange(same, same, { min: null, max: null })
    assert.ok(low < same && high > same)
  }
  const [low, high] = valueRange(0, 0, { min: 0, max: 0 })
  assert.ok(low < high)
})

test.each([
  // Rooms at 14 to 21 °C on an axis from 0 use nine tenths of the height.
  [14, 21, 0, 12],
  [15.9, 16.1, 0, 14],
  [-2, 12, -2, undefined],
  // Flow temperatures reach far enough down.
  [25, 70, 0, undefined],
  [8, 16, 0, undefined],
])('readings from %f to %f on an axis from %f break it at %s', (low, high, min, at) => {
  const found = axisBreak(low, high, min)
  assert.equal(found?.at, at)
  if (!found) return
  const below = (found.at - min) * found.scale
  assert.ok(Math.abs(below / (below + high - found.at) - 0.1) < 1e-9)
})

test.each([
  [12, 22, 5, [12, 14, 16, 18, 20, 22]],
  [12.4, 21.3, 4, [15, 20]],
  [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
])('ticks from %f to %f, about %i of them', (low, high, most, ticks) => {
  assert.deepEqual(valueTicks(low, high, most), ticks)
})

test('long parts without readings are gaps, also at the ends, and days with readings are counted', () => {
  const from = at('2026-10-28T00:00:00Z')
  const range = { from, to: from + 30 * day }
  const last = [27, 28, 29].flatMap((one) => Array.from({ length: 24 }, (_, n) => from + one * day + n * hour))
  assert.deepEqual(gapsIn(last, range), [{ from, to: from + 27 * day }])
  assert.deepEqual(gapsIn([], range), [range])
  assert.deepEqual(gapsIn([from, from + day], { from, to: from + day }), [{ from, to: from + day }])
  const hourly = Array.from({ length: 25 }, (_, n) => from + n * hour)
  assert.deepEqual(gapsIn(hourly, { from, to: from + day }), [])
  assert.deepEqual(daysRead(last, { from, to: range.to - 1 }, 'UTC'), { read: 3, of: 30 })
})
