import type { Day } from '../calendar/days.ts'
import { dayAt, dayText, endOfDay } from '../calendar/days.ts'
import type { Condition } from '../conditions/conditions.ts'
import { isOfFaults, isOfTests } from '../conditions/conditions.ts'
import { startOf } from '../lighting/plan.ts'
import { isLightPart } from './forms.ts'

/** Maximum photographs of one repair, and bytes of each. */
export const mostPhotos = 6
export const longestPhoto = 10_000_000

/** Validation errors of the repair form (design of the lights' pages). */
export const repairTexts = {
  empty: 'Choose at least one part or write a note',
  future: 'The date cannot be in the future',
  beforeFault: (day: Day) => `The repair cannot be before the fault on ${dayText(day)}`,
  photo: 'Photo is larger than 10 MB. Choose a smaller one.',
} as const

/** Conditions for which a repair is recorded. */
const isRepairable = ({ kind }: Pick<Condition, 'kind'>) =>
  isOfTests(kind) || isOfFaults(kind) || kind === 'equipmentBroken' || kind === 'deviceBroken'

/** When the oldest open fault began; undefined if there is none. */
export function faultSince(open: readonly Pick<Condition, 'kind' | 'began'>[]): number | undefined {
  const began = open.filter(isRepairable).map((one) => one.began)
  return began.length ? Math.min(...began) : undefined
}

/** Day and time of a repair, as entered. */
export interface RepairTime {
  repairedOn: Day
  /** 'HH:mm'; optional. */
  repairedTime?: string | undefined
}

interface Now {
  now: number
  zone: string
}

/** When a repair was done, as far as known: a failed test on the same day or in the same minute counts as its cause. */
export function repairedAt({ repairedOn, repairedTime }: RepairTime, { now, zone }: Now): number {
  if (repairedTime === undefined) return Math.min(now, endOfDay(repairedOn, zone))
  return startOf(`${repairedOn}T${repairedTime}`, zone) + 59_999
}

/** The validation error of a repair's time; undefined if there is none. */
export function repairTimeFault(time: RepairTime, since: number | undefined, { now, zone }: Now): string | undefined {
  if (time.repairedOn > dayAt(now, zone) || repairedAt(time, { now, zone }) > now + 60_000) return repairTexts.future
  // Rounded to the minute, as entered.
  const begun = since === undefined ? undefined : Math.floor(since / 60_000) * 60_000
  return begun !== undefined && repairedAt(time, { now, zone }) < begun
    ? repairTexts.beforeFault(dayAt(begun, zone))
    : undefined
}

/** A replaced part of a light: the part, the fitted model, and the quantity. */
export interface ReplacedPart {
  part: string
  model?: string | undefined
  quantity: number
}

/** 'Battery (NiCd stick, 3.6 V), lamp ×2'. */
export function replacedText(parts: readonly ReplacedPart[]): string {
  return parts
    .filter(({ part }) => isLightPart(part))
    .map(({ part, model, quantity }, at) => {
      const word = at === 0 ? part[0]!.toUpperCase() + part.slice(1) : part
      return [word, model && ` (${model})`, quantity > 1 && ` ×${quantity}`].filter(Boolean).join('')
    })
    .join(', ')
}
