import assert from 'node:assert/strict'
import { test } from 'vitest'
import { localTime } from '../calendar/days.ts'
import type { PlannedRun, Rhythm } from './plan.ts'
import {
  endOf,
  hourOf,
  isLocalTime,
  nextT180,
  planned,
  replanned,
  movedStart,
  shownStart,
  startFault,
  startNote,
  startOf,
  startQuestion,
  localTimeAt,
} from './plan.ts'
import type { TestType } from './tests.ts'

const london = 'Europe/London'
const year = (zone: string, first: number, years = 1) => ({
  zone,
  from: startOf(`${first}-01-01T00:00`, zone),
  to: startOf(`${first + years}-01-01T00:00`, zone),
})
const inWords = (runs: readonly PlannedRun[], zone = london) =>
  runs.map(({ testType, startsAt }) => `${testType} ${localTimeAt(startsAt, zone)}`)
const only = (type: TestType, runs: readonly PlannedRun[]) => runs.filter(({ testType }) => testType === type)
const plain = (t180Start: string, alsoTypes: TestType[] = []): Rhythm => ({ t180Start, alsoTypes })

test('a group has a T180 each year at its start and a T0 each month at the same hour, and nothing else by default', () => {
  const runs = planned(plain('2026-11-28T01:30'), year(london, 2026, 2))
  assert.deepEqual(inWords(only('T180', runs)), ['T180 2026-11-28T01:30', 'T180 2027-11-28T01:30'])
  const monthly = only('T0', runs)
  assert.equal(monthly.length, 24)
  assert.deepEqual(inWords(monthly.slice(10, 13)), [
    'T0 2026-11-07T01:30',
    'T0 2026-12-07T01:30',
    'T0 2027-01-07T01:30',
  ])
  assert.deepEqual(new Set(runs.map(({ testType }) => testType)), new Set(['T0', 'T180']))
})

test('T5 runs each month and T60 six months after the T180, if chosen', () => {
  const runs = planned(plain('2026-02-06T01:30', ['T5', 'T60']), year(london, 2026))
  assert.deepEqual(inWords(only('T60', runs)), ['T60 2026-08-06T01:30'])
  assert.equal(only('T5', runs).length, 12)
  assert.equal(inWords(only('T5', runs))[0], 'T5 2026-01-20T01:30')
})

test('29 February becomes the 28th in other years, and the 31st the last day of a shorter month', () => {
  const leap = only('T180', planned(plain('2024-02-29T02:00'), year(london, 2024, 5)))
  assert.deepEqual(inWords(leap), [
    ...['T180 2024-02-29T02:00', 'T180 2025-02-28T02:00', 'T180 2026-02-28T02:00', 'T180 2027-02-28T02:00'],
    'T180 2028-02-29T02:00',
  ])
  const long = only('T60', planned(plain('2026-08-31T02:00', ['T60']), year(london, 2027)))
  assert.deepEqual(inWords(long), ['T60 2027-02-28T02:00'])
})

test('a test in the skipped hour of spring runs at the clock change, one in the repeated hour of autumn the first time', () => {
  const spring = planned(plain('2026-03-29T01:30'), {
    zone: london,
    from: Date.UTC(2026, 2, 29),
    to: Date.UTC(2026, 2, 30),
  })
  assert.deepEqual(
    spring.map(({ startsAt }) => new Date(startsAt).toISOString()),
    ['2026-03-29T01:00:00.000Z'],
  )
  const autumn = planned(plain('2026-10-25T01:30'), {
    zone: london,
    from: Date.UTC(2026, 9, 24),
    to: Date.UTC(2026, 9, 26),
  })
  assert.deepEqual(
    autumn.map(({ startsAt }) => new Date(startsAt).toISOString()),
    ['2026-10-25T00:30:00.000Z'],
  )
})

test('the current or next T180 is found, however long ago the first was', () => {
  const next = (start: string, now: string) =>
    localTimeAt(nextT180(plain(start), { now: startOf(now, london), zone: london }), london)
  assert.equal(next('2030-01-01T02:00', '2026-11-21T12:00'), '2030-01-01T02:00')
  assert.equal(next('2019-11-14T02:00', '2026-11-21T12:00'), '2027-11-14T02:00')
  assert.equal(next('2019-11-21T10:00', '2026-11-21T12:00'), '2026-11-21T10:00')
  assert.equal(next('2024-02-29T02:00', '2026-03-01T12:00'), '2027-02-28T02:00')
})

