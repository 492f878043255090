import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { fillTemplate, fillTopic, matchesFilter, templateFault, usualTemplate } from './downlink-templates.ts'

test('a template is JSON with the set point', () => {
  assert.equal(templateFault(usualTemplate), undefined)
  assert.equal(templateFault('{"a":["{setPoint} °C"]}'), undefined)
  assert.equal(templateFault('{"a":{setPoint}}'), 'must be JSON')
  assert.equal(templateFault('{"a":"{sensor}"}'), 'must contain "{setPoint}"')
})

test('no id of a sensor changes the structure of a command, or inserts another value', () => {
  fc.assert(
    fc.property(fc.string(), (sensor) => {
      const filled = fillTemplate(JSON.parse('{"to":"x {sensor} y","t":"{setPoint}"}'), {
        id: 'c',
        sensor,
        setPoint: 20,
      })
      assert.deepEqual(filled, { to: `x ${sensor} y`, t: 20 })
    }),
  )
  const values = { id: 'c', sensor: '{setPoint}', setPoint: 20 }
  assert.deepEqual(fillTemplate('{sensor}', values), '{setPoint}')
})

test.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/+', true],
  ['a/b/c', 'a/+', false],
  ['a/b/c', 'a/#', true],
  ['a', 'a/#', true],
  ['a', 'a/+', false],
  ['b/a', 'a/#', false],
  ['a/b', '$share/group/a/#', true],
  ['a/b', '#', true],
])('the topic %s is in the subscription %s: %s', (topic, filter, expected) => {
  assert.equal(matchesFilter(topic, filter), expected)
})

test('the id of a sensor becomes part of a topic only if it is one', () => {
  assert.equal(fillTopic('heating/{sensor}/set', 'hall $& 1'), 'heating/hall $& 1/set')
  for (const sensor of ['+', 'a#', 'a\0']) assert.equal(fillTopic('heating/{sensor}/set', sensor), undefined)
  assert.equal(fillTopic('{sensor}/set', '$SYS'), undefined)
})
