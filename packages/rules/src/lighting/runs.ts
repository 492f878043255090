import type { Day } from '../calendar/days.ts'
import { dayAfter, startOfDay } from '../calendar/days.ts'
import type { TestType } from './tests.ts'
import { minutesOf } from './tests.ts'

/** States of a planned group test. */
export const runStates = ['planned', 'running', 'over', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

/**
 * States of one light's planned test. They are kept separate from results: a test that was missed, not started or
 * interrupted has neither passed nor failed (decisions of the specification, Test results).
 */
export const lightRunStates = ['waiting', 'sent', 'running', 'finished', 'missed', 'notStarted', 'interrupted'] as const
export type LightRunState = (typeof lightRunStates)[number]

const [second, minute, hour] = [1000, 60_000, 3_600_000]

/**
 * Time between the test commands to two lights of one gateway, in ms: it avoids overload and leaves the gateway time
 * for other messages.
 */
export const turn = 2 * second
/** How late a test may begin after a server outage, in ms. Later ones count as missed, because nights are planned. */
export const catchUp = 2 * hour
/** How long after its rated time a test's end may still be reported, in ms. */
export const endGrace = 30 * minute
/**
 * Uninterrupted charging before a duration test, in ms (research on the domain, section 1: EN 62034, new batteries,
 * mains failures).
 */
export const chargeTime = 24 * hour

/**
 * When each light gets its test command: staggered per gateway, at once for lights without one. `busy` holds the time
 * of the last command that running tests still have for a gateway; the others follow it.
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

/** The known facts about a light with a due test; unknown facts never prevent it. */
export interface LightBefore {
  isInstalled: boolean
  /** Whether the mains supply is on, and since when, as reported; ms. */
  mains?: boolean | undefined
  mainsSince?: number | undefined
  batteryFull?: boolean | undefined
  /**
   * When the last test that drained a good part of the battery ended, and the latest time at which the battery was
   * fitted; ms.
   */
  drainedAt?: number | undefined
  batteryInstalledAt?: number | undefined
}

/** The latest time at which a battery was fitted if only the day is known. */
export const putInBy = (day: Day, zone: string) => startOfDay(dayAfter(day, 1), zone)

/** Whether a test certainly concerned the previous battery: it began before the day on which this one was fitted. */
export const isReportOfPreviousBattery = (testedAt: number, putInOn: Day, zone: string) =>
  testedAt < startOfDay(putInOn, zone)

/**
 * Tests that drain a good part of a battery: started before it is charged, they would measure the charge and not the
 * battery.
 */
const needsCharge: readonly TestType[] = ['T60', 'T180']

/** The last event that drained a battery or interrupted its charging, and when charging began, as far as known. */
function lastUse(light: LightBefore): { what: string; at: number } | undefined {
  const since = [
    { what: 'mains returned', at: light.mainsSince },
    { what: 'the battery was used by a test', at: light.drainedAt },
    { what: 'the battery was fitted by', at: light.batteryInstalledAt },
  ].filter((one): one is { what: string; at: number } => one.at !== undefined)
  return since.length ? since.reduce((a, b) => (b.at > a.at ? b : a)) : undefined
}

/**
 * When a light will be charged for a duration test, in ms; undefined if it is now. For a light without mains supply, or
 * one that reports a battery that is not full, a full charging time from now is assumed.
 */
export function chargedBy(light: LightBefore, now: number): number | undefined {
  const known = (lastUse(light)?.at ?? -Infinity) + chargeTime
  if (light.mains === false) return now + chargeTime
  if (known > now) return known
  return light.batteryFull === false ? now + chargeTime : undefined
}

/** Why a light does not begin a test; undefined if nothing prevents it. `time` formats an instant. */
export function holdOff(
  testType: TestType,
  light: LightBefore,
  { now, time }: { now: number; time(at: number): string },
): string | undefined {
  if (!light.isInstalled) return 'The light is not installed.'
  if (light.mains === false)
    return light.mainsSince === undefined
      ? 'The light has no mains supply.'
      : `No mains since ${time(light.mainsSince)}.`
  if (!needsCharge.includes(testType)) return undefined
  const latest = lastUse(light)
  if (latest && now - latest.at < chargeTime) return `Less than 24 h of charge: ${latest.what} ${time(latest.at)}.`
  if (light.batteryFull === false) return 'The battery is not full.'
  return undefined
}

/** When a light should have reported the end of its test, ms. */
export const endExpected = (testType: TestType, begun: number) => begun + minutesOf[testType] * minute + endGrace
