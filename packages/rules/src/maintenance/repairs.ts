import type { Day } from '../calendar/days.ts'
import { dayAt, dayText, endOfDay } from '../calendar/days.ts'
import type { Condition } from '../conditions/conditions.ts'
import { isOfFaults, isOfTests } from '../conditions/conditions.ts'
import { startOf } from '../lighting/plan.ts'
import { isLightPart } from './forms.ts'

/** Photographs of one repair, and the bytes of each. */
export const mostPhotos = 6
export const longestPhoto = 10_000_000

/** What the repair form says where something is wrong (design of the lights' pages). */
export const repairTexts = {
  empty: 'Choose at least one part or write a note',
  future: 'The date cannot be in the future',
  beforeFault: (day: Day) => `The repair cannot be before the fault on ${dayText(day)}`,
  photo: 'Photo is larger than 10 MB. Choose a smaller one.',
} as const

/** Conditions that a repair is recorded for. */
const isRepairable = ({ kind }: Pick<Condition, 'kind'>) =>
  isOfTests(kind) || isOfFaults(kind) || kind === 'equipmentBroken' || kind === 'deviceBroken'

/** When the first fault began that is still open; undefined where none is. */
export function faultSince(open: readonly Pick<Condition, 'kind' | 'began'>[]): number | undefined {
  const began = open.filter(isRepairable).map((one) => one.began)
  return began.length ? Math.min(...began) : undefined
}

/** A repair by day and time of day, as the form takes them. */
export interface RepairTime {
  repairedOn: Day
  /** 'HH:mm'; without it some time of that day. */
  repairedTime?: string | undefined
}

interface Now {
  now: number
  zone: string
}

/** When a repair was done, as far as is known: a test that failed on the day itself, or in the same minute, was what it was done for. */
export function repairedAt({ repairedOn, repairedTime }: RepairTime, { now, zone }: Now): number {
  if (repairedTime === undefined) return Math.min(now, endOfDay(repairedOn, zone))
  return startOf(`${repairedOn}T${repairedTime}`, zone) + 59_999
}

/** What is wrong with the time of a repair; undefined where nothing is. */
export function repairTimeFault(time: RepairTime, since: number | undefined, { now, zone }: Now): string | undefined {
  if (time.repairedOn > dayAt(now, zone) || repairedAt(time, { now, zone }) > now + 60_000) return repairTexts.future
  // To the minute, as people write it.
  const begun = since === undefined ? undefined : Math.floor(since / 60_000) * 60_000
  return begun !== undefined && repairedAt(time, { now, zone }) < begun
    ? repairTexts.beforeFault(dayAt(begun, zone))
    : undefined
}

/** What was replaced in a light: its part, the model that was put in, and how many. */
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
