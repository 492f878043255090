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
    'This is a record of what Caretaker was told and has kept. It is no certificate, and replaces none that the law or a standard asks for.',
  unknown:
    'What is not known is written as unknown. A light that was not tested, or did not tell of its test, is never counted as passed.',
  certificate: `${unknown}: whoever puts the system in hands it over on paper, and nobody has named it for this sheet`,
  gone: 'Lights that were taken out of the building before the sheet was written are named by their day alone: their tests are not in it.',
  schedule:
    'The next test of each type that is planned for the lights of each group, as the plan stood when the sheet was written. What lights have missed and are to have besides stands there as again.',
  removed:
    'Lights that were taken down or moved away in the period, as far as the record says which building they left. What was tested of them is kept on paper or in sheets of before.',
  mode: `Whether a light is maintained, and where its key switch is, lights do not tell: they are ${unknown} as long as nobody has said it on the page of the light.`,
  line: '____________________',
  limited:
    'Only those lights are in this sheet that the person who asked for it may see. The building may have others.',
  gaps: 'Times that are longer than may lie between two tests: 31 days and 7 more for the monthly test, 365 days and 30 more for the yearly one.',
  monthly:
    'The monthly test is the function test (T0). A longer test stands for it where a month has none of its own, because the light was seen to burn.',
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
  return 'not whole in the period, or not over yet'
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

/** The position of a light on a plan is no change of the installation. */
const ofPlans = ['latitude', 'longitude']

/** The changes of a light, field by field: 'Battery capacity 2.5 → 4'. Empty if only its position on a plan changed. */
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
