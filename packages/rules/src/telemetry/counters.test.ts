import assert from 'node:assert/strict'
import { test } from 'vitest'
import { counterLimit, grownOver, judgeCounts, judgeLateCounts } from './counters.ts'

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

test('a reading that waits is judged with older ones that the device had buffered', () => {
  const last = { at: 50 * minute, value: 5000 }
  const newest = judgeCounts(hours, { last, held: [] }, [{ at: 100 * minute, value: 2 }])
  assert.deepEqual(newest.held, [{ at: 100 * minute, value: 2 }])
  const buffered = [0, 0.1, 0.2].map((value, at) => ({ at: (51 + 9 * at) * minute, value }))
  assert.deepEqual(judgeCounts(hours, { last, held: newest.held }, buffered), {
    stored: [...buffered, ...newest.held],
    setAside: [],
    held: [],
  })
  // One that is held for an impossible rise is set aside once.
  const risen = judgeCounts(hours, { last, held: [] }, [{ at: 100 * minute, value: 9000 }])
  assert.deepEqual(risen.setAside, [{ at: 100 * minute, value: 9000, reason: rise }])
  const [before] = counts(5000).map((count) => ({ ...count, at: 60 * minute }))
  assert.deepEqual(judgeCounts(hours, { last, held: risen.held }, [before!]), {
    stored: [before],
    setAside: [],
    held: risen.held,
  })
})

/** Late readings a minute apart, from a minute after the stored one before them. */
const judgeLate = (before: number | undefined, last: number, ...values: number[]) => {
  const late = counts(...values).map(({ at, value }) => ({
    count: { at: at + minute, value },
    before: before === undefined ? undefined : { at: 0, value: before },
  }))
  const { stored, setAside } = judgeLateCounts(hours, { at: 60 * minute, value: last }, late)
  return [stored.map(({ value }) => value), setAside.map(({ value, reason }) => [value, reason])]
}

const lateCases: [string, Parameters<typeof judgeLate>, number[], [number, string][]?][] = [
  ['one that fell is a glitch', [5000, 5001, 0], [], [[0, glitch]]],
  ['one that lies between those around it is stored', [5000, 5001, 5000.5], [5000.5]],
  ['one that rose by more than it can is set aside', [5000, 5001, 9000], [], [[9000, rise]]],
  ['one without any before it is stored', [undefined, 5001, 0], [0]],
  ['the counter stands below since: it began again in between', [5000, 3, 1], [1]],
  [
    'those that rise from one to the next show that the counter began again',
    [2, 2.2, 0, 0.5, 1, 2, 2.1],
    [0, 0.5, 1, 2, 2.1],
  ],
  ['two that rise do so, too', [10, 12, 0, 0.5], [0, 0.5]],
  [
    'two that stay are glitches',
    [10, 12, 0, 0, 10.5],
    [10.5],
    [
      [0, glitch],
      [0, glitch],
    ],
  ],
  ['and three that stay show that it began again', [10, 12, 0, 0, 0], [0, 0, 0]],
  [
    'those that do not follow one another are glitches',
    [5000, 5001, 7, 0, 5000.5],
    [5000.5],
    [
      [7, glitch],
      [0, glitch],
    ],
  ],
]
for (const [what, given, stored, setAside = []] of lateCases)
  test(`late readings: ${what}`, () => assert.deepEqual(judgeLate(...given), [stored, setAside]))

test('a late reading that came several times counts once', () => {
  const [last, before] = [
    { at: 60 * minute, value: 12 },
    { at: 0, value: 10 },
  ]
  const late = { count: { at: minute, value: 0 }, before }
  assert.deepEqual(judgeLateCounts(hours, last, [late, late, late]), {
    stored: [],
    setAside: [{ ...late.count, reason: glitch }],
  })
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
