import assert from 'node:assert/strict'
import { test } from 'vitest'
import { counterLimit, grownOver, judgeCounts, judgeLateCount } from './counters.ts'

const hours = counterLimit('burnerHours')!
const minute = 60_000
/** Readings a minute apart. */
const counts = (...values: number[]) => values.map((value, at) => ({ at: at * minute, value }))

/** Judged one message after the other, as they come; what is stored, set aside and held in the end. */
function judgeOneByOne(values: number[]) {
  let last: { at: number; value: number } | undefined
  let held: readonly { at: number; value: number }[] = []
  const stored: number[] = []
  const setAside: [number, string][] = []
  for (const count of counts(...values)) {
    const judged = judgeCounts(hours, { last, held }, [count])
    stored.push(...judged.stored.map(({ value }) => value))
    setAside.push(...judged.setAside.map(({ value, reason }): [number, string] => [value, reason]))
    last = judged.stored.at(-1) ?? last
    held = judged.held
  }
  return { stored, setAside, held: held.map(({ value }) => value) }
}
const judgeTogether = (values: number[]) => {
  const { stored, setAside, held } = judgeCounts(hours, { last: undefined, held: [] }, counts(...values))
  return {
    stored: stored.map(({ value }) => value),
    setAside: setAside.map(({ value, reason }) => [value, reason]),
    held: held.map(({ value }) => value),
  }
}

const [glitch, rise] = ['counter glitch', 'impossible rise'] as const
const cases: [string, number[], { stored: number[]; setAside?: [number, string][]; held?: number[] }][] = [
  ['a counter that goes on', [5000, 5000, 5001], { stored: [5000, 5000, 5001] }],
  ['a fall that comes back at once is a glitch', [5000, 0, 5001], { stored: [5000, 5001], setAside: [[0, glitch]] }],
  [
    'and so is one that comes back within two readings',
    [5000, 0, 1, 5001],
    {
      stored: [5000, 5001],
      setAside: [
        [0, glitch],
        [1, glitch],
      ],
    },
  ],
  ['a fall waits for the next readings', [5000, 0], { stored: [5000], held: [0] }],
  ['a counter that began again', [5000, 0, 0, 1, 2], { stored: [5000, 0, 0, 1, 2] }],
  ['a rise beyond what it can do', [5000, 9000, 5001], { stored: [5000, 5001], setAside: [[9000, rise]] }],
  [
    'a counter that stands elsewhere now, as after a repair',
    [5000, 9000, 9000, 9001, 9001],
    {
      stored: [5000, 9001, 9001],
      setAside: [
        [9000, rise],
        [9000, rise],
      ],
    },
  ],
  [
    'two glitches of two kinds',
    [5000, 0, 70000, 5001],
    {
      stored: [5000, 5001],
      setAside: [
        [0, glitch],
        [70000, rise],
      ],
    },
  ],
]
for (const [what, values, { stored, setAside = [], held = [] }] of cases)
  test(`${what}: ${values.join(', ')}`, () => {
    assert.deepEqual(judgeOneByOne(values), { stored, setAside, held })
    assert.deepEqual(judgeTogether(values), { stored, setAside, held })
  })

test('what a counter can do grows with the time since its last reading', () => {
  const after = (length: number, value: number) =>
    judgeCounts(hours, { last: { at: 0, value: 100 }, held: [] }, [{ at: length * 3_600_000, value }]).setAside.length
  assert.deepEqual([after(1, 103), after(1, 103.1), after(48, 150), after(48, 151)], [0, 1, 0, 1])
})

test('a reading that came twice is judged once', () => {
  const [last, fallen] = counts(5000, 0) as [{ at: number; value: number }, { at: number; value: number }]
  assert.deepEqual(judgeCounts(hours, { last, held: [fallen] }, [fallen]), { stored: [], setAside: [], held: [fallen] })
})

test('a late reading lies between those around it', () => {
  const [before, , last] = counts(5000, 0, 5001)
  const late = (value: number) => judgeLateCount(hours, { before, last: last! }, { at: minute, value })
  assert.deepEqual([late(0), late(5000.5), late(9000)], [glitch, undefined, rise])
  assert.equal(judgeLateCount(hours, { before: undefined, last: last! }, { at: 0, value: 0 }), undefined)
  // The counter began again in between.
  assert.equal(
    judgeLateCount(hours, { before, last: { at: 9 * minute, value: 3 } }, { at: minute, value: 1 }),
    undefined,
  )
})

test('days of a counter grow by what it counted; one that began again or jumped adds nothing but that', () => {
  const days = (...bounds: [number, number][]) =>
    bounds.map(([low, high], day) => ({ day: day * 86_400_000, low, high }))
  assert.equal(grownOver(hours, days([100, 110], [111, 120], [120, 120])), 20)
  assert.equal(grownOver(hours, days([5000, 5010], [0, 5012], [3, 14], [14, 20])), 10 + 11 + 6)
  assert.equal(grownOver(hours, days([5000, 5010], [8000, 8005])), 15)
  assert.equal(grownOver(hours, []), 0)
})

test('the metrics that count up for ever have a limit, and no others', () => {
  const counting = ['burnerHours', 'pumpHours', 'burnerStarts', 'waterFilled']
  assert.ok(counting.every((metric) => counterLimit(metric)))
  assert.ok(!['temperature', 'power', 'toString', 'mood'].some((metric) => counterLimit(metric)))
})
