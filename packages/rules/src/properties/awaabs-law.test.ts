import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  arrivalOf,
  awaabsLawFigureFault,
  awaabsLawFigureNames,
  awaabsLawLimits,
  awaabsLawSteps,
  casesOf,
  correctedSteps,
  daysFault,
  defaultAwaabsLaw,
  emergencyOf,
  hazardOf,
  isCovered,
  openCase,
  stagesOf,
  withinLaw,
} from './awaabs-law.ts'
import type { AwaabsLawStatus } from './details.ts'

const steps = (...given: [AwaabsLawStatus, string][]) => given.map(([status, on]) => ({ status, on }))

test('a closed case has no effect on the next one', () => {
  const all = steps(['Investigation', '2026-01-05'], ['None', '2026-02-01'], ['Repairs', '2026-11-18'])
  assert.deepEqual(openCase(all), steps(['Repairs', '2026-11-18']))
  const cold = [{ ...all[0]!, hazard: 'Excess cold' as const, emergency: true }]
  assert.deepEqual([hazardOf(cold), emergencyOf(cold)?.on], ['Excess cold', '2026-01-05'])
  const next = [...cold, ...all.slice(1)]
  assert.deepEqual([hazardOf(next), emergencyOf(next)], [null, undefined])
})

describe('the figures of a client', () => {
  test('are stricter than the law, never laxer', () => {
    for (const name of awaabsLawFigureNames.filter((one) => one !== 'notice')) {
      const law = defaultAwaabsLaw[name]
      assert.equal(awaabsLawLimits[name].most, law, name)
      assert.equal(awaabsLawFigureFault(name, law), undefined, name)
      assert.equal(awaabsLawFigureFault(name, 1), undefined, name)
      assert.match(awaabsLawFigureFault(name, law + 1) ?? '', new RegExp(`the law allows no more than ${law}`), name)
      for (const wrong of [0, -1, 1.5]) assert.ok(awaabsLawFigureFault(name, wrong), `${name} ${wrong}`)
    }
    assert.deepEqual(
      [awaabsLawFigureFault('notice', 20), awaabsLawFigureFault('notice', 21)],
      [undefined, 'Enter 0 to 20 working days'],
    )
  })

  test('are reduced to the law if stored before it was the limit', () => {
    assert.deepEqual(withinLaw({ investigation: 30, summary: 2, emergency: 168, repairs: 0 }), {
      ...defaultAwaabsLaw,
      summary: 2,
    })
  })
})

test('a hazard is covered from the configured day; a case without a hazard counts as covered', () => {
  const coverage = {
    'Damp and mould': { from: '2025-10-27', source: 'SI 2025/1042' },
    'Another hazard': { from: null, source: 'none' },
  }
  const known = [
    ['Damp and mould', '2025-10-26', false],
    ['Damp and mould', '2025-10-27', true],
    ['Another hazard', '2027-12-31', false],
    ['Falls', '2027-12-31', false],
    [null, '2026-01-01', true],
  ] as const
  for (const [hazard, on, is] of known) assert.equal(isCovered(hazard, on, coverage), is, `${hazard} on ${on}`)
  assert.equal(isCovered('Falls', '2027-12-31', { Falls: { from: '2027-12-31', source: 'set later' } }), true)
})

test('an addition to a step is entered as that step again, and is no new stage', () => {
  const all = steps(['Investigation', '2026-11-05'], ['Investigation', '2026-11-12'], ['Repairs', '2026-11-16'])
  assert.deepEqual(stagesOf(all), [all[0], all[2]])
  assert.deepEqual(awaabsLawSteps, ['Investigation', 'Summary', 'Repairs', 'Audit', 'Feedback'])
})

