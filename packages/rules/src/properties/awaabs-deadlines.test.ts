import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { dayAfter, dayAt, instantOf, localTime } from '../calendar/days.ts'
import type { AwaabsLawEntry, AwaabsLawFigures, AwaabsLawHazard } from './awaabs-law.ts'
import { casesOf, completionOf, defaultAwaabsLaw } from './awaabs-law.ts'
import type { Due, LawContext, LawDeadline } from './awaabs-deadlines.ts'
import {
  deadlinesOf,
  isMissed,
  isRunning,
  lateForTable,
  latenessOf,
  latenessText,
  openDeadlines,
  preventiveWorksDue,
  runningDeadlines,
  timeLeftText,
} from './awaabs-deadlines.ts'
import type { AwaabsLawStatus } from './details.ts'

const zone = 'Europe/London'
const coverage = {
  'Damp and mould': { from: '2025-10-27', source: 'phase 1' },
  'Excess cold': { from: '2026-11-30', source: 'phase 2' },
  'Another hazard': { from: null, source: 'phase 3' },
}
const context = (own: Partial<AwaabsLawFigures> = {}): LawContext => ({
  figures: [{ until: null, figures: { ...defaultAwaabsLaw, ...own } }],
  ...{ coverage, zone },
})
/** An instant in London time: '2026-11-27 10:05'. */
const at = (text: string) => instantOf(Date.parse(`${text.replace(' ', 'T')}:00Z`), zone)

const statuses: Record<string, AwaabsLawStatus> = {
  ...{ I: 'Investigation', S: 'Summary', R: 'Repairs', A: 'Audit', F: 'Feedback', X: 'None' },
}
/**
 * Entries in one line: the letter of the step, '!' for an emergency and '~' for a lifted one, the day, and a time. 'S>2
 * day' corrects the day of the second entry, 'R<3 day' withdraws the third.
 */
