import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Missed } from './again.ts'
import { againStart, notAgainText } from './again.ts'
import type { GroupRun, TestedGroup } from './collisions.ts'
import { darkNights, recharge } from './collisions.ts'
import { endOf, lengthOf, planned, startOf, localTimeAt } from './plan.ts'

const zone = 'Europe/London'
const day = 86_400_000
const groupOf = (name: string, t180Start: string, lights = 10): TestedGroup => ({
  ...{ id: name, name, building: 'court', lights, t180Start, alsoTypes: [] },
})
/** A T180 of a group on that night, missed by some of its lights. */
function missed(group: TestedGroup, more: Partial<Missed> & { neighbours?: TestedGroup[]; inBuilding?: number } = {}) {
  const { neighbours = [], inBuilding = 20, ...rest } = more
  const startsAt = startOf(group.t180Start, zone)
  const own = planned(group, { zone, from: startsAt + 1, to: startsAt + 60 * day })
  const wanted = { group, rivals: [], neighbours, lightsInBuilding: inBuilding }
  return { testType: 'T180' as const, startsAt, lastTry: startsAt, rhythm: group, own, wanted, repeats: [], ...rest }
}
const again = (of: Missed, now = of.startsAt + 3_600_000 * 5) => {
  const at = againStart(of, { now, zone })
  return at && localTimeAt(at, zone)
}

test('a missed yearly test is repeated at the hour of its group, a week later or on the first night with charged batteries', () => {
  const north = groupOf('North', '2026-05-04T02:00')
  // The T0 of the group is on the 11th: the battery is not used a day before and after it.
  assert.equal(again(missed(north)), '2026-05-13T02:00')
  assert.equal(again(missed(north, { own: [] })), '2026-05-11T02:00')
})

test('a missed yearly test is repeated a week after each attempt, and never after 30 days', () => {
  const north = groupOf('North', '2026-05-04T02:00')
  const tries: string[] = []
  let lastTry = startOf('2026-05-04T02:00', zone)
  for (;;) {
    const next = again(missed(north, { lastTry }), lastTry + 5 * 3_600_000)
    if (!next) break
    tries.push(next)
    lastTry = startOf(next, zone)
  }
  assert.deepEqual(tries, ['2026-05-13T02:00', '2026-05-20T02:00', '2026-05-27T02:00', '2026-06-03T02:00'])
})

test('a repeat is planned at least a day ahead, and not at all when the time is over', () => {
  const north = groupOf('North', '2026-05-04T02:00')
  assert.equal(again(missed(north), startOf('2026-05-20T02:30', zone)), '2026-05-22T02:00')
  assert.equal(again(missed(north), startOf('2026-06-02T03:00', zone)), undefined)
})

test('no repeat is planned if the yearly test is within the time anyway because its start was moved', () => {
  const moved = { ...groupOf('North', '2026-05-25T02:00') }
  const of = missed(moved, { startsAt: startOf('2026-05-04T02:00', zone), lastTry: startOf('2026-05-04T02:00', zone) })
  assert.equal(
    again({ ...of, own: planned(moved, { zone, from: of.startsAt + 1, to: of.startsAt + 60 * day }) }),
    undefined,
  )
})

test('a missed monthly test is repeated within seven days, three days after each attempt, apart from other tests of its group', () => {
  const north = groupOf('North', '2026-05-04T02:00')
  const startsAt = startOf('2026-05-11T02:00', zone)
  const monthly = (group: TestedGroup, lastTry = startsAt) =>
    missed(group, {
      ...{ testType: 'T0', startsAt, lastTry },
      own: planned(group, { zone, from: startsAt + 1, to: startsAt + 60 * day }),
    })
  const soon = startsAt + 3_600_000
  assert.equal(again(monthly(north), soon), '2026-05-14T02:00')
  assert.equal(again(monthly(north, startOf('2026-05-14T02:00', zone)), soon + 3 * day), '2026-05-17T02:00')
  assert.equal(again(monthly(north, startOf('2026-05-17T02:00', zone)), soon + 6 * day), undefined)
  // A week later is the optional T5: no second attempt on the day before it.
  const more = { ...north, alsoTypes: ['T5' as const] }
  assert.equal(again(monthly(more), soon), '2026-05-14T02:00')
  assert.equal(again(monthly(more, startOf('2026-05-14T02:00', zone)), soon + 3 * day), undefined)
  // A short test leaves no one in the dark.
  const south = groupOf('South', '2026-05-14T02:00')
  const beside = { ...monthly(north), wanted: missed(north, { neighbours: [south] }).wanted }
  assert.equal(again(beside, soon), '2026-05-14T02:00')
})