test('a start must be a date and a time, and not in the past', () => {
  const fault = (start: string) => startFault(start, { now: startOf('2026-03-21T12:40', london), zone: london })
  assert.equal(fault('2026-03-21T12:00'), undefined)
  assert.equal(fault('2026-03-21T11:59'), 'T180 start is in the past')
  assert.equal(fault('2026-03-29T01:30'), undefined)
  assert.equal(fault('2026-10-25T01:30'), undefined)
  for (const text of ['', '2026-02-30T01:00', '2026-03-29', '2026-03-29T24:00'])
    assert.equal(fault(text), 'T180 start must be a date and a time', text)
  assert.equal(isLocalTime('2028-02-29T23:59'), true)
})

test('a start in the skipped hour is moved by the clock change, with a sentence', () => {
  assert.deepEqual(movedStart('2026-03-29T01:30', london), {
    start: '2026-03-29T02:30',
    text: '29/03/2026 has no 01:30. The test starts at 02:30 BST.',
  })
  assert.equal(shownStart('2026-03-29T01:00', london), '2026-03-29T02:00')
  // Half an hour is skipped there, and a zone without an abbreviation shows its offset.
  assert.equal(
    movedStart('2026-10-04T02:10', 'Australia/Lord_Howe')?.text,
    '04/10/2026 has no 02:10. The test starts at 02:40 GMT+11.',
  )
  for (const shown of ['2026-03-29T00:59', '2026-03-29T02:00', '2026-10-25T01:30', '', 'nonsense'])
    assert.equal(movedStart(shown, london), undefined, shown)
})

test('a start by day or within four hours needs confirmation, with its end and the end of charging', () => {
  const now = startOf('2026-11-28T15:34', london)
  const ask = (start: string, at = now) => startQuestion(start, { now: at, zone: london })
  const words = (start: string, at = now) => {
    const question = ask(start, at)
    return question && [question.isByDay, question.isSoon, localTimeAt(question.from, london)]
  }
  const rows: [string, number, [boolean, boolean, string] | undefined][] = [
    ['2026-11-30T02:00', now, undefined],
    ['2026-11-29T22:00', now, undefined],
    ['2026-11-30T04:00', now, undefined],
    // Ends after 07:00.
    ['2026-11-30T04:01', now, [true, false, '2026-11-30T04:01']],
    ['2027-06-01T14:00', now, [true, false, '2027-06-01T14:00']],
    // In the current hour it starts when it is saved.
    ['2026-11-28T15:00', now, [true, true, '2026-11-28T15:34']],
    ['2026-11-28T19:33', now, [true, true, '2026-11-28T19:33']],
    ['2026-11-28T19:34', now, [true, false, '2026-11-28T19:34']],
    // At night, but without notice.
    ['2026-11-29T02:00', startOf('2026-11-28T22:30', london), [false, true, '2026-11-29T02:00']],
    ['2026-11-29T02:00', startOf('2026-11-28T22:00', london), undefined],
  ]
  for (const [start, at, expected] of rows) assert.deepEqual(words(start, at), expected, start)
  const { to, chargedBy } = ask('2026-11-28T15:00')!
  assert.deepEqual([localTimeAt(to, london), localTimeAt(chargedBy, london)], ['2026-11-28T18:34', '2026-11-29T18:34'])
})

test('a new group begins with the current hour [dev-2groups-8]', () => {
  assert.equal(hourOf(Date.UTC(2026, 6, 1, 11, 59), london), '2026-07-01T12:00')
  assert.equal(hourOf(Date.UTC(2026, 6, 1, 11, 20), 'Asia/Kolkata'), '2026-07-01T16:00')
})

