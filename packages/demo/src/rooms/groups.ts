import { dayAfter, dayAt } from '@caretaker/rules/calendar/days.ts'
import { groupKey } from '@caretaker/rules/lighting/groups.ts'
import { planAhead, planned, localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { demoId } from '../chance.ts'
import type { Row } from '../copy.ts'
import { demoBuildings } from '../fixtures.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour, minute } from '../plan/device.ts'
import type { DeviceSeeder } from '../seeding.ts'
import type { LightTest } from './light-tests.ts'
import { isTested, testsOf } from './light-tests.ts'

/** The time zone of all demo clients. */
const zone = 'Europe/London'
/** How far back tests are shown as group runs. */
const past = 400 * day

interface GroupPlan {
  name: string
  building: string
  /** Selects the lights of its building; all by default. */
  holds?: (light: DemoDevice, index: number) => boolean
  alsoTypes?: readonly TestType[]
}

const isStair = (letter: string) => (light: DemoDevice) => light.name.startsWith(`Stair ${letter}`)
/** One light that is not in a group yet. */
const isFree = (light: DemoDevice) => light.name === 'Corridor 9'
const isEast = (light: DemoDevice) => /Stair A|Corridor|Entrance/.test(light.name)

/** The groups of the buildings with a scenario. The simulated lights are in the first three. */
const plans: readonly GroupPlan[] = [
  { name: 'Kestrel Court stair A', building: demoBuildings.lively, holds: isStair('A'), alsoTypes: ['T5', 'T60'] },
  { name: 'Kestrel Court stair B', building: demoBuildings.lively, holds: isStair('B'), alsoTypes: ['T5', 'T60'] },
  {
    name: 'Kestrel Court corridors',
    building: demoBuildings.lively,
    holds: (light) => !/^Stair [AB]/.test(light.name),
    alsoTypes: ['T5', 'T60'],
  },
  {
    name: 'Beech Hill Court A',
    building: demoBuildings.failedT180,
    holds: (light, index) => index % 2 === 0 && !isFree(light),
    alsoTypes: ['T5', 'T60'],
  },
  {
    name: 'Beech Hill Court B',
    building: demoBuildings.failedT180,
    holds: (light, index) => index % 2 === 1 && !isFree(light),
    alsoTypes: ['T5', 'T60'],
  },
  { name: 'Calder Wharf east', building: demoBuildings.collision, holds: isEast },
  { name: 'Calder Wharf west', building: demoBuildings.collision, holds: (light) => !isEast(light) },
  { name: 'Riverside Point', building: demoBuildings.offlineGateway, alsoTypes: ['T5'] },
  { name: 'Alder House', building: 'Alder House', alsoTypes: ['T5'] },
  { name: 'Terminal halls', building: 'Princes Terminal', holds: (light) => light.name.startsWith('Hall') },
  { name: 'Terminal upstairs', building: 'Princes Terminal', holds: (light) => !light.name.startsWith('Hall') },
  { name: 'Queensway Car Park', building: 'Queensway Car Park' },
]

interface Group extends GroupPlan {
  id: string
  buildingId: string
  lights: DemoDevice[]
  tests: LightTest[]
  t180Start: string
  alsoTypes: readonly TestType[]
}

/** Creates the test groups with past and planned runs. All of their lights are among the first devices. */
export const seedGroups: DeviceSeeder = async ({ write, world, now }, devices, from) => {
  if (from > 0) return
  const groups = plans.flatMap((plan) => groupOf(plan, world.buildings, devices, now) ?? [])
  await write(
    'light_group',
    ['id', 'name', 'name_key', 'building_id', 't180_start', 'also_types', 'created_at', 'planned_until'],
    groups.map(({ id, name, buildingId, t180Start, alsoTypes }) => [
      ...[id, name, groupKey(name), buildingId, t180Start, `{${alsoTypes.join()}}`],
      ...[new Date(now - past), new Date(now + planAhead)],
    ]),
  )
  await write(
    'light_group_member',
    ['device_id', 'group_id', 'added_at'],
    groups.flatMap(({ id, lights }) => lights.map((light) => [light.id, id, new Date(now - past)])),
  )
  const runs = groups.flatMap((group) => [...ranOf(group, now), ...comingOf(group, now)])
  await write(
    'test_run',
    ['id', 'group_id', 'group_name', 'building_id', 'test_type', 'starts_at', 'state', 'ended_at'],
    runs.map(({ row }) => row),
  )
  await write(
    'test_run_light',
    ['run_id', 'device_id', 'state', 'reason', 'due_at', 'synced_at', 'event_id', 'ended_at'],
    runs.flatMap(({ lights }) => lights),
  )
}

function groupOf(
  plan: GroupPlan,
  buildings: readonly { id: string; name: string }[],
  devices: readonly DemoDevice[],
  now: number,
): Group | undefined {
  const building = buildings.find(({ name }) => name === plan.building)
  if (!building) return undefined
  const inBuilding = devices.filter((device) => device.buildingId === building.id && isTested(device))
  const lights = plan.holds ? inBuilding.filter(plan.holds) : inBuilding
  const tests = lights.flatMap((light) => testsOf(light, now, false)).filter(({ startedAt }) => startedAt > now - past)
  return {
    ...plan,
    id: demoId(`${building.id} group ${plan.name}`),
    buildingId: building.id,
    lights,
    tests,
    alsoTypes: plan.alsoTypes ?? [],
    t180Start: startOf(plan, tests, now),
  }
}

/**
 * The groups of a building are tested weeks apart, except in one building where both start on the same night next week,
 * and except for the group whose yearly test was last night.
 */
function startOf(plan: GroupPlan, tests: readonly LightTest[], now: number): string {
  if (plan.building === demoBuildings.collision) return `${dayAfter(dayAt(now, zone), 7)}T01:30`
  if (plan.building === demoBuildings.offlineGateway) return localTimeAt(lastNight(now), zone)
  const before = plans.filter(({ building }) => building === plan.building).indexOf(plan)
  const local = localTimeAt(usualT180(tests) ?? now - 100 * day, zone)
  return `${dayAfter(local.slice(0, 10), before * 16)}${local.slice(10)}`
}

/** The time at which most of the lights had their T180. */
function usualT180(tests: readonly LightTest[]): number | undefined {
  const long = Map.groupBy(
    tests.filter(({ testType }) => testType === 'T180'),
    ({ startedAt }) => startedAt,
  )
  return [...long].sort(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

interface Run {
  row: Row
  lights: Row[]
}

/** The tests of a group's lights, grouped by start time into runs. */
function ranOf(group: Group, now: number): Run[] {
  const runs = Map.groupBy(group.tests, ({ testType, startedAt }) => `${testType} ${startedAt}`)
  const ran = [...runs.values()].map((tests) => {
    const { testType, startedAt } = tests[0]!
    const ended = new Date(startedAt + minutesOf[testType] * minute + 20_000)
    return {
      row: rowOf(group, testType, startedAt, ['over', ended]),
      lights: tests.map((test) => [
        ...[runId(group, testType, startedAt), test.deviceId, 'finished', null, new Date(startedAt)],
        ...[new Date(startedAt + 8_000), test.eventId, ended],
      ]),
    }
  })
  return group.building === demoBuildings.offlineGateway ? [...ran, missedOf(group, now)] : ran
}

const lastNight = (now: number) => Math.floor(now / day) * day + 2 * hour - (now % day < 5 * hour ? day : 0)

/**
 * Last night's yearly test, which the lights missed because their gateway was offline. The worker schedules it again.
 */
function missedOf(group: Group, now: number): Run {
  const at = lastNight(now)
  const ended = new Date(at + hour)
  return {
    row: rowOf(group, 'T180', at, ['over', ended]),
    lights: group.lights.map((light) => [
      ...[runId(group, 'T180', at), light.id, 'missed', 'Offline.', new Date(at), null, null, ended],
    ]),
  }
}

const comingOf = (group: Group, now: number): Run[] =>
  planned(group, { zone, from: now, to: now + planAhead }).map(({ testType, startsAt }) => ({
    row: rowOf(group, testType, startsAt, ['planned', null]),
    lights: [],
  }))

const runId = (group: Group, testType: TestType, at: number) => demoId(`${group.id} ${testType} ${at}`)

function rowOf(group: Group, testType: TestType, at: number, end: ['over', Date] | ['planned', null]): Row {
  return [runId(group, testType, at), group.id, group.name, group.buildingId, testType, new Date(at), ...end]
}