test('a repeat avoids a night on which another group, or its repeat, would leave the building dark', () => {
  const [north, south] = [groupOf('North', '2026-05-04T02:00'), groupOf('South', '2026-05-12T03:00')]
  assert.equal(again(missed(north, { neighbours: [south] })), '2026-05-14T02:00')
  const repeat: GroupRun = { testType: 'T180', startsAt: startOf('2026-05-13T01:00', zone), group: south }
  assert.equal(again(missed(north, { repeats: [repeat] })), '2026-05-15T02:00')
  // If only some of its lights are tested, others stay lit.
  const few = { ...missed(north, { neighbours: [south] }) }
  few.wanted = { ...few.wanted, group: { ...north, lights: 3 } }
  assert.equal(again(few), '2026-05-13T02:00')
  // One group with all lights is as dark on any night.
  assert.equal(again(missed(north, { inBuilding: 10 })), '2026-05-13T02:00')
})

test('for random groups in every zone, repeats are in time, charged before and after, and add no dark night', () => {
  let state = 7
  const draw = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const two = (n: number) => String(n).padStart(2, '0')
  const someStart = () => `2026-${two(1 + draw(12))}-${two(1 + draw(28))}T${two(draw(5))}:${two(draw(60))}`
  let found = 0
  for (const each of Intl.supportedValuesOf('timeZone')) {
    const group: TestedGroup = { ...groupOf('own', someStart(), 1 + draw(10)), alsoTypes: draw(2) ? ['T5', 'T60'] : [] }
    const startsAt = startOf(group.t180Start, each)
    const near = `${localTimeAt(startsAt + draw(30) * day, each).slice(0, 10)}T${two(draw(5))}:00`
    const neighbours = [groupOf('b', near, 1 + draw(10)), groupOf('c', someStart(), draw(5))]
    const lights = [group, ...neighbours].reduce((sum, one) => sum + one.lights, 0) - draw(3)
    const own = planned(group, { zone: each, from: startsAt + 1, to: startsAt + 60 * day })
    const wanted = { group, rivals: [], neighbours, lightsInBuilding: lights }
    const now = startsAt + lengthOf('T180') + draw(20) * day
    const at = againStart(
      { testType: 'T180', startsAt, lastTry: startsAt, rhythm: group, own, wanted, repeats: [] },
      { now, zone: each },
    )
    if (at === undefined) continue
    found++
    assert.ok(at >= now + recharge && at <= startsAt + 30 * day + 26 * 3_600_000, each)
    for (const run of own)
      assert.ok(
        run.startsAt >= at + lengthOf('T180') + recharge || endOf(run) <= at - recharge,
        `${each} ${run.testType}`,
      )
    const around = { zone: each, from: at - 4 * day, to: at + 4 * day }
    const others = neighbours.flatMap((one) => planned(one, around).map((run) => ({ ...run, group: one })))
    const nights = darkNights([...others, { testType: 'T180', startsAt: at, group }], () => lights)
    for (const night of nights)
      assert.ok(
        new Set(night.runs.map((run) => run.group.id)).size === 1 || night.runs.every((run) => run.group !== group),
        each,
      )
  }
  assert.ok(found > 100)
})

test('a missed optional test states why it is not planned again', () => {
  assert.equal(notAgainText('T5'), 'not repeated: the next T5 of its group follows as scheduled')
  assert.equal(notAgainText('T60'), 'not repeated: the next T60 of its group follows as scheduled')
  assert.deepEqual([notAgainText('T0'), notAgainText('T180')], ['', ''])
})
