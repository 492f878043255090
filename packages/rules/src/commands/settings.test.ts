import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { CommandLife } from './life.ts'
import {
  awaitsConfirmation,
  desiredState,
  lastOfEachKind,
  lastSetting,
  mayWithdraw,
  mayTryAgain,
  standing,
  withoutState,
  withState,
} from './life.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const command = (bend: Partial<CommandLife> = {}): CommandLife => ({
  name: 'setChMax',
  args: { chSetPoint: 68 },
  status: 'sent',
  message: null,
  sentAt: null,
  answeredAt: null,
  expiresAt: '2026-11-20T12:15:00Z',
  withdrawnAt: null,
  withdrawnBy: null,
  lateAnswer: null,
  ...bend,
})

test('a setting is confirmed only by the value that the device reports', () => {
  for (const status of ['queued', 'sent', 'confirmed', 'failed', 'expired'] as const) {
    const one = command({ status })
    assert.deepEqual([awaitsConfirmation(one, { chMax: 60 }), awaitsConfirmation(one, { chMax: 68 })], [true, false])
    assert.equal(standing(one, { chMax: 60 }), 'Waiting for device confirmation')
    assert.equal(standing(one, { chMax: 68 }), 'State confirmed')
  }
  const other = command({ status: 'confirmed' })
  assert.deepEqual([mayWithdraw(other, { chMax: 60 }), mayTryAgain(other, { chMax: 60 }, now)], [true, true])
  assert.deepEqual([mayWithdraw(other, { chMax: 68 }), mayTryAgain(other, { chMax: 68 }, now)], [false, false])
  assert.equal(awaitsConfirmation(command({ withdrawnAt: '2026-11-20T12:01:00Z' }), {}), false)
})

test('a relay is set alone: other relays of its switch are neither requested nor withdrawn', () => {
  const on = { name: 'setRelay', args: { relay: '2', on: true } }
  assert.deepEqual(desiredState(on), { relays: { 2: true } })
  const relay = command(on)
  assert.equal(awaitsConfirmation(relay, { relays: { 1: false, 2: true } }), false)
  assert.equal(awaitsConfirmation(relay, { relays: { 1: true } }), true)
  assert.equal(awaitsConfirmation(relay, {}), true)
  const before = { relays: { 1: true }, chMax: 60 }
  const asked = withState(before, desiredState(on)!)
  assert.deepEqual(asked, { relays: { 1: true, 2: true }, chMax: 60 })
  assert.deepEqual(withoutState(asked, desiredState(on)!), before)
  assert.deepEqual(withoutState({ relays: { 2: true } }, desiredState(on)!), {})
  const commands = [on, { name: 'setRelay', args: { relay: '1', on: false } }, { name: 'setChMax', args: {} }]
  assert.equal(lastSetting(commands, 'relay', '1'), commands[1])
  assert.equal(lastSetting(commands, 'chMax'), commands[2])
  assert.equal(lastSetting(commands, 'buzzer'), undefined)
  // Settings are shown with their value, not in the list of commands.
  assert.deepEqual(lastOfEachKind(commands), [])
})
