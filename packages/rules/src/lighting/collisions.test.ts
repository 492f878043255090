import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import type { GroupRun, TestedGroup } from './collisions.ts'
import { darkNightAt, darkNights, freeStarts, nightChoices, overlapping, recharge } from './collisions.ts'
import type { TestType } from './tests.ts'
import { testTypes } from './tests.ts'
import { endOf, lengthOf, planned, shortNotice, startOf, localTimeAt } from './plan.ts'

const zone = 'Europe/London'
const hour = 3_600_000
const at = (local: string) => startOf(local, zone)
const group = (name: string, t180Start: string, more: Partial<TestedGroup> = {}): TestedGroup => ({
  ...{ id: name, name, building: 'Calder Wharf', lights: 5, t180Start, alsoTypes: [] },
  ...more,
})
const span = { zone, from: at('2026-11-01T00:00'), to: at('2027-11-01T00:00') }
const runsOf = (...groups: TestedGroup[]): GroupRun[] =>
  groups.flatMap((one) => planned(one, span).map((run) => ({ ...run, group: one })))

test('a light conflicts if a test of its group overlaps the 180 minutes after a start, not if they only touch', () => {
  const east = group('east', '2026-11-28T01:30')
  const met = (start: string) => overlapping(at(start), [east], { zone }).map(({ testType }) => testType)
  assert.deepEqual(met('2026-11-28T01:30'), ['T180'])
  assert.deepEqual(met('2026-11-28T04:29'), ['T180'])
  assert.deepEqual(met('2026-11-28T04:30'), [])
  assert.deepEqual(met('2026-11-27T22:30'), [])
  assert.deepEqual(met('2026-11-27T22:31'), ['T180'])
  assert.deepEqual(met('2026-12-06T23:00'), ['T0'])
})

test('groups that test all lights of a building before batteries are charged again leave it dark', () => {
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

test('the first free starts of that night and of a later one are offered, without conflicts', () => {
  const [east, west] = [group('east', '2026-11-28T01:30'), group('west', '2026-11-28T01:30')]
  const laterDay = (days: number) => at('2026-11-28T01:30') + days * 24 * hour
  const free = (rivals: TestedGroup[], neighbours: TestedGroup[]) =>
    freeStarts(
      at('2026-11-28T01:30'),
      { group: west, rivals, neighbours, lightsInBuilding: 10 },
      { zone, laterDay },
    ).map((start) => localTimeAt(start, zone))
  assert.deepEqual(free([east], []), ['2026-11-28T04:30', '2026-11-29T01:30'])
  // The whole building would be without light until the day after next.
  assert.deepEqual(free([], [east]), ['2026-11-30T01:30'])
  // With all lights in one group every start leaves them dark; conflicts are still listed.
  const whole = { group: { ...west, lights: 10 }, rivals: [east], neighbours: [], lightsInBuilding: 10 }
  const [first] = freeStarts(at('2026-11-28T01:30'), whole, { zone, laterDay })
  assert.equal(localTimeAt(first!, zone), '2026-11-28T04:30')
})

test('every T180 start that leaves a building dark is announced to the user who sets it, and no other [dev-7groups-1]', () => {
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
    // The definition: at some hour no light has a charged battery.
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
      const night = darkNightAt(start, { group: one, rivals: [], neighbours, lightsInBuilding: lights }, { zone })
      assert.equal(night !== undefined, isDark, one.name)
    }
  }
})

test('a repeated test conflicts like a scheduled one, only in its own building', () => {
  const [east, west] = [
    group('east', '2026-11-28T01:30', { lights: 5 }),
    group('west', '2026-12-20T01:30', { lights: 5 }),
  ]
  const wanted = { group: west, rivals: [east], neighbours: [east], lightsInBuilding: 10 }
  const start = at('2026-12-05T01:30')
  const again = (more: Partial<TestedGroup>): GroupRun => ({
    ...{ testType: 'T180', startsAt: at('2026-12-05T03:00') },
    group: { ...east, ...more },
  })
  assert.deepEqual(overlapping(start, [east], { zone, repeats: [again({ lights: 1 })] }), [again({ lights: 1 })])
  assert.deepEqual(overlapping(start, [east], { zone, repeats: [again({ id: 'another' })] }), [])
  const night = (lights: number, building = east.building) =>
    darkNightAt(start, wanted, { zone, repeats: [again({ lights, building })] })?.runs.length
  assert.deepEqual([night(5), night(4), night(5, 'elsewhere')], [2, undefined, undefined])
  const laterDay = (days: number) => start + days * 24 * hour
  // The second night has a flick test of the east group.
  assert.deepEqual(freeStarts(start, wanted, { zone, laterDay, repeats: [again({})] }), [laterDay(3)])
  // A repeat that leaves no one in the dark conflicts only for the lights that take part.
  const aside = { zone, laterDay, repeats: [again({ lights: 1 })] }
  assert.equal(localTimeAt(freeStarts(start, wanted, aside)[0]!, zone), '2026-12-05T02:00')
  const held = { ...wanted, repeated: [again({ lights: 1 })] }
  assert.equal(localTimeAt(freeStarts(start, held, aside)[0]!, zone), '2026-12-05T06:00')
})

const two = (n: number) => String(n).padStart(2, '0')
const localTimes = fc
  .record({
    // Nights with a clock change somewhere, and others.
    month: fc.constantFrom(3, 4, 10, 11),
    day: fc.integer({ min: 1, max: 28 }),
    hour: fc.nat(23),
    minute: fc.constantFrom(0, 15, 30),
  })
  .map((one) => `${two(one.month)}-${two(one.day)}T${two(one.hour)}:${two(one.minute)}`)
