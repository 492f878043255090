import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  ageText,
  spanText,
  dateText,
  dateTimeText,
  lengthText,
  momentText,
  shortSpanText,
  shortTimeText,
} from './age.ts'

const london = 'Europe/London'
const at = Date.UTC(2026, 10, 20, 12, 3, 5)
const ages: [millisecondsLater: number, text: string][] = [
  [0, '0 s ago'],
  [8_900, '8 s ago'],
  [59_999, '59 s ago'],
  [60_000, '1 min ago'],
  [150_000, '2 min ago'],
  [3_599_999, '59 min ago'],
  [3_600_000, '20/11/2026 12:03'],
  [90 * 86_400_000, '20/11/2026 12:03'],
  [-5_000, '0 s ago'],
  [-3_600_000, '20/11/2026 12:03'],
]

test('an age is shown in seconds, then minutes, then as a date', () => {
  for (const [later, text] of ages) assert.equal(ageText(at, at + later, london), text)
})

test('dates are DD/MM/YYYY in the zone that is given, summer time included', () => {
  assert.equal(dateText('2026-06-30T23:30:00Z', london), '01/07/2026')
  assert.equal(dateTimeText('2026-06-30T23:30:00Z', london), '01/07/2026 00:30')
  assert.equal(dateTimeText(new Date('2026-12-01T00:00:00Z'), london), '01/12/2026 00:00')
  assert.equal(dateTimeText('2026-06-30T23:30:00Z', 'Europe/Paris'), '01/07/2026 01:30')
  assert.equal(shortTimeText(Date.UTC(2026, 10, 19, 7, 30), london), 'Thu 19 Nov, 07:30')
})

test('on days when the clocks change two instants never have the same text', () => {
  for (const [instant, text, short] of [
    ['2026-10-25T00:30:00Z', '25/10/2026 01:30 BST', 'Sun 25 Oct, 01:30 BST'],
    ['2026-10-25T01:30:00Z', '25/10/2026 01:30 GMT', 'Sun 25 Oct, 01:30 GMT'],
    ['2026-10-25T02:30:00Z', '25/10/2026 02:30', 'Sun 25 Oct, 02:30'],
    ['2026-03-29T00:59:00Z', '29/03/2026 00:59', 'Sun 29 Mar, 00:59'],
    ['2026-03-29T01:00:00Z', '29/03/2026 02:00', 'Sun 29 Mar, 02:00'],
  ] as const)
    assert.deepEqual([dateTimeText(instant, london), shortTimeText(instant, london)], [text, short])
})

test('a span shows its days if they differ, and an instant once', () => {
  for (const [from, to, text] of [
    ['2026-11-19T07:30:00Z', '2026-11-19T08:15:00Z', 'Thu 19 Nov, 07:30 to 08:15'],
    ['2026-11-19T07:30:00Z', '2026-11-19T07:30:40Z', 'Thu 19 Nov, 07:30'],
    ['2026-11-19T23:30:00Z', '2026-11-20T00:15:00Z', 'Thu 19 Nov, 23:30 to Fri 20 Nov, 00:15'],
    ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', 'Sun 25 Oct, 01:30 BST to 01:30 GMT'],
  ] as const)
    assert.equal(shortSpanText(from, to, london), text)
})

test('a duration so far is one figure', () => {
  const hour = 3_600_000
  for (const [length, text] of [
    [-5000, '0 min'],
    [12 * 60_000, '12 min'],
    [hour, '1 h'],
    [47.9 * hour, '47 h'],
    [48 * hour, '2 days'],
    [59 * 24 * hour, '59 days'],
    [95 * 24 * hour, '3 months'],
    [800 * 24 * hour, '2 years'],
  ] as const)
    assert.equal(spanText(at, at + length), text)
})

test('a past duration is exact to the minute, and to the hour from one day', () => {
  for (const [length, text] of [
    [0, '0 s'],
    [40_999, '40 s'],
    [60_000, '1 min'],
    [55 * 60_000, '55 min'],
    [5 * 3_600_000, '5 h'],
    [(4 * 60 + 22) * 60_000, '4 h 22 min'],
    [51 * 3_600_000 + 59_000, '2 days 3 h'],
    [86_400_000, '1 day'],
  ] as const)
    assert.equal(lengthText(length), text)
})

test('a moment of today is shown as its time in the zone', () => {
  assert.equal(momentText(at, at + 3_600_000, london), '12:03 today')
  assert.equal(momentText(at, at + 86_400_000, london), '20/11/2026 12:03')
  assert.equal(momentText('2026-06-30T23:30:00Z', Date.parse('2026-07-01T08:00:00Z'), london), '00:30 today')
})
