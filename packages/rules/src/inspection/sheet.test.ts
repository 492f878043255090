import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { dayAfter } from '../calendar/days.ts'
import { testResults, testTypes } from '../lighting/tests.ts'
import { dueEvery } from '../lighting/overdue.ts'
import type { HeldTest, LostTest } from './sheet.ts'
import {
  daysBetween,
  failedAt,
  gapsOf,
  outcomeLetters,
  outcomeWords,
  outcomes,
  periodFault,
  yearsOfLight,
  yearsTo,
} from './sheet.ts'

const held = (type: HeldTest['type'], day: string, result: HeldTest['result'] = 'Passed'): HeldTest => ({
  type,
  day,
  result,
})
const lost = (
  type: LostTest['type'],
  day: string,
  state: LostTest['state'],
  reason: string | null = null,
): LostTest => ({
  ...{ type, day, state, reason },
})
const year = { from: '2025-01-01', to: '2025-12-31' }
const today = '2026-11-22'
const monthsOf = (all: HeldTest[], none: LostTest[] = [], period = year, now = today) =>
  yearsOfLight({ held: all, lost: none }, period, now).map(({ months }) =>
    months.map(({ outcome, day }) => `${outcomeLetters[outcome]}${day?.slice(8) ?? ''}`).join(' '),
  )

test('a month has the worst result of its function tests, else that of a longer test, else unknown', () => {
  assert.deepEqual(
    monthsOf([
      held('T0', '2025-01-03'),
      held('T0', '2025-02-03'),
      held('T0', '2025-02-09', 'Failed'),
      held('T0', '2025-02-20'),
      // A battery that fails after two hours does not affect the month's flick test.
      held('T0', '2025-03-03'),
      held('T180', '2025-03-04', 'Failed'),
      held('T180', '2025-04-04', 'Degraded'),
      held('T0', '2025-05-05', 'AwaitingReview'),
      held('T0', '2025-06-05', 'Suppressed'),
    ]),
    ['P03 F09 P03 M04 W05 S05 unknown unknown unknown unknown unknown unknown'],
  )
})

test('a planned test without a result is shown in its month, but never instead of a result', () => {
  const none = [
    lost('T0', '2025-01-05', 'missed'),
    lost('T0', '2025-02-05', 'notStarted'),
    lost('T0', '2025-03-05', 'interrupted'),
    lost('T180', '2025-04-05', 'missed'),
  ]
  assert.match(monthsOf([held('T0', '2025-01-07')], none)[0]!, /^P07 N05 I05 unknown/)
})

test('time outside the period or still to come is not due, and not unknown', () => {
  const period = { from: '2025-11-10', to: '2026-02-10' }
  assert.deepEqual(monthsOf([], [], period, '2026-01-15'), ['– – – – – – – – – – – unknown', '– – – – – – – – – – – –'])
  // A month partly in the period keeps its test; a test before the period is left out.
  assert.match(monthsOf([held('T0', '2025-11-10')], [], period)[0]!, /P10 unknown$/)
  assert.match(monthsOf([held('T0', '2025-11-09')], [], period)[0]!, /– unknown$/)
})

test('a year has its last full-duration test', () => {
  const full = (all: HeldTest[], none: LostTest[] = []) => yearsOfLight({ held: all, lost: none }, year, today)[0]!.full
  assert.deepEqual(full([held('T180', '2025-03-04', 'Failed'), held('T180', '2025-03-20')]), {
    outcome: 'passed',
    day: '2025-03-20',
  })
  assert.deepEqual(full([held('T0', '2025-03-04')]), { outcome: 'unknown', day: null })
  assert.deepEqual(full([], [lost('T180', '2025-06-01', 'missed')]), { outcome: 'missed', day: '2025-06-01' })
  const [running] = yearsOfLight({ held: [], lost: [] }, { from: '2026-01-01', to: today }, today)
  assert.equal(running!.full.outcome, 'notDue')
})

const monthly = (days: string[]) => days.map((day) => held('T0', day))
const gaps = (all: HeldTest[], none: LostTest[] = [], period = year) =>
  gapsOf({ held: all, lost: none }, period, today).map(({ duty, from, to, days }) => `${duty} ${from} ${to} ${days}`)

test('a gap is listed when more days lie between two tests than interval and grace', () => {
  const first = '2024-12-28'
  const after = (days: number) => dayAfter(first, days)
  const regular = Array.from({ length: 13 }, (_, at) => after(at * 30))
  const full = held('T180', '2025-06-01')
  assert.deepEqual(gaps([...monthly(regular), full]), [])
  assert.deepEqual(gaps([...monthly([first, after(38), ...regular.slice(3)]), full]), [
    'monthly 2025-02-04 2025-03-28 52',
  ])
  assert.deepEqual(
    gaps([...monthly([first, after(39), ...regular.slice(3)]), full])[0],
    `monthly ${first} ${after(39)} 39`,
  )
})

