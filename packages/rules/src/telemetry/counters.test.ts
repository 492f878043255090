import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { counterLimit, grownOver, judgeCounts, judgeLateCounts } from './counters.ts'

const hours = counterLimit('burnerHours')!
const minute = 60_000
/** Readings a minute apart. */
const counts = (...values: number[]) => values.map((value, at) => ({ at: at * minute, value }))

/** Judges one message after the other; returns what is stored, set aside and held at the end. */
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

test('the possible increase of a counter grows with the time since its last reading', () => {
  const after = (length: number, value: number) =>
    judgeCounts(hours, { last: { at: 0, value: 100 }, held: [] }, [{ at: length * 3_600_000, value }]).setAside.length
  assert.deepEqual([after(1, 103), after(1, 103.1), after(48, 150), after(48, 151)], [0, 1, 0, 1])
})

test('a repeated reading is judged once', () => {
  const [last, fallen] = counts(5000, 0) as [{ at: number; value: number }, { at: number; value: number }]
  assert.deepEqual(judgeCounts(hours, { last, held: [fallen] }, [fallen]), { stored: [], setAside: [], held: [fallen] })
})

test('a held reading is judged with older ones that the device had buffered', () => {
  const last = { at: 50 * minute, value: 5000 }
  const newest = judgeCounts(hours, { last, held: [] }, [{ at: 100 * minute, value: 2 }])
  assert.deepEqual(newest.held, [{ at: 100 * minute, value: 2 }])
  const buffered = [0, 0.1, 0.2].map((value, at) => ({ at: (51 + 9 * at) * minute, value }))
  assert.deepEqual(judgeCounts(hours, { last, held: newest.held }, buffered), {
    stored: [...buffered, ...newest.held],
    setAside: [],
    held: [],
  })
  // A reading held for an impossible rise is set aside once.
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
    after: { at: 60 * minute, value: last },
  }))
  const { stored, setAside } = judgeLateCounts(hours, late)
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

test('a repeated late reading counts once', () => {
  const [after, before] = [
    { at: 60 * minute, value: 12 },
    { at: 0, value: 10 },
  ]
  const late = { count: { at: minute, value: 0 }, before, after }
  assert.deepEqual(judgeLateCounts(hours, [late, late, late]), {
    stored: [],
    setAside: [{ ...late.count, reason: glitch }],
    held: [late.count],
  })
})

interface Reading {
  at: number
  value: number
}

/** A counter as on the server: stored and waiting readings. Takes messages with one or several readings. */
function counter() {
  let stored: Reading[] = []
  let held: readonly Reading[] = []
  const named: Reading[] = []
  return {
    named,
    stored: () => stored.toSorted((a, b) => a.at - b.at),
    take(...message: Reading[]) {
      const last = stored.toSorted((a, b) => a.at - b.at).at(-1)
      const isLate = ({ at }: Reading) => last !== undefined && at < last.at
      const came = message.filter(isLate)
      const fresh = message.filter((one) => !isLate(one)).toSorted((a, b) => a.at - b.at)
      const judged = judgeCounts(hours, { last, held: held.filter((one) => !isLate(one)) }, fresh)
      const around = (count: Reading, wasHeld: boolean) => ({
        ...{ count, wasHeld },
        before: stored.filter(({ at }) => at < count.at).toSorted((a, b) => b.at - a.at)[0],
        after: stored.filter(({ at }) => at > count.at).toSorted((a, b) => a.at - b.at)[0],
      })
      const waiting = held.filter(isLate)
      const late =
        came.length > 0
          ? judgeLateCounts(hours, [
              ...waiting.map((one) => around(one, true)),
              ...came.map((one) => around(one, false)),
            ])
          : { stored: [], setAside: [], held: waiting }
      stored = [...stored, ...judged.stored, ...late.stored]
      held = [...late.held, ...judged.held]
      named.push(...judged.setAside, ...late.setAside)
    },
  }
}
const hoursApart = (...values: number[]) => values.map((value, at) => ({ at: at * 60 * minute, value }))

