import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToldTest } from './alarm.ts'
import { alarmTitle, alarmingTest, shortfall } from './alarm.ts'

const told = (testType: ToldTest['testType'], result: ToldTest['result'], more: Partial<ToldTest> = {}): ToldTest => ({
  ...{ testType, result, componentStates: {}, lasted: null },
  ...more,
})

test('the longest failed test is the alarm, before any that degraded; none where the status has another reason', () => {
  const [short, long, worn] = [told('T5', 'Failed'), told('T60', 'Failed'), told('T180', 'Degraded')]
  assert.equal(alarmingTest('FailedEquipment', [short, worn, long]), long)
  assert.equal(alarmingTest('PreventativeMaintenance', [told('T0', 'Passed'), worn]), worn)
  assert.equal(alarmingTest('FailedEquipment', [told('T0', 'Passed')]), undefined)
  for (const status of ['Ok', 'RepairedEquipment', 'Installed', 'DisabledOther'] as const)
    assert.equal(alarmingTest(status, [long]), undefined, status)
})

test('the title names the test and the parts that it blames', () => {
  assert.equal(
    alarmTitle(
      told('T180', 'Failed', { componentStates: { Battery: 'Failed', Inverter: 'Degraded', Lamp: 'Failed' } }),
    ),
    'T180 test failed – battery, lamp',
  )
  assert.equal(
    alarmTitle(told('T60', 'Degraded', { componentStates: { Battery: 'Degraded' } })),
    'T60 test degraded – battery',
  )
  assert.equal(alarmTitle(told('T0', 'Failed')), 'T0 test failed')
})

test('how long the light burned is told where that is too short', () => {
  const text = 'The light went out after 1 h 52 min of the 3 h it must last.'
  assert.equal(shortfall({ testType: 'T180', lasted: 6720 }), text)
  assert.equal(shortfall({ testType: 'T60', lasted: 59 }), 'The light went out after 0 min of the 1 h it must last.')
  for (const lasted of [null, 10_800, 11_000]) assert.equal(shortfall({ testType: 'T180', lasted }), undefined)
  assert.equal(shortfall({ testType: 'T0', lasted: 3 }), undefined)
})
