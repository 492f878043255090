import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupRun, TestedGroup } from './collisions.ts'
import { darkNightAt, darkNights, freeStarts, overlapping, recharge } from './collisions.ts'
import { endOf, lengthOf, planned, startOf, wallTimeAt } from './plan.ts'

const zone = 'Europe/London'
const hour = 3_600_000
const at = (wall: string) => startOf(wall, zone)
const group = (name: string, t180Start: string, more: Partial<TestedGroup> = {}): TestedGroup => ({
  ...{ id: name, name, building: 'Calder Wharf', lights: 5, t180Start, alsoTypes: [] },
  ...more,
})
const span = { zone, from: at('2026-11-01T00:00'), to: at('2027-11-01T00:00') }
const runsOf = (...groups: TestedGroup[]): GroupRun[] =>
  groups.flatMap((one) => planned(one, span).map((run) => ({ ...run, group: one })))

test('a light conflicts when a test of its group overlaps the 180 minutes from a start, and not when they only touch', () => {
  const east = group('east', '2026-11-28T01:30')
  const met = (start: string) => overlapping(at(start), [east], { zone }).map(({ testType }) => testType)
  assert.deepEqual(met('2026-11-28T01:30'), ['T180'])
  assert.deepEqual(met('2026-11-28T04:29'), ['T180'])
  assert.deepEqual(met('2026-11-28T04:30'), [])
  assert.deepEqual(met('2026-11-27T22:30'), [])
  assert.deepEqual(met('2026-11-27T22:31'), ['T180'])
  assert.deepEqual(met('2026-12-06T23:00'), ['T0'])
})

test('groups that test all lights of a building before the batteries are charged again leave it dark', () => {
  const dark = (east: TestedGroup, west: TestedGroup, lights = 10) => darkNights(runsOf(east, west), () => lights)
  const east = group('east', '2026-11-28T01:30')
  const [night] = dark(east, group('west', '2026-11-28T01:30'))
  assert.deepEqual(
    [night!.building, night!.runs.map(({ group: { name } }) => name)],
    ['Calder Wharf', ['east', 'west']],
  )
  assert.equal(dark(east, group('west', '2026-11-29T01:30')).length, 1)
  assert.equal(dark(east, group('west', '2026-11-29T04:30')).length, 0)
  assert.equal(dark(east, group('west', '2026-11-28T01:30'), 11).length, 0, 'one light keeps its charge')
  assert.equal(dark(east, group('west', '2026-11-28T01:30', { building: 'other' })).length, 0)
  const empty = group('empty', '2026-11-28T01:30', { lights: 0 })
  const alone = dark(group('alone', '2026-11-28T01:30', { lights: 10 }), empty)
  assert.deepEqual(
    alone.map(({ runs }) => runs.map((run) => run.group.name)),
    [['alone']],
    'all of them in one group',
  )
  assert.deepEqual(dark(group('single', '2026-11-28T01:30', { lights: 1 }), empty, 1), [], 'a building with one light')
})

test('the first free starts of that night and of a later one are offered, none that would be in the way', () => {
  const [east, west] = [group('east', '2026-11-28T01:30'), group('west', '2026-11-28T01:30')]
  const laterDay = (days: number) => at('2026-11-28T01:30') + days * 24 * hour
  const free = (rivals: TestedGroup[], neighbours: TestedGroup[]) =>
    freeStarts(
      at('2026-11-28T01:30'),
      { group: west, rivals, neighbours, lightsInBuilding: 10 },
      { zone, laterDay },
    ).map((start) => wallTimeAt(start, zone))
  assert.deepEqual(free([east], []), ['2026-11-28T04:30', '2026-11-29T01:30'])
  // The whole building would be without light until the day after next.
  assert.deepEqual(free([], [east]), ['2026-11-30T01:30'])
  // Where all lights are in one group every start leaves them dark: what is in the way is still told.
  const whole = { group: { ...west, lights: 10 }, rivals: [east], neighbours: [], lightsInBuilding: 10 }
  const [first] = freeStarts(at('2026-11-28T01:30'), whole, { zone, laterDay })
  assert.equal(wallTimeAt(first!, zone), '2026-11-28T04:30')
})

test('every T180 that leaves a building dark is told beforehand to whoever sets its start, and no other [dev-7groups-1]', () => {
  let state = 7
  const draw = (n: number) => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % n
  for (let world = 0; world < 300; world++) {
    const two = (n: number) => String(n).padStart(2, '0')
    const groups = Array.from({ length: 1 + draw(4) }, (_, index) =>
      group(`group ${index}`, `2026-11-${two(10 + draw(4))}T${two(draw(24))}:00`, { lights: 1 + draw(4) }),
    )
    const lights = groups.reduce((sum, one) => sum + one.lights, 0) + (draw(4) === 0 ? 1 : 0)
    const runs = runsOf(...groups)
    const dark = new Set(darkNights(runs, () => lights).flatMap((night) => night.runs.map((run) => run.group.id)))
    // As told without any rule: at some hour no light has a charged battery.
    const spent = (one: TestedGroup, moment: number) =>
      runs.some(
        (run) =>
          run.group === one && run.testType === 'T180' && run.startsAt <= moment && moment < endOf(run) + recharge,
      )
    const total = groups.reduce((sum, one) => sum + one.lights, 0)
    const moments = Array.from({ length: 240 }, (_, n) => at('2026-11-09T00:00') + n * hour)
    const isDark = total > 1 && total === lights && moments.some((moment) => groups.every((one) => spent(one, moment)))
    assert.equal(dark.size > 0, isDark, JSON.stringify(groups))
    for (const one of groups) {
      const neighbours = groups.filter((other) => other !== one)
      const start = at(one.t180Start)
      const told = darkNightAt(start, { group: one, rivals: [], neighbours, lightsInBuilding: lights }, { zone })
      assert.equal(told !== undefined, isDark, one.name)
    }
  }
})

test('a T180 takes three hours and a flick test a moment', () => {
  assert.equal(lengthOf('T180'), 3 * hour)
  assert.ok(lengthOf('T0') <= 60_000)
})
