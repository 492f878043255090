import assert from 'node:assert/strict'
import { test } from 'vitest'
import { commandText } from '../logs/logs.ts'
import { isRepeatable, testCommandName } from './command-names.ts'

const runId = '11111111-1111-4111-8111-111111111111'
const rows = [
  [{ name: 'runTest', args: { testType: 'T0' } }, 'Flick test', true],
  [{ name: 'runTest', args: { testType: 'T0', runId } }, 'Flick test', false],
  [{ name: 'runTest', args: { testType: 'T5', runId } }, '5-minute test (T5)', false],
  [{ name: 'runTest', args: { testType: 'T60', runId } }, '1-hour test (T60)', false],
  [{ name: 'runTest', args: { testType: 'T180', runId } }, '3-hour test (T180)', false],
  [{ name: 'runTest', args: { testType: 'T180' } }, '3-hour test (T180)', false],
  [{ name: 'stopTest', args: { runId } }, 'Stop test', false],
  [{ name: 'joinNetwork', args: {} }, undefined, true],
] as const

test('each test command has a name of its own, and only a flick test can be repeated with one click', () => {
  for (const [command, name, repeatable] of rows) {
    assert.equal(testCommandName(command), name)
    assert.equal(isRepeatable(command), repeatable, JSON.stringify(command))
  }
})

test('the history shows the test of a command', () => {
  const life = { status: 'confirmed', expiresAt: '2026-11-21T00:00:00Z', message: null, lateAnswer: null } as const
  for (const [command, name] of rows.slice(0, -1))
    assert.equal(commandText({ ...command, ...life }, 0), `${name}: confirmed by the device`)
})
