import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayUnits, delayWords, notificationTypes, triggerTypes } from './delay.ts'

test("an alert's delay reads as number, space and unit [dev-3ent-47 dev-3ent-48]", () => {
  assert.deepEqual(delayUnits, ['mins', 'hours', 'days'])
  assert.equal(delayWords(5, 'mins'), '5 mins')
  assert.equal(delayWords(0, 'hours'), '0 hours')
  assert.equal(delayWords(14, 'days'), '14 days')
})

test('how an alert is told, and what sets it off', () => {
  assert.deepEqual(notificationTypes, ['NONE', 'EMAIL', 'EMAILUNEDITABLE'])
  assert.deepEqual(triggerTypes, ['NONE', 'DEVICESTATUS', 'CONNECTIONSTATUS', 'ALERTABLEEVENT'])
})