test('late readings sent one by one, oldest or newest first, are stored as in one message', () => {
  for (const [what, first, buffered] of [
    ['a counter that goes on', hoursApart(100), [101, 102, 103, 104]],
    ['one that began again and is lower', hoursApart(5000), [0, 0.5, 1, 2]],
    ['one that began again and is higher by now', hoursApart(2), [0, 1, 2, 2.8]],
    ['one that stays at nothing after it began again', hoursApart(2), [0, 0, 0, 2.2]],
  ] as const) {
    const all = [...first, ...hoursApart(0, ...buffered).slice(1)]
    const rest = all.slice(1)
    const newest = rest.at(-1)!
    const old = rest.slice(0, -1)
    for (const order of [[old], old.map((one) => [one]), old.toReversed().map((one) => [one])]) {
      const device = counter()
      for (const message of [first, [newest], ...order]) device.take(...message)
      assert.deepEqual(device.stored(), all, `${what}: ${JSON.stringify(order)}`)
    }
  }
})

test('a single late reading that fell is reported once as a glitch, and not stored', () => {
  const device = counter()
  const [a, glitched, b, c] = hoursApart(10, 0, 11, 12) as [Reading, Reading, Reading, Reading]
  for (const one of [a, c, glitched, b, glitched]) device.take(one)
  assert.deepEqual(device.stored(), [a, b, c])
  assert.deepEqual(device.named, [{ ...glitched, reason: glitch }])
})

test('a counter ends the same whether readings come in one message, one by one, or in any order', () => {
  const rises = (least: number) => fc.array(fc.integer({ min: 0, max: 10 }), { minLength: least, maxLength: 12 })
  const sequence = fc.tuple(rises(1), fc.option(rises(3), { nil: [] })).map(([first, second]) => {
    // It restarts from 0, if at all, and stays below its previous value.
    const go = (from: number, steps: readonly number[]) => steps.map((_, at) => from + sum(steps.slice(0, at)) / 10)
    return hoursApart(...go(1000, first), ...go(0, second))
  })
  fc.assert(
    fc.property(
      sequence.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, shuffled]) => {
        for (const messages of [
          [all],
          all.map((one) => [one]),
          all.toReversed().map((one) => [one]),
          shuffled.map((one) => [one]),
        ]) {
          const device = counter()
          for (const message of messages) device.take(...message)
          assert.deepEqual(device.stored(), all)
          assert.deepEqual(device.named, [])
        }
      },
    ),
    { seed: 47, numRuns: 500 },
  )
})
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

test('the daily increases of a counter add up, without restarts and jumps', () => {
  const days = (...bounds: [number, number][]) =>
    bounds.map(([low, high], day) => ({ day: day * 86_400_000, low, high }))
  assert.equal(grownOver(hours, days([100, 110], [111, 120], [120, 120])), 20)
  assert.equal(grownOver(hours, days([5000, 5010], [0, 5012], [3, 14], [14, 20])), 10 + 11 + 6)
  assert.equal(grownOver(hours, days([5000, 5010], [8000, 8005])), 15)
  assert.equal(grownOver(hours, []), 0)
})

test('exactly the metrics that count up have a limit', () => {
  const counting = ['burnerHours', 'pumpHours', 'burnerStarts', 'waterFilled']
  assert.ok(counting.every((metric) => counterLimit(metric)))
  assert.ok(!['temperature', 'power', 'toString', 'mood'].some((metric) => counterLimit(metric)))
})

test('late glitches between stored readings never look like a restart', () => {
  const device = counter()
  device.take(...hoursApart(...Array.from({ length: 12 }, (_, at) => 1000 + at / 2)))
  for (const [at, value] of [
    [2.5, 0],
    [5.5, 0],
    [8.5, 1],
  ] as const)
    device.take({ at: at * 60 * minute, value })
  assert.ok(device.stored().every(({ value }) => value >= 1000))
  assert.deepEqual(
    device.named.map(({ value }) => value),
    [0, 0, 1],
  )
})
