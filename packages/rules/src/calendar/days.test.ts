import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  dayAfter,
  dayAt,
  dayFault,
  dayFrom,
  dayText,
  endOfDay,
  isDay,
  isoTime,
  presetRange,
  startOfDay,
} from './days.ts'

const london = 'Europe/London'
const at = (text: string) => Date.parse(text)

test('days are those of the zone, also where its clocks change', () => {
  assert.equal(startOfDay('2026-07-01', london), at('2026-06-30T23:00:00Z'))
  assert.equal(dayAt(at('2026-06-30T23:00:00Z'), london), '2026-07-01')
  assert.equal(dayAt(at('2026-06-30T22:59:59.999Z'), london), '2026-06-30')
  const length = (day: string) => (endOfDay(day, london) + 1 - startOfDay(day, london)) / 3_600_000
  assert.equal(length('2026-03-29'), 23)
  assert.equal(length('2026-10-25'), 25)
  assert.equal(startOfDay('2026-10-25', london), at('2026-10-24T23:00:00Z'))
  assert.equal(startOfDay('2026-03-29', london), at('2026-03-29T00:00:00Z'))
  assert.equal(startOfDay('2026-11-20', 'Pacific/Auckland'), at('2026-11-19T11:00:00Z'))
  assert.equal(startOfDay('2026-11-20', 'America/New_York'), at('2026-11-20T05:00:00Z'))
})

test('days follow each other over months and years', () => {
  assert.equal(dayAfter('2026-12-31', 1), '2027-01-01')
  assert.equal(dayAfter('2028-03-01', -1), '2028-02-29')
  assert.deepEqual(presetRange(7, '2026-11-20'), { from: '2026-11-13', to: '2026-11-20' })
})

test('a day is written and read as dd/MM/y', () => {
  assert.equal(dayText('2024-03-05'), '05/03/2024')
  assert.equal(dayFrom('05/03/2024'), '2024-03-05')
  assert.equal(dayFrom(' 5/3/2024 '), '2024-03-05')
  for (const text of ['', '2024-03-05', '31/02/2024', '00/01/2024', '5/13/2024', '5/3/24', 'today'])
    assert.equal(dayFrom(text), undefined, text)
  assert.ok(isDay('2024-02-29'))
  for (const value of ['2023-02-29', '2024-2-9', 20240229, null, '05/03/2024']) assert.ok(!isDay(value), String(value))
})

test('an instant is written by the clocks of its zone', () => {
  assert.equal(isoTime(at('2026-06-30T23:05:59.999Z'), london), '2026-07-01T00:05:59+01:00')
  assert.equal(isoTime(at('2026-12-31T13:30:00Z'), 'Pacific/Auckland'), '2027-01-01T02:30:00+13:00')
  assert.equal(isoTime(at('2026-01-01T03:00:00Z'), 'America/St_Johns'), '2025-12-31T23:30:00-03:30')
  assert.equal(isoTime(at('2026-01-01T03:00:00Z'), 'UTC'), '2026-01-01T03:00:00+00:00')
})

test('an end of a range is a date, and none later than today', () => {
  assert.equal(dayFault('', '2026-11-20'), undefined)
  assert.equal(dayFault('20/11/2026', '2026-11-20'), undefined)
  assert.equal(dayFault('21/11/2026', '2026-11-20'), 'A date cannot be later than today')
  assert.equal(dayFault('soon', '2026-11-20'), 'Enter a date as DD/MM/YYYY')
})
