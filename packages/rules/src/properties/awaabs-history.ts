import type { Day } from '../calendar/days.ts'
import { dayText, localTime } from '../calendar/days.ts'
import type { AwaabsLawEntry, AwaabsLawStep } from './awaabs-law.ts'
import { awaabsLawSteps, casesOf, emergencyOf, hazardOf } from './awaabs-law.ts'

type When = Pick<AwaabsLawStep, 'on' | 'at'>

/** A day, with the time if known: '27/11/2026, 10:05'. */
export const whenText = ({ on, at }: { on: Day; at?: number | null }, zone: string): string =>
  at === null || at === undefined
    ? dayText(on)
    : `${dayText(on)}, ${new Date(localTime(at, zone)).toISOString().slice(11, 16)}`

export interface CaseChanged {
  what: 'opened' | 'step' | 'back' | 'date' | 'case' | 'closed' | 'reopened'
  /** The step concerned. */
  step: string
  /** The text in the history of the case. */
  text: string
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** The changes that an entry makes to its case, with the values before and after it. `entries` end with the entry. */
export function changeOf(entry: AwaabsLawEntry, entries: readonly AwaabsLawEntry[], zone: string): CaseChanged {
  const when = (one: When) => whenText(one, zone)
  const earlier = entries.slice(0, entries.indexOf(entry))
  const before = casesOf(earlier).at(-1)
  const steps = before && !before.closing ? before.steps : []
  const last = steps.at(-1)
  const step = entry.status
  if (entry.corrects) {
    const known = steps.find(({ id }) => id === entry.corrects) ?? entry
    const label = known === steps[0] ? 'Awareness' : known.emergency ? 'Emergency' : step
    return {
      ...{ what: 'date', step, text: `${label}: date corrected from ${when(known)} to ${when(entry)}` },
      before: { awaabsLawStep: label, awaabsLawDate: when(known) },
      after: { awaabsLawStep: label, awaabsLawDate: when(entry) },
    }
  }
  if (entry.undoes)
    return {
      ...{ what: 'reopened', step, text: `Case reopened at ${step}` },
      before: { awaabsLawStatus: 'None' },
      after: { awaabsLawStep: step, awaabsLawStatus: step },
    }
  if (step === 'None')
    return {
      ...{ what: 'closed', step, text: last ? `Case closed at ${last.status}` : 'Case closed' },
      before: { awaabsLawStatus: last?.status ?? null },
      after: { awaabsLawStep: last?.status ?? null, awaabsLawStatus: 'None', awaabsLawDate: when(entry) },
    }
  const set = {
    ...(entry.hazard && { awaabsLawHazard: [hazardOf(steps), entry.hazard] }),
    ...(typeof entry.emergency === 'boolean' && {
      awaabsLawEmergency: [emergencyOf(steps) !== undefined, entry.emergency],
    }),
  }
  const sides = (at: 0 | 1) => Object.fromEntries(Object.entries(set).map(([name, both]) => [name, both[at]]))
  const words = [
    entry.hazard &&
      (hazardOf(steps) && hazardOf(steps) !== entry.hazard
        ? `hazard changed from ${hazardOf(steps)} to ${entry.hazard}`
        : `hazard ${entry.hazard}`),
    entry.emergency === true && `emergency, found ${when(entry)}`,
    entry.emergency === false && 'no longer an emergency',
  ].filter((one) => typeof one === 'string')
  if (!last)
    return {
      ...{ what: 'opened', step, text: [`Case opened at ${step}, aware since ${when(entry)}`, ...words].join(', ') },
      before: { awaabsLawStatus: 'None', ...sides(0) },
      after: { awaabsLawStep: step, awaabsLawStatus: step, awaabsLawAware: when(entry), ...sides(1) },
    }
  if (last.status === step)
    return {
      ...{ what: 'case', step, text: `${step}: ${words.join(', ')}` },
      before: { awaabsLawStep: step, ...sides(0) },
      after: { awaabsLawStep: step, ...sides(1), ...(entry.emergency && { awaabsLawDate: when(entry) }) },
    }
  const isBack = rank(step) < rank(last.status)
  const text = isBack ? `Back from ${last.status} to ${step}` : `${last.status} completed, ${step} since ${when(entry)}`
  return {
    ...{ what: isBack ? 'back' : 'step', step: isBack ? step : last.status, text: [text, ...words].join(', ') },
    before: { awaabsLawStatus: last.status, ...sides(0) },
    after: { awaabsLawStep: step, awaabsLawStatus: step, awaabsLawDate: when(entry), ...sides(1) },
  }
}

const rank = (status: string) => awaabsLawSteps.indexOf(status as (typeof awaabsLawSteps)[number])
