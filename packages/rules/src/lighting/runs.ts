import type { Day } from '../calendar/days.ts'
import { dayAfter, startOfDay } from '../calendar/days.ts'
import type { TestType } from './tests.ts'
import { minutesOf } from './tests.ts'

/** How far a planned test of a group has come. */
export const runStates = ['planned', 'running', 'over', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

/**
 * How far a planned test of one light has come. What is no result stands here and never among the results: a test that was
 * missed, not started or interrupted has neither passed nor failed (decisions of the specification, Test results).
 */
export const lightRunStates = ['waiting', 'sent', 'running', 'finished', 'missed', 'notStarted', 'interrupted'] as const
export type LightRunState = (typeof lightRunStates)[number]

const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** Between two lights behind one gateway that are told to begin, in ms: it is not flooded, and speaks for others meanwhile. */
export const turn = 2 * second
/** How late a test may begin because nobody was there to begin it, in ms. What is later was missed: nights are planned. */
export const catchUp = 2 * hour
/** After the time of a test in which its light may still tell of the end, in ms. */
export const endGrace = 30 * minute
/** Of unbroken charge before a duration test, in ms (research on the domain, section 1: EN 62034, new batteries, mains failures). */
export const chargeTime = 24 * hour

/**
 * When each light is told to begin: those behind one gateway by turns, whatever stands between, and one that is behind none at once.
 * `busy` says when a gateway has the last light to tell of the runs that are under way: others come after it.
 */
export function turnsOf<Light extends { gatewayId: string | null }>(
  lights: readonly Light[],
  from: number,
  busy: ReadonlyMap<string, number> = new Map(),
): { light: Light; at: number }[] {
  const next = new Map([...busy].map(([gateway, last]) => [gateway, Math.max(from, last + turn)]))
  return lights.map((light) => {
    if (light.gatewayId === null) return { light, at: from }
    const at = next.get(light.gatewayId) ?? from
    next.set(light.gatewayId, at + turn)
    return { light, at }
  })
}

/** What is known of a light whose test is due; what is not known refuses nothing. */
export interface LightBefore {
  isInstalled: boolean
  /** Whether it has mains, and since when, as it says itself; ms. */
  mains?: boolean | undefined
  mainsSince?: number | undefined
  batteryFull?: boolean | undefined
  /** When a test ended that emptied a good part of its battery, and when at the latest the battery was put in; ms. */
  drainedAt?: number | undefined
  batteryInstalledAt?: number | undefined
}

/** When at the latest a battery was put in of which only the day is known: it may have been in the evening. */
export const putInBy = (day: Day, zone: string) => startOfDay(dayAfter(day, 1), zone)

/** Whether a test surely told of the battery before this one: it began before the day on which this one was put in. */
export const toldOfBatteryBefore = (testedAt: number, putInOn: Day, zone: string) =>
  testedAt < startOfDay(putInOn, zone)

/** Tests that use up a good part of a battery: begun before it is charged, they would tell of the charge and not of the battery. */
const needsCharge: readonly TestType[] = ['T60', 'T180']

/** What used the battery of a light last, as far as is known, and when it began to charge. */
function lastUse(light: LightBefore): { what: string; at: number } | undefined {
  const since = [
    { what: 'mains came back', at: light.mainsSince },
    { what: 'the battery was used by a test', at: light.drainedAt },
    { what: 'the battery was put in by', at: light.batteryInstalledAt },
  ].filter((one): one is { what: string; at: number } => one.at !== undefined)
  return since.length ? since.reduce((a, b) => (b.at > a.at ? b : a)) : undefined
}

/**
 * From when a light has the charge that a duration test needs, in ms; undefined where it has it now. Of a light that has no mains,
 * or reports that its battery is not full, nothing better is known than a full charge from now on.
 */
export function chargedBy(light: LightBefore, now: number): number | undefined {
  const known = (lastUse(light)?.at ?? -Infinity) + chargeTime
  if (light.mains === false) return now + chargeTime
  if (known > now) return known
  return light.batteryFull === false ? now + chargeTime : undefined
}

/** Why a light does not begin a test; undefined when nothing speaks against it. `time` writes an instant for people. */
export function holdOff(
  testType: TestType,
  light: LightBefore,
  { now, time }: { now: number; time(at: number): string },
): string | undefined {
  if (!light.isInstalled) return 'The light is not installed.'
  if (light.mains === false)
    return light.mainsSince === undefined ? 'The light has no mains.' : `No mains since ${time(light.mainsSince)}.`
  if (!needsCharge.includes(testType)) return undefined
  const latest = lastUse(light)
  if (latest && now - latest.at < chargeTime) return `Less than 24 h of charge: ${latest.what} ${time(latest.at)}.`
  if (light.batteryFull === false) return 'The battery is not full.'
  return undefined
}

/** When a light that has begun should have told of the end, ms. */
export const endExpected = (testType: TestType, begun: number) => begun + minutesOf[testType] * minute + endGrace