function entriesOf(text: string, hazard: AwaabsLawHazard | null = null): AwaabsLawEntry[] {
  return text.split(',').map((one, index) => {
    const [, letter, mark, number, on, time] =
      /^\s*([A-Z])([!~<>])?(\d+)? ?(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?\s*$/.exec(one) ?? assert.fail(one)
    return {
      id: String(index + 1),
      status: statuses[letter!]!,
      on: on!,
      at: time ? at(`${on} ${time}`) : null,
      emergency: mark === '!' ? true : mark === '~' ? false : null,
      corrects: mark === '>' ? number! : null,
      undoes: mark === '<' ? number! : null,
      hazard: index === 0 ? hazard : null,
    }
  })
}
const dueText = ({ on, at: instant }: Due) =>
  instant === null ? on : new Date(localTime(instant, zone)).toISOString().slice(0, 16).replace('T', ' ')
const letters = { Investigation: 'I', Summary: 'S', Repairs: 'R' }
/** A deadline in one line: step, due time, '(law …)', '(or …)', '=' when it was done, 'x' when it ended. */
const lineOf = (one: LawDeadline) =>
  [
    `${letters[one.step]}${one.isEmergency ? '!' : ''} ${dueText(one.due)}`,
    one.lawDue && `(law ${dueText(one.lawDue)})`,
    one.otherDue && `(or ${dueText(one.otherDue)})`,
    one.done && `= ${dueText(one.done)}`,
    one.ended && `x ${dueText(one.ended)}`,
    one.moved && 'moved',
  ]
    .filter(Boolean)
    .join(' ')

interface Given {
  hazard?: AwaabsLawHazard
  own?: Partial<AwaabsLawFigures>
}

/**
 * Calculated by hand with the calendar of gov.uk/bank-holidays. Relevant bank holidays: 2025 25, 26 December. 2026 1
 * January, 3 and 6 April, 4 and 25 May, 31 August, 25 and 28 December. 2027 1 January, 26 and 29 March, 27 and 28
 * December. 2028 3 January.
 */
const table: [why: string, entries: string, deadlines: string[], given?: Given][] = [
  ['a Thursday', 'I 2026-11-05', ['I 2026-11-19']],
  ['a Wednesday', 'I 2026-11-04', ['I 2026-11-18']],
  ['a Friday', 'I 2026-11-06', ['I 2026-11-20']],
  ['a Saturday: day 1 is Monday', 'I 2026-11-07', ['I 2026-11-20']],
  ['a Sunday: day 1 is Monday', 'I 2026-11-08', ['I 2026-11-20']],
  ['a Monday: day 1 is Tuesday', 'I 2026-11-09', ['I 2026-11-23']],
  ['the Friday before Christmas', 'I 2026-12-18', ['I 2027-01-06']],
  ['two days before Christmas', 'I 2026-12-23', ['I 2027-01-11']],
  ['Christmas Day itself', 'I 2026-12-25', ['I 2027-01-12']],
  ['Christmas on a Saturday takes Monday and Tuesday', 'I 2027-12-20', ['I 2028-01-06']],
  ['Christmas on a Thursday', 'I 2025-12-22', ['I 2026-01-08']],
  ['the day before Good Friday', 'I 2026-04-02', ['I 2026-04-20']],
  ['Easter in March', 'I 2027-03-24', ['I 2027-04-09']],
  ['the early May bank holiday', 'I 2026-04-30', ['I 2026-05-15']],
  ['the spring bank holiday', 'I 2026-05-22', ['I 2026-06-08']],
  ['the summer bank holiday', 'I 2026-08-28', ['I 2026-09-14']],
  ['the first day that the law covers', 'I 2025-10-27', ['I 2025-11-10'], { hazard: 'Damp and mould' }],
  ['the day before it', 'I 2025-10-26', [], { hazard: 'Damp and mould' }],
  ['cold before phase 2', 'I 2026-11-27', [], { hazard: 'Excess cold' }],
  ['cold from phase 2 on', 'I 2026-11-30', ['I 2026-12-14'], { hazard: 'Excess cold' }],
  ['a hazard that no day is set for', 'I 2026-12-01', [], { hazard: 'Another hazard' }],
  [
    'summary and repairs run at once from the end of the investigation',
    'I 2026-11-05, S 2026-11-16',
    ['I 2026-11-19 = 2026-11-16', 'S 2026-11-19', 'R 2026-11-23'],
  ],
  ['an end on a Friday', 'I 2026-11-05, S 2026-11-13', ['I 2026-11-19 = 2026-11-13', 'S 2026-11-18', 'R 2026-11-20']],
  ['an end on a Saturday', 'I 2026-11-05, S 2026-11-14', ['I 2026-11-19 = 2026-11-14', 'S 2026-11-18', 'R 2026-11-20']],
  [
    'an end on Christmas Eve',
    'I 2026-12-14, S 2026-12-24',
    ['I 2026-12-30 = 2026-12-24', 'S 2026-12-31', 'R 2027-01-05'],
  ],
  ['an end before Easter', 'I 2026-03-25, S 2026-04-02', ['I 2026-04-10 = 2026-04-02', 'S 2026-04-09', 'R 2026-04-13']],
  [
    'a late step keeps what it was due',
    'I 2026-11-04, S 2026-11-24',
    ['I 2026-11-18 = 2026-11-24', 'S 2026-11-27', 'R 2026-12-01'],
  ],
  [
    'all steps done',
    'I 2026-11-04, S 2026-11-16, R 2026-11-18, A 2026-11-23',
    ['I 2026-11-18 = 2026-11-16', 'S 2026-11-19 = 2026-11-18', 'R 2026-11-23 = 2026-11-23'],
  ],
  [
    'a step that was passed over is done with it',
    'I 2026-11-04, A 2026-11-16',
    ['I 2026-11-18 = 2026-11-16', 'S 2026-11-19 = 2026-11-16', 'R 2026-11-23 = 2026-11-16'],
  ],
  [
    'a case that begins with repairs',
    'R 2026-11-18',
    ['I 2026-12-02 = 2026-11-18', 'S 2026-11-23 = 2026-11-18', 'R 2026-11-25'],
  ],
  [
    'an emergency runs through the weekend',
    'I! 2026-11-27 10:05',
    ['I! 2026-11-28 10:05 (or 2026-12-11)', 'R! 2026-11-28 10:05'],
  ],
  ['and through Christmas', 'I! 2026-12-24 16:30', ['I! 2026-12-25 16:30 (or 2027-01-12)', 'R! 2026-12-25 16:30']],
  [
    '24 hours when clocks go back',
    'I! 2026-10-24 18:00',
    ['I! 2026-10-25 17:00 (or 2026-11-06)', 'R! 2026-10-25 17:00'],
  ],
  [
    '24 hours when clocks go forward',
    'I! 2027-03-27 18:00',
    ['I! 2027-03-28 19:00 (or 2027-04-12)', 'R! 2027-03-28 19:00'],
  ],
  [
    'an emergency without a time counts from the start of its day',
    'I! 2026-11-27',
    ['I! 2026-11-28 00:00 (or 2026-12-11)', 'R! 2026-11-28 00:00'],
  ],
  [
    'an emergency that is found during the investigation',
    'I 2026-11-05, I! 2026-11-17 09:00',
    ['I! 2026-11-18 09:00 (or 2026-11-19)', 'R! 2026-11-18 09:00'],
  ],
  [
    'an emergency never takes an overdue investigation out of the red',
    'I 2026-11-05, I! 2026-11-27 10:05',
    ['I 2026-11-19 (or 2026-11-28 10:05)', 'R! 2026-11-28 10:05'],
  ],
  [
    'an emergency in Summary leaves the summary its day',
    'I 2026-11-04, S 2026-11-24, S! 2026-11-27 10:05',
    ['I 2026-11-18 = 2026-11-24', 'S 2026-11-27', 'R! 2026-11-28 10:05 (or 2026-12-01)'],
  ],
  [
    'the usual time holds where it is the earlier one',
    'I 2026-11-09, R 2026-11-20, R! 2026-11-27 20:00',
    ['I 2026-11-23 = 2026-11-20', 'S 2026-11-25 = 2026-11-20', 'R 2026-11-27 (or 2026-11-28 20:00)'],
  ],
  [
    'an emergency that is lifted in time',
    'I 2026-11-24, S 2026-11-26, S! 2026-11-27 10:00, S~ 2026-11-27 20:00',
    ['I 2026-12-08 = 2026-11-26', 'S 2026-12-01', 'R 2026-12-03'],
  ],
  [
    'an emergency that is lifted when its hours were over',
    'I 2026-11-24, S 2026-11-26, S! 2026-11-27 10:00, S~ 2026-11-28 11:00',
    ['I 2026-12-08 = 2026-11-26', 'S 2026-12-01', 'R! 2026-11-28 10:00 (or 2026-12-03)'],
  ],
  [
    'an emergency made safe by the hour',
    'I! 2026-10-20 14:30, S 2026-10-20 18:00, R 2026-10-21, A 2026-10-22 09:10',
    [
      'I! 2026-10-21 14:30 (or 2026-11-03) = 2026-10-20 18:00',
      'S 2026-10-23 = 2026-10-21',
      'R! 2026-10-21 14:30 (or 2026-10-27) = 2026-10-22 09:10',
    ],
  ],
  [
    'an emergency that is found when the home was made safe',
    'I 2026-11-04, R 2026-11-10, A 2026-11-13, A! 2026-11-20 08:00, R 2026-11-20, A 2026-11-21 07:00',
    [
      'I 2026-11-18 = 2026-11-10',
      'S 2026-11-13 = 2026-11-10',
      'R 2026-11-17 = 2026-11-13',
      'R! 2026-11-21 08:00 = 2026-11-21 07:00',
    ],
  ],
  [
    'an emergency that is found by the entry that completes the repairs',
    'I 2026-11-04, R 2026-11-10, A! 2026-11-13 08:00',
    [
      'I 2026-11-18 = 2026-11-10',
      'S 2026-11-13 = 2026-11-10',
      'R 2026-11-17 = 2026-11-13 08:00',
      'R! 2026-11-14 08:00',
    ],
  ],
  ['a stricter investigation', 'I 2026-11-05', ['I 2026-11-12 (law 2026-11-19)'], { own: { investigation: 5 } }],
  [
    'a stricter summary',
    'I 2026-11-04, S 2026-11-24',
    ['I 2026-11-18 = 2026-11-24', 'S 2026-11-26 (law 2026-11-27)', 'R 2026-12-01'],
    { own: { summary: 2 } },
  ],
  [
    'stricter repairs',
    'I 2026-11-04, S 2026-11-24',
    ['I 2026-11-18 = 2026-11-24', 'S 2026-11-27', 'R 2026-11-25 (law 2026-12-01)'],
    { own: { repairs: 1 } },
  ],
  [
    'a stricter emergency',
    'I! 2026-11-27 10:05',
    ['I! 2026-11-27 22:05 (law 2026-11-28 10:05) (or 2026-12-11)', 'R! 2026-11-27 22:05 (law 2026-11-28 10:05)'],
    { own: { emergency: 12 } },
  ],
  [
    'going back keeps all dates',
    'I 2026-11-05, S 2026-11-16, I 2026-11-23',
    ['I 2026-11-19', 'S 2026-11-19', 'R 2026-11-23'],
  ],
  [
    'and going on again with the same day changes nothing',
    'I 2026-11-05, S 2026-11-16, I 2026-11-23, S 2026-11-16',
    ['I 2026-11-19 = 2026-11-16', 'S 2026-11-19', 'R 2026-11-23'],
  ],
  [
    'a second end of the investigation starts no later deadline',
    'I 2026-11-05, S 2026-11-16, I 2026-11-17, S 2026-11-25',
    ['I 2026-11-19 = 2026-11-25', 'S 2026-11-19', 'R 2026-11-23'],
  ],
  ['a case that is closed', 'I 2026-11-05, X 2026-11-12', ['I 2026-11-19 x 2026-11-12']],
  ['closed too late', 'I 2026-11-05, X 2026-11-24', ['I 2026-11-19 x 2026-11-24']],
  ['reopened with its true dates', 'I 2026-11-05, X 2026-11-12, I<2 2026-11-23', ['I 2026-11-19']],
  [
    'reopened and gone on with',
    'I 2026-11-05, S 2026-11-16, X 2026-11-17, S<3 2026-11-20, R 2026-11-20',
    ['I 2026-11-19 = 2026-11-16', 'S 2026-11-19 = 2026-11-20', 'R 2026-11-23'],
  ],
  ['a new case has its own awareness', 'I 2026-01-05, X 2026-02-01, I 2026-11-05', ['I 2026-11-19']],
  ['an earlier awareness', 'I 2026-11-05, I>1 2026-11-04', ['I 2026-11-18']],
  [
    'the true end of an investigation',
    'I 2026-11-05, S 2026-11-20, S>2 2026-11-16',
    ['I 2026-11-19 = 2026-11-16', 'S 2026-11-19', 'R 2026-11-23'],
  ],
]

describe("the deadlines of Awaab's Law match hand calculations", () => {
  assert.ok(table.length >= 40)
  for (const [why, entries, expected, { hazard, own } = {}] of table)
    test(`${why}: ${entries}`, () => {
      const last = casesOf(entriesOf(entries, hazard)).at(-1)!
      assert.deepEqual(deadlinesOf(last, context(own)).map(lineOf), expected)
    })

  test('preventive works begin within 84 days of the end of the investigation', () => {
    const due = (text: string, own?: Partial<AwaabsLawFigures>) =>
      preventiveWorksDue(casesOf(entriesOf(text)).at(-1), context(own))
    assert.equal(due('I 2026-11-05, S 2026-11-16'), '2027-02-08')
    assert.equal(due('I 2026-11-05, S 2026-11-16', { preventive: 8 }), '2027-01-11')
    assert.equal(due('I 2026-11-05'), null)
    assert.equal(due('I 2026-11-05, S 2026-11-16, X 2026-11-20'), null)
  })
})

describe('the lateness of a step', () => {
  const late = (entries: string, now: string) =>
    deadlinesOf(casesOf(entriesOf(entries)).at(-1)!, context()).map((one) => {
      const found = latenessOf(one, at(now), zone)
      return found ? latenessText(found) : null
    })
  const cases: [string, string, (string | null)[]][] = [
    ['I 2026-11-04', '2026-11-18 23:59', [null]],
    ['I 2026-11-04', '2026-11-19 00:00', ['1 working day late']],
    ['I 2026-11-04', '2026-11-24 12:00', ['4 working days late']],
    // Saturday is not a working day, but later than Friday.
    ['I 2026-11-06', '2026-11-21 12:00', ['1 working day late']],
    ['I 2026-11-04, S 2026-11-24', '2026-11-27 12:05', ['4 working days late', null, null]],
    ['I 2026-11-04, S 2026-11-18', '2026-11-19 12:05', [null, null, null]],
    ['I 2026-11-05, X 2026-11-24', '2026-12-24 12:00', ['3 working days late']],
    ['I! 2026-11-27 10:05', '2026-11-28 10:04', [null, null]],
    ['I! 2026-11-27 10:05', '2026-11-28 10:05', ['1 minute late', '1 minute late']],
    ['I! 2026-11-27 10:05', '2026-11-28 11:10', ['1 hour late', '1 hour late']],
    // A day without a time counts to its end: no one knows whether the property was safe in the morning.
    ['I! 2026-11-27 10:05, A 2026-11-28', '2026-11-30 12:00', ['13 hours late', null, '13 hours late']],
  ]
  for (const [entries, now, expected] of cases)
    test(`${entries} at ${now}`, () => assert.deepEqual(late(entries, now), expected))

  test('is short in tables, with hours and minutes for an emergency', () => {
    assert.equal(lateForTable({ ms: at('2026-10-22 09:10') - at('2026-10-21 14:30') }), '18 h 40 min')
    assert.deepEqual([{ days: 1 }, { days: 4 }, { ms: 59_000 }, { ms: 1_800_000 }].map(lateForTable), [
      '1 day',
      '4 days',
      '1 min',
      '30 min',
    ])
  })

  test('is the time left before: hours, below one hour minutes, and for a day working days', () => {
    const left = (due: Due, now: string) => timeLeftText({ due }, at(now), zone)
    const hours = { on: '2026-11-28', at: at('2026-11-28 10:05') }
    assert.deepEqual(
      ['2026-11-27 12:05', '2026-11-28 09:05', '2026-11-28 09:06', '2026-11-28 10:04', '2026-11-28 11:05'].map((now) =>
        left(hours, now),
      ),
      ['22 hours left', '1 hour left', '59 minutes left', '1 minute left', '1 hour late'],
    )
    const day = { on: '2026-11-27', at: null }
    assert.deepEqual(
      ['2026-11-25 12:00', '2026-11-26 12:00', '2026-11-27 23:59', '2026-11-30 00:00'].map((now) => left(day, now)),
      ['2 working days left', '1 working day left', 'Due today', '1 working day late'],
    )
  })
})

describe('a missed deadline stays missed', () => {
  /** Entries with the time at which each was entered. */
  const entered = (text: string, moments: string[], change: (entries: AwaabsLawEntry[]) => void = () => {}) => {
    const entries = entriesOf(text).map((entry, index) => ({ ...entry, enteredAt: at(moments[index]!) }))
    change(entries)
    return casesOf(entries).at(-1)!
  }
  const lines = (one: ReturnType<typeof entered>, given = context()) => deadlinesOf(one, given).map(lineOf)

  test('when awareness is moved to a later day after the deadline has passed', () => {
    const one = entered('I 2026-11-05, I>1 2026-11-12', ['2026-11-05 09:00', '2026-11-24 09:00'], (entries) => {
      entries[1]!.reason = 'Typing error'
    })
    assert.deepEqual(lines(one), ['I 2026-11-26', 'I 2026-11-19 moved'])
    assert.deepEqual(deadlinesOf(one, context())[1]!.moved, { at: at('2026-11-24 09:00'), reason: 'Typing error' })
  })

  test('but not when awareness is corrected in time', () => {
    assert.deepEqual(lines(entered('I 2026-11-05, I>1 2026-11-12', ['2026-11-05 09:00', '2026-11-19 23:59'])), [
      'I 2026-11-26',
    ])
  })

  test('but not when a step done in time is recorded late', () => {
    const one = entered('I 2026-11-05, S 2026-11-16', ['2026-11-05 09:00', '2026-11-27 09:00'])
    assert.deepEqual(lines(one), ['I 2026-11-19 = 2026-11-16', 'S 2026-11-19', 'R 2026-11-23'])
  })

  test('when the case is closed with a day before the passed deadline', () => {
    const one = entered('I 2026-11-05, X 2026-11-18', ['2026-11-05 09:00', '2026-11-27 09:00'])
    assert.deepEqual(lines(one), ['I 2026-11-19 x 2026-11-18', 'I 2026-11-19 x 2026-11-18 moved'])
  })

  test('when a step completed late is given an earlier day', () => {
    const one = entered('I 2026-11-05, S 2026-11-24, S>2 2026-11-18', [
      ...['2026-11-05 09:00', '2026-11-24 09:00', '2026-11-27 09:00'],
    ])
    assert.ok(lines(one).includes('I 2026-11-19 = 2026-11-24 moved'), lines(one).join())
  })

  test('when the hazard is changed to one that the law does not cover', () => {
    const one = entered('I 2026-11-05, I 2026-11-24', ['2026-11-05 09:00', '2026-11-24 09:00'], (entries) => {
      entries[0]!.hazard = 'Damp and mould'
      entries[1]!.hazard = 'Another hazard'
    })
    assert.deepEqual(lines(one), ['I 2026-11-19 moved'])
  })

  test('when the client becomes less strict, while stricter figures do not affect finished deadlines', () => {
    const strict = { ...defaultAwaabsLaw, investigation: 5 }
    const figures = [
      { until: at('2026-11-13 12:00'), figures: strict },
      { until: null, figures: defaultAwaabsLaw },
    ]
    const open = entered('I 2026-11-05', ['2026-11-05 09:00'])
    assert.deepEqual(lines(open, { ...context(), figures }), ['I 2026-11-19', 'I 2026-11-12 (law 2026-11-19) moved'])
    const done = entered('I 2026-11-05, S 2026-11-16', ['2026-11-05 09:00', '2026-11-16 09:00'])
    const later = [
      { until: at('2026-11-20 12:00'), figures: defaultAwaabsLaw },
      { until: null, figures: strict },
    ]
    assert.equal(lines(done, { ...context(), figures: later })[0], 'I 2026-11-19 = 2026-11-16')
  })

  /** Edits of a case, one after the other, some hours apart. */
  const edit = fc.record({
    kind: fc.constantFrom('go', 'go', 'emergency', 'lift', 'hazard', 'correct', 'close', 'reopen'),
    status: fc.constantFrom('Investigation', 'Summary', 'Repairs', 'Audit', 'Feedback'),
    wait: fc.integer({ min: 1, max: 200 }),
    back: fc.integer({ min: 0, max: 12 }),
    pick: fc.nat({ max: 9 }),
  })
  const hazards = ['Damp and mould', 'Excess cold', 'Another hazard'] as const

  test('no sequence of edits makes a passed deadline disappear', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 12 }), fc.boolean(), (edits, isEmergency) => {
        let now = at('2026-11-02 09:00')
        const entries: AwaabsLawEntry[] = [
          { id: 'a', status: 'Investigation', on: dayAt(now, zone), at: now, emergency: isEmergency, enteredAt: now },
        ]
        for (const [index, { kind, status, wait, back, pick }] of edits.entries()) {
          now += wait * 3_600_000
          const before = deadlinesOf(casesOf(entries)[0]!, context()).filter((one) => isMissed(one, now, zone))
          const one = casesOf(entries)[0]!
          const last = one.steps.at(-1)!
          const base = { id: `e${index}`, on: dayAt(now, zone), at: now, enteredAt: now }
          const day = dayAfter(base.on, -back)
          if (one.closing) {
            if (kind !== 'reopen') continue
            entries.push({ ...base, status: last.status, undoes: one.closing.id, reason: 'By mistake' })
          } else if (kind === 'go') entries.push({ ...base, status: status as AwaabsLawStatus })
          else if (kind === 'emergency') entries.push({ ...base, status: last.status, emergency: true })
          else if (kind === 'lift') entries.push({ ...base, status: last.status, emergency: false })
          else if (kind === 'hazard') entries.push({ ...base, status: last.status, hazard: hazards[pick % 3]! })
          else if (kind === 'close') entries.push({ ...base, status: 'None', reason: 'No hazard found' })
          else if (kind === 'correct') {
            const corrected = one.steps[pick % one.steps.length]!
            entries.push({ ...base, status: corrected.status, corrects: corrected.id, on: day, at: null })
          } else continue
          const after = deadlinesOf(casesOf(entries)[0]!, context())
          for (const missed of before) {
            // A correction may show that the step was completed in time: recorded late, not missed.
            const completion = completionOf(casesOf(entries)[0]!.steps, missed.step)
            const done = completion && { on: completion.on, at: completion.at ?? null }
            const wasDone = kind === 'correct' && done && !isMissed({ ...missed, done, ended: null }, now, zone)
            const kept = after.some(
              (other) =>
                other.step === missed.step &&
                isMissed(other, now, zone) &&
                (other.due.at ?? 0) <= (missed.due.at ?? Infinity),
            )
            assert.ok(kept || wasDone, `${kind} took away ${lineOf(missed)}; left are ${after.map(lineOf).join('; ')}`)
          }
        }
      }),
      { numRuns: 500, seed: 20261129 },
    )
  })

  test('going back, an emergency or a covered hazard never clear an open overdue case', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 10 }), (edits) => {
        let now = at('2026-11-02 09:00')
        const entries: AwaabsLawEntry[] = [{ id: 'a', status: 'Investigation', on: '2026-11-02', enteredAt: now }]
        const isLate = () => openDeadlines(entries, context()).some((one) => isRunning(one) && isMissed(one, now, zone))
        for (const [index, { kind, status, wait }] of edits.entries()) {
          now += wait * 3_600_000
          const last = casesOf(entries)[0]!.steps.at(-1)!
          const wasLate = isLate()
          const base = { id: `e${index}`, on: dayAt(now, zone), at: now, enteredAt: now }
          const order = ['Investigation', 'Summary', 'Repairs', 'Audit', 'Feedback']
          const isBack = order.indexOf(status) <= order.indexOf(last.status)
          if (kind === 'emergency' || kind === 'lift')
            entries.push({ ...base, status: last.status, emergency: kind === 'emergency' })
          else entries.push({ ...base, status: status as AwaabsLawStatus })
          if (wasLate && (kind === 'emergency' || kind === 'lift' || isBack)) assert.ok(isLate(), kind)
        }
      }),
      { numRuns: 500, seed: 20261129 },
    )
  })
})

test('running deadlines are listed soonest first', () => {
  const all = openDeadlines(entriesOf('I 2026-11-04, S 2026-11-24, S! 2026-11-26 10:05'), context())
  assert.deepEqual(runningDeadlines(all, zone).map(lineOf), ['R! 2026-11-27 10:05 (or 2026-12-01)', 'S 2026-11-27'])
  assert.deepEqual(openDeadlines(entriesOf('I 2026-11-04, X 2026-11-24'), context()), [])
})
