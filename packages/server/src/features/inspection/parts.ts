import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import type { Gap, LogBook, LostTest, Outcome, Period, YearOfLight } from '@caretaker/rules/inspection/sheet.ts'
import { outcomeWords } from '@caretaker/rules/inspection/sheet.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'

/** The head of a sheet. Null values are unknown, and written so. */
export interface About extends LogBook {
  client: string
  contacts: string | null
  building: string
  address: string | null
  period: Period
  writtenAt: Date
  writtenBy: string
  /**
   * Everyone named as responsible before the sheet was written, with the start day, earliest first; null where the
   * name was removed.
   */
  responsibleBefore: { name: string | null; since: Day }[]
  /** Whether the building may have lights that the user may not see. */
  isLimited: boolean
  lights: number
  /** The number of tests of the period per result. */
  tests: { type: TestType; outcome: Outcome; count: number }[]
  zone: string
}

/** A light as the other parts name it. */
export interface LightName {
  serial: string
  name: string
}

export interface LightEntry extends LightName {
  floor: string | null
  room: string | null
  luminaire: string | null
  lampType: string | null
  inverterType: string | null
  battery: string | null
  batterySince: Day | null
  circuit: string | null
  /** Maintained or non-maintained, and its key switch: neither is reported by a light. */
  mode: string | null
  keySwitch: string | null
  group: string | null
  lastFull: { day: Day; outcome: Outcome; minutes: number | null } | null
}

/**
 * The next test of a type for the lights of a group; empty for lights without a group, and for groups without a plan.
 */
export interface ScheduleEntry {
  group: string | null
  type: TestType | null
  /** It repeats a test that these lights missed, apart from the plan of their group. */
  isAgain: boolean
  /** The number of the sheet's lights that it concerns. */
  lights: number
  next: Date | null
}

export interface TestEntry {
  light: LightName
  type: TestType
  at: Date
  outcome: Outcome
  minutes: number | null
  /** When it failed; undefined if it did not. */
  failedAt: Date | null | undefined
  reason: string | null
  /** Whether a user corrected or disputed its result. */
  isDecided: boolean
}

export interface YearEntry extends YearOfLight {
  light: LightName
  /** How long it burned in the year's full-duration test. */
  minutes: number | null
}

export interface FaultEntry {
  light: LightName
  what: string
  since: Date
  /** Null while it is open. */
  endedAt: Date | null
  howEnded: string | null
  /** The interim measure, if one was entered. */
  interim: string | null
  days: number
}

export interface WorkEntry {
  light: LightName
  day: Day
  what: string
  by: string
}

/** A photograph of a repair. */
export interface PhotoEntry {
  light: LightName
  /** The day of the repair. */
  day: Day
  name: string
  /** A JPEG or an opaque PNG; null if it is not printed. */
  image: Buffer | null
  /** Why it is not printed. */
  why: string | null
}

/** A light that left the building. */
export interface RemovedEntry {
  light: LightName
  day: Day
  what: string
  by: string
}

export interface GapEntry extends Omit<Gap, 'lost'> {
  light: LightName
  lost: LostTest[]
}

/** The parts of a sheet in order; a list may come in several pieces. */
export type Part =
  | { part: 'about'; about: About }
  | { part: 'lights'; entries: LightEntry[] }
  | { part: 'schedule'; entries: ScheduleEntry[] }
  | { part: 'years'; entries: YearEntry[] }
  | { part: 'tests'; entries: TestEntry[] }
  | { part: 'faults'; entries: FaultEntry[] }
  | { part: 'works'; entries: WorkEntry[] }
  | { part: 'photos'; entries: PhotoEntry[] }
  | { part: 'removed'; entries: RemovedEntry[] }
  | { part: 'gaps'; entries: GapEntry[] }
export type PartName = Part['part']

export const partNames = [
  'about',
  'lights',
  'schedule',
  'years',
  'tests',
  'faults',
  'works',
  'photos',
  'removed',
  'gaps',
] as const satisfies PartName[]

/** 'Jo Whitfield from 01/02/2024; Priya Nair from 12/03/2026'. */
export const responsibleText = ({ responsibleBefore }: About) =>
  responsibleBefore.map(({ name, since }) => `${name ?? 'not recorded'} from ${dayText(since)}`).join('; ')

/** A planned test in words: 'T180', 'T180 again'. */
export const plannedTest = ({ type, isAgain }: ScheduleEntry): string | null =>
  type && (isAgain ? `${type} again` : type)

/** The name of a test that was lost in a gap. */
export const lostText = ({ type, day, state, reason }: GapEntry['lost'][number]) =>
  `${type} ${dayText(day)} ${outcomeWords[state].toLowerCase()}${reason ? `: ${reason}` : ''}`
