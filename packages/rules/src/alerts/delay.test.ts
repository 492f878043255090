import assert from 'node:assert/strict'
import { test } from 'vitest'
import { delayInSentence, delayUnits, delayWords, notificationTypes, triggerTypes } from './delay.ts'

test('the delay of an alert is shown as number, space and unit [dev-3ent-47 dev-3ent-48]', () => {
  assert.deepEqual(delayUnits, ['mins', 'hours', 'days'])
  assert.equal(delayWords(5, 'mins'), '5 mins')
  assert.equal(delayWords(0, 'hours'), '0 hours')
  assert.equal(delayWords(14, 'days'), '14 days')
})

test('inside a sentence a delay of 1 is singular, although the specification fixes the displayed text', () => {
  assert.deepEqual(
    [delayInSentence(1, 'days'), delayInSentence(1, 'mins'), delayInSentence(2, 'hours'), delayWords(1, 'days')],
    ['1 day', '1 min', '2 hours', '1 days'],
  )
})

test('notification types and triggers', () => {
  assert.deepEqual(notificationTypes, ['NONE', 'EMAIL', 'EMAILUNEDITABLE'])
  assert.deepEqual(triggerTypes, ['NONE', 'DEVICESTATUS', 'CONNECTIONSTATUS', 'ALERTABLEEVENT'])
})
