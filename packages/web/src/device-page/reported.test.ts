import assert from 'node:assert/strict'
import { test } from 'vitest'
import { reportedRows } from './reported.ts'

const rows = (reported: Record<string, unknown>) =>
  reportedRows(reported, 'Europe/London').map(({ label, text, unit }) => `${label}: ${text}${unit ? ` ${unit}` : ''}`)

test('Reported values are rows in words, sorted by label', () => {
  assert.deepEqual(rows({ firmware: '4.12.3', chMaxLimit: true, gsmSignal: -71, burnerStarts: 12345 }), [
    'Burner starts: 12,345',
    'Ch max limit: Yes',
    'Firmware: 4.12.3',
    'Signal strength: -71 dBm',
  ])
})

test('The name of a group is a prefix of its parts', () => {
  assert.deepEqual(rows({ fault: { code: 'EA', resettable: false }, relay1: true }), [
    'Fault, code: EA',
    'Fault, resettable: No',
    'Relay 1: Yes',
  ])
})

test('A part does not repeat the name of its group, and an instant reads as a date', () => {
  assert.deepEqual(rows({ fault: { faultCode: 'EA', isResettable: true, timestamp: '2026-11-18T22:23:09.463Z' } }), [
    'Fault, code: EA',
    'Fault, resettable: Yes',
    'Fault, since: 18/11/2026 22:23',
  ])
})

test('An instant in milliseconds reads as a date, and a number that is none stays a number', () => {
  assert.deepEqual(rows({ mainsSince: 1_795_871_623_600, fault: { timestamp: 1_795_871_623_600 }, secondsSince: 90 }), [
    'Fault, since: 28/11/2026 13:13',
    'Mains since: 28/11/2026 13:13',
    'Seconds since: 90',
  ])
})

test('Unset values are left out', () => {
  assert.deepEqual(rows({ a: null, b: undefined, c: '', d: {} }), [])
})

test('A fault is shown once, in words', () => {
  const fault = { faultCode: 'EA', description: 'Flame not detected', faultSource: 'boiler' }
  assert.deepEqual(rows({ faultCode: 'EA', fault, relays: { 1: true, 2: false }, networkJoined: true }), [
    'Fault, code: EA',
    'Fault, description: Flame not detected',
    'Fault, source: boiler',
    'Joined to its network: Yes',
    'Relay 1: Yes',
    'Relay 2: No',
  ])
  assert.deepEqual(rows({ faultCode: 'None', fault: null }), ['Fault: None'])
})
