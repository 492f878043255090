import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createOutbox } from './outbox.ts'
import type { Message } from './outbox.ts'

const message = (payload: string, channel: Message['channel'] = 'telemetry') => ({ topic: 't', channel, payload })

function drain(outbox: ReturnType<typeof createOutbox>): string[] {
  const payloads: string[] = []
  for (let next = outbox.next(); next; next = outbox.next()) {
    payloads.push(next.payload)
    outbox.done(next)
  }
  return payloads
}

test('messages leave in the order they came', () => {
  const outbox = createOutbox(10, 5)
  for (const payload of ['1', '2', '3']) outbox.push(message(payload))
  assert.deepEqual(drain(outbox), ['1', '2', '3'])
})

test('when offline, the oldest telemetry is dropped first; replies and events are kept', () => {
  const outbox = createOutbox(4, 5)
  outbox.push(message('reply', 'replies'))
  for (let index = 0; index < 20; index++) outbox.push(message(`${index}`))
  outbox.push(message('event', 'events'))
  assert.deepEqual(drain(outbox), ['reply', '18', '19', 'event'])
})

test('only a limited number is in flight, and a lost connection returns them in order', () => {
  const outbox = createOutbox(10, 2)
  for (const payload of ['1', '2', '3']) outbox.push(message(payload))
  assert.equal(outbox.next()?.payload, '1')
  const second = outbox.next()!
  assert.equal(outbox.next(), undefined)
  outbox.done(second)
  outbox.rewind()
  assert.deepEqual(drain(outbox), ['1', '3'])
})

test('a message that repeatedly costs the connection is given up, and the others are not', () => {
  const outbox = createOutbox(10, 1)
  outbox.push(message('poison'))
  outbox.push(message('good'))
  let losses = 0
  while (outbox.next()?.payload === 'poison') {
    outbox.rewind()
    losses++
    assert.ok(losses < 10)
  }
  assert.equal(losses, 5)
  assert.equal(outbox.flying, 1)
})