test('a light without any full-duration test has a gap in any period; a tested one has none', () => {
  const months = monthly(Array.from({ length: 13 }, (_, at) => dayAfter('2024-12-28', at * 30)))
  assert.deepEqual(gaps(months), ['yearly 2025-01-01 2025-12-31 364'])
  assert.deepEqual(gaps([...months, held('T180', '2024-12-20')]), [])
  assert.deepEqual(gaps([...months, held('T180', '2024-11-20')]), ['yearly 2024-11-20 2025-12-31 406'])
  // A pending or suppressed result is not a completed test.
  assert.equal(gaps([...months, held('T180', '2025-12-20', 'Suppressed')]).length, 1)
})

test('a gap lists its planned tests without a result', () => {
  const none = [lost('T0', '2025-03-02', 'missed', 'offline'), lost('T180', '2025-03-03', 'notStarted')]
  const [first] = gapsOf(
    { held: [held('T0', '2025-02-01'), held('T0', '2025-04-01')], lost: none },
    year,
    today,
  ).filter(({ from }) => from === '2025-02-01')
  assert.deepEqual(first!.lost, none)
})

const day = fc.integer({ min: 0, max: 900 }).map((days) => dayAfter('2024-01-01', days))
const anyHeld = fc.record({ type: fc.constantFrom(...testTypes), day, result: fc.constantFrom(...testResults) })
const anyLost = fc.record({
  type: fc.constantFrom(...testTypes),
  day,
  state: fc.constantFrom('missed' as const, 'notStarted' as const, 'interrupted' as const),
  reason: fc.constant(null),
})

test('in random histories passed means a pass in that month, every gap is real, and none is missing', () => {
  fc.assert(
    fc.property(fc.array(anyHeld, { maxLength: 30 }), fc.array(anyLost, { maxLength: 10 }), (all, none) => {
      const period = { from: '2024-06-15', to: '2026-03-10' }
      for (const { year: of, months } of yearsOfLight({ held: all, lost: none }, period, today)) {
        assert.equal(months.length, 12)
        for (const [at, { outcome, day: on }] of months.entries()) {
          const name = `${of}-${String(at + 1).padStart(2, '0')}`
          if (on !== null) assert.ok(on.startsWith(name) && on >= period.from && on <= period.to)
          if (outcome === 'passed') assert.ok(all.some((one) => one.day === on && one.result === 'Passed'))
          assert.equal(on === null, outcome === 'unknown' || outcome === 'notDue')
        }
      }
      const found = gapsOf({ held: all, lost: none }, period, today).filter(({ duty }) => duty === 'monthly')
      const days = all
        .filter(({ result }) => ['Passed', 'Degraded', 'Failed'].includes(result))
        .map((one) => one.day)
        .toSorted()
      for (const { from, to, days: apart } of found) {
        assert.equal(apart, daysBetween(from, to))
        assert.ok(!days.some((one) => one > from && one < to && one >= period.from))
      }
      // Every day of the period far from the previous test is in a gap.
      const { days: every, grace } = dueEvery.monthly
      for (let one = period.from; one <= period.to; one = dayAfter(one, 7)) {
        const before = days.findLast((other) => other <= one)
        if (daysBetween(before ?? period.from, one) > every + grace && before !== undefined && before >= period.from)
          assert.ok(
            found.some(({ from, to }) => from <= one && one <= to),
            one,
          )
      }
    }),
    { numRuns: 200 },
  )
})

test('every outcome has a word and a letter, and a period has limits', () => {
  assert.equal(new Set(outcomes.map((outcome) => outcomeLetters[outcome])).size, outcomes.length)
  assert.equal(new Set(outcomes.map((outcome) => outcomeWords[outcome])).size, outcomes.length)
  assert.equal(outcomeWords.unknown, 'unknown')
  assert.equal(periodFault({ from: '2026-01-02', to: '2026-01-01' }, today), 'The last day is before the first')
  assert.equal(periodFault({ from: '2026-01-02', to: '2026-11-23' }, today), 'The period cannot include future days')
  assert.match(periodFault({ from: '2001-01-02', to: '2026-01-01' }, today)!, /at most/)
  assert.equal(periodFault({ from: '2016-01-02', to: today }, today), undefined)
})

test('a period of years begins on the day after its end day, also in February', () => {
  assert.deepEqual(yearsTo(today, 1), { from: '2025-11-23', to: today })
  assert.deepEqual(yearsTo('2025-12-31', 10), { from: '2016-01-01', to: '2025-12-31' })
  assert.deepEqual(yearsTo('2028-02-29', 1), { from: '2027-03-02', to: '2028-02-29' })
  assert.deepEqual(yearsTo('2027-02-28', 1), { from: '2026-03-01', to: '2027-02-28' })
})

test('a light fails at once in a flick test, when it goes out in a longer one, and at an unknown time if it stayed lit', () => {
  const at = Date.parse('2025-02-10T02:00:00Z')
  for (const [type, minutes, expected] of [
    ['T0', null, '2025-02-10T02:00:00Z'],
    ['T180', 117, '2025-02-10T03:57:00Z'],
    ['T60', 0, '2025-02-10T02:00:00Z'],
    ['T180', 180, null],
    ['T5', null, null],
  ] as const)
    assert.equal(failedAt({ type, at, minutes }), expected && Date.parse(expected), `${type} ${minutes}`)
})
