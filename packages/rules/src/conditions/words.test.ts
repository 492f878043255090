import assert from 'node:assert/strict'
import { test } from 'vitest'
import { conditionKinds, endings, settableKinds } from './conditions.ts'
import { conditionText, endingWords, endsWords, reasonWord, settableWords } from './words.ts'

test('a failed test states the part and the test', () => {
  const facts = { kind: 'testFailed', key: 'T180', states: { Battery: 'Failed', Lamp: 'Ok' } } as const
  assert.equal(reasonWord(facts), 'Battery T180')
  assert.equal(conditionText(facts), 'Battery failed in the 3-hour test (T180)')
  assert.equal(endsWords(facts), 'Ends with a passed 3-hour test (T180) or when a repair is recorded.')
})

test('a failed test without parts is named by its type', () => {
  const facts = { kind: 'testFailed', key: 'T60', states: {} } as const
  assert.equal(reasonWord(facts), 'T60')
  assert.equal(conditionText(facts), 'The light failed in the 1-hour test (T60)')
  assert.equal(
    endsWords(facts),
    'Ends with a passed 1-hour test (T60) or 3-hour test (T180) or when a repair is recorded.',
  )
})

test('a degraded test names the degraded parts only', () => {
  const facts = { kind: 'testDegraded', key: 'T60', states: { Battery: 'Degraded', Lamp: 'Ok' } } as const
  assert.equal(reasonWord(facts), 'Battery T60')
  assert.equal(conditionText(facts), 'Battery degraded in the 1-hour test (T60)')
})

test('a fault states its code, source and description', () => {
  const facts = { kind: 'fault', key: 'boiler EA', description: 'Flame not detected' } as const
  assert.equal(reasonWord(facts), 'EA')
  assert.equal(conditionText(facts), 'Fault EA of the boiler: Flame not detected')
  assert.equal(conditionText({ ...facts, description: null }), 'Fault EA of the boiler')
  assert.equal(endsWords(facts), 'Ends when the device no longer reports it.')
})

test('a condition set by a user is ended by a user, and automatically only if it has a last day', () => {
  const facts = { kind: 'maintenance', key: '' } as const
  assert.equal(endsWords(facts), 'Ends when a user ends it.')
  assert.equal(endsWords(facts, { hasEnd: true }), 'Ends when a user ends it or automatically after its last day.')
})

test('a boiler has no tests, so a user ends its repair', () => {
  const facts = { kind: 'equipmentRepaired', key: '' } as const
  assert.equal(endsWords(facts), 'Ends with a passed test or when a user ends it.')
  assert.equal(endsWords(facts, { isTested: false }), 'Ends when a user ends it.')
})

test('a missing test is named by its kind', () => {
  assert.equal(conditionText({ kind: 'testOverdue', key: 'T0' }), 'Function test overdue')
  assert.equal(reasonWord({ kind: 'testNotProven', key: 'T180' }), '3-hour test not proven')
  assert.equal(conditionText({ kind: 'testMissed', key: 'T180' }), '3-hour test missed')
  assert.equal(endsWords({ kind: 'testMissed', key: 'T180' }), 'Ends with a conclusive 3-hour test (T180).')
})

test('an event of high severity is named as the light reports it', () => {
  const facts = { kind: 'highEvent', key: 'Battery failure', description: 'Battery at 0.3 V' } as const
  assert.equal(reasonWord(facts), 'Battery failure')
  assert.equal(conditionText(facts), 'The light reports: Battery at 0.3 V')
})

test('every kind and every ending has a text', () => {
  for (const kind of conditionKinds) {
    const facts = {
      kind,
      key: kind.startsWith('test') ? 'T0' : kind.endsWith('ault') ? 'device E1' : kind === 'highEvent' ? 'Lamp' : '',
    }
    assert.match(conditionText(facts), /^[A-Z].*[\w)]$/, kind)
    assert.match(endsWords(facts), /^Ends .*\.$/, kind)
    assert.doesNotMatch(endsWords(facts), /  /)
  }
  for (const ending of endings) assert.ok(endingWords[ending])
  for (const kind of settableKinds) assert.ok(settableWords[kind])
})
