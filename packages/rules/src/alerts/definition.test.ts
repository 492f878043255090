import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Definition } from './definition.ts'
import { addressesIn, definitionFaults, delayMs } from './definition.ts'
import { triggerTypes } from './delay.ts'
import { alertableEvents, conditionWords, conditionsOf, isNotifiedAtOnce, statusConditions } from './triggers.ts'

const good: Definition = {
  tagId: 't',
  delay: 5,
  delayUnit: 'mins',
  notificationType: 'EMAIL',
  notificationTarget: 'repairs@north.test',
  triggerType: 'DEVICESTATUS',
  triggerCondition: 'FailedEquipment',
}
const faults = (bend: Partial<Definition>) => definitionFaults({ ...good, ...bend }).map((fault) => fault.message)

test('the conditions by device status are the documented ones, starting with the blank one', () => {
  assert.deepEqual(statusConditions, ['', 'FailedEquipment', 'PreventativeMaintenance', 'RepairedEquipment', 'Ok'])
  assert.deepEqual(conditionsOf('DEVICESTATUS'), statusConditions)
  assert.deepEqual(
    statusConditions.map((condition) => conditionWords('DEVICESTATUS', condition)),
    ['', 'Failed equipment', 'Preventative maintenance', 'Repaired equipment', 'Ok'],
  )
})

test('every event is offered with a name of its own', () => {
  const offered = conditionsOf('ALERTABLEEVENT')
  assert.deepEqual(
    offered.map((event) => conditionWords('ALERTABLEEVENT', event)),
    [
      'Boiler lockout',
      'Autofill lockout',
      'Test failed',
      'Battery not full',
      'Test overdue',
      'Light failed',
      'Light inhibited',
      'Light unstable',
      'No contact',
      'Test missed',
      'Gas check due',
      'Gas check overdue',
      'Gas check failed',
      'Gas never checked',
      'Water treatment due',
      'Water treatment overdue',
      'Water treatment failed',
      'Water never treated',
      'Gateway silent',
      'Damp and mould risk',
      'Damp: watch or higher',
      'Damp: severe',
      "Awaab's Law: due in 10 working days",
      "Awaab's Law: due in 5 working days",
      "Awaab's Law: due in 2 working days",
      "Awaab's Law: due in 1 working day",
      "Awaab's Law: due today",
      "Awaab's Law: deadline missed",
      'Heating off with people at home',
      'Frost risk',
      'Water leak',
      'Carbon monoxide',
      'Device failed',
      'Lamp dark',
    ],
  )
  for (const trigger of triggerTypes)
    for (const condition of conditionsOf(trigger))
      assert.equal(isNotifiedAtOnce(trigger, condition), ['carbonMonoxide', 'lampDark'].includes(condition))
  for (const { toDo } of Object.values(alertableEvents)) assert.match(toDo, /\.$/)
})

test('a valid rule has no errors', () => {
  assert.deepEqual(faults({}), [])
  assert.deepEqual(faults({ delay: 0 }), [])
  assert.deepEqual(faults({ triggerCondition: '' }), [])
  assert.deepEqual(faults({ notificationType: 'NONE', notificationTarget: '' }), [])
  assert.deepEqual(faults({ triggerType: 'CONNECTIONSTATUS', triggerCondition: 'NotConnected' }), [])
})

test('a rule without a tag is refused', () => {
  assert.deepEqual(faults({ tagId: '' }), ['Tag is required'])
})

test('a delay is a whole number from 0 to a year', () => {
  assert.deepEqual(faults({ delay: -1 }), ['Delay cannot be negative'])
  for (const delayUnit of ['mins', 'hours', 'days'] as const)
    assert.deepEqual(faults({ delay: 10 ** 9, delayUnit }), ['Delay can be at most 365 days'])
  for (const delay of [0.5, Number.NaN, Infinity]) assert.deepEqual(faults({ delay }), ['Delay must be a whole number'])
  assert.deepEqual(faults({ delay: 365, delayUnit: 'days' }), [])
  assert.equal(delayMs({ delay: 6, delayUnit: 'hours' }), 21_600_000)
})

test('a condition must belong to its trigger', () => {
  for (const [triggerType, triggerCondition] of [
    ['DEVICESTATUS', 'FailedDevice'],
    ['CONNECTIONSTATUS', 'FailedEquipment'],
    ['ALERTABLEEVENT', 'FailedEquipment'],
    ['ALERTABLEEVENT', ''],
    ['NONE', 'Ok'],
  ] as const)
    assert.deepEqual(faults({ triggerType, triggerCondition }), ['Choose a condition from the list'])
})

test('an e-mail target can have several addresses, separated by commas or semicolons', () => {
  assert.deepEqual(addressesIn('a@x.test, b@x.test ,A@X.test,'), ['A@X.test', 'b@x.test'])
  assert.deepEqual(faults({ notificationTarget: 'a@x.test, b@x.test' }), [])
  // In the formats of mail programs.
  for (const target of ['a@x.test; b@x.test', 'a@x.test;b@x.test;', 'A Mill <a@x.test>; B <b@x.test>'])
    assert.deepEqual(addressesIn(target), ['a@x.test', 'b@x.test'], target)
  for (const target of ['"Mill, Ann; Leeds" <a@x.test>, b@x.test', 'Mill, Ann <a@x.test>; <b@x.test>']) {
    assert.deepEqual(addressesIn(target), ['a@x.test', 'b@x.test'], target)
    assert.deepEqual(faults({ notificationTarget: target }), [], target)
  }
  assert.deepEqual(faults({ notificationTarget: 'r&d@x.test; j\u00F6rg@m\u00FCller.de' }), [])
  for (const [target, wrong] of [
    ['a@x.test; nobody', 'nobody'],
    ['nobody, b@x.test', 'nobody'],
    ['A <a@x.test> b@x.test', 'A <a@x.test> b@x.test'],
    ['A <a@x.test, b@x.test>', 'a@x.test, b@x.test'],
  ] as const)
    assert.deepEqual(faults({ notificationTarget: target }), [`${wrong} is not an e-mail address`], target)
  assert.deepEqual(faults({ notificationTarget: ' , ' }), ['E-mail address is required'])
  const many = Array.from({ length: 11 }, (_, n) => `a${n}@x.test`).join()
  assert.deepEqual(faults({ notificationTarget: many }), ['At most 10 addresses'])
})

test('an address is a single line and a single address', () => {
  for (const target of ['a@x.test\nbcc: b@x.test', 'a@x.test\r\n', 'a@x.test\u2028b@x.test'])
    assert.deepEqual(faults({ notificationTarget: target }), ['An address must be one line'])
  for (const target of ['nobody', 'a@x', 'a b@x.test', `${'a'.repeat(250)}@x.test`])
    assert.deepEqual(faults({ notificationTarget: target }), [`${target} is not an e-mail address`])
})