const worlds = fc.record({
  zone: fc.constantFrom(
    'Europe/London',
    'America/New_York',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Asia/Kathmandu',
    'UTC',
  ),
  years: fc.integer({ min: 0, max: 20 }),
  groups: fc.array(
    fc.record({ localTime: localTimes, lights: fc.nat(4), alsoTypes: fc.subarray<TestType>(['T5', 'T60']) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  own: fc.record({ localTime: localTimes, lights: fc.integer({ min: 1, max: 4 }) }),
  /** Minutes after the requested start. */
  repeats: fc.array(
    fc.record({ of: fc.nat(3), testType: fc.constantFrom(...testTypes), after: fc.integer({ min: -3000, max: 3000 }) }),
    { maxLength: 3 },
  ),
})

test('for random groups with repeats, a start reports exactly the tests that it overlaps', () => {
  fc.assert(
    fc.property(worlds, ({ zone: there, years, groups: drawn, own, repeats: again }) => {
      const start = startOf(`${2026 + years}-${own.localTime}`, there)
      const groups = drawn.map(({ localTime: local, lights, alsoTypes }, n) =>
        group(`group ${n}`, `2025-${local}`, { lights, alsoTypes }),
      )
      const repeats = again.map(({ of, testType, after }): GroupRun => {
        const one = groups[of % groups.length]!
        return { testType, startsAt: start + after * 60_000, group: { ...one, lights: Math.min(1, one.lights) } }
      })
      // Every run of two years, checked one by one.
      const span = { zone: there, from: start - 366 * 24 * hour, to: start + 366 * 24 * hour }
      const all = [...groups.flatMap((one) => planned(one, span).map((run) => ({ ...run, group: one }))), ...repeats]
      const key = (run: GroupRun) => `${run.group.id} ${run.testType} ${run.startsAt}`
      const isAt = (run: GroupRun, moment: number, rest: number) => run.startsAt <= moment && moment < endOf(run) + rest
      const meets = (run: GroupRun) => isAt(run, start, 0) || (run.startsAt >= start && run.startsAt < start + 3 * hour)
      assert.deepEqual(
        overlapping(start, groups, { zone: there, repeats }).map(key).sort(),
        all.filter(meets).map(key).sort(),
      )

      const mine: GroupRun = {
        testType: 'T180',
        startsAt: start,
        group: group('mine', own.localTime, { lights: own.lights }),
      }
      const lights = own.lights + groups.reduce((sum, one) => sum + one.lights, 0)
      const long = [...all, mine].filter((run) => run.testType === 'T180')
      // At some moment no group has a light with a charged battery, this one included.
      const isDark = long.some(({ startsAt: moment }) => {
        const spent = long.filter((run) => isAt(run, moment, recharge))
        const of = (one: TestedGroup) =>
          Math.max(0, ...spent.map((run) => (run.group.id === one.id ? run.group.lights : 0)))
        return spent.includes(mine) && of(mine.group) + groups.reduce((sum, one) => sum + of(one), 0) >= lights
      })
      const wanted = { group: mine.group, rivals: [], neighbours: groups, lightsInBuilding: lights }
      assert.equal(darkNightAt(start, wanted, { zone: there, repeats }) !== undefined, isDark && lights > 1)
    }),
    { numRuns: 300 },
  )
})

test('a T180 takes three hours and a flick test a moment', () => {
  assert.equal(lengthOf('T180'), 3 * hour)
  assert.ok(lengthOf('T0') <= 60_000)
})

test('the next free night at 02:00 has no test of the lights, no charging light, and leaves the building with light', () => {
  const own = group('own', '2026-12-20T02:00', { id: '' })
  const choose = (more: {
    rivals?: TestedGroup[]
    neighbours?: TestedGroup[]
    chargedBy?: number[]
    now?: string
    lights?: number
  }) =>
    nightChoices(
      { group: own, rivals: more.rivals ?? [], neighbours: more.neighbours ?? [], lightsInBuilding: more.lights ?? 20 },
      {
        zone,
        now: at(more.now ?? '2026-11-28T15:34'),
        notice: shortNotice,
        nightOf: (days) => Date.UTC(2026, 10, 28 + days, 2),
        chargedBy: more.chargedBy ?? [],
      },
    )
  const free = (more: Parameters<typeof choose>[0]) => {
    const { free: start } = choose(more)
    return start === undefined ? undefined : localTimeAt(start, zone)
  }
  assert.equal(free({}), '2026-11-29T02:00')
  assert.equal(choose({}).shown.length, 14)
  // During the night itself there is no notice.
  assert.equal(free({ now: '2026-11-28T22:30' }), '2026-11-30T02:00')
  assert.equal(free({ now: '2026-11-29T01:00' }), '2026-11-30T02:00')
  // A function test conflicts on that night, but not a day later.
  const monthly = group('east', '2026-05-22T02:00')
  assert.deepEqual(
    choose({ rivals: [monthly] })
      .shown.slice(1, 4)
      .map(({ taken, isFree }) => [taken.map((run) => run.testType), isFree]),
    [
      [[], true],
      [['T0'], false],
      [[], true],
    ],
  )
  // A T180 uses the battery for a day and needs a charged one.
  const yearly = group('east', '2025-11-30T02:00')
  assert.equal(free({ rivals: [yearly], now: '2026-11-28T23:30' }), '2026-12-02T02:00')
  assert.equal(free({ chargedBy: [at('2026-11-30T06:00')] }), '2026-12-01T02:00')
  // The rest of the building is tested on that night.
  const west = group('west', '2025-11-29T02:00', { lights: 15 })
  assert.equal(free({ neighbours: [west] }), '2026-12-01T02:00')
})
