import type { ScheduleEntry } from '@caretaker/contract/groups.ts'

type Entry = Pick<ScheduleEntry, 'testType' | 'testDate' | 'lights' | 'missed' | 'again'>

/**
 * The tests that lights missed because of an offline gateway, and the next test at risk, as a text to follow a sentence
 * about the lights; '' if there are none. Coming tests are in order, missed tests newest first.
 */
export function missedTestsText(
  { next, past }: { next: readonly Entry[]; past: readonly Entry[] },
  silentSince: string,
  date: (at: string) => string,
): string {
  const missed = past.filter(({ testDate, missed: lights }) => lights > 0 && testDate >= silentSince)
  const [last] = missed
  const coming = next.find(({ testDate }) => testDate > silentSince)
  const of = ({ testType, testDate }: Entry, word: string) => `${testType} ${word} ${date(testDate)}`
  const cost =
    last &&
    (missed.length > 1
      ? `they have missed ${missed.length.toLocaleString('en-GB')} tests, the last a ${of(last, 'on')}`
      : last.missed === last.lights
        ? `their ${of(last, 'of')} was missed`
        : `${last.missed.toLocaleString('en-GB')} of ${last.lights.toLocaleString('en-GB')} missed their ${of(last, 'of')}`)
  const ahead = coming && `${cost ? 'the' : 'their'} next test is a ${of(coming, 'on')}`
  const text = [cost, ahead].filter(Boolean).join('; ')
  return text && `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
