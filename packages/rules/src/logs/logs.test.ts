import assert from 'node:assert/strict'
import { test } from 'vitest'
import { conditionKinds, endings } from '../conditions/conditions.ts'
import type { LoggedAlert } from './logs.ts'
import {
  alertText,
  categoryOfCondition,
  requestText,
  commandText,
  conditionsIn,
  endedText,
  beganText,
  instantOfLog,
  logCategories,
} from './logs.ts'

test('a time without a zone is UTC in any format; one with a zone keeps it', () => {
  const at = Date.UTC(2026, 6, 1, 11, 30, 5)
  for (const text of [
    '2026-07-01T11:30:05Z',
    '2026-07-01T11:30:05.000Z',
    '2026-07-01T11:30:05',
    '2026-07-01 11:30:05',
    '2026-07-01 11:30:05 UTC',
    '2026-07-01T12:30:05+01:00',
    ' 2026-07-01T11:30:05 ',
  ])
    assert.equal(instantOfLog(text), at, text)
  assert.equal(instantOfLog('2026-07-01'), Date.UTC(2026, 6, 1))
  assert.ok(Number.isNaN(instantOfLog('yesterday')))
})

test('every kind of condition has one log category, and texts for its beginning and end', () => {
  const kinds = logCategories.flatMap(conditionsIn)
  assert.deepEqual(kinds.toSorted(), conditionKinds.toSorted())
  assert.equal(categoryOfCondition('fault'), 'Fault')
  assert.equal(categoryOfCondition('inStock'), 'Installation')
  assert.equal(categoryOfCondition('testFailed'), 'Status')
  const fault = { kind: 'fault', key: 'boiler EA', description: 'Flame not detected' } as const
  assert.equal(beganText(fault), 'Fault EA of the boiler: Flame not detected')
  assert.equal(
    endedText(fault, 'fault gone'),
    'Over: Fault EA of the boiler: Flame not detected. The device stopped reporting it.',
  )
  assert.equal(beganText({ kind: 'disabledOther', key: '' }, { note: 'Refurbished' }), 'Disabled. “Refurbished”')
  for (const ending of endings) assert.match(endedText(fault, ending, { note: 'Done' }), /\. “Done”$/)
})

test('a repair is logged with the replaced or repaired parts', () => {
  const repaired = ['battery', 'lamp']
  assert.equal(
    beganText({ kind: 'equipmentRepaired', key: '' }, { repaired, note: 'One spare left' }),
    'Equipment repaired, not yet proven. Replaced or repaired: battery, lamp. “One spare left”',
  )
  assert.equal(
    endedText({ kind: 'testFailed', key: 'T5', states: { Lamp: 'Failed' } }, 'repair recorded', { repaired }),
    'Over: Lamp failed in the 5-minute test (T5). A repair was recorded. Replaced or repaired: battery, lamp.',
  )
})

test('a command is logged with its result so far', () => {
  const now = Date.UTC(2026, 10, 21)
  const command = {
    name: 'resetBoiler',
    expiresAt: new Date(now + 1000).toISOString(),
    message: null,
    lateAnswer: null,
  }
  for (const [more, text] of [
    [{ status: 'queued' }, 'Reset boiler: not answered yet'],
    [{ status: 'sent', expiresAt: new Date(now).toISOString() }, 'Reset boiler: not answered in time'],
    [{ status: 'confirmed' }, 'Reset boiler: confirmed by the device'],
    [{ status: 'failed', message: 'Not now' }, 'Reset boiler: refused by the device (Not now)'],
    [{ status: 'expired', lateAnswer: 'confirmed' }, 'Reset boiler: confirmed late by the device'],
    [{ status: 'withdrawn' }, 'Reset boiler: taken back before it was sent'],
    [{ status: 'confirmed', name: 'of a newer version' }, 'Of a newer version: confirmed by the device'],
    [{ status: 'confirmed', name: 'runTest', args: { testType: 'T0' } }, 'Flick test: confirmed by the device'],
    [{ status: 'confirmed', name: 'setChMax', args: { chSetPoint: 60 } }, 'Set CH max 60 °C: confirmed by the device'],
    [{ status: 'confirmed', name: 'setBuzzer', args: { isLimited: false } }, 'Set buzzer off: confirmed by the device'],
    [
      { status: 'confirmed', name: 'setRelay', args: { relay: 2, on: true } },
      'Switch relay 2 on: confirmed by the device',
    ],
  ] as const)
    assert.equal(commandText({ ...command, ...more }, now), text)
})

test('a request has a short text for charts', () => {
  for (const [name, args, text] of [
    ['setRelay', { relay: 2, on: true }, 'Immersion heater asked on'],
    ['setRelay', { relay: 1, on: false }, 'Air source heat pump asked off'],
    ['setRelay', { relay: 3, on: false }, 'Relay 3 asked off'],
    ['setChMax', { chSetPoint: 60 }, 'Set CH max 60 °C'],
    ['resetBoiler', {}, 'Reset boiler'],
  ] as const)
    assert.equal(requestText({ name, args }), text)
})

test('an alert is logged with its rule, its recipients and its end', () => {
  const rule = { tagName: 'NightTest', delay: 5, delayUnit: 'mins' } as const
  const failed = { ...rule, triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' } as const
  const alertOf = (more: Partial<LoggedAlert>) =>
    alertText({ rule: failed, to: [], isOver: false, ending: null, ...more })
  assert.equal(alertOf({ to: ['a@x.test'] }), 'Alert: NightTest: Failed equipment for 5 mins. E-mail sent to a@x.test.')
  assert.equal(alertOf({}), 'Alert: NightTest: Failed equipment for 5 mins. Shown in the portal only.')
  assert.equal(
    alertOf({ isOver: true, ending: 'cleared' }),
    'Alert over: NightTest: Failed equipment for 5 mins. The device reported that it has cleared.',
  )
})