/** Reproducible random numbers. */
function* chance(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

test('over twenty years and in every zone no test is lost, repeated or overlaps another of its group', () => {
  const draw = chance(20_261_122)
  const upTo = (n: number) => Math.floor(draw.next().value * n)
  const two = (n: number) => String(n).padStart(2, '0')
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const [month, day] = [1 + upTo(12), 1 + upTo(31)]
    const length = new Date(Date.UTC(2008, month, 0)).getUTCDate()
    // Mostly early hours, when clocks change.
    const clock = `${two(upTo(5) ? upTo(4) : upTo(24))}:${two(upTo(60))}`
    const rhythm = plain(`2008-${two(month)}-${two(Math.min(day, length))}T${clock}`, ['T5', 'T60'])
    const span = year(zone, 2008, 20)
    const runs = planned(rhythm, span)

    const months = (type: TestType) => only(type, runs).map(({ startsAt }) => localTimeAt(startsAt, zone).slice(0, 7))
    for (const type of ['T0', 'T5'] as const) {
      assert.equal(only(type, runs).length, 240, `${type} ${zone}`)
      // A zone may skip a day, and so the last of a month.
      assert.ok(new Set(months(type)).size >= 239, `${type} ${zone}`)
    }
    assert.equal(only('T180', runs).length, 20, zone)
    assert.ok(only('T60', runs).length >= 19, zone)

    let end = 0
    for (const run of runs) {
      assert.ok(
        run.startsAt >= end,
        `${zone}: ${run.testType} at ${localTimeAt(run.startsAt, zone)} begins before another ends`,
      )
      end = endOf(run)
      const shown = localTimeAt(run.startsAt, zone)
      if (shown.slice(11) === clock) continue
      // The time was skipped: just before, the clocks showed an earlier time.
      assert.ok(localTime(run.startsAt, zone) - localTime(run.startsAt - 1000, zone) > 1000, `${zone} ${shown}`)
    }
    // Planning in pieces produces the same plan, as in yearly planning.
    const some = year(zone, 2019, 2)
    const cut = some.from + Math.floor(draw.next().value * (some.to - some.from))
    const pieces = [planned(rhythm, { ...some, to: cut }), planned(rhythm, { ...some, from: cut })]
    const whole = runs.filter(({ startsAt }) => startsAt >= some.from && startsAt < some.to)
    assert.deepEqual(pieces.flat(), whole, zone)
  }
})

test('when the time zone changes no test is lost or repeated, and each keeps its time of day', () => {
  const draw = chance(20_261_123)
  const upTo = (n: number) => Math.floor(draw.next().value * n)
  const two = (n: number) => String(n).padStart(2, '0')
  const zones = Intl.supportedValuesOf('timeZone')
  const [hour, day] = [3_600_000, 86_400_000]
  for (let history = 0; history < 25; history++) {
    const clock = `${two(upTo(24))}:${two(upTo(60))}`
    const rhythm = plain(`2020-${two(1 + upTo(12))}-${two(1 + upTo(28))}T${clock}`, ['T5', 'T60'])
    let zone = zones[upTo(zones.length)]!
    let now = startOf('2020-01-01T00:00', zone)
    const end = now + 6 * 365 * day
    const begun: PlannedRun[] = []
    let standing = planned(rhythm, { zone, from: now, to: end })
    while (now < end) {
      // Sometimes twice within a day, and often on the night of a test.
      const near = standing[upTo(Math.min(3, standing.length))]?.startsAt ?? end
      const next = upTo(2) ? now + upTo(40 * 24) * hour : Math.max(now, near + (upTo(48) - 24) * hour)
      begun.push(...standing.filter((run) => run.startsAt <= next))
      standing = standing.filter((run) => run.startsAt > next)
      now = next
      zone = zones[upTo(zones.length)]!
      standing = replanned(rhythm, { zone, now, to: end + 60 * day }, { begun, standing })
      for (const { startsAt } of standing.filter((run) => run.startsAt > now + 48 * hour)) {
        const shown = localTimeAt(startsAt, zone).slice(11)
        if (shown !== clock) assert.ok(localTime(startsAt, zone) - localTime(startsAt - 1000, zone) > 1000, zone)
      }
    }
    const within = (days: readonly [number, number], type: TestType) => {
      const of = only(type, begun)
      for (const [at, run] of of.entries()) {
        if (at === 0) continue
        const apart = (run.startsAt - of[at - 1]!.startsAt) / day
        assert.ok(apart > days[0] && apart < days[1], `history ${history}: two ${type} lie ${apart} days apart`)
      }
    }
    within([25, 34], 'T0')
    within([25, 34], 'T5')
    within([362, 369], 'T180')
    within([362, 369], 'T60')
    assert.ok(only('T0', begun).length >= 70)
  }
})

test('a start by day or in the current hour shows a note, and is no error', () => {
  for (const clock of ['22:00', '02:00', '04:00'])
    assert.equal(startNote(`2026-11-27T${clock}`, '2026-11-26T14:00'), undefined)
  for (const clock of ['04:30', '14:00', '21:59'])
    assert.match(startNote(`2026-11-27T${clock}`)!, /^This is during the day, .* between 02:00 and 05:00\.$/)
  assert.match(
    startNote('2026-11-26T14:00', '2026-11-26T14:00')!,
    /^The T180 begins as soon as the group is saved\. This is during the day/,
  )
  assert.equal(startNote('2026-11-26T02:00', '2026-11-26T02:00'), 'The T180 begins as soon as the group is saved.')
  assert.equal(startNote(''), undefined)
})
