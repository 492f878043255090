import type { PlannedRun, Rhythm } from './plan.ts'
import { endOf, lengthOf, planned } from './plan.ts'

const minute = 60_000

/**
 * Charging time of a battery after a duration test (sources: EN 62034 as quoted by fusidom.com, EN 50172 as quoted by
 * firenetforum.org.uk).
 */
export const recharge = 24 * 60 * minute

/** The data of a group needed to find conflicts between tests. */
export interface TestedGroup extends Rhythm {
  id: string
  name: string
  building: string
  /** The number of its lights. */
  lights: number
}

/** A run with its group. */
export interface GroupRun extends PlannedRun {
  group: TestedGroup
}

/** The time zone, and additional runs there. */
interface Place {
  zone: string
  /** Runs outside the schedule, which repeat a missed one; their groups contain the lights that need it. */
  repeats?: readonly GroupRun[]
}

/**
 * The runs of other groups that overlap the 180 minutes of a T180 (devices gaps B13). Each light of these groups
 * conflicts with a group that starts then.
 */
export function overlapping(start: number, others: readonly TestedGroup[], { zone, repeats = [] }: Place): GroupRun[] {
  const end = start + lengthOf('T180')
  const runs = others.flatMap((group) => [
    ...planned(group, { zone, from: start - lengthOf('T180'), to: end }).map((run) => ({ ...run, group })),
    ...repeats.filter((run) => run.group.id === group.id),
  ])
  return runs.filter((run) => run.startsAt < end && endOf(run) > start)
}

/** T180 runs of one building, by one or more groups, that leave none of its lights charged. */
export interface DarkNight {
  building: string
  /** The runs, in order. */
  runs: GroupRun[]
}

/**
 * The nights in which all lights of a building are tested: each T180 begins before the batteries of the others are
 * charged again, and together the groups contain every light. A single group with all lights is such a case every
 * night; only a second group helps. Buildings with one light are left out, since nothing can be done.
 */
export function darkNights(runs: readonly GroupRun[], lightsOf: (building: string) => number): DarkNight[] {
  const long = runs.filter(({ testType, group }) => testType === 'T180' && group.lights > 0)
  const buildings = Map.groupBy(long, ({ group }) => group.building)
  return [...buildings].flatMap(([building, all]) => {
    const inOrder = all.toSorted((a, b) => a.startsAt - b.startsAt)
    const nights: DarkNight[] = []
    for (const first of inOrder) {
      const within = inOrder.filter((run) => run.startsAt >= first.startsAt && run.startsAt < endOf(first) + recharge)
      if (nights.some((night) => within.every((run) => night.runs.includes(run)))) continue
      // If a group repeats a test for some of its lights and is tested as a whole as well, all its lights count.
      const groups = new Map<string, number>()
      for (const { group } of within) groups.set(group.id, Math.max(group.lights, groups.get(group.id) ?? 0))
      const together = [...groups.values()].reduce((sum, lights) => sum + lights, 0)
      if (together > 1 && together >= lightsOf(building)) nights.push({ building, runs: within })
    }
    return nights
  })
}

export interface Wanted {
  group: TestedGroup
  /** Groups that currently contain lights of the group; their runs conflict. */
  rivals: readonly TestedGroup[]
  /** Repeated runs of these groups in which a light of the group takes part; those of other lights do not conflict. */
  repeated?: readonly GroupRun[]
  /** The other groups of its building. */
  neighbours: readonly TestedGroup[]
  lightsInBuilding: number
}

/**
 * The night in which a T180 at this start would leave a building without a charged light; undefined if it would not.
 */
export function darkNightAt(start: number, wanted: Wanted, { zone, repeats = [] }: Place): DarkNight | undefined {
  const span = lengthOf('T180') + recharge
  const near = wanted.neighbours.flatMap((group) =>
    planned(group, { zone, from: start - span + 1, to: start + span }).map((run) => ({ ...run, group })),
  )
  const own: GroupRun = { testType: 'T180', startsAt: start, group: wanted.group }
  return darkNights([...near, ...repeats, own], () => wanted.lightsInBuilding).find(({ runs }) => runs.includes(own))
}

