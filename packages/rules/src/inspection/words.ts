import type { Changed } from '../audit/audit.ts'
import { isDay, dayText } from '../calendar/days.ts'
import type { LuminaireField } from '../lighting/luminaire.ts'
import { luminaireLabels } from '../lighting/luminaire.ts'
import type { Outcome, Square } from './sheet.ts'
import { outcomeLetters, outcomeWords } from './sheet.ts'

/** Written for anything unknown: never blank, and never as passed. */
export const unknown = 'unknown'
export const known = (text: string | null | undefined) => text?.trim() || unknown

export const sheetTexts = {
  title: 'Emergency lighting test record',
  record:
    'This is a record of the data that Caretaker received and stored. It is not a certificate and does not replace any that the law or a standard requires.',
  unknown:
    'Missing information is shown as unknown. A light that was not tested, or did not report its test, never counts as passed.',
  certificate: `${unknown}: the installer hands it over on paper, and its details have not been entered in Caretaker`,
  gone: 'Lights removed from the building before this sheet was created are listed with the day of removal only; their tests are not included.',
  schedule:
    'The next planned test of each type for each group, at the time this sheet was created. Repeats of missed tests are marked "again".',
  removed:
    'Lights removed or moved from the building in the period, as far as recorded. Their tests are in earlier sheets or on paper.',
  mode: `Lights do not report their operating mode or the location of their key switch: both are ${unknown} until entered on the page of the light.`,
  line: '____________________',
  limited: 'This sheet contains only lights that the person who requested it can see. The building may have others.',
  gaps: 'Intervals between two tests that exceed the limit: 31 days plus 7 for the monthly test, 365 days plus 30 for the yearly one.',
  monthly:
    'The monthly test is the function test (T0). In a month without one, a longer test counts instead, because it also shows whether the lamp lights.',
} as const

/** The people who sign a printed sheet. */
export const signers = ['Responsible person', 'Inspected by'] as const

/** The meaning of the letters, in a sentence. */
export const legend: string = (
  ['passed', 'marginal', 'failed', 'waiting', 'suppressed', 'interrupted', 'notStarted', 'missed', 'notDue'] as const
)
  .map((outcome) => `${outcomeLetters[outcome]} ${outcome === 'notDue' ? notDueWords() : lower(outcomeWords[outcome])}`)
  .join(', ')

function notDueWords(): string {
  return 'partly outside the period, or not over yet'
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** 'P03': the letter of an outcome with its day of the month; 'unknown' in full. */
export function squareText({ outcome, day }: Square): string {
  return `${outcomeLetters[outcome]}${day?.slice(8) ?? ''}`
}

/** 'Failed on 16/11/2025 after 117 min'. */
export function fullTestText(outcome: Outcome, day: string | null, minutes: number | null): string {
  if (day === null) return outcomeWords[outcome]
  const lasted = minutes === null ? `minutes ${unknown}` : `${minutes} min`
  const isHeld = outcome === 'passed' || outcome === 'marginal' || outcome === 'failed'
  return `${outcomeWords[outcome]} ${dayText(day)}${isHeld ? `, ${lasted}` : ''}`
}

/** The position of a light on a plan is not a change to the installation. */
const ofPlans = ['latitude', 'longitude']

/** The changes to a light, field by field: 'Battery capacity 2.5 → 4'. Empty if only its position on a plan changed. */
export function alterationText(before: Changed | null, after: Changed | null): string {
  const value = (one: unknown) => (one === null || one === undefined || one === '' ? unknown : wordsOf(one))
  return Object.keys(after ?? {})
    .filter((name) => !ofPlans.includes(name))
    .map((name) => `${fieldWords(name)} ${value(before?.[name])} → ${value(after?.[name])}`)
    .join('; ')
}

const wordsOf = (value: unknown) => (isDay(value) ? dayText(value) : String(value))

const others: Record<string, string> = {
  batteryInstalledDate: 'Battery installed',
  circuit: 'Monitored LED circuit',
  operatingMode: 'Operating mode',
  keySwitch: 'Key switch',
}
function fieldWords(name: string): string {
  if (name in luminaireLabels) return luminaireLabels[name as LuminaireField]
  return others[name] ?? name.charAt(0).toUpperCase() + name.slice(1)
}
