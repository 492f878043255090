import assert from 'node:assert/strict'
import { test } from 'vitest'
import { State, Test } from './payloads.ts'
import { parseTopic, topic } from './topics.ts'

const id = '3f0c1f9e-58a4-4c55-9f1d-0d2f6f0a7b11'

test('a topic that is built can be parsed', () => {
  assert.deepEqual(parseTopic(topic(id, 'telemetry')), { deviceId: id, channel: 'telemetry' })
  for (const wrong of [
    '',
    'devices',
    `devices/${id}`,
    `devices/${id}/other`,
    `devices/${id}/state/x`,
    'devices/+/state',
    `$SYS/${id}/state`,
    `devices/${id.toUpperCase()}/state`,
  ])
    assert.equal(parseTopic(wrong), undefined, wrong)
})

test('a state is an object of plain values with a limited size', () => {
  assert.ok(State.safeParse({ firmware: '1.2', relays: { 1: true }, fault: null }).success)
  for (const wrong of [
    {},
    [],
    'x',
    { a: [1] },
    Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 1])),
  ])
    assert.equal(State.safeParse(wrong).success, false)
})

test('an emergency light test is valid without a result', () => {
  const event = { eventId: id, testType: 'T0', start: 1, componentStates: {}, series: [] }
  assert.ok(Test.safeParse(event).success)
  assert.equal(Test.safeParse({ ...event, testType: 'T1' }).success, false)
})