/** Whether another start would help: not if one group contains all lights of the building. */
export const isMovable = ({ runs }: { runs: readonly unknown[] }) => runs.length > 1

/** Whether one of its lights is tested in another group during a T180 at this start. */
export const isStartBlocked = (start: number, { rivals, repeated }: Wanted, zone: string) =>
  overlapping(start, rivals, { zone, ...(repeated && { repeats: repeated }) }).length > 0

/**
 * Starts without conflicts: the first of the same night in half-hour steps, and the first at the same time of a later
 * day. At most two; empty if there are none in the next four weeks.
 */
export function freeStarts(
  start: number,
  wanted: Wanted,
  { laterDay, ...place }: Place & { laterDay(days: number): number },
): number[] {
  const isFree = (at: number) => {
    const night = darkNightAt(at, wanted, place)
    return !(night && isMovable(night)) && !isStartBlocked(at, wanted, place.zone)
  }
  const tonight = Array.from({ length: 11 }, (_, half) => start + (half + 1) * 30 * minute).find(isFree)
  const later = Array.from({ length: 28 }, (_, days) => laterDay(days + 1)).find(isFree)
  return [tonight, later].filter((at) => at !== undefined)
}

/** The suggested local start time (research, domain rules 2, section 1). */
export const nightStart = '02:00'
/** Nights shown, and nights searched for the first free one. */
export const [nightsShown, nightsSearched] = [14, 60]
/** The night around a start: 22:00 to 07:00. */
const [nightBefore, nightAfter] = [4 * 60 * minute, 5 * 60 * minute]

/** A night on which a group could be tested. */
export interface NightChoice {
  start: number
  /** Tests of its lights on that night, or tests that leave a battery uncharged; `group.lights` are those affected. */
  taken: GroupRun[]
  /** Lights still charging at that time. */
  charging: number
  /** Whether it would leave the building without a charged light. */
  isDark: boolean
  isFree: boolean
}

interface Nights extends Place {
  now: number
  /** The start `days` later at the same local time. */
  nightOf(days: number): number
  /** When each uncharged light is charged sufficiently, in ms. */
  chargedBy: readonly number[]
  notice: number
}

/**
 * Whether a test prevents a T180 of the light: one in the same night, or one that uses the battery within its charging
 * time.
 */
function takes(run: PlannedRun, start: number): boolean {
  const uses = run.testType === 'T60' || run.testType === 'T180'
  const before = uses ? recharge : nightBefore
  const after = uses ? lengthOf('T180') + recharge : nightAfter
  return run.startsAt < start + after && endOf(run) > start - before
}

/**
 * The coming nights at 02:00, and the first free one: no light has a test or is charging, and the building is not left
 * dark. Undefined if none of the next 60 is free.
 */
export function nightChoices(wanted: Wanted, { nightOf, chargedBy, now, notice, ...place }: Nights) {
  const choose = (start: number): NightChoice => {
    const near = {
      zone: place.zone,
      from: start - lengthOf('T180') - recharge,
      to: start + lengthOf('T180') + recharge,
    }
    const taken = [
      ...wanted.rivals.flatMap((group) => planned(group, near).map((run) => ({ ...run, group }))),
      ...(wanted.repeated ?? []),
    ]
      .filter((run) => takes(run, start))
      .toSorted((a, b) => a.startsAt - b.startsAt)
    const charging = chargedBy.filter((at) => at > start).length
    const night = darkNightAt(start, wanted, place)
    const isDark = night !== undefined && isMovable(night)
    return { start, taken, charging, isDark, isFree: !taken.length && !charging && !isDark }
  }
  const coming = Array.from({ length: nightsSearched + 2 }, (_, days) => nightOf(days)).filter(
    (start, at, all) => start >= now + notice && all.indexOf(start) === at,
  )
  const shown = coming.slice(0, nightsShown).map(choose)
  const later = () => coming.slice(nightsShown).find((start) => choose(start).isFree)
  return { shown, free: shown.find(({ isFree }) => isFree)?.start ?? later() }
}
