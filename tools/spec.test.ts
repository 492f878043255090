import assert from 'node:assert/strict'
import { test } from 'vitest'
import { below, count, idsOf, sectionRows, statesOf, unknownIds } from './spec.ts'

const requirement = (id: string, section = '1') => ({ id, section, check: 'unit', text: `the text of ${id}` })

test('a title names the ids in the bracket groups at its end and at the end of its groups', () => {
  assert.deepEqual(idsOf('sorts by severity [core-2.2-3 core-2.2-4]'), ['core-2.2-3', 'core-2.2-4'])
  assert.deepEqual(idsOf('sorts [dev-1purpose-1] [est-8-14]'), ['dev-1purpose-1', 'est-8-14'])
  assert.deepEqual(idsOf('the listing [core-1-1] › as a guest [core-1-2]'), ['core-1-1', 'core-1-2'])
  assert.deepEqual(idsOf('[core-1-1] is only mentioned here, [core-1-2] too'), [])
  assert.deepEqual(idsOf('answers [] and [a list]'), [])
})

test('one failed test outweighs any number of passed ones, in either order', () => {
  const passed = { title: 'a [core-1-1]', status: 'passed' }
  const failed = { title: 'b [core-1-1]', status: 'failed' }
  assert.equal(statesOf([passed, failed]).get('core-1-1'), 'failed')
  assert.equal(statesOf([failed, passed]).get('core-1-1'), 'failed')
  assert.equal(statesOf([passed]).get('core-1-1'), 'proven')
})

test('a skipped test proves nothing', () => {
  const skipped = { title: 'a [core-1-1]', status: 'skipped' }
  assert.equal(statesOf([skipped]).get('core-1-1'), 'unproven')
  assert.equal(statesOf([skipped, { title: 'b [core-1-1]', status: 'passed' }]).get('core-1-1'), 'proven')
})

test('rows count every requirement of a section once, those without a test as unproven', () => {
  const requirements = [
    requirement('core-1-1'),
    requirement('core-1-2'),
    requirement('core-2-1', '2'),
    requirement('core-1-3'),
  ]
  const states = statesOf([
    { title: 'a [core-1-1]', status: 'passed' },
    { title: 'b [core-1-2 core-2-1]', status: 'failed' },
  ])
  assert.deepEqual(sectionRows({ document: 'core', requirements }, states), [
    { name: '1', proven: 1, failed: 1, unproven: 1, total: 3 },
    { name: '2', proven: 0, failed: 1, unproven: 0, total: 1 },
  ])
  assert.deepEqual(count('all', requirements, states), { name: 'all', proven: 1, failed: 2, unproven: 1, total: 4 })
})

test('an id that is in no catalogue is reported', () => {
  const states = statesOf([{ title: 'a [core-1-1 core-1-99]', status: 'passed' }])
  assert.deepEqual(unknownIds([{ document: 'core', requirements: [requirement('core-1-1')] }], states), ['core-1-99'])
})

test('a section prefix does not match a section that only starts with the same characters', () => {
  assert.equal(below('core-2.4', 'core-2.4-1'), true)
  assert.equal(below('core-2.4', 'core-2.40-1'), false)
  assert.equal(below('core-2', 'core-2.4-1'), true)
  assert.equal(below('core', 'core-2.4-1'), true)
  assert.equal(below('core-2', 'core-20-1'), false)
})