describe('the cases of a property', () => {
  const entries = [
    { id: 'a', status: 'Investigation' as const, on: '2026-11-05' },
    { id: 'b', status: 'Summary' as const, on: '2026-11-16' },
    { id: 'c', status: 'Investigation' as const, on: '2026-11-03', corrects: 'a' },
    { id: 'd', status: 'None' as const, on: '2026-11-17', reason: 'No hazard found' },
    { id: 'e', status: 'Summary' as const, on: '2026-11-20', undoes: 'd' },
  ]
  const ids = (some: readonly { id: string }[]) => some.map(({ id }) => id)

  test('use the corrected day of a step, and keep what was entered', () => {
    assert.deepEqual(
      correctedSteps(entries).map(({ id, on }) => [id, on]),
      [
        ['a', '2026-11-03'],
        ['b', '2026-11-16'],
      ],
    )
    const again = [...entries, { id: 'f', status: 'Investigation' as const, on: '2026-11-04', corrects: 'a' }]
    assert.equal(correctedSteps(again)[0]!.on, '2026-11-04')
    assert.equal(entries[0]!.on, '2026-11-05')
  })

  test('end with their closing, continue if that is withdrawn, and a new case is separate', () => {
    const [closed] = casesOf(entries.slice(0, 4))
    assert.deepEqual([closed!.id, closed!.closing?.reason, ids(closed!.steps)], ['a', 'No hazard found', ['a', 'b']])
    const [open, ...others] = casesOf(entries)
    assert.deepEqual(
      [open!.closing, ids(open!.steps), ids(open!.entries), others.length],
      [null, ['a', 'b'], ids(entries), 0],
    )
    const next = { id: 'n', status: 'Investigation' as const, on: '2026-11-24' }
    const both = casesOf([...entries.slice(0, 4), next])
    assert.deepEqual(
      both.map(({ id, entries: all }) => [id, ids(all)]),
      [
        ['a', ['a', 'b', 'c', 'd']],
        ['n', ['n']],
      ],
    )
  })

  test('complete a step once for good: going back reopens it, continuing dates it again', () => {
    const all = steps(['Investigation', '2026-11-05'], ['Summary', '2026-11-16'], ['Investigation', '2026-11-20'])
    assert.equal(arrivalOf(all, 'Summary'), undefined)
    const on = [...all, ...steps(['Repairs', '2026-11-16'])]
    assert.equal(arrivalOf(on, 'Summary')?.on, '2026-11-16')
    assert.equal(arrivalOf(on, 'Repairs')?.on, '2026-11-16')
    assert.equal(arrivalOf(on, 'Audit'), undefined)
  })

  test('have steps in order of days, none in the future and none before awareness', () => {
    const today = '2026-11-24'
    const given: [AwaabsLawStatus, string][][] = [
      [
        ['Investigation', '2026-11-05'],
        ['Summary', '2026-11-16'],
        ['Repairs', '2026-11-16'],
      ],
      [
        ['Investigation', '2026-11-05'],
        ['Summary', '2026-11-16'],
        ['Investigation', '2026-11-20'],
        ['Summary', '2026-11-16'],
      ],
    ]
    for (const one of given) assert.equal(daysFault(steps(...one), today), undefined)
    const faulty: [[AwaabsLawStatus, string][], RegExp][] = [
      [[['Investigation', '2026-11-25']], /later than today/],
      [[['Investigation', '0026-11-20']], /DD\/MM\/YYYY/],
      [
        [
          ['Investigation', '2026-11-05'],
          ['Summary', '2026-11-04'],
        ],
        /awareness was on 05\/11\/2026/,
      ],
      [
        [
          ['Investigation', '2026-11-05'],
          ['Summary', '2026-11-16'],
          ['Repairs', '2026-11-15'],
        ],
        /Summary was on 16\/11\/2026/,
      ],
      [
        [
          ['Investigation', '2026-11-05'],
          ['Summary', '2026-11-16'],
          ['None', '2026-11-15'],
        ],
        /Summary was on 16\/11\/2026/,
      ],
    ]
    for (const [one, fault] of faulty) assert.match(daysFault(steps(...one), today) ?? '', fault)
  })
})
