import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openMessageAllowances } from './allowances.ts'
import { receiveMessage } from './brokers.ts'
import type { KnownConnection } from './sensors.ts'

const connection: KnownConnection = {
  ...{ id: 'c', tenant: 'north', kind: 'zigbee2mqtt', name: 'Zigbee', paths: null, paused: false },
}
const log = { warn: () => {} }
const message = { topic: 'zigbee2mqtt/a', payload: Buffer.from('{}') }

/** An intake that fails with these errors, one after the other, and what it was asked to do. */
function failing(...errors: object[]) {
  const calls: string[] = []
  const fail = async (name: string) => {
    calls.push(name)
    const error = errors.shift()
    if (error) throw Object.assign(new Error('refused'), error)
  }
  return {
    calls,
    allowances: openMessageAllowances(),
    receive: () => fail('receive').then(() => ({ results: [] })),
    refuse: (_: unknown, error: string) => fail(error),
  }
}

test('a message that the database can never hold is counted as an error, and the next one is received', async () => {
  const intake = failing({ code: '54000' })
  await receiveMessage(intake, connection, message, () => false, log)
  assert.deepEqual(intake.calls, ['receive', 'wrong shape'])
})

test('a message is tried again while the database is away, and no more once its connection closed', async () => {
  const away = { code: '57P01' }
  const intake = failing(away)
  await receiveMessage(intake, connection, message, () => false, log)
  assert.deepEqual(intake.calls, ['receive', 'receive'])
  const closed = failing(away)
  await assert.rejects(receiveMessage(closed, connection, message, () => true, log))
  assert.deepEqual(closed.calls, ['receive'])
})

test('a connection beyond its allowance of messages waits, also when few bodies have many of them', async () => {
  const intake = failing()
  intake.allowances.take(connection.id, 6002)
  assert.ok(intake.allowances.waitOf(connection.id) > 0)
  const begun = Date.now()
  await receiveMessage(intake, connection, message, () => false, log)
  assert.ok(Date.now() - begun >= 15)
  assert.deepEqual(intake.calls, ['receive'])
  assert.equal(intake.allowances.waitOf('another'), 0)
})
