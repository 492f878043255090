import type { PlannedRun, Rhythm } from './plan.ts'
import { endOf, lengthOf, planned } from './plan.ts'

const minute = 60_000

/** How long a battery charges after a duration test (research: EN 62034 as told by fusidom.com, EN 50172 as by firenetforum.org.uk). */
export const recharge = 24 * 60 * minute

/** A group as far as its tests can be in the way of others. */
export interface TestedGroup extends Rhythm {
  id: string
  name: string
  building: string
  /** How many lights it has. */
  lights: number
}

/** A run of a group, with the group. */
export interface GroupRun extends PlannedRun {
  group: TestedGroup
}

/** Where the clocks are, and what is tested there besides. */
interface Place {
  zone: string
  /** Runs that stand in no group's rhythm, because they repeat one that was missed; their groups have the lights that want it. */
  repeats?: readonly GroupRun[]
}

/**
 * The runs of other groups that a T180 at a start would run into: those that overlap its 180 minutes (devices gaps B13). Each
 * light of these groups is in conflict with a group that begins then.
 */
export function overlapping(start: number, others: readonly TestedGroup[], { zone, repeats = [] }: Place): GroupRun[] {
  const end = start + lengthOf('T180')
  const runs = others.flatMap((group) => [
    ...planned(group, { zone, from: start - lengthOf('T180'), to: end }).map((run) => ({ ...run, group })),
    ...repeats.filter((run) => run.group.id === group.id),
  ])
  return runs.filter((run) => run.startsAt < end && endOf(run) > start)
}

/** T180 runs of one building, of one group or several, that leave none of its lights with a charged battery. */
export interface DarkNight {
  building: string
  /** The runs, in their order. */
  runs: GroupRun[]
}

/**
 * The nights in which all lights of a building are tested: each T180 of its groups begins before the batteries of the others are
 * charged again, and together the groups hold every light. One group that holds them all is such a case in each of its nights,
 * and no other night helps, but a second group does. A building with one light is none: nothing could be done about it.
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
      // A group that repeats a test for some of its lights is there with all of them where it is tested itself.
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
  /** Groups that lights of the group are in as it stands; they are in the way. */
  rivals: readonly TestedGroup[]
  /** Of what these groups repeat, the runs in which a light of the group takes part; those of their other lights are in nobody's way. */
  repeated?: readonly GroupRun[]
  /** The other groups of its building. */
  neighbours: readonly TestedGroup[]
  lightsInBuilding: number
}

/** The night in which a T180 at a start would leave a building without a charged light; undefined where it does not. */
export function darkNightAt(start: number, wanted: Wanted, { zone, repeats = [] }: Place): DarkNight | undefined {
  const span = lengthOf('T180') + recharge
  const near = wanted.neighbours.flatMap((group) =>
    planned(group, { zone, from: start - span + 1, to: start + span }).map((run) => ({ ...run, group })),
  )
  const own: GroupRun = { testType: 'T180', startsAt: start, group: wanted.group }
  return darkNights([...near, ...repeats, own], () => wanted.lightsInBuilding).find(({ runs }) => runs.includes(own))
}

/** Whether another start would mend it: where one group holds all lights of the building, none does. */
export const isMovable = ({ runs }: { runs: readonly unknown[] }) => runs.length > 1

/** Whether one of its lights is tested in another group while a T180 at a start lasts. */
export const isInTheWay = (start: number, { rivals, repeated }: Wanted, zone: string) =>
  overlapping(start, rivals, { zone, ...(repeated && { repeats: repeated }) }).length > 0

/**
 * Starts that are in nobody's way: the first of the same night, in half hours, and the first at the same time of a later day.
 * At most two, and none where the next four weeks have none.
 */
export function freeStarts(
  start: number,
  wanted: Wanted,
  { laterDay, ...place }: Place & { laterDay(days: number): number },
): number[] {
  const isFree = (at: number) => {
    const night = darkNightAt(at, wanted, place)
    return !(night && isMovable(night)) && !isInTheWay(at, wanted, place.zone)
  }
  const tonight = Array.from({ length: 11 }, (_, half) => start + (half + 1) * 30 * minute).find(isFree)
  const later = Array.from({ length: 28 }, (_, days) => laterDay(days + 1)).find(isFree)
  return [tonight, later].filter((at) => at !== undefined)
}

/** The time of day of the nights that are suggested, by the clocks of the client (research, domain rules 2, section 1). */
export const nightStart = '02:00'
/** Nights that are shown, and nights among which the first free one is looked for. */
export const [nightsShown, nightsSearched] = [14, 60]
/** Of the night around a start, before and after: 22:00 to 07:00. */
const [nightBefore, nightAfter] = [4 * 60 * minute, 5 * 60 * minute]

/** A night on which a group could be tested. */
export interface NightChoice {
  start: number
  /** Tests that its lights have in that night, or that leave a battery without charge; `group.lights` are those concerned. */
  taken: GroupRun[]
  /** Lights that are still charging then. */
  charging: number
  /** Whether it would leave the building without a charged light. */
  isDark: boolean
  isFree: boolean
}

interface Nights extends Place {
  now: number
  /** A start so many days later at the same time by the clocks. */
  nightOf(days: number): number
  /** From when each light that is not charged now has enough charge, in ms. */
  chargedBy: readonly number[]
  notice: number
}

/** Whether a test of a light keeps it from a T180: one in the same night, and one that uses the battery within the time that it charges. */
function takes(run: PlannedRun, start: number): boolean {
  const uses = run.testType === 'T60' || run.testType === 'T180'
  const before = uses ? recharge : nightBefore
  const after = uses ? lengthOf('T180') + recharge : nightAfter
  return run.startsAt < start + after && endOf(run) > start - before
}

/**
 * The coming nights at 02:00, and the first of them that is free: none of the lights has a test or is charging, and the building is not
 * left dark. Undefined where none of the next 60 is.
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
