import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { listings } from '../devices/list.ts'
import type { Actor } from '../identity/actor.ts'
import { filterFault, sortFault } from '../lists/filters.ts'
import { fieldsOf } from '../lists/list.ts'
import { homeCases, homeCaseView } from '../properties/attention.ts'
import { propertyLists } from '../properties/list.ts'
import { builtInViews } from '../views/view.ts'
import type { WorkCaseName } from './worklist.ts'
import { arrange, choiceIn, deviceCases, deviceView, subjectOf, workCases, workCasesFor } from './worklist.ts'

const actor = (more: Partial<Actor> = {}): Actor => ({
  ...{ userId: 'u', memberId: 'm', tenant: 'north', role: 'Manager', tags: [] },
  ...{ features: ['PropertyCentric', 'AwaabsLaw', 'VoidFlag'], capabilities: ['ViewProperties'] },
  ...more,
})

test('every case has valid filters of its list, also if personal data is hidden', () => {
  assert.deepEqual(workCases.toSorted(), [...homeCases, ...deviceCases].toSorted())
  const views = [
    ...deviceCases.map((name) => ({
      list: listings[deviceView(name, '2026-11-20').listing],
      ...deviceView(name, '2026-11-20'),
    })),
    ...homeCases.map((name) => ({ list: propertyLists.Properties, ...homeCaseView(name, '2026-11-20') })),
  ]
  for (const { list, filters, sorts, columns = [] } of views) {
    const known = fieldsOf(list, true)
    for (const filter of filters) assert.equal(filterFault(filter, known), undefined, JSON.stringify(filter))
    for (const sort of sorts) assert.equal(sortFault(sort, known), undefined, JSON.stringify(sort))
    for (const column of columns) assert.ok(column in list.fields, column)
  }
})

test('failed lights are the rows of the preset view in the link', () => {
  const { listing, viewId, filters } = deviceView('failed lights', '2026-11-20')
  assert.deepEqual(builtInViews(listings[listing]).find((view) => view.viewId === viewId)?.filters, filters)
})

test('a 3-hour test passed 365 days ago is in time, one passed a day earlier is not', () => {
  const [before] = deviceView('no full test', '2026-11-20').filters
  assert.deepEqual(before, { fieldId: 'fullTestedOrInstalled', filterOp: 'to', value: '2025-11-19' })
})

test("Awaab's Law deadlines count for 10 working days, over Christmas until after New Year", () => {
  const until = (today: string) => homeCaseView('legal deadlines', today).filters[0]!.value
  assert.equal(until('2026-11-20'), '2026-12-04')
  assert.equal(until('2026-12-18'), '2027-01-06')
})

describe('the cases depend on what the user may see', () => {
  test('for users who see properties, boiler cases belong to them, and device cases count boilers without one', () => {
    const names = workCasesFor(actor())
    assert.ok(!names.includes('failed boilers'))
    const inNoHome = { fieldId: 'propertyReference', filterOp: 'present', value: false }
    for (const name of ['gas checks', 'boilers without treatment'] as const) {
      assert.ok(names.includes(name), name)
      assert.deepEqual(deviceView(name, '2026-11-20', actor()).filters.at(-1), inNoHome)
      const alone = actor({ features: [], capabilities: [] })
      assert.ok(!deviceView(name, '2026-11-20', alone).filters.some(({ filterOp }) => filterOp === 'present'))
    }
    assert.deepEqual(names.slice(0, 8), [
      ...['legal deadlines', 'gas failed', 'gas overdue', 'damp risk', 'heating off', 'failed lights'],
      ...['lights overdue', 'gateways offline'],
    ])
  })

  test('for users who do not see properties, boilers have cases of their own', () => {
    const names = workCasesFor(actor({ features: [], capabilities: [] }))
    assert.ok(names.every((name) => subjectOf(name) !== 'homes'))
    for (const name of ['failed boilers', 'gas checks', 'boilers without treatment'] as const)
      assert.ok(names.includes(name), name)
  })

  test('lighting engineers see cases of lights and gateways', () => {
    const names = workCasesFor(actor({ role: 'LightingEngineer' }))
    assert.deepEqual(new Set(names.map(subjectOf)), new Set(['lights', 'gateways']))
  })

  test("without the features there are no Awaab's Law and void cases", () => {
    const names = workCasesFor(actor({ features: ['PropertyCentric'] }))
    assert.ok(!names.includes('legal deadlines') && !names.includes('void at risk'))
  })

  test('restricted users see the same cases for their part, except groups', () => {
    const limited = workCasesFor(actor({ tags: ['t'] }))
    assert.deepEqual(
      workCasesFor(actor()).filter((name) => !limited.includes(name)),
      ['lights in no group'],
    )
  })
})

describe('a user can choose order and cards', () => {
  const cases = workCases.map((name) => ({ case: name }))
  const named = (some: readonly { case: WorkCaseName }[]) => some.map((one) => one.case)

  test('the first twelve cases are cards, the others links, and none is lost', () => {
    const { cards, also } = arrange(cases, undefined)
    assert.deepEqual(named([...cards, ...also]), [...workCases])
    assert.equal(cards.length, 12)
  })

  test('for every user of lighting its cases are cards until they choose otherwise', () => {
    const unrestricted = { features: [], capabilities: [] }
    for (const who of [
      {},
      unrestricted,
      { role: 'LightingEngineer' },
      { role: 'Developer' },
      { role: 'Admin' },
      { tags: ['t'] },
    ]) {
      const seen = workCasesFor(actor(who as Partial<Actor>))
      const { cards } = arrange(
        seen.map((name) => ({ case: name })),
        undefined,
      )
      const wanted = ['failed lights', 'lights overdue', 'missed tests', 'no full test', 'lights in no group'] as const
      for (const name of wanted)
        if (seen.includes(name)) assert.ok(named(cards).includes(name), `${name} for ${JSON.stringify(who)}`)
      assert.ok(seen.includes('missed tests') && seen.includes('no full test'))
    }
  })

  test('a hidden case becomes a link, and the next case takes its place', () => {
    const { cards, also } = arrange(cases, { order: ['no full test'], hidden: ['gas failed'] })
    assert.equal(named(cards)[0], 'no full test')
    assert.equal(cards.length, 12)
    assert.ok(named(also).includes('gas failed'))
    assert.equal(cards.length + also.length, workCases.length)
  })

  test('the choice stored in the browser is parsed; anything invalid is ignored', () => {
    const choice = { order: ['damp risk', 'gas failed'], hidden: ['gas due'] }
    assert.deepEqual(choiceIn(JSON.stringify(choice)), choice)
    assert.deepEqual(choiceIn(JSON.stringify({ order: ['damp risk', 'unknown'], hidden: [] })), {
      order: ['damp risk'],
      hidden: [],
    })
    for (const text of ['', '{', 'null', '{"order":1}', '[]']) assert.equal(choiceIn(text), undefined, text)
  })
})
