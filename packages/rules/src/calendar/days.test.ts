import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  clockName,
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

test('days follow the time zone, also at clock changes', () => {
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

test('a day begins at the clock change if its midnight is skipped, and at the first midnight if it is repeated', () => {
  assert.equal(startOfDay('2026-03-08', 'America/Havana'), at('2026-03-08T05:00:00Z'))
  assert.equal(startOfDay('2026-11-01', 'America/Havana'), at('2026-11-01T04:00:00Z'))
  assert.equal(startOfDay('2026-09-06', 'America/Santiago'), at('2026-09-06T04:00:00Z'))
  assert.equal(startOfDay('2026-04-05', 'America/Santiago'), at('2026-04-05T04:00:00Z'))
  assert.equal(startOfDay('2026-03-29', 'Atlantic/Azores'), at('2026-03-29T01:00:00Z'))
  assert.equal(startOfDay('2026-10-25', 'Atlantic/Azores'), at('2026-10-25T00:00:00Z'))
  assert.equal(startOfDay('2026-03-29', 'Asia/Beirut'), at('2026-03-28T22:00:00Z'))
  assert.equal(startOfDay('2023-10-01', 'America/Asuncion'), at('2023-10-01T04:00:00Z'))
})

test('a day that a zone skipped is empty', () => {
  const apia = 'Pacific/Apia'
  assert.equal(endOfDay('2011-12-30', apia) + 1, startOfDay('2011-12-30', apia))
  assert.equal(startOfDay('2011-12-31', apia), startOfDay('2011-12-30', apia))
})

test('days begin correctly in every zone and around every clock change', () => {
  const dayLength = 86_400_000
  const quarter = 91 * dayLength
  const changes = new Set<string>()
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const clocks = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    const offset = (time: number) => Date.parse(`${clocks.format(time)}Z`) - time
    let known = offset(Date.UTC(2000, 0, 1))
    for (let from = Date.UTC(2000, 0, 1); from < Date.UTC(2038, 0, 1); from += quarter) {
      const next = offset(from + quarter)
      if (next === known) continue
      let [before, after] = [from, from + quarter]
      while (after - before > dayLength) {
        const middle = before + Math.floor((after - before) / 120_000) * 60_000
        if (offset(middle) === known) before = middle
        else after = middle
      }
      // Many zones share their rules.
      const change = `${before} ${known} ${next}`
      known = next
      if (changes.has(change)) continue
      changes.add(change)
      for (const day of [0, 1, 2].map((later) => dayAfter(dayAt(before, zone), later))) {
        const start = startOfDay(day, zone)
        const isLeftOut = startOfDay(dayAfter(day, 1), zone) === start
        assert.ok(isLeftOut ? dayAt(start, zone) > day : dayAt(start, zone) === day, `${day} begins in ${zone}`)
        assert.ok(dayAt(start - 1, zone) < day, `${day} begins no earlier in ${zone}`)
      }
    }
  }
  assert.ok(changes.size > 1000, `${changes.size} changes`)
})

test('days follow each other across months and years', () => {
  assert.equal(dayAfter('2026-12-31', 1), '2027-01-01')
  assert.equal(dayAfter('2028-03-01', -1), '2028-02-29')
  assert.deepEqual(presetRange(7, '2026-11-20'), { from: '2026-11-13', to: '2026-11-20' })
})

test('a day is formatted and parsed as dd/MM/y', () => {
  assert.equal(dayText('2024-03-05'), '05/03/2024')
  assert.equal(dayFrom('05/03/2024'), '2024-03-05')
  assert.equal(dayFrom(' 5/3/2024 '), '2024-03-05')
  for (const text of ['', '2024-03-05', '31/02/2024', '00/01/2024', '5/13/2024', '5/3/24', 'today'])
    assert.equal(dayFrom(text), undefined, text)
  assert.ok(isDay('2024-02-29'))
  for (const value of ['2023-02-29', '2024-2-9', 20240229, null, '05/03/2024']) assert.ok(!isDay(value), String(value))
})

test('an instant is formatted in its zone', () => {
  assert.equal(isoTime(at('2026-06-30T23:05:59.999Z'), london), '2026-07-01T00:05:59+01:00')
  assert.equal(isoTime(at('2026-12-31T13:30:00Z'), 'Pacific/Auckland'), '2027-01-01T02:30:00+13:00')
  assert.equal(isoTime(at('2026-01-01T03:00:00Z'), 'America/St_Johns'), '2025-12-31T23:30:00-03:30')
  assert.equal(isoTime(at('2026-01-01T03:00:00Z'), 'UTC'), '2026-01-01T03:00:00+00:00')
})

test('the end of a range is a date not later than today', () => {
  assert.equal(dayFault('', '2026-11-20'), undefined)
  assert.equal(dayFault('20/11/2026', '2026-11-20'), undefined)
  assert.equal(dayFault('21/11/2026', '2026-11-20'), 'A date cannot be later than today')
  assert.equal(dayFault('soon', '2026-11-20'), 'Enter a date as DD/MM/YYYY')
})

test('the zone abbreviation is shown only where a local time is ambiguous', () => {
  for (const [instant, zone, name] of [
    ['2026-10-24T23:59:59.999Z', london, undefined],
    ['2026-10-25T00:00:00Z', london, 'BST'],
    ['2026-10-25T00:59:59.999Z', london, 'BST'],
    ['2026-10-25T01:00:00Z', london, 'GMT'],
    ['2026-10-25T01:59:59.999Z', london, 'GMT'],
    ['2026-10-25T02:00:00Z', london, undefined],
    ['2026-03-29T00:59:59Z', london, undefined],
    ['2026-03-29T01:00:00Z', london, undefined],
    ['2026-07-01T12:00:00Z', london, undefined],
    ['2026-10-25T00:30:00Z', 'Europe/Paris', 'CEST'],
    ['2026-10-25T01:30:00Z', 'Europe/Paris', 'CET'],
    ['2026-04-04T14:40:00Z', 'Australia/Lord_Howe', 'GMT+11'],
    ['2026-04-04T15:10:00Z', 'Australia/Lord_Howe', 'GMT+10:30'],
    ['2026-10-25T01:30:00Z', 'UTC', undefined],
  ] as const)
    assert.equal(clockName(at(instant), zone), name, `${instant} ${zone}`)
})
